"""Processes for code nobody trusts: a zygote forks a hardened child for each candidate in milliseconds.

`zygote.py` is the process that forks, `hardening.py` what a child gives up before it loads a candidate,
`wire.py` how the two sides talk, `segment.py` the memory they share, `worker.py` the trusted side.
"""
