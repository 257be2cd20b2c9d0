"""Tables over result files: who makes how many tasks how much faster, and what got worse."""
