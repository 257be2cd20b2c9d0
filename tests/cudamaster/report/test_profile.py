from dataclasses import replace

from rich.console import Console
from rich.table import Table

from cudamaster.report.profile import kernel_heading, metric_table, mix_table, profile_document
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
            metrics={"duration": 500.0, "theoretical_occupancy": 50.0},
            bound="memory",
            bound_by="DRAM at 80 %",
            hot_lines=(HotLine(3, 0.75, "global loads"),),
            occupancy_limiter="registers",
            instruction_mix={"fp32": 0.75, "control": 0.25},
            machine_mix={"control": 0.5, "integer": 0.5},
        ),
    ),
)


def shown(table: Table) -> str:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines() if line.strip())


def test_the_document_has_exactly_the_promised_keys() -> None:
    document = profile_document(PROFILE, lambda name: "us", {"operator": "relu", "precision": "fp32"})

    assert list(document) == ["schema", "operator", "precision", "clock", "time_ms", "kernels"]
    assert document["schema"] == "cudamaster.profile/1"
    (kernel,) = document["kernels"]
    assert list(kernel) == [
        *("name", "launch", "time_ms", "metrics", "occupancy_limiter", "instruction_mix"),
        *("bound", "bound_by", "hot_lines"),
    ]
    assert kernel["launch"] == {
        "grid": [4, 1, 1],
        "block": [64, 1, 1],
        "dynamic_shared_bytes": 128,
        "launches": 2,
    }
    assert kernel["metrics"]["duration"] == {"value": 500.0, "unit": "us"}
    assert kernel["occupancy_limiter"] == "registers"
    assert kernel["instruction_mix"]["executed"] == {"fp32": 0.75, "control": 0.25}
    assert kernel["instruction_mix"]["machine_code"] == {"control": 0.5, "integer": 0.5}
    assert kernel["hot_lines"] == [{"line": 3, "share": 0.75, "why": "global loads"}]


def test_a_heading_names_launch_time_and_bound() -> None:
    assert kernel_heading(PROFILE.kernels[0]) == [
        "doubled",
        "  grid 4 x 1 x 1, block 64 x 1 x 1, 128 B dynamic shared memory, 2 launches",
        "  0.5 ms, memory-bound: DRAM at 80 %",
        "  occupancy 50 %, limited by registers",
    ]


def test_a_mix_shows_what_runs_beside_what_is_in_the_code() -> None:
    text = shown(mix_table(PROFILE.kernels[0]))
    assert [line.split() for line in text.splitlines()[2:]] == [
        ["fp32", "75.0", "%"],
        ["control", "25.0", "%", "50.0", "%"],
        ["integer", "50.0", "%"],
    ]
    assert "SASS" not in shown(mix_table(replace(PROFILE.kernels[0], machine_mix={})))


def test_metrics_stand_under_the_name_of_their_section_once() -> None:
    text = shown(metric_table(PROFILE.kernels[0], lambda name: ("speed of light", "%")))
    assert text.count("speed of light") == 1
    assert text.index("duration") < text.index("theoretical_occupancy")


def test_the_document_says_who_counted_where_the_device_did_not() -> None:
    told = replace(PROFILE, counted_by="virtual:h200", note="no ncu here")
    document = profile_document(told, lambda name: "us", {})
    assert (document["counted_by"], document["note"]) == ("virtual:h200", "no ncu here")
