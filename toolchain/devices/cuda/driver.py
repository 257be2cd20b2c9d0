"""Asks NVIDIA's driver which GPUs there are."""

import ctypes

ADVICE = "this version runs kernels on no real GPU yet; use --device virtual"


class DriverMissing(Exception):
    """No driver answers, or it names no GPU; the message says which and what helps."""


def gpu_titles() -> tuple[str, ...]:
    """The vendor's names of the GPUs here, at least one, in the driver's order. Raises DriverMissing."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as failure:
        raise DriverMissing(f"no NVIDIA driver here: libcuda.so.1 cannot be loaded; {ADVICE}") from failure
    titles = _titles_of_nvml()
    if not titles:
        raise DriverMissing(f"NVIDIA's driver is installed and names no GPU; {ADVICE}")
    return titles


def _titles_of_nvml() -> tuple[str, ...]:
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as failure:
        raise DriverMissing(f"NVIDIA's driver does not answer: {failure}; {ADVICE}") from failure
    try:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        return tuple(str(pynvml.nvmlDeviceGetName(handle)) for handle in handles)
    finally:
        pynvml.nvmlShutdown()
