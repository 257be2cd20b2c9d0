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


def spec_of(folder: Path) -> str:
    """A spec of one file, whose kernel is beside it."""
    write_operator(folder)
    spec = folder / "triple_op.py"
    named = 'folder=Path(__file__).parent,\n    baselines={Precision.FP32: Path(__file__).parent / "k.cu"}'
    text = SPEC.replace("folder=Path(__file__).parent", named).replace(
        "Rounding, Work", "Precision, Rounding, Work"
    )
    spec.write_text(text)
    (folder / "k.cu").write_text((folder / "triple/baseline_fp32.cu").read_text())
    return str(spec)


def test_a_spec_needs_no_name_and_is_shown_whole(tmp_path: Path, capsys: Output) -> None:
    spec = spec_of(tmp_path)
    assert exit_code_of(["operators", "--spec", spec]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "triple (alias times_three): Three times, algebra"
    assert 'fp32 entry  extern "C" void triple(float* y, const float* x, int N);' in told
    assert (
        listed(capsys, "--spec", spec) == listed(capsys, "gemm", "triple", "--spec", spec)[1:] == ["triple"]
    )


def test_a_spec_and_a_folder_are_one_too_many(tmp_path: Path, capsys: Output) -> None:
    spec = spec_of(tmp_path)
    assert exit_code_of(["operators", "--spec", spec, "--operators-dir", str(tmp_path)]) == 2
    assert "both say where your operator is" in capsys.readouterr().err
    assert exit_code_of(["operators", "--spec", str(tmp_path / "nowhere.py")]) == 2
    assert "is no file; 'cudamaster init-operator" in capsys.readouterr().err


def test_named_ones_are_documents_with_their_arguments_and_what_right_means(capsys: Output) -> None:
    assert exit_code_of(["operators", "softmax", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (row,) = document["operators"]
    assert document["schema"] == "cudamaster.operators/1"
    assert row["parameters"][0] == {
        "name": "out",
        "access": "output",
        "layout": "N×C, row-major",
        "element": "value",
    }
    assert list(row["accuracy"]) == ["fp32", "bf16"]


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
