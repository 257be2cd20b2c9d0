"""Language models behind one small protocol: OpenAI, Anthropic, compatible servers, a script, a recording."""
