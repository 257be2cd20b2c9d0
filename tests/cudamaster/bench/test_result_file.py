import json
from pathlib import Path
from typing import Any

import pytest

from cudamaster.bench.result_file import SEAL, read_result_file
from cudamaster.cli.boundary import exit_code_of
from cudamaster.errors import UsageError
from cudamaster.store.results import seal_of
from tests.doubles.scripted_bench import BenchOpening, arguments


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    assert exit_code_of(arguments(folder, operators="relu,elu"), BenchOpening()) == 0
    return read_result_file(folder / "bench.json")


def refusal(tmp_path: Path, text: str) -> str:
    file = tmp_path / "b.json"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_result_file(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def resealed(document: dict[str, Any], changed: dict[str, Any]) -> str:
    """What somebody writes who edits the file and its hash."""
    other = document | changed
    return json.dumps(other | {SEAL: seal_of(other, SEAL)})


def first_row(document: dict[str, Any], **changed: object) -> dict[str, Any]:
    row = {k: v for k, v in (document["tasks"][0] | changed).items() if v is not ...}
    return {"tasks": [row, *document["tasks"][1:]]}


def test_spaces_and_the_order_of_keys_do_not_matter(document: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text(json.dumps(document, sort_keys=True))
    assert read_result_file(file) == document


@pytest.mark.parametrize("length", [0, 1, 200, -3])
def test_a_truncated_file_is_refused(document: dict[str, Any], length: int, tmp_path: Path) -> None:
    assert "is not whole JSON" in refusal(tmp_path, json.dumps(document)[:length])


def test_an_edited_file_is_refused(document: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(document).replace("2.5", "9.5")
    assert "was changed after it was written" in refusal(tmp_path, text)
    assert "was changed" in refusal(tmp_path, json.dumps(document | {"sha256": None}))


def test_other_schemas_are_refused_with_their_version(document: dict[str, Any], tmp_path: Path) -> None:
    older = json.dumps(document | {"schema": "cudamaster.bench/0"})
    assert "is of schema cudamaster.bench/0, and this version reads cudamaster.bench/1" in refusal(
        tmp_path, older
    )
    assert "but 'cudamaster.suite/1'" in refusal(tmp_path, '{"schema": "cudamaster.suite/1"}')
    assert "JSON without a schema" in refusal(tmp_path, "{}")
    assert "is no result file" in refusal(tmp_path, "[]")
    assert "is not whole JSON" in refusal(tmp_path, "[" * 100_000)


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            read_result_file(path)


def test_rows_that_state_what_cannot_be_are_refused(document: dict[str, Any], tmp_path: Path) -> None:
    evaluation = document["tasks"][0]["evaluation"]
    faster = {"geomean": 9.0, "low": 8.0, "high": 10.0}
    lies: dict[str, dict[str, Any]] = {
        "'fastest' is not a valid TaskStatus": {"status": "fastest"},
        "'fp16' is not a valid Precision": {"precision": "fp16"},
        "a task that is faster has no evaluation": {"evaluation": ...},
        "a task that is failed has an evaluation": {"status": "failed"},
        "it is called tied": {"status": "tied"},
        "is no SHA-256": {"kernel_sha256": "abc"},
        "3 is no name": {"run": 3},
        "'' is no name": {"scenario": ""},
        "cost_usd is -1, below 0": {"cost_usd": -1},
        "minutes is 'long', which is no number": {"minutes": "long"},
        "its evaluation is wrong": {"evaluation": evaluation | {"status": "wrong"}},
        "its evaluation is of another task": {"evaluation": evaluation | {"operator": "gelu"}},
        "that of its workloads 2.5": {"evaluation": evaluation | {"speedup": faster}},
        "is not between": {"evaluation": evaluation | {"speedup": faster | {"low": 11.0}}},
        "no timed workload": {"evaluation": evaluation | {"workloads": []}},
        "attainment is 1.5, above 1": {"evaluation": evaluation | {"attainment": 1.5}},
        "is missing": {"evaluation": {}},
        "is measured, and the file modelled": {"evaluation": evaluation | {"clock": "measured"}},
        "task 1": {"evaluation": 3},
        "too large": {"minutes": 10**400},
        "1e+300, too much": {"cost_usd": 1e300},
        "'a\\x1b[2J' is no name": {"run": "a\x1b[2J"},
    }
    for said, changed in lies.items():
        text = resealed(document, first_row(document, **changed))
        told = refusal(tmp_path, text)
        assert said in told
        assert "in task 1" in told


def test_a_task_twice_is_refused(document: dict[str, Any], tmp_path: Path) -> None:
    twice = {"tasks": [*document["tasks"], document["tasks"][0]]}
    assert "in task 3, elu fp32 comes twice" in refusal(tmp_path, resealed(document, twice))


def test_a_head_that_lacks_something_is_refused(document: dict[str, Any], tmp_path: Path) -> None:
    for name in ("device", "clock", "clock_version", "versions", "settings", "tasks"):
        assert f"in its head, {name} is missing" in refusal(tmp_path, resealed(document, {name: None}))
    for name, value in (("model", None), ("model", {"a": 1}), ("rounds", None), ("candidates", "3")):
        settings = document["settings"] | {name: value}
        assert "in its head, " in refusal(tmp_path, resealed(document, {"settings": settings}))
    assert "the clock 'sundial' is unknown" in refusal(tmp_path, resealed(document, {"clock": "sundial"}))
