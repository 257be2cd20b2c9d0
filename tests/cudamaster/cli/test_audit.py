"""`cudamaster audit` on the real virtual GPU: every gate says what it saw, and one says why it refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cudamaster.cli.boundary import exit_code_of
from mskernelbench.auditing import GATES
from mskernelbench.operator import Precision
from mskernelbench.operators.relu.spec import OPERATOR

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

Output = pytest.CaptureFixture[str]
AS = ["--operator", "relu", "--precision", "fp32", "--device", "virtual", "--shape", "N=5000"]
BASELINE = OPERATOR.baseline(Precision.FP32)


def audited(tmp_path: Path, capsys: Output, source: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit code, outcome of each gate, evidence of each gate."""
    (tmp_path / "mine.cu").write_text(source)
    code = exit_code_of(["audit", str(tmp_path / "mine.cu"), *AS, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "cudamaster.audit/1"
    assert [gate["gate"] for gate in document["gates"]] == list(GATES)
    gates = document["gates"]
    return code, {g["gate"]: g["outcome"] for g in gates}, {g["gate"]: g["evidence"] for g in gates}


def test_the_baseline_passes_every_gate_and_each_says_what_it_saw(tmp_path: Path, capsys: Output) -> None:
    code, outcomes, evidence = audited(tmp_path, capsys, "// nvcc: --maxrregcount=64\n" + BASELINE)
    assert code == 0
    assert set(outcomes.values()) == {"passed"}
    assert "relu_kernel" in evidence["build"]
    assert evidence["flags"] == "asks for --maxrregcount=64"
    assert "symbols are imported" in evidence["imports"]
    assert evidence["time"].startswith("1 workload is timed, modelled")


def test_what_was_right_before_a_call_that_hangs_is_no_passed_gate(tmp_path: Path, capsys: Output) -> None:
    spin = "while (true) { if (((volatile float*)output)[0] == 12345.0f) break; }"
    hangs = BASELINE.replace("if (i >= N) return;", f"if (i >= N) return; if (N > 1000) {spin}")
    assert hangs != BASELINE
    code, outcomes, evidence = audited(tmp_path, capsys, hangs)
    assert (code, outcomes["schedule"], outcomes["correctness"]) == (1, "refused", "not_reached")
    assert (
        " workloads are right so far; the calls ended where the gate schedule refused"
        in evidence["correctness"]
    )


def test_state_and_half_precision_are_noted(tmp_path: Path, capsys: Output) -> None:
    source = BASELINE.replace("unsigned threads", "static int calls; calls++; unsigned threads").replace(
        "float x = input[i];", "float x = input[i]; if (i > (1u << 31)) x = __half2float(__float2half(x));"
    )
    code, outcomes, evidence = audited(tmp_path, capsys, "#include <cuda_fp16.h>\n" + source)
    assert (code, outcomes["state"], outcomes["census"]) == (0, "noted", "noted")
    assert "calls" in evidence["state"]
    assert "cvt.rn.f16.f32" in evidence["census"]


@pytest.mark.parametrize(
    ("source", "gate", "words"),
    [
        (BASELINE.replace("fmaxf(", "fmaxf(("), "build", "mine.cu:"),
        ("// nvcc: --use_fast_math\n" + BASELINE, "flags", "--use_fast_math"),
        (BASELINE.replace("unsigned threads", 'system("true"); unsigned threads'), "imports", "system"),
        (BASELINE.replace("fmaxf(x, 0.0f)", "fmaxf(x, 0.1f)"), "correctness", "expected"),
        (BASELINE.replace("if (i >= N) return;", "if (i > N) return;"), "memory", "past the end"),
    ],
)
def test_the_gate_that_refuses_says_why_and_later_ones_are_not_reached(
    tmp_path: Path, capsys: Output, source: str, gate: str, words: str
) -> None:
    code, outcomes, evidence = audited(tmp_path, capsys, source)
    assert (code, outcomes[gate]) == (1, "refused")
    assert words in evidence[gate]
    assert outcomes["time"] == "not_reached"
    assert list(outcomes.values()).count("refused") == 1


def test_gates_whose_calls_never_came_are_not_passed(tmp_path: Path, capsys: Output) -> None:
    source = BASELINE.replace("if (i >= N) return;", "if (i > N) return;")
    _, outcomes, evidence = audited(tmp_path, capsys, source)
    assert (outcomes["correctness"], outcomes["precision"]) == ("not_reached", "not_reached")
    assert evidence["precision"] == "the calls ended where the gate memory refused"


def test_what_does_less_at_its_first_call_is_compared_at_its_first_call(
    tmp_path: Path, capsys: Output
) -> None:
    first_call = "static int calls; if (!calls++ && N == 5000) N = 1; unsigned threads"
    source = BASELINE.replace("unsigned threads", first_call)
    code, outcomes, evidence = audited(tmp_path, capsys, source)
    assert (code, outcomes["state"], outcomes["correctness"]) == (1, "noted", "refused")
    assert "was never written (4999 of 5000 elements)" in evidence["correctness"]


def test_it_reaches_the_verdict_of_evaluate(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "mine.cu").write_text(BASELINE + "// mine")
    verdicts = []
    for command in ("audit", "evaluate"):
        shape, more = AS[:-1], ["--shape", "N=70001", "--shape", "N=300007", "--shape", "N=5000"]
        assert exit_code_of([command, str(tmp_path / "mine.cu"), *shape[:-1], *more, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        verdicts.append(document.get("evaluation", document))
    audit, evaluate = verdicts
    assert (audit["speedup"], audit["reason"]) == (evaluate["speedup"], evaluate["reason"])
    assert [row["shape"] for row in audit["workloads"]] == [row["shape"] for row in evaluate["workloads"]]
