"""A profile that others counted says who, and once what would allow better."""

import pytest

from cudamaster.cli.profile import show
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock


def test_who_counted_and_what_would_allow_more_stand_above_the_kernels(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kernel = KernelProfile("k", Launch((1, 1, 1), (32, 1, 1), 0), 1, 2.0, {}, "memory", "DRAM", (), "k")
    note = "ncu's reports cannot be read: pip install -e '.[gpu]'"
    profile = Profile(Clock.MEASURED, (kernel,), "the time model of virtual:h200", note)
    show(profile, {"set": "check", "shape": {"N": 3}}, "", 132)
    said = " ".join(capsys.readouterr().out.split())
    assert "2 ms measured, 1 kernel" in said
    assert f"counters by the time model of virtual:h200 {note}" in said
