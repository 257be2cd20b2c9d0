"""The page of one kernel: what was gained, the code before and after, why, and how to check it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from cudamaster.toolchain.devices.virtual.specs import gpu_names, load_gpu
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.web.charts.progress import progress_chart
from cudamaster.web.charts.roofline import RooflineChart, roofline_chart
from cudamaster.web.charts.times import time_chart
from cudamaster.web.exhibits import Exhibit
from cudamaster.web.pages.code import Line, code_lines, hot_lines
from cudamaster.web.pages.differences import Difference, DiffLine
from cudamaster.web.pages.environment import rendered
from cudamaster.web.pages.evidence import evidence_of
from cudamaster.web.pages.movements import movements

PAGE = "index.html"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The code before and after."""

    before: Sequence[Line]
    after: Sequence[Line]
    difference: Sequence[DiffLine]
    hot_before: Sequence[Line]
    hot_after: Sequence[Line]


def kernel_page(exhibit: Exhibit) -> str:
    """The page as HTML. Raises KeyError, TypeError or ValueError where its record is none."""
    evidence = evidence_of(exhibit.record, exhibit.origin) if exhibit.record else None
    root = root_of(exhibit.place)
    return rendered(
        "kernel.html.j2", root=root, record=exhibit.record, evidence=evidence, **shown_of(exhibit)
    )


def shown_of(exhibit: Exhibit) -> dict[str, Any]:
    """What templates show of a kernel: its code, its charts, what moved, and the search."""
    story = exhibit.story
    return {
        "exhibit": exhibit,
        "evaluation": exhibit.evaluation,
        "story": story,
        "code": comparison_of(exhibit),
        "times": time_chart(exhibit.rows),
        "roofline": roofline_of(exhibit),
        "moved": movements(exhibit.profile("baseline"), exhibit.profile("champion")),
        "progress": progress_chart(story) if story else None,
    }


def root_of(place: PurePosixPath) -> str:
    """From a page's folder back to the site's: `../../../`."""
    return "../" * len(place.parts)


def comparison_of(exhibit: Exhibit) -> Comparison:
    """Both sources, with the lines that differ and those that cost time."""
    before, after = exhibit.profile("baseline"), exhibit.profile("champion")
    if exhibit.baseline is None:
        new = code_lines(exhibit.kernel, after, frozenset())
        return Comparison([], new, [], [], hot_lines(new))
    difference = Difference(exhibit.baseline, exhibit.kernel)
    old = code_lines(exhibit.baseline, before, difference.changed.before)
    new = code_lines(exhibit.kernel, after, difference.changed.after)
    return Comparison(old, new, list(difference.lines(old, new)), hot_lines(old), hot_lines(new))


def roofline_of(exhibit: Exhibit) -> RooflineChart | None:
    """Both kernels under the roof; None where the operator or the device is not known here."""
    spec = device_spec(exhibit.device)
    if exhibit.operator is None or spec is None:
        return None
    return roofline_chart(exhibit.rows, exhibit.operator, exhibit.precision, spec)


def device_spec(device: str) -> DeviceSpec | None:
    """The peaks of the GPU in a device's name; None where no data sheet of it is kept here."""
    _, _, name = device.partition(":")
    return load_gpu(name).device if name in gpu_names() else None
