"""Reads ptxas's report (`-Xptxas -v`): registers, shared memory, stack and spills of each kernel."""

import re

from cudamaster.toolchain.build import KernelResources

ENTRY = re.compile(r"Compiling entry function '([^']+)'")
PROPERTIES = re.compile(r"Function properties for (\S+)")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def parse_resources(log: str) -> tuple[KernelResources, ...]:
    """One entry a `__global__` function, in the order compiled."""
    found: list[KernelResources] = []
    kernel, described, stack = "", "", (0, 0, 0)
    for line in log.splitlines():
        if entry := ENTRY.search(line):
            kernel = entry[1]
        elif properties := PROPERTIES.search(line):
            described = properties[1]
        elif (sizes := STACK.search(line)) and described == kernel:
            stack = (int(sizes[1]), int(sizes[2]), int(sizes[3]))
        elif kernel and (used := USED.search(line)):
            found.append(_resources(kernel, int(used[1]), line, stack))
            kernel, stack = "", (0, 0, 0)
    return tuple(found)


def _resources(name: str, registers: int, line: str, stack: tuple[int, int, int]) -> KernelResources:
    shared = SHARED.search(line)
    return KernelResources(
        name=name,
        registers=registers,
        shared_bytes=int(shared[1]) if shared else 0,
        spill_store_bytes=stack[1],
        spill_load_bytes=stack[2],
        stack_bytes=stack[0],
    )
