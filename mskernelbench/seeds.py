"""From a seed and a label to a random generator: the same pair gives the same bytes on every machine."""

import hashlib

import numpy as np


def generator(seed: int, label: str) -> np.random.Generator:
    """A PCG64 generator seeded by SHA-256 of `seed` and `label`."""
    digest = hashlib.sha256(f"{seed}/{label}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))
