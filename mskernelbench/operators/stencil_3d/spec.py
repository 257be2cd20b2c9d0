"""stencil_3d: one explicit step of the heat equation in a box whose faces are copied."""

from itertools import product
from pathlib import Path

from mskernelbench import stencils
from mskernelbench.operator import Category, Contract, Operator, Shape, Workload, output, scalar, size, tensor
from mskernelbench.pieces import windows


def shape(nx: int, ny: int, nz: int, r: float = 0.125) -> Shape:
    """Grid sizes and the diffusion number."""
    return {"r": r, "nx": nx, "ny": ny, "nz": nz}


CHECK = (
    Workload("check", shape(1, 1, 1)),
    Workload("check", shape(2, 3, 1)),
    Workload("check", shape(1, 9, 37)),
    Workload("check", shape(31, 1, 5)),
    Workload("check", shape(7, 41, 2)),
    Workload("check", shape(3, 3, 3, 0.1)),
    Workload("check", shape(17, 13, 33, 0.1)),
    Workload("check", shape(8, 16, 264), "shifted"),
    Workload("check", shape(3, 5, 1031), "shifted"),
    Workload("check", shape(4, 523, 7), "shifted"),
    Workload("check", shape(509, 3, 6), "shifted"),
    Workload("check", shape(11, 31, 29, 0.2), "mixed"),
    Workload("check", shape(9, 7, 65), "nan_cell"),
    Workload("check", shape(13, 10, 21, 1.0), "integers", exact=True),
    Workload("check", shape(16, 17, 31, 0.5), "one_hot"),
    Workload("check", shape(3, 3, 65_539), "shifted"),
)
PAPER = tuple(Workload("paper", shape(*sizes), "shifted") for sizes in product((64, 128, 256), repeat=3))
REAL = (
    Workload("real", shape(100, 101, 203), "shifted"),
    Workload("real", shape(384, 384, 384), "shifted"),
    Workload("real", shape(513, 511, 515), "shifted"),
)

OPERATOR = Operator(
    name="stencil_3d",
    symbol="stencil_3d",
    title="Seven-point stencil",
    category=Category.SCIENTIFIC,
    signature=(
        output("u_new", "nx×ny×nz, row-major: cell (i, j, k) at (i·ny+j)·nz+k"),
        tensor("u_old", "nx×ny×nz, row-major: cell (i, j, k) at (i·ny+j)·nz+k"),
        scalar("r"),
        size("nx"),
        size("ny"),
        size("nz"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "u_new = c + r·(Σ of the six neighbours − 6c) for every interior cell c of the grid; "
        "cells on the six faces are copied."
    ),
    source="R. J. LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, ch. 9",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=stencils.inputs,
    outputs=stencils.outputs,
    reference=stencils.reference,
    rounding=stencils.rounding,
    flops=stencils.flops,
    dram_bytes=stencils.dram_bytes,
    weight=stencils.cells,
    cut=windows("u_old", ("nx", "ny", "nz"), stencils.reach),
)
