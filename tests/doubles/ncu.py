"""NVIDIA's tools on a machine that has them: programs to be run, and a report as `ncu_report` gives it."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

VERSION = "2025.3.1.0"
SCRIPT = """#!{python}
import sys
from pathlib import Path

arguments = sys.argv[1:]
if "--version" in arguments:
    print("NVIDIA (R) Tool\\nCopyright (c) 2018-2025 NVIDIA Corporation\\nVersion {version} (build 36398880)")
    sys.exit(0)


def after(name):
    return arguments[arguments.index(name) + 1]


Path({seen!r}).open("a").write("\\n".join(arguments) + "\\n\\n")
{body}
"""


def tool(path: Path, body: str) -> Path:
    """A program at `path` that notes how it is called; `body` may use `after("--log-file")`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    seen = str(path.with_suffix(".seen"))
    path.write_text(SCRIPT.format(python=sys.executable, version=VERSION, seen=seen, body=body))
    path.chmod(0o755)
    return path


def calls(path: Path) -> list[list[str]]:
    """The arguments of each call of the program but those that ask for its version."""
    seen = path.with_suffix(".seen")
    return [call.splitlines() for call in seen.read_text().strip().split("\n\n")] if seen.exists() else []


@dataclass
class FakeCounter:
    """`ncu_report.IMetric`."""

    number: float | str | None
    unit_name: str = ""
    instances: tuple[int, ...] = ()
    addresses: "FakeCounter | None" = None

    def value(self) -> float | str | None:
        return self.number

    def unit(self) -> str:
        return self.unit_name

    def num_instances(self) -> int:
        return len(self.instances)

    def as_uint64(self, instance: int) -> int:
        return self.instances[instance]

    def correlation_ids(self) -> "FakeCounter | None":
        return self.addresses


@dataclass
class FakePlace:
    """`ncu_report.ISourceInfo`."""

    file: str
    number: int

    def file_name(self) -> str:
        return self.file

    def line(self) -> int:
        return self.number


@dataclass
class FakeAction:
    """`ncu_report.IAction`: one launch."""

    symbol: str
    counters: Mapping[str, FakeCounter]
    places: Mapping[int, FakePlace] = field(default_factory=dict)
    NameBase_DEMANGLED: int = 1
    NameBase_MANGLED: int = 2

    def name(self, name_base: int) -> str:
        return self.symbol if name_base == self.NameBase_MANGLED else f"{self.symbol}(float *, int)"

    def metric_names(self) -> tuple[str, ...]:
        return tuple(self.counters)

    def metric_by_name(self, metric_name: str) -> FakeCounter | None:
        return self.counters.get(metric_name)

    def source_info(self, address: int) -> FakePlace | None:
        return self.places.get(address)


def sampled(counts: Mapping[int, int]) -> FakeCounter:
    """A counter of warp samples by instruction address."""
    return FakeCounter(sum(counts.values()), "", tuple(counts.values()), FakeCounter(None, "", tuple(counts)))


def launch_counters(grid: Sequence[int], block: Sequence[int], nanoseconds: float) -> dict[str, FakeCounter]:
    """What tells a launch and its time."""
    sizes = {
        f"launch__{what}_dim_{axis}": FakeCounter(size)
        for what, dims in (("grid", grid), ("block", block))
        for axis, size in zip("xyz", dims, strict=True)
    }
    time = {"gpu__time_duration.sum": FakeCounter(nanoseconds, "ns")}
    return sizes | time | {"launch__shared_mem_per_block_dynamic": FakeCounter(1024, "byte/block")}
