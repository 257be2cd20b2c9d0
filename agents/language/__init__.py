"""A team of language models: the four roles, asked by their prompts and read by their parsers."""
