"""Gate and values side by side in rows: silu(x)·g."""
