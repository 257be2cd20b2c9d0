"""What the charts draw, as numbers and as words."""

from dataclasses import replace

import pytest

from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.web.charts.progress import progress_chart
from cudamaster.web.charts.roofline import roofline_chart
from cudamaster.web.charts.times import time_chart
from cudamaster.web.rows import Row, rows_of
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from tests.doubles.stored_kernel import KERNEL, evaluation, story_of_kernel

H200 = load_gpu("h200").device
ADD = load_operator("vector_add")


def rows() -> tuple[Row, ...]:
    return rows_of(evaluation("").document())


def test_a_faster_kernel_lies_left_of_its_baseline_within_its_interval() -> None:
    faster, slower, _ = time_chart(rows()).bars

    assert faster.low < faster.best < faster.high < faster.baseline
    assert slower.best > slower.baseline
    assert (faster.slower, slower.slower) == (False, True)
    assert faster.roofline < faster.best


def test_a_bar_says_in_words_what_it_shows() -> None:
    assert time_chart(rows()).bars[0].words == (
        "paper N=1024: baseline 1 ms, best 0.6667 ms, 1.50x [1.35, 1.65]"
    )
    assert "Least gain 0.80x [0.72, 0.88] on N=1048576, most 3.00x" in time_chart(rows()).words


def test_labels_shorten_large_sizes_only() -> None:
    assert [row.short for row in rows()] == ["N=1024", "N=1.05M", "N=16.8M"]


def test_a_kernel_at_the_roofline_lies_on_the_roof() -> None:
    """vector_add: one FLOP for 12 bytes, far left of the ridge, so DRAM bounds it."""
    n = 1 << 24
    roof_ms = 12 * n / H200.dram_bytes_per_s * 1e3
    at_roof = replace(rows()[2], best_ms=roof_ms, baseline_ms=4 * roof_ms)
    chart = roofline_chart([at_roof], ADD, Precision.FP32, H200)

    assert chart is not None
    (x0, y0), (x1, y1), _ = chart.roof
    point = chart.points[0]
    assert point.best == pytest.approx(y0 + (y1 - y0) * (point.x - x0) / (x1 - x0), abs=0.3)
    assert point.baseline > point.best
    assert "N=16777216" in point.words


def test_an_operator_without_arithmetic_is_drawn_by_its_bytes() -> None:
    copy = load_operator("matrix_copy")
    shape = next(w.shape for w in copy.workloads if w.set == "paper")
    chart = roofline_chart([replace(rows()[0], shape=shape)], copy, Precision.FP32, H200)

    assert chart is not None
    assert (chart.x_title, chart.y_title) == ("DRAM bytes of the workload", "B/s")


def test_the_stair_of_a_search_rises_with_each_better_candidate_only() -> None:
    story = story_of_kernel(KERNEL, "told")
    best = story["rounds"][0]["candidates"][1]
    for number, low in ((3, 1.2), (4, 2.0)):
        figures = {"geomean": low, "low": low, "high": low}
        verdict = best["verdict"] | {"speedup": figures}
        story["rounds"][0]["candidates"].append(best | {"number": number, "verdict": verdict})
    chart = progress_chart(story)

    assert chart is not None
    assert [dot.kept for dot in chart.dots] == [False, True, True, True]
    heights = [y for _, y in chart.best]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 3
    assert [tick.text for tick in chart.rounds] == ["round 1"]


def test_a_candidate_that_the_end_refused_is_a_cross_with_both_verdicts() -> None:
    story = story_of_kernel(KERNEL, "told")
    story["rounds"][0]["candidates"][1]["end"] = {"status": "wrong", "reason": "off by one"}
    chart = progress_chart(story)

    assert chart is not None
    assert [dot.kept for dot in chart.dots] == [False, False]
    assert chart.dots[1].words.endswith(": correct, 1.50x; at the end wrong")
    assert len({y for _, y in chart.best}) == 1


def test_a_search_without_a_verdict_has_no_chart() -> None:
    story = story_of_kernel(KERNEL, "told")
    for candidate in story["rounds"][0]["candidates"]:
        del candidate["verdict"]

    assert progress_chart(story) is None


def test_an_interval_is_that_of_the_speedup() -> None:
    speedup = rows()[0].speedup
    assert (speedup.centre, speedup.low, speedup.high) == pytest.approx((1.5, 1.35, 1.65))
