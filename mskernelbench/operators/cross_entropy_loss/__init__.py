"""Cross entropy of two probability vectors."""
