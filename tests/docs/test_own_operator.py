"""The ten minutes of `docs/own-operator.md`, done as the page says, with the files and the words it shows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cudamaster.cli.boundary import exit_code_of
from tests.doubles.language_run import fenced, role_of
from tests.doubles.model_server import Act, Asked, model_server

PAGE = (Path(__file__).parents[2] / "docs" / "own-operator.md").read_text()
Output = pytest.CaptureFixture[str]
DEVICE = ["--device", "virtual", "--json"]
FEW = ["--shape", "a=0.75,n=1048576"]


def shown(head: str) -> str:
    """The block of the page that begins with this comment, without it."""
    found = re.search(rf"```\w+\n(?://|#) {re.escape(head)}\n(.*?)```", PAGE, re.DOTALL)
    assert found, head
    return found[1]


def filled(spec: str) -> str:
    """The spec, its open lines replaced by what the page shows."""
    for part, opening in (
        ("reference", "    out = to_do("),
        ("rounding", "    out = Rounding(1, to_do("),
        ("flops", "    return to_do("),
    ):
        (line,) = (line for line in spec.splitlines(keepends=True) if line.startswith(opening))
        spec = spec.replace(line, shown(part))
    return spec


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's kernels and the spec as it is begun."""
    folder = tmp_path_factory.mktemp("own")
    for name in ("saxpy.cu", "faster.cu"):
        (folder / name).write_text(shown(name))
    assert exit_code_of(["init-operator", str(folder / "saxpy.cu")]) == 0
    return folder


@pytest.fixture(scope="module")
def written(begun: Path) -> Path:
    """The same with the spec written to its end, under another name."""
    spec = (begun / "saxpy_op.py").read_text()
    (begun / "whole_op.py").write_text(filled(spec))
    return begun


def told(capsys: Output, *arguments: object) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = exit_code_of([str(argument) for argument in arguments])
    return code, json.loads(capsys.readouterr().out)


def test_what_is_open_is_named_with_its_line_before_anything_runs(begun: Path, capsys: Output) -> None:
    spec = begun / "saxpy_op.py"
    code, document = told(capsys, "evaluate", begun / "saxpy.cu", "--spec", spec, *DEVICE)
    line = next(n for n, text in enumerate(spec.read_text().splitlines(), 1) if "out = to_do(" in text)

    assert code == 2
    said = "still to be written: out of reference(), the right answer in float64"
    assert document["error"] == f"{spec}:{line}: {said}"


def test_the_kernel_is_its_own_baseline_and_the_faster_one_is_faster(written: Path, capsys: Output) -> None:
    spec = ["--spec", written / "whole_op.py", *DEVICE, *FEW]
    code, own = told(capsys, "evaluate", written / "saxpy.cu", *spec)
    _, faster = told(capsys, "evaluate", written / "faster.cu", *spec)
    _, profile = told(capsys, "profile", written / "faster.cu", *spec)

    assert (code, own["operator"], own["precision"]) == (0, "saxpy_clamp", "fp32")
    assert own["speedup"]["geomean"] == 1.0
    assert (faster["status"], faster["speedup"]["low"] > 1.1) == ("correct", True)
    assert profile["kernels"][0]["name"].startswith("four_at_a_time")


def test_its_comparison_lets_no_wrong_answer_pass(written: Path, capsys: Output) -> None:
    own = ["--spec", written / "whole_op.py", "--workloads", "check", *DEVICE]
    code, document = told(capsys, "operators", "--check", *own)
    (row,) = document["rows"]

    assert (code, row["precision"], row["status"]) == (0, "fp32", "correct")


def test_the_expert_judges_it_and_says_who_could_optimize_it(written: Path, capsys: Output) -> None:
    spec, places = written / "whole_op.py", ["--runs-dir", written / "runs", "--out", written / "out"]
    arguments = ["optimize", written / "saxpy.cu", "--spec", spec, "--device", "virtual", *FEW, *places]
    code = exit_code_of([str(argument) for argument in [*arguments, "--model", "builtin"]])
    said = " ".join(capsys.readouterr().out.split())

    assert code == 0
    assert "baseline" in said
    assert "the expert knows no strategy for saxpy_clamp" in said
    assert "--model openai:NAME" in said
    assert "cudamaster mcp" in said


def test_a_kernel_that_its_own_reference_refuses_is_not_optimized(written: Path, capsys: Output) -> None:
    (written / "wrong.cu").write_text(shown("saxpy.cu").replace("+ y[i]", "- y[i]"))
    spec = written / "wrong_op.py"
    spec.write_text((written / "whole_op.py").read_text().replace('"saxpy.cu"', '"wrong.cu"'))
    places = ["--runs-dir", written / "runs-of-wrong", "--out", written / "out"]
    code, document = told(capsys, "optimize", written / "wrong.cu", "--spec", spec, *DEVICE, *FEW, *places)

    assert code == 2
    assert "wrong.cu, the baseline of saxpy_clamp, is wrong: " in document["error"]


def answer(asked: Asked) -> Act:
    """What a language model says that knows the page's faster kernel."""
    match role_of(asked):
        case "planner":
            plan = {"strategy": "vectors", "change": "Read four numbers at a time.", "reason": "Loads bind."}
            return Act(fenced("json", json.dumps({"plans": [plan]})))
        case "coder":
            return Act(fenced("cuda", shown("faster.cu")))
        case _:
            reading = {"bound": "memory", "sentence": "DRAM binds.", "metrics": {}, "lesson": "It helped."}
            return Act(fenced("json", json.dumps(reading)))


def test_a_language_model_optimizes_it_and_the_run_can_be_shown_again(
    written: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    places = ["--runs-dir", written / "more-runs", "--out", written / "out"]
    task = [written / "saxpy.cu", "--spec", written / "whole_op.py", *DEVICE, *FEW, *places]
    with model_server() as server:
        server.answer = answer
        model = [
            "--model",
            "openai:m",
            "--base-url",
            f"{server.url}/v1",
            "--rounds",
            "1",
            "--candidates",
            "1",
        ]
        code, document = told(capsys, "optimize", *task, *model)
        asked = server.asked[0].task
    _, again = told(capsys, "resume", "latest", *places[:2], "--json")

    assert code == 0
    assert document["best"]["speedup"]["low"] > 1.1
    assert Path(document["best"]["kernel"]).read_text().strip() == shown("faster.cu").strip()
    assert "What saxpy_clamp computes" in asked
    assert again["best"] == document["best"]
    record = Path(document["best"]["kernel"]).with_name("record.json")
    code, verified = told(capsys, "verify", record, "--spec", written / "whole_op.py", "--json")
    assert (code, [one["differences"] for one in verified["records"]]) == (0, [[]])
