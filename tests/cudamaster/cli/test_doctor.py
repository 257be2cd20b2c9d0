import json
from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.cli.checks import (
    NCU_ADVICE,
    Check,
    check_folders,
    check_keys,
    check_tool,
    check_vendor_libraries,
)
from cudamaster.cli.doctor import document, show, word
from cudamaster.config import Folders, folders, keys_set

Output = pytest.CaptureFixture[str]


def test_a_check_that_fails_says_how_to_mend_it() -> None:
    rows = document([Check("ncu", False, "not on PATH", "install it", needed=False), Check("x", True, "1")])

    assert rows["schema"] == "cudamaster.doctor/1"
    assert rows["checks"] == [
        {"check": "ncu", "ok": False, "needed": False, "found": "not on PATH", "mend": "install it"},
        {"check": "x", "ok": True, "needed": True, "found": "1"},
    ]


def test_a_path_is_shown_whole_with_the_way_to_mend_it_under_it(capsys: Output) -> None:
    path = f"/{'a-long-folder/' * 12}nvcc"
    show([Check("nvcc", True, f"13.0.88 at {path}"), Check("ncu", False, "not installed", f"see {path}")])

    assert capsys.readouterr().out.splitlines() == [
        f"nvcc               ok       13.0.88 at {path}",
        "ncu                MISSING  not installed",
        f"                            → see {path}",
    ]


def test_only_a_needed_thing_is_missing() -> None:
    assert [
        word(Check("x", ok, "", needed=n)) for ok, n in ((True, True), (False, True), (False, False))
    ] == [
        "ok",
        "MISSING",
        "without",
    ]


def test_keys_are_told_by_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    assert check_keys().found == "OPENAI_API_KEY"


def test_an_empty_key_is_not_set() -> None:
    assert keys_set({"OPENAI_API_KEY": ""}) == ()


def test_ncu_is_told_with_its_version_and_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ncu = tmp_path / "ncu"
    ncu.write_text("#!/bin/sh\necho Version 2025.3.1.0\n")
    ncu.chmod(0o755)
    monkeypatch.setenv("CUDAMASTER_NCU", str(ncu))

    assert check_tool("ncu", NCU_ADVICE) == Check(
        "ncu", True, f"2025.3.1.0 at {ncu} (by setting)", needed=False
    )


def test_a_tool_that_is_not_there_is_told_with_how_to_get_it() -> None:
    found = check_tool("nvprof", "optional: get it")

    assert (found.ok, found.needed, found.mend) == (False, False, "optional: get it")


def test_vendor_libraries_are_told_with_versions_and_the_wheels_of_the_others() -> None:
    check = check_vendor_libraries()

    assert check.ok != bool(check.mend)
    for title, wheel in (("cuBLAS", "nvidia-cublas"), ("cuSPARSE", "nvidia-cusparse")):
        assert (f"{title} " in check.found) != (wheel in check.mend)


def test_a_folder_that_cannot_be_written_is_missing_with_its_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    where = Folders(runs=tmp_path / "file" / "runs", results=tmp_path, logs=tmp_path, cache=tmp_path)
    cache, runs = check_folders(where)

    assert (cache.ok, runs.ok) == (True, False)
    assert "CUDAMASTER_RUNS_DIR" in runs.mend


def test_folders_come_from_arguments_then_variables_then_the_user_folders(tmp_path: Path) -> None:
    by_variable = folders({"CUDAMASTER_RUNS_DIR": "/variable/runs"})

    assert folders({"CUDAMASTER_RUNS_DIR": "/variable/runs"}, runs=tmp_path).runs == tmp_path
    assert by_variable.runs == Path("/variable/runs")
    assert folders({}).runs.parts[-2:] == ("cudamaster", "runs")
    assert folders({}).results == Path("results")


def test_the_doctor_writes_one_document(capsys: Output) -> None:
    code = exit_code_of(["doctor", "--json"])
    checks = json.loads(capsys.readouterr().out)["checks"]

    assert [row["check"] for row in checks][:5] == ["Python", "nvcc", "llvmlite", "guards", "virtual GPU"]
    assert code == (0 if all(row["ok"] for row in checks if row["needed"]) else 3)


def test_the_lists_are_documents(capsys: Output) -> None:
    for name in ("operators", "devices"):
        assert exit_code_of([name, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["schema"] == f"cudamaster.{name}/1"
        assert document[name]
