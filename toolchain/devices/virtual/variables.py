"""Module variables (`__device__`, `__constant__`, `__managed__`): memory that the C runtime is told of."""

import ctypes
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.analysis.calls import function_numbers
from cudamaster.toolchain.devices.virtual.ptx.nouns import Module, Variable
from cudamaster.toolchain.devices.virtual.runtime import WRITABLE


class ModuleVariables:
    """Addresses of the variables of every module, by name and by module."""

    def __init__(self, native: ctypes.CDLL, shared: Callable[[int], int | None] | None = None) -> None:
        """`shared` gives memory of so many bytes that the process of the host code sees too."""
        self._native, self._shared = native, shared
        self.addresses: dict[str, int] = {}
        self._tables: dict[int, tuple[NDArray[np.uint64], int]] = {}
        """And where they lie."""

    def add(self, module: Module) -> None:
        """Allocate and initialise the variables of `module`."""
        placed = [v for v in module.variables.values() if v.space in ("global", "const")]
        for variable in placed:
            self.addresses[variable.name] = self._allocate(variable)
        for variable in placed:
            self._relocate(variable, self.addresses | function_numbers(module))
        table = np.array([self.addresses[v.name] for v in placed] + [0], np.uint64)
        self._tables[id(module)] = table, table.ctypes.data

    def table(self, module: Module) -> int:
        """Return the pointer to the addresses of `module`'s variables, in the order of `analysis.layout`."""
        return self._tables[id(module)][1]

    def _allocate(self, variable: Variable) -> int:
        name = variable.name.encode()
        if variable.managed and self._shared:
            address = self._shared(variable.size)
            self._native.vg_register(address, variable.size, WRITABLE, name)
        else:
            address = self._native.vg_alloc(variable.size, WRITABLE if variable.space == "global" else 0)
            self._native.vg_name(address, name)
        if address is None:
            raise MemoryError(f"{variable.size} bytes for the variable {variable.name}")
        initial = (variable.initial or b"").ljust(variable.size, b"\0")
        ctypes.memmove(address, initial, variable.size)
        return int(address)

    def _relocate(self, variable: Variable, targets: dict[str, int]) -> None:
        for offset, symbol, addend in variable.relocations:
            target = targets[symbol] + addend
            ctypes.memmove(self.addresses[variable.name] + offset, target.to_bytes(8, "little"), 8)
