from cudamaster.report.profile import kernel_heading, profile_document
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock

PROFILE = Profile(
    Clock.MODELLED,
    (
        KernelProfile(
            name="doubled",
            launch=Launch((4, 1, 1), (64, 1, 1), 128),
            launches=2,
            time_ms=0.5,
            metrics={"duration": 500.0},
            bound="memory",
            bound_by="DRAM at 80 %",
            hot_lines=(HotLine(3, 0.75, "global loads"),),
        ),
    ),
)


def test_the_document_has_exactly_the_promised_keys() -> None:
    document = profile_document(PROFILE, lambda name: "us", {"operator": "relu", "precision": "fp32"})

    assert list(document) == ["schema", "operator", "precision", "clock", "time_ms", "kernels"]
    assert document["schema"] == "cudamaster.profile/1"
    (kernel,) = document["kernels"]
    assert list(kernel) == ["name", "launch", "time_ms", "metrics", "bound", "bound_by", "hot_lines"]
    assert kernel["launch"] == {
        "grid": [4, 1, 1],
        "block": [64, 1, 1],
        "dynamic_shared_bytes": 128,
        "launches": 2,
    }
    assert kernel["metrics"] == {"duration": {"value": 500.0, "unit": "us"}}
    assert kernel["hot_lines"] == [{"line": 3, "share": 0.75, "why": "global loads"}]


def test_a_heading_names_launch_time_and_bound() -> None:
    assert kernel_heading(PROFILE.kernels[0]) == [
        "doubled",
        "  grid 4 x 1 x 1, block 64 x 1 x 1, 128 B dynamic shared memory, 2 launches",
        "  0.5 ms, memory-bound: DRAM at 80 %",
    ]
