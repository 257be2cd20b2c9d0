"""PTX text to nouns: what nvcc wrote, parsed and nothing more."""
