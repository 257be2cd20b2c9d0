"""A kernel in words that do not depend on the module it lies in: equal words, equal code.

Names of labels, parameters and variables, which compilers number through a whole module, and source lines are
left out; where a name leads is kept.
"""

import re

from cudamaster.toolchain.devices.virtual.analysis.layout import Layout, plan
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel, Module

_SYMBOL = re.compile(r"Symbol\(name='([^']*)'")


def fingerprint(module: Module, kernel: Kernel) -> str:
    """Return all that the code of `kernel`, prepared for code generation, depends on."""
    layout = plan(module, kernel, frozenset(), frozenset())
    places = _places(kernel, layout)
    code = repr([[(i.opcode, i.operands, i.guard) for i in block] for block in kernel.blocks])
    sizes = layout.static_shared_bytes, layout.local_bytes, sum(p.size for p in kernel.parameters)
    return f"{sizes}\n{kernel.registers}\n{_SYMBOL.sub(lambda match: places.get(match[1], match[0]), code)}"


def _places(kernel: Kernel, layout: Layout) -> dict[str, str]:
    """Return where each symbol leads."""
    spaces = {
        "variable": layout.variables,
        "function": layout.functions,
        "parameter": layout.parameters,
        "local": layout.local,
        "shared": layout.shared,
        "block": kernel.labels,
    }
    places = {
        name: f"{space}({place}" for space, offsets in spaces.items() for name, place in offsets.items()
    }
    tables = {
        name: f"table({[kernel.labels[label] for label in labels]}"
        for name, labels in kernel.branch_tables.items()
    }
    return places | tables
