"""Contraction of a fourth-order and a third-order tensor over two indices."""
