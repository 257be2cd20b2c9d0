"""What the first page opens with."""

from pathlib import Path

from cudamaster.web.exhibits import read_exhibits
from cudamaster.web.pages.showcases import showcases
from tests.doubles.stored_kernel import KERNEL, baseline, store


def test_a_kernel_is_shown_with_its_baseline_and_the_run_that_found_it(tmp_path: Path) -> None:
    store(tmp_path, text="a-run")
    (shown,) = showcases(read_exhibits(tmp_path), {"a-run"})

    assert shown.href == "virtual-h200/vector_add/fp32/index.html"
    assert len(shown.code.before) == len(baseline().splitlines())
    assert len(shown.code.after) == len(KERNEL.splitlines())
    assert shown.run == "a-run"
    (elsewhere,) = showcases(read_exhibits(tmp_path))
    assert elsewhere.run == ""


def test_measured_gains_are_shown_alone(tmp_path: Path) -> None:
    store(tmp_path)
    verdict = read_exhibits(tmp_path)[0].evaluation | {"clock": "measured"}
    store(tmp_path, device="cuda:h200", clock="measured", evaluation=verdict)

    assert [one.clock for one in showcases(read_exhibits(tmp_path))] == ["measured"]


def test_a_kernel_whose_baseline_is_not_known_any_more_is_not_shown(tmp_path: Path) -> None:
    store(tmp_path, baseline_sha256="0" * 64)
    assert showcases(read_exhibits(tmp_path)) == []
