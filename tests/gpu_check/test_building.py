"""Kernels are compiled ahead of the parts that call them, and no longer than those run."""

import time
from collections.abc import Iterator, Sequence

from benchmarks.gpu_check.building import building_ahead
from benchmarks.gpu_check.nouns import Part
from benchmarks.gpu_check.parts import PARTS
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import find_toolchain
from tests.contract.sources import KERNEL, hosting

NOTHING = 'extern "C" void run(void* stream) {{ /* {mark} */ }}\n'


def part(*sources: KernelSource) -> Part:
    return Part("part", "shows", 1.0, lambda session: [], lambda rows: {}, lambda operators: sources)


def test_what_the_parts_call_is_in_the_cache_before_they_ask_for_it() -> None:
    toolchain, mark = find_toolchain(), time.time_ns()
    first, second = (KernelSource(NOTHING.format(mark=f"{mark} {n}"), "run") for n in range(2))

    with building_ahead([part(first), part(second)], (), "sm_90a", toolchain):
        assert compile_kernel(second, "sm_90a", toolchain).ok

    assert compile_kernel(first, "sm_90a", toolchain).cached


def test_nothing_is_begun_once_the_parts_have_ended() -> None:
    given: list[int] = []

    def endless(operators: Sequence[str]) -> Iterator[KernelSource]:
        for number in range(1000):
            given.append(number)
            yield KernelSource(f"{number} is no kernel", "no entry")
            time.sleep(0.01)

    with building_ahead([part()._replace(sources=endless)], (), "sm_90a", find_toolchain()):
        time.sleep(0.1)

    assert 0 < len(given) < 1000


def test_parts_know_what_they_will_have_compiled() -> None:
    known = {part.name: list(part.sources(("vector_add", "prefix_sum"))) for part in PARTS}

    assert [source.entry for source in known["baselines"]] == [
        "vector_add", "prefix_sum", "vector_add_bf16", "prefix_sum_bf16",
    ]  # fmt: skip
    assert [source.entry for source in known["vendor"]] == ["prefix_sum", "prefix_sum_bf16"]
    assert hosting("abort();").text.endswith("}\n")
    assert any(KERNEL in source.text for source in known["contract"])
    assert {source.entry for source in known["pairs"]} == {"slow", "fast"}
