"""What is kept: the journal and artefacts of each run, and the best kernel of each operator."""
