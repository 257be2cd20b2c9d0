"""Finds vendor arms: `vendor.cu` in an operator's folder, its headers written into it.

Its first lines say what it calls, `// vendor: cuBLAS`, and what it is linked with, `// links: cublas`, where
that is a library and not headers alone. One text serves both precisions: `entry.cuh` has `Value` and `ENTRY`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.errors import BadOperator
from mskernelbench.operator import Operator, Precision

FILE = "vendor.cu"
HEADERS = Path(__file__).parent
TITLE = re.compile(r"^// vendor: (\S+)$", re.MULTILINE)
LINKS = re.compile(r"^// links: ([\w ]+)$", re.MULTILINE)
OWN_INCLUDE = re.compile(r'^#include "([a-z_]+\.cuh)"$', re.MULTILINE)
BF16 = "#define BF16\n"


@dataclass(frozen=True, slots=True)
class VendorArm:
    """A vendor's answer to one operator at one precision."""

    title: str
    """What it calls, such as `cuBLAS`."""
    source: KernelSource
    """Ready to be built."""

    @property
    def needs_gpu(self) -> bool:
        """Whether only a real GPU runs it: libraries hold machine code alone."""
        return bool(self.source.libraries)


def find_arm(operator: Operator, precision: Precision) -> VendorArm | None:
    """The arm of `operator`, or None. Raises BadOperator for a file that does not say what it calls.

    An operator of one file has none: its folder is not its own.
    """
    file = operator.folder / FILE
    if operator.baselines is not None or not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    title, links = TITLE.search(text), LINKS.search(text)
    if title is None:
        raise BadOperator(f"{file} has no line '// vendor: NAME' that says what it calls")
    whole = (BF16 if precision is Precision.BF16 else "") + _with_headers(text, set())
    libraries = tuple(links[1].split()) if links else ()
    return VendorArm(
        title[1], KernelSource(whole, operator.entry_symbol(precision), FILE, libraries=libraries)
    )


def _with_headers(text: str, written: set[str]) -> str:
    """`text` with each of our own headers written where it is first included."""

    def header(match: re.Match[str]) -> str:
        if match[1] in written:
            return ""
        written.add(match[1])
        return _with_headers((HEADERS / match[1]).read_text(encoding="utf-8"), written)

    return OWN_INCLUDE.sub(header, text)
