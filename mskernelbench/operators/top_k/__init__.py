"""The k largest values of a vector, and where they stand."""
