"""The contract suite's verdicts are what pytest says, test by test, however long a name is."""

from pathlib import Path

from benchmarks.gpu_check.parts.contract import figures, run_suite, verdicts

PYTEST = """
tests/contract/test_device_contract.py::TestRuns::test_copies[cuda:0] PASSED   [  2%]
tests/contract/test_device_contract.py::TestTiming::test_grows[cuda:0] FAILED  [  4%]
tests/contract/test_device_contract.py::TestTiming::test_hasty[cuda:0] ERROR   [  6%]
=========================== short test summary info ============================
FAILED tests/contract/test_device_contract.py::TestTiming::test_grows[cuda:0] - assert 2 < 1
"""
LONG = "a_name_that_is_longer_than_a_line_of_any_terminal_" * 3
SUITE = f"""
import pytest, time

@pytest.fixture(params=["virtual:h200", "cuda:0"])
def device(request):
    return request.param

def test_{LONG}(device):
    pass

def test_fails(device):
    assert 2 < 1, device

def test_needs_a_browser(device):
    pytest.skip("there is none")
"""


def test_verdicts_are_read_test_by_test() -> None:
    row = verdicts(PYTEST)
    assert row["passed"] == ["TestRuns::test_copies[cuda:0]"]
    assert row["error"] == ["TestTiming::test_hasty[cuda:0]"]
    assert row["complaints"] == {"TestTiming::test_grows[cuda:0]": "assert 2 < 1"}


def test_only_this_kind_of_device_is_tested_and_every_test_told(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    row = run_suite("cuda", 60.0, tmp_path / "test_suite.py")
    assert row["status"] == "done"
    assert row["passed"] == [f"test_{LONG}[cuda:0]"]
    assert figures([row]) == {"passed": 1, "failed": 1, "error": 0, "skipped": 1}
    assert "cuda:0" in row["complaints"]["test_fails[cuda:0]"]


def test_a_suite_that_dies_is_no_finished_one_and_what_passed_before_is_told(tmp_path: Path) -> None:
    dies = SUITE.replace("assert 2 < 1, device", "import os; os._exit(1)")
    (tmp_path / "test_suite.py").write_text(dies)
    row = run_suite("virtual", 60.0, tmp_path / "test_suite.py")
    assert row["status"] == "failed"
    assert row["passed"] == [f"test_{LONG}[virtual:h200]"]
