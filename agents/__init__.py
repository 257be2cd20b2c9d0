"""Who proposes: the roles, their prompts, the models that answer them, and the built-in expert."""

if __name__ != "cudamaster.agents":
    raise ImportError("import cudamaster.agents, not agents")
