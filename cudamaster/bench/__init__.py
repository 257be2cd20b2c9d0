"""The suite: a team on many tasks, each a run, with one result file that is always whole."""
