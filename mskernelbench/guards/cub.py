"""Knows what CUDA 13's CUB and Thrust headers import for their own use: honest kernels may include them."""

import re

from mskernelbench.entries import blanked

HEADER = re.compile(r"#\s*include\s*<(?:cub|thrust)/")
IMPORTS = frozenset(
    {"dlopen", "dlsym", "dlclose", "getenv", "sched_yield", "cudaGetDeviceCount", "cudaSetDevice"}
)


def imports_of_headers(source: str) -> frozenset[str]:
    """Those imports that only the headers can want: they are included, and the source spells no such name."""
    text = blanked(source)
    if not HEADER.search(source) or "##" in text or "asm" in text:
        return frozenset()
    return frozenset(name for name in IMPORTS if name not in text)
