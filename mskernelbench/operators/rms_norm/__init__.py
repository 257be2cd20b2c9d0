"""Root mean square normalisation of one vector."""
