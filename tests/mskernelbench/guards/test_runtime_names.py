"""Names that belong to the CUDA runtime are not for candidates to define."""

import pytest

from cudamaster.toolchain.elf import Symbols
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.guards.evidence import ObjectEvidence

OPERATOR = load_operator("relu")


def judged(*names: str) -> Refusal | None:
    return first_refusal("objects", ObjectEvidence(Symbols(frozenset(), frozenset(names)), "", OPERATOR))


@pytest.mark.parametrize("name", ["cudaEventElapsedTime", "__cudaRegisterFunction", "cuEventRecord", "time"])
def test_a_name_of_the_runtime_is_a_cheat(name: str) -> None:
    refusal = judged("RELU", name)
    assert refusal is not None
    assert (refusal.status, refusal.guard) == (Status.CHEATED, "runtime_names")
    assert name in refusal.reason


def test_names_of_ones_own_are_free() -> None:
    assert judged("RELU", "_Z4reluPfPKfi", "custom", "cudamaster_kernel", "timed", "_ZL9cudaThingv") is None
