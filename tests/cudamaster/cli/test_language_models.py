"""Runs of language models on the real virtual GPU, with nvcc: only what the models say is scripted."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.store.codec import Json
from cudamaster.store.results import digest_of, read_stored
from cudamaster.store.runs import RunFolder, list_runs
from mskernelbench.catalog import find_operator
from mskernelbench.operator import Precision
from tests.doubles.coder import EXERCISES, scripted_coder
from tests.doubles.language_run import role_of
from tests.doubles.model_server import ModelServer, model_server

Output = pytest.CaptureFixture[str]
PROTOCOLS = {
    "chat": ("openai:coder", "/v1/chat/completions"),
    "responses": ("openai:coder", "/v1/responses"),
    "messages": ("anthropic:coder", "/v1/messages"),
}
RUNS = [
    ("spmv_csr", Precision.FP32, "chat"),
    ("matrix_mul", Precision.BF16, "responses"),
    ("softmax", Precision.FP32, "messages"),
    *(
        pytest.param(*run, marks=pytest.mark.exhaustive)
        for run in (
            ("spmv_csr", Precision.BF16, "messages"),
            ("matrix_mul", Precision.FP32, "chat"),
            ("softmax", Precision.BF16, "responses"),
        )
    ),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    (tmp_path / "config.toml").write_text("")
    monkeypatch.setenv("CUDAMASTER_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-anthropic")
    with model_server() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


def options(protocol: str, server: ModelServer) -> list[str]:
    """How this protocol's model is asked for."""
    model, _ = PROTOCOLS[protocol]
    own_server = ["--base-url", f"{server.url}/v1", "--protocol", protocol]
    return ["--model", model, *(own_server if model.startswith("openai") else [])]


def statuses(run: RunFolder, number: int) -> list[str]:
    """Verdicts on one candidate, mends included."""
    verdicts = [e for e in run.events() if e["event"] == "evaluation" and e["number"] == number]
    return [verdict["value"]["status"] for verdict in verdicts]


def last_rewards(run: RunFolder) -> dict[int, float]:
    (rows,) = (event["value"] for event in run.events() if event["event"] == "rewards")
    return {row["number"]: row["reward"] for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize(("operator", "precision", "protocol"), RUNS)
def test_a_wrong_kernel_is_mended_the_faster_is_rewarded_chosen_and_stored(
    operator: str, precision: Precision, protocol: str, server: ModelServer, tmp_path: Path, capsys: Output
) -> None:
    exercise, entry = EXERCISES[operator], find_operator(operator)[0].entry_symbol(precision)
    server.answer = scripted_coder(exercise, precision, entry)
    asked = ["optimize", operator, "--precision", str(precision), "--device", "virtual", "--from-baseline"]
    small = ["--rounds", "1", "--candidates", "2", "--shape", exercise.shape]
    folders = ["--runs-dir", str(tmp_path / "runs"), "--out", str(tmp_path / "results")]
    code = exit_code_of([*asked, *small, *folders, *options(protocol, server), "--json"])
    told = capsys.readouterr()

    document: Json = json.loads(told.out)
    (run,) = list_runs(tmp_path / "runs")
    earned = last_rewards(run)
    right = exercise.source(precision, entry)
    assert code == 0
    assert {question.path for question in server.asked} == {PROTOCOLS[protocol][1]}
    assert [role_of(question) for question in server.asked].count("debugger") == 1
    assert statuses(run, 1) == [exercise.status, "correct"]
    assert statuses(run, 2) == ["correct"]
    assert earned[2] > earned[1] > -1.25
    assert Path(document["best"]["kernel"]).read_text().strip() == exercise.quicker.in_(right).strip()
    assert document["best"]["speedup"]["low"] > 1.1
    stored = read_stored(Path(document["record"]).parent)
    assert stored is not None
    assert stored.record["kernel_sha256"] == document["best"]["kernel_sha256"] == digest_of(stored.kernel)
    assert "sk-of-" not in told.out + told.err + run.journal_path.read_text()
