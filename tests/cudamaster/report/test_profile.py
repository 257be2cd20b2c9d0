from dataclasses import replace

from rich.console import Console
from rich.table import Table

from cudamaster.report.profile import kernel_heading, metric_table, mix_table, profile_document, what_ran
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
            symbol="doubled",
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
    assert kernel_heading(PROFILE.kernels[0], 4, Clock.MODELLED) == [
        "doubled",
        "  grid 4 x 1 x 1, block 64 x 1 x 1, 128 B dynamic shared memory, 2 launches",
        "  0.5 ms, memory-bound: DRAM at 80 %",
        "  occupancy 50 % theoretical, limited by registers",
    ]


def test_what_launching_takes_of_a_modelled_time_is_named() -> None:
    """A measured duration is another run's, so that nothing follows from the difference."""
    one = replace(PROFILE.kernels[0], launches=1, time_ms=0.0039, metrics={"duration": 1.7})
    said = "  0.0039 ms (2.2 us of it launch overhead), memory-bound: DRAM at 80 %"

    assert kernel_heading(one, 4, Clock.MODELLED)[2] == said
    assert kernel_heading(one, 4, Clock.MEASURED)[2] == "  0.0039 ms, memory-bound: DRAM at 80 %"
    assert "(about 0.5 us of it" in kernel_heading(replace(one, launches=2), 4, Clock.MODELLED)[2]


def test_what_a_small_grid_achieves_stands_beside_what_would_fit_and_idle_multiprocessors_are_counted() -> (
    None
):
    metrics = {
        "theoretical_occupancy": 75.0,
        "achieved_occupancy": 12.5,
        "occupancy_limit_warps": 8.0,
        "occupancy_limit_shared": 6.0,
    }
    small = replace(
        PROFILE.kernels[0],
        launch=Launch((1, 1, 1), (256, 1, 1), 0),
        launches=1,
        metrics=metrics,
        occupancy_limiter="grid",
    )
    assert kernel_heading(small, 132, Clock.MODELLED)[1:] == [
        "  grid 1 x 1 x 1, block 256 x 1 x 1, 0 B dynamic shared memory, 1 launch",
        "  0.5 ms, memory-bound: DRAM at 80 %",
        "  occupancy 12.5 % achieved, limited by grid; 75 % theoretical, limited by shared memory",
        "  1 block on 132 multiprocessors: 131 have nothing to do",
    ]


def test_a_call_of_the_host_is_no_kernel() -> None:
    malloc = KernelProfile(
        "cudaMalloc", Launch((1, 1, 1), (1, 1, 1), 0), 2, 0.2, {}, "latency", "assumed", ()
    )
    profile = replace(PROFILE, kernels=(*PROFILE.kernels, malloc))

    assert what_ran(PROFILE) == "1 kernel"
    assert what_ran(profile) == "1 kernel, and cudaMalloc"
    assert kernel_heading(malloc, 132, Clock.MODELLED) == [
        "cudaMalloc",
        "  no kernel, 2 calls",
        "  0.2 ms, latency-bound: assumed",
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
