"""Reads a `.cu` file that is to be judged, and refuses what cannot be."""

from pathlib import Path

from cudamaster.errors import UnreadableKernel

LARGEST_BYTES = 1 << 20


def read_kernel(path: Path) -> str:
    """The source. Raises UnreadableKernel with what is wrong with the file."""
    if not path.exists():
        raise UnreadableKernel(f"{path} does not exist{_nearby(path)}")
    if not path.is_file():
        raise UnreadableKernel(f"{path} is not a file; give the .cu file itself")
    return kernel_text(path, _content(path))


def _nearby(path: Path) -> str:
    others = sorted(p.name for p in path.parent.glob("*.cu"))[:5] if path.parent.is_dir() else []
    return f"; {path.parent} has {', '.join(others)}" if others else ""


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UnreadableKernel(f"{path} is over {LARGEST_BYTES >> 20} MiB: give one kernel's source")
        return path.read_bytes()
    except OSError as cause:
        raise UnreadableKernel(f"{path} cannot be read ({cause.strerror}): make it readable") from cause


def kernel_text(path: Path | str, content: bytes) -> str:
    """The source in `content`, which `path` names. Raises UnreadableKernel."""
    if len(content) > LARGEST_BYTES:
        raise UnreadableKernel(f"{path} is over {LARGEST_BYTES >> 20} MiB: give one kernel's source")
    if not content.strip():
        raise UnreadableKernel(f"{path} is empty; give CUDA C++ source")
    if b"\0" in content:
        raise UnreadableKernel(f"{path} is a binary file; give CUDA C++ source")
    try:
        return content.decode()
    except UnicodeDecodeError as cause:
        raise UnreadableKernel(f"{path} is not UTF-8 text (byte {cause.start}); save it as UTF-8") from cause
