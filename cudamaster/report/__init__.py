"""What is told of runs, evaluations and profiles: JSON documents and tables, as pure functions."""
