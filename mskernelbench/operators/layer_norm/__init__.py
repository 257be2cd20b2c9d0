"""Layer normalisation of one vector."""
