"""stencil_2d: one explicit step of the heat equation on a plane whose edge cells are copied."""

from pathlib import Path

from mskernelbench import stencils
from mskernelbench.operator import Category, Contract, Operator, Shape, Workload, output, scalar, size, tensor
from mskernelbench.pieces import windows


def shape(nx: int, ny: int, r: float = 0.25) -> Shape:
    """Grid sizes and the diffusion number."""
    return {"r": r, "nx": nx, "ny": ny}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(2, 3)),
    Workload("check", shape(1, 37)),
    Workload("check", shape(41, 1)),
    Workload("check", shape(3, 3, 0.1)),
    Workload("check", shape(65, 33, 0.1)),
    Workload("check", shape(64, 264), "shifted"),
    Workload("check", shape(19, 1031), "shifted"),
    Workload("check", shape(1033, 21), "shifted"),
    Workload("check", shape(127, 31, 0.2), "mixed"),
    Workload("check", shape(17, 257), "nan_cell"),
    Workload("check", shape(29, 53, 1.0), "integers", exact=True),
    Workload("check", shape(31, 67, 0.5), "one_hot"),
    Workload("check", shape(5, 8209), "shifted"),
    Workload("check", shape(65_539, 3), "shifted"),
    Workload("check", shape(3, 65_539), "shifted"),
)
PAPER = tuple(
    Workload("paper", shape(nx, ny), "shifted") for nx in (1024, 4096, 16384) for ny in (1024, 4096, 16384)
)
REAL = (
    Workload("real", shape(1000, 3001), "shifted"),
    Workload("real", shape(4096, 4096), "shifted"),
    Workload("real", shape(12289, 12287), "shifted"),
)

OPERATOR = Operator(
    name="stencil_2d",
    symbol="stencil_2d",
    title="Five-point stencil",
    category=Category.SCIENTIFIC,
    aliases=("stencil",),
    signature=(
        output("u_new", "nx×ny, row-major: cell (i, j) at i·ny+j"),
        tensor("u_old", "nx×ny, row-major: cell (i, j) at i·ny+j"),
        scalar("r"),
        size("nx"),
        size("ny"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "u_new = c + r·(left + right + up + down − 4c) for every interior cell c of the grid; "
        "cells on the four edges are copied."
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
    cut=windows("u_old", ("nx", "ny"), stencils.reach),
)
