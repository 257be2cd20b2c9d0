"""Runs in a browser while they go on: what is served, to whom, and how pages follow a journal.

`gate.py` is who may ask, `connection.py` for how long, `views.py` what a page shows now, `stream.py` how it
hears of changes, `app.py` the addresses, `serving.py` the socket and its end.
"""
