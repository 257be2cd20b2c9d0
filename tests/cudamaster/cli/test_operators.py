"""`cudamaster operators`: the list, one's own folder, and the judgement of baselines, kept in a file."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.cli.opening import Opening
from mskernelbench.catalog import find_operator
from mskernelbench.operator import Precision
from tests.doubles.scripted_device import Script, ScriptedDevice, honest
from tests.mskernelbench.own_operator import SPEC, write_operator

Output = pytest.CaptureFixture[str]


class Scripted(Opening):
    """Opens a device on which the baselines of `triple` are honest."""

    def __init__(self, folder: Path) -> None:
        operator = find_operator("triple", folder).operator
        script = Script(honest(operator), lambda arguments: 0.5)
        self.opened = ScriptedDevice({operator.baseline(p): script for p in Precision})

    @contextmanager
    def device(self, name: str) -> Iterator[tuple[Any, str]]:
        yield self.opened, "as asked"


def listed(capsys: Output, *options: str) -> list[str]:
    assert exit_code_of(["operators", *options, "--json"]) == 0
    return [row["name"] for row in json.loads(capsys.readouterr().out)["operators"]]


def test_a_folder_of_ones_own_is_listed_by_option_and_by_environment(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_operator(tmp_path)
    assert listed(capsys, "triple", "gemm", "--operators-dir", str(tmp_path)) == ["triple", "matrix_mul"]
    monkeypatch.setenv("CUDAMASTER_OPERATORS_DIR", str(tmp_path))
    assert listed(capsys, "times_three") == ["triple"]


def test_a_broken_spec_is_one_sentence_and_exits_with_2(tmp_path: Path, capsys: Output) -> None:
    write_operator(tmp_path, spec=SPEC.replace("import numpy", "import nunpy"))
    for command in (["operators"], ["optimize", "triple", "--precision", "fp32"]):
        assert exit_code_of([*command, "--operators-dir", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert (
            said == f"cudamaster: {tmp_path}/triple/spec.py:2: ModuleNotFoundError: No module named 'nunpy'\n"
        )


def checked(folder: Path, keep: Path, precision_free: str = "triple") -> int:
    options = ["--check", "--operators-dir", str(folder), "--keep", str(keep), "--json"]
    return exit_code_of(["operators", precision_free, *options], Scripted(folder))


def test_checking_says_and_keeps_a_row_for_each_precision(tmp_path: Path, capsys: Output) -> None:
    write_operator(tmp_path / "own")
    assert checked(tmp_path / "own", tmp_path / "suite.json") == 0
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert [(r["operator"], r["precision"], r["status"]) for r in document["rows"]] == [
        ("triple", "fp32", "correct"),
        ("triple", "bf16", "correct"),
    ]
    assert "triple bf16: correct" in shown.err
    assert json.loads((tmp_path / "suite.json").read_text()) == document


def test_rows_of_other_operators_stay_in_the_file(tmp_path: Path, capsys: Output) -> None:
    write_operator(tmp_path / "own")
    kept = tmp_path / "suite.json"
    checked(tmp_path / "own", kept)
    document = json.loads(kept.read_text())
    other = document["rows"][0] | {"operator": "another", "seconds": 77.0}
    kept.write_text(json.dumps(document | {"rows": [*document["rows"], other]}))
    checked(tmp_path / "own", kept)
    assert [r["operator"] for r in json.loads(kept.read_text())["rows"]] == ["another", "triple", "triple"]


def test_keeping_without_checking_is_a_mistake(capsys: Output, tmp_path: Path) -> None:
    assert exit_code_of(["operators", "--keep", str(tmp_path / "x.json")]) == 2
    assert "give both" in capsys.readouterr().err
