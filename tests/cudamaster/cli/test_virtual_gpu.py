"""The commands on the real virtual GPU, with nvcc: nothing scripted."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.store.results import digest_of
from mskernelbench.operator import Precision
from mskernelbench.operators.spmv_csr.spec import OPERATOR as SPMV
from mskernelbench.operators.stencil_2d.spec import OPERATOR

Output = pytest.CaptureFixture[str]
JUDGED_AS = ["--operator", "stencil", "--precision", "fp32", "--device", "virtual"]
SMALL = ["--shape", "nx=64,ny=65,r=0.25"]
BASELINE = OPERATOR.baseline(Precision.FP32)
WRONG = BASELINE.replace("4.0f * c", "3.0f * c")
UNBUILDABLE = BASELINE.replace(";", "", 1)


def judged(
    tmp_path: Path, capsys: Output, command: str, source: str, *options: str
) -> tuple[int, dict[str, Any]]:
    (tmp_path / "mine.cu").write_text(source)
    code = exit_code_of([command, str(tmp_path / "mine.cu"), *JUDGED_AS, "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def test_a_small_run_stores_nothing_or_a_kernel_that_its_record_names(tmp_path: Path, capsys: Output) -> None:
    folders = ["--runs-dir", str(tmp_path / "runs"), "--out", str(tmp_path / "results")]
    budget = ["--rounds", "1", "--candidates", "2"]
    code = exit_code_of(["optimize", "stencil", *JUDGED_AS[2:], *budget, *SMALL, *folders, "--json"])
    document = json.loads(capsys.readouterr().out)

    assert code == 0
    assert (document["rounds"], document["candidates"], document["clock"]) == (1, 2, "modelled")
    assert [row["set"] for row in document["baseline"]["workloads"]] == ["user"]
    if document["best"]:
        record = json.loads(Path(document["record"]).read_text())
        assert record["kernel_sha256"] == digest_of(Path(document["best"]["kernel"]).read_text())
        assert record["evaluation"]["status"] == "correct"


def test_the_baseline_is_correct_and_exits_with_0(tmp_path: Path, capsys: Output) -> None:
    code, document = judged(tmp_path, capsys, "evaluate", BASELINE, *SMALL)

    assert (code, document["status"], document["clock"]) == (0, "correct", "modelled")
    assert document["speedup"] == {"geomean": 1.0, "low": 1.0, "high": 1.0}


def test_host_calls_that_take_most_of_the_time_are_named_under_the_verdict(
    tmp_path: Path, capsys: Output
) -> None:
    head, opened, body = BASELINE.partition("cudaStream_t stream) {")
    file = tmp_path / "mine.cu"
    file.write_text(f"{head}{opened} void* scratch; cudaMalloc(&scratch, 4096); cudaFree(scratch);{body}")

    assert exit_code_of(["evaluate", str(file), *JUDGED_AS, *SMALL]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"host calls take 9\d % of the modelled time on r=0.25 nx=64 ny=65: ", said)
    assert {"cudaMalloc 100 us", "cudaFree 100 us"} <= set(re.findall(r"cuda\w+ \d+ us", said))


def test_a_wrong_kernel_has_no_figures_and_exits_with_1(tmp_path: Path, capsys: Output) -> None:
    code, document = judged(tmp_path, capsys, "evaluate", WRONG, "--workloads", "check")

    assert (code, document["status"], document["guard"]) == (1, "wrong", None)
    assert not {"speedup", "attainment", "paper_score"} & set(document)


def test_a_syntax_error_is_told_with_the_users_file_and_line(tmp_path: Path, capsys: Output) -> None:
    code, document = judged(tmp_path, capsys, "evaluate", UNBUILDABLE)

    assert (code, document["status"]) == (1, "build_failed")
    assert str(document["reason"]).startswith(f"{tmp_path / 'mine.cu'}:")


def test_a_profile_names_the_kernel_its_launch_and_metrics_with_units(tmp_path: Path, capsys: Output) -> None:
    code, document = judged(tmp_path, capsys, "profile", BASELINE, *SMALL)
    (kernel,) = document["kernels"]

    assert (code, document["schema"]) == (0, "cudamaster.profile/1")
    assert kernel["launch"]["launches"] == 1
    assert kernel["metrics"]["duration"]["unit"] == "us"
    assert kernel["bound"] in ("memory", "compute", "latency")
    assert document["workload"]["set"] == "user"
    assert document["workload"]["shape"]


def test_a_profile_of_what_does_not_compile_says_so_with_the_users_file(
    tmp_path: Path, capsys: Output
) -> None:
    code, document = judged(tmp_path, capsys, "profile", UNBUILDABLE)

    assert (code, document["status"]) == (1, "build_failed")
    assert str(document["reason"]).startswith(f"{tmp_path / 'mine.cu'}:")


def test_a_matrix_file_is_timed_in_place_of_the_sets(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "m.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 0.5\n3 2 2.0\n"
    )
    (tmp_path / "mine.cu").write_text(SPMV.baseline(Precision.FP32))
    judged_as = ["--operator", "spmv", "--precision", "fp32", "--matrix", str(tmp_path / "m.mtx")]
    code = exit_code_of(["evaluate", str(tmp_path / "mine.cu"), *judged_as, "--device", "virtual", "--json"])
    document = json.loads(capsys.readouterr().out)
    (timed,) = (row for row in document["workloads"] if "candidate_ms" in row)

    assert code == 0
    assert (timed["set"], timed["shape"]) == ("user", {"rows": 3, "cols": 2, "nnz": 2})
