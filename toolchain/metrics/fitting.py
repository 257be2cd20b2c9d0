"""What keeps more blocks from fitting on an SM, read off the metrics, however large the grid is."""

from collections.abc import Mapping

LIMITS = {
    "warps": "occupancy_limit_warps",
    "registers": "occupancy_limit_registers",
    "shared memory": "occupancy_limit_shared",
    "blocks": "occupancy_limit_blocks",
}


def fit_limiter(metrics: Mapping[str, float]) -> str:
    """`warps`, `registers`, `shared memory` or `blocks`; empty where that was not counted."""
    known = {limiter: metrics[name] for limiter, name in LIMITS.items() if name in metrics}
    return min(known, key=lambda limiter: known[limiter]) if known else ""
