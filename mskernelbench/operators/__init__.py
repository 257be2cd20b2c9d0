"""The operators: one folder each, found by listing this one."""
