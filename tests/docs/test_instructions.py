"""The page of instructions names what the virtual GPU refuses."""

import re
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import write_warp_function
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported

PAGE = Path(__file__).parents[2] / "docs" / "instructions.md"
REGISTERS = {"r": "b32", "d": "b64", "h": "b16", "p": "pred", "f": "f32"}


def refused() -> list[str]:
    block = re.search(r"```ptx\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block
    return [line for line in block[1].splitlines() if not line.startswith("//")]


@pytest.mark.parametrize("instruction", refused(), ids=lambda text: text.split(" ")[0])
def test_what_the_page_calls_refused_is(instruction: str) -> None:
    declared = "\n".join(f".reg .{kind} %{letter}<16>;" for letter, kind in REGISTERS.items())
    module = parse_module(
        f".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n{declared}\n"
        f"ld.param.u64 %d0, [a];\n{instruction}\nret;\n}}\n"
    )
    with pytest.raises(Unsupported, match=re.escape(instruction.split(".")[0])):
        write_warp_function(module, module.kernels["k"], Mode(check=True, count=False, avx512=False))
