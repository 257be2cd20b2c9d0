"""What every test begins with: signals as a terminal's programs have them, also under `nohup`."""

import signal

signal.signal(signal.SIGHUP, signal.SIG_DFL)
