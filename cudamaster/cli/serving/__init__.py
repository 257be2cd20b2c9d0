"""The referee as tools of the Model Context Protocol, for coding agents from outside.

`tools.py` is what an agent sees, `bench.py` the server's end of the process that judges, `judging_process.py`
that process, `desk.py` what it answers.
"""
