"""The time model: what sampled blocks did, turned into a modelled time and a profile."""
