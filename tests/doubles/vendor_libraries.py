"""NVIDIA's libraries by their manuals, slow, in plain CUDA: with them vendor arms run anywhere.

What an arm passes (order of arguments, transposes, strides, sizes) is held against the manual's meaning; the
real libraries' own arithmetic is not.
"""

import re
from dataclasses import replace
from pathlib import Path

from cudamaster.toolchain.kernel import KernelSource

FOLDER = Path(__file__).with_name("libraries")
HEADER = re.compile(r'^#include [<"]((?:cublas_v2|cusparse|cufft|cudnn|values)\.h)[>"]$', re.MULTILINE)


def with_doubles(source: KernelSource) -> KernelSource:
    """`source` with the doubles written where it includes a library, and linked with none."""

    written: set[str] = set()

    def text_of(match: re.Match[str]) -> str:
        if match[1] in written:
            return ""
        written.add(match[1])
        text = (FOLDER / match[1]).read_text().replace("#pragma once\n", "")
        return HEADER.sub(text_of, text)

    return replace(source, text=HEADER.sub(text_of, source.text), libraries=())
