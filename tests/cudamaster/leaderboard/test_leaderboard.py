"""The command on files of scripted suites, and on files made up from them."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cudamaster.bench.result_file import read_result_file, sealed
from cudamaster.cli.boundary import exit_code_of
from cudamaster.store.results import seal_of
from mskernelbench.catalog import all_tasks
from tests.doubles.scripted_bench import BenchOpening, arguments

Json = dict[str, Any]
Output = pytest.CaptureFixture[str]
TASKS = len(all_tasks())


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a suite that a scripted team ran: its result file, its stored kernels."""
    folder = tmp_path_factory.mktemp("bench")
    assert exit_code_of(arguments(folder, operators="relu,elu"), BenchOpening()) == 0
    return folder


@pytest.fixture(scope="module")
def document(ran: Path) -> Json:
    return read_result_file(ran / "bench.json")


def row(document: Json, operator: str, precision: str, speedup: float | None, **more: object) -> Json:
    """A finished task; `speedup` with an interval of 2 % either way, None where no kernel was right."""
    made = json.loads(json.dumps(document["tasks"][0])) | {"operator": operator, "precision": precision}
    evaluation = made.pop("evaluation")
    if speedup is None:
        return made | {"status": "failed"} | more
    ends = {"low": speedup * 0.98, "high": speedup * 1.02}
    evaluation |= {"operator": operator, "precision": precision, "speedup": {"geomean": speedup} | ends}
    evaluation["paper_score"] = speedup * 2
    evaluation["workloads"][0]["speedup"] = {"median": speedup} | ends
    evaluation["clock"] = more.pop("clock", document["clock"])
    status = "faster" if ends["low"] > 1 else "tied"
    return made | {"status": status, "evaluation": evaluation} | more


def written(path: Path, document: Json, rows: list[Json], **head: object) -> Path:
    path.write_text(json.dumps(sealed(document | head | {"tasks": rows})))
    return path


def standings(capsys: Output, *asked: object) -> Json:
    assert exit_code_of(["leaderboard", *map(str, asked), "--json"]) == 0
    told = capsys.readouterr()
    document: Json = json.loads(told.out)
    return document


def only_row(document: Json) -> Json:
    (table,) = document["tables"]
    (row,) = table["rows"]
    return dict(row)


def test_success_is_over_all_tasks_and_means_over_right_kernels(
    document: Json, tmp_path: Path, capsys: Output
) -> None:
    rows = [
        row(document, "relu", "fp32", 8.0, minutes=2.0, cost_usd=0.5),
        row(document, "elu", "fp32", 2.0, minutes=4.0, cost_usd=0.1),
        row(document, "gelu", "fp32", 1.0),  # a tie
        row(document, "selu", "fp32", 0.99),
        row(document, "softmax", "fp32", None, minutes=0.0),
        row(document, "rope", "fp32", None, status="no_gain"),  # right kernels, none of them faster
        {"operator": "fft", "precision": "fp32", "scenario": "scientific", "status": "pending"},
        {"operator": "fft", "precision": "bf16", "scenario": "scientific", "status": "broken", "reason": "x"},
    ]
    board = standings(capsys, written(tmp_path / "a.json", document, rows))
    found = only_row(board)

    assert (found["tasks"], found["tried"], found["right"]) == (TASKS, 6, 5)
    assert found["success"] == {"1": 3 / TASKS, "2": 2 / TASKS, "4": 1 / TASKS, "8": 1 / TASKS}
    mean = (8.0 * 2.0 * 1.0 * 0.99) ** 0.25
    assert found["speedup"] == pytest.approx({"geomean": mean, "low": mean * 0.98, "high": mean * 1.02})
    assert found["paper_score"] == pytest.approx(2 * mean)
    assert found["attainment"] == pytest.approx(0.4)
    assert "a tie (S = 1) counts at τ = 1" in board["rule"]
    assert "won_from_vendor" not in found


def test_cost_and_minutes_are_means_over_what_was_worked_on(
    document: Json, tmp_path: Path, capsys: Output
) -> None:
    rows = [
        row(document, "relu", "fp32", 8.0, minutes=2.0, cost_usd=0.5),
        row(document, "elu", "fp32", None, minutes=4.0, cost_usd=0.1),
    ]
    found = only_row(standings(capsys, written(tmp_path / "a.json", document, rows)))
    assert (found["minutes_a_task"], found["usd_a_task"]) == (3.0, pytest.approx(0.3))


def test_the_share_won_from_the_vendor_is_over_the_tasks_where_it_is_known(
    document: Json, tmp_path: Path, capsys: Output
) -> None:
    ahead = {"geomean": 1.2, "low": 1.1, "high": 1.3}
    unclear = {"geomean": 1.2, "low": 0.9, "high": 1.3}
    rows = [
        row(document, "relu", "fp32", 8.0, vendor_speedup=ahead),
        row(document, "elu", "fp32", 2.0, vendor_speedup=unclear),
        row(document, "gelu", "fp32", 2.0),
    ]
    file = written(tmp_path / "a.json", document, rows)
    assert only_row(standings(capsys, file))["won_from_vendor"] == 0.5
    assert exit_code_of(["leaderboard", str(file), "--format", "markdown"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    head, _, cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    assert cells[head.index("beats vendor")] == "50.0 %"


def test_a_stored_record_tells_of_the_vendor_too(ran: Path, tmp_path: Path, capsys: Output) -> None:
    shutil.copytree(ran / "results", tmp_path / "results")
    file = tmp_path / "results/virtual-h200/relu/fp32/record.json"
    record = json.loads(file.read_text())
    speedup = {"geomean": 1.2, "low": 1.1, "high": 1.3}
    record["evaluation"]["vendor"] = {"library": "cuBLAS 13.1.0", "speedup": speedup}
    file.write_text(json.dumps(record | {"record_sha256": seal_of(record)}))
    assert only_row(standings(capsys, tmp_path / "results"))["won_from_vendor"] == 1.0


def test_files_of_one_team_are_put_together_and_other_teams_stand_apart(
    document: Json, tmp_path: Path, capsys: Output
) -> None:
    one = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)])
    other = written(tmp_path / "b.json", document, [row(document, "relu", "bf16", 4.0)])
    settings = document["settings"] | {"model": "openai:gpt-5", "search": "evolve", "seed": 3}
    model = written(tmp_path / "c.json", document, [row(document, "relu", "fp32", 9.0)], settings=settings)

    (table,) = standings(capsys, one, other, model)["tables"]
    names = [(found["team"], found["tried"]) for found in table["rows"]]
    assert names == [("builtin, 3 x 3", 2), ("openai:gpt-5, 3 x 3, evolve, seed 3", 1)]


def test_teams_that_differ_in_little_are_told_apart_by_their_files(
    document: Json, tmp_path: Path, capsys: Output
) -> None:
    one = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)])
    settings = document["settings"] | {"max_debugs": 5}
    other = written(tmp_path / "b.json", document, [row(document, "relu", "fp32", 3.0)], settings=settings)
    (table,) = standings(capsys, one, other)["tables"]
    assert {r["team"] for r in table["rows"]} == {"builtin, 3 x 3 (a.json)", "builtin, 3 x 3 (b.json)"}


def test_measured_and_modelled_never_stand_in_one_table(
    document: Json, tmp_path: Path, capsys: Output
) -> None:
    modelled = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)])
    measured = written(
        tmp_path / "b.json",
        document,
        [row(document, "relu", "fp32", 3.0, clock="measured")],
        clock="measured",
        device="cuda:h200",
        clock_version="driver 580",
    )
    tables = standings(capsys, modelled, measured)["tables"]
    assert [(t["clock"], len(t["rows"])) for t in tables] == [("measured", 1), ("modelled", 1)]

    assert exit_code_of(["leaderboard", str(modelled), str(measured), "--format", "csv"]) == 2
    assert "csv holds one table, and these files make 2" in capsys.readouterr().err


def test_parts_have_their_own_tasks(document: Json, tmp_path: Path, capsys: Output) -> None:
    rows = [row(document, "relu", "fp32", 2.0), row(document, "spmv_csr", "bf16", 4.0)]
    file = written(tmp_path / "a.json", document, rows)
    (table,) = standings(capsys, file, "--by", "precision")["tables"]
    assert [(r["precision"], r["tasks"], r["tried"], r["success"]["2"]) for r in table["rows"]] == [
        ("fp32", TASKS // 2, 1, 2 / TASKS),
        ("bf16", TASKS // 2, 1, 2 / TASKS),
    ]
    (table,) = standings(capsys, file, "--by", "scenario,precision")["tables"]
    assert sum(r["tasks"] for r in table["rows"]) == TASKS
    assert {r["scenario"] for r in table["rows"]} == {"algebra", "llm", "sparse", "scientific"}
    (table,) = standings(capsys, file, "--by", "operator")["tables"]
    assert (len(table["rows"]), {r["tasks"] for r in table["rows"]}) == (TASKS // 2, {2})


def test_a_folder_of_records_takes_part_as_the_best_stored(ran: Path, capsys: Output) -> None:
    (table,) = standings(capsys, ran / "results", ran / "bench.json")["tables"]
    rows = {found["team"]: found for found in table["rows"]}
    assert set(rows) == {"builtin, best stored", "builtin, 3 x 3"}
    assert rows["builtin, best stored"]["speedup"] == rows["builtin, 3 x 3"]["speedup"]


def test_every_format_shows_the_same_figures(document: Json, tmp_path: Path, capsys: Output) -> None:
    file = str(written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)]))
    assert exit_code_of(["leaderboard", file]) == 0
    table = capsys.readouterr().out
    assert "virtual:h200, modelled (not measured on a GPU), time model 1" in table
    assert "2.00x [1.96, 2.04]" in table
    assert f"1 of {TASKS}" in table
    assert "A task is an operator at a precision." in table

    assert exit_code_of(["leaderboard", file, "--format", "markdown"]) == 0
    text = capsys.readouterr().out
    assert f"| builtin, 3 x 3 | 1 of {TASKS} | 1 | 1 % | 1 % | 0 % | 0 % | 2.00x \\[1.96, 2.04\\] |" in text
    assert "A task is an operator at a precision." in text

    assert exit_code_of(["leaderboard", file, "--format", "csv"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    figures = dict(zip(head.split(","), line.removeprefix('"builtin, 3 x 3"').split(","), strict=True))
    assert (float(figures["success.2"]), figures["speedup.geomean"]) == (1 / TASKS, "2.0")
    assert figures["clock"] == "modelled"


def test_a_models_name_is_text_in_markdown(document: Json, tmp_path: Path, capsys: Output) -> None:
    settings = document["settings"] | {"model": "a|b <script>`[x](y)"}
    file = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)], settings=settings)
    exit_code_of(["leaderboard", str(file), "--format", "markdown"])
    assert r"| a\|b \<script>\`\[x\](y), 3 x 3 |" in capsys.readouterr().out


def test_no_name_calls_people_or_marks_text_up_in_a_comment(
    ran: Path, document: Json, tmp_path: Path, capsys: Output
) -> None:
    settings = document["settings"] | {"model": "x @everyone *b* _i_ ~s~ &lt; <img>"}
    rows = [row(document, "relu", "fp32", 1.5)]
    file = str(written(tmp_path / "a.json", document, rows, settings=settings))
    asked = ["leaderboard", file, "--format", "markdown", "--against", str(ran / "results")]
    assert exit_code_of(asked) == 1
    told = capsys.readouterr().out
    harmless = r"x @<!-- -->everyone \*b\* \_i\_ \~s\~ \&lt; \<img>"
    assert told.count(harmless) == 2, "once in the table, once in the regression"
    assert "@everyone" not in told


@pytest.mark.parametrize("model", ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)"])
def test_no_name_is_a_formula_in_csv(model: str, document: Json, tmp_path: Path, capsys: Output) -> None:
    settings = document["settings"] | {"model": model}
    file = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)], settings=settings)
    assert exit_code_of(["leaderboard", str(file), "--format", "csv"]) == 0
    assert f"'{model}, 3 x 3" in capsys.readouterr().out


@pytest.mark.parametrize("unseen", ["\x1b[2J", "\r\n# head", "\u202e", "\ud800"])
@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_a_name_that_a_terminal_or_a_comment_would_obey_is_refused(
    unseen: str, form: str, document: Json, tmp_path: Path, capsys: Output
) -> None:
    rows = [row(document, "relu", "fp32", 2.0)]
    heads: list[Json] = [
        {"settings": document["settings"] | {"model": f"x{unseen}"}},
        {"settings": document["settings"] | {"search": f"x{unseen}"}},
        {"device": f"x{unseen}"},
        {"clock_version": f"x{unseen}"},
        {"schema": f"x{unseen}"},
    ]
    for head in heads:
        told = refused(capsys, written(tmp_path / "a.json", document, rows, **head), "--format", form)
        assert unseen not in told


def test_a_record_that_was_copied_into_anothers_place_is_refused(
    ran: Path, tmp_path: Path, capsys: Output
) -> None:
    shutil.copytree(ran / "results", tmp_path, dirs_exist_ok=True)
    shutil.copytree(tmp_path / "virtual-h200/relu", tmp_path / "virtual-h200/gelu")
    told = refused(capsys, tmp_path)
    assert "it is of virtual-h200/relu/fp32, and lies in virtual-h200/gelu/fp32" in told


@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_a_stored_models_name_is_one_line_of_what_can_be_seen(
    form: str, ran: Path, tmp_path: Path, capsys: Output
) -> None:
    shutil.copytree(ran / "results", tmp_path, dirs_exist_ok=True)
    file = tmp_path / "virtual-h200/relu/fp32/record.json"
    record = json.loads(file.read_text()) | {"model": "x\x1b\r\n# head\u202e"}
    file.write_text(json.dumps(record | {"record_sha256": seal_of(record)}))
    assert exit_code_of(["leaderboard", str(tmp_path), "--format", form]) == 0
    assert "x‹U+001B›‹U+000D› # head‹U+202E›" in " ".join(capsys.readouterr().out.split())


def test_a_record_whose_times_are_of_another_clock_is_refused(
    ran: Path, tmp_path: Path, capsys: Output
) -> None:
    shutil.copytree(ran / "results", tmp_path, dirs_exist_ok=True)
    file = tmp_path / "virtual-h200/relu/fp32/record.json"
    record = json.loads(file.read_text()) | {"clock": "measured"}
    file.write_text(json.dumps(record | {"record_sha256": seal_of(record)}))
    assert "its times are modelled, and it is measured" in refused(capsys, tmp_path)


def against(
    ran: Path, tmp_path: Path, document: Json, speedups: Mapping[str, float | None], **head: object
) -> int:
    """The exit code of relu and elu at these speedups against the stored 2.475 to 2.525."""
    rows = [row(document, name, "fp32", speedup) for name, speedup in speedups.items()]
    file = written(tmp_path / "new.json", document, rows, **head)
    return exit_code_of(["leaderboard", str(file), "--against", str(ran / "results")])


def test_as_fast_as_the_stored_results_is_no_regression(
    ran: Path, document: Json, tmp_path: Path, capsys: Output
) -> None:
    assert against(ran, tmp_path, document, {"relu": 2.5, "elu": 9.0}) == 0
    assert "2 tasks compared with stored results, 0 regressions" in capsys.readouterr().out
    assert against(ran, tmp_path, document, {"relu": 2.3}) == 0  # within what the model tells apart


def test_a_regression_fails_and_is_named(ran: Path, document: Json, tmp_path: Path, capsys: Output) -> None:
    assert against(ran, tmp_path, document, {"relu": 2.0, "elu": 2.5}) == 1
    told = capsys.readouterr().out
    assert "regression: relu fp32 by builtin, 3 x 3: 2.00x [1.96, 2.04], stored 2.50x [2.48, 2.52]" in told
    assert "regression: elu" not in told


def test_a_kernel_that_is_no_longer_found_is_a_regression(
    ran: Path, document: Json, tmp_path: Path, capsys: Output
) -> None:
    assert against(ran, tmp_path, document, {"relu": None}) == 1
    assert "no right kernel that gains, stored 2.50x" in capsys.readouterr().out


def test_the_regressions_are_in_every_format(
    ran: Path, document: Json, tmp_path: Path, capsys: Output
) -> None:
    file = str(written(tmp_path / "new.json", document, [row(document, "relu", "fp32", 1.5)]))
    asked = ["leaderboard", file, "--against", str(ran / "bench.json"), "--format"]
    assert exit_code_of([*asked, "json"]) == 1
    compared = json.loads(capsys.readouterr().out)["against"]
    assert (compared["compared"], compared["not_comparable"]) == (1, [])
    assert compared["regressions"][0]["operator"] == "relu"
    assert exit_code_of([*asked, "markdown"]) == 1
    assert "* regression: relu fp32" in capsys.readouterr().out
    assert exit_code_of([*asked, "csv"]) == 1
    assert "regression: relu fp32" in capsys.readouterr().err


def test_what_cannot_be_compared_is_no_proof(
    ran: Path, document: Json, tmp_path: Path, capsys: Output
) -> None:
    assert against(ran, tmp_path, document, {"relu": 1.5}, clock_version="model 2") == 2
    assert "the clock was time model 1, and is time model 2" in capsys.readouterr().err
    assert against(ran, tmp_path, document, {"gelu": 2.5}) == 2
    assert "no finished task is stored there" in capsys.readouterr().err


def refused(capsys: Output, *asked: object) -> str:
    assert exit_code_of(["leaderboard", *map(str, asked)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    return told.err


def test_bad_files_are_one_sentence(document: Json, tmp_path: Path, capsys: Output) -> None:
    good = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)])
    (tmp_path / "cut.json").write_text(good.read_text()[:-9])
    (tmp_path / "binary.json").write_bytes(bytes(range(256)))
    (tmp_path / "empty").mkdir()
    unknown = written(tmp_path / "u.json", document, [row(document, "reluu", "fp32", 2.0)])
    again = written(tmp_path / "d.json", document, [row(document, "relu", "fp32", 3.0)])

    assert "cannot be read" in refused(capsys, tmp_path / "nowhere.json")
    assert "is not whole JSON" in refused(capsys, tmp_path / "cut.json")
    assert "is not whole JSON" in refused(capsys, tmp_path / "binary.json")
    assert "holds no records" in refused(capsys, tmp_path / "empty")
    assert "reluu fp32 is no task of the benchmark" in refused(capsys, unknown)
    assert "relu fp32 comes twice from the same team, in" in refused(capsys, good, again)
    assert "did you mean precision?" in refused(capsys, good, "--by", "precisions")
    assert "Missing argument" in refused(capsys)
    assert "cannot be read" in refused(capsys, good, "--against", tmp_path / "nowhere")


def test_one_file_named_twice_counts_once(document: Json, tmp_path: Path, capsys: Output) -> None:
    good = written(tmp_path / "a.json", document, [row(document, "relu", "fp32", 2.0)])
    assert only_row(standings(capsys, good, good))["tried"] == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"clock": 3}, "clock is 3"),
        ({"baseline_sha256": ""}, "was changed after it was written"),
        ({"model": None}, "model is None"),
        ({"evaluation": {}}, "'speedup' is missing"),
        ({"schema": "cudamaster.record/0"}, "is not a cudamaster.record/1 document"),
        ({"kernel_sha256": "0" * 64}, "is of another kernel than that beside it"),
    ],
)
def test_a_record_changed_by_hand_is_refused(
    changed: Json, said: str, ran: Path, tmp_path: Path, capsys: Output
) -> None:
    folder = tmp_path / "virtual-h200/relu/fp32"
    folder.mkdir(parents=True)
    stored = ran / "results/virtual-h200/relu/fp32"
    (folder / "kernel.cu").write_bytes((stored / "kernel.cu").read_bytes())
    record = json.loads((stored / "record.json").read_text())
    (folder / "record.json").write_text(json.dumps(record | changed))
    told = refused(capsys, tmp_path)
    assert said in told
    assert "record.json" in told


def with_own_operator(ran: Path, folder: Path, name: str = "my_relu") -> Path:
    """The stored results with another record beside them, of an operator of one's own."""
    shutil.copytree(ran / "results", folder)
    own = folder / "virtual-h200" / name / "fp32"
    shutil.copytree(folder / "virtual-h200/relu/fp32", own)
    record = json.loads((own / "record.json").read_text()) | {"operator": name}
    record["evaluation"]["operator"] = name
    (own / "record.json").write_text(json.dumps(record | {"record_sha256": seal_of(record)}))
    return folder


def test_an_own_operator_s_record_is_left_out_and_said(ran: Path, tmp_path: Path, capsys: Output) -> None:
    folder = with_own_operator(ran, tmp_path / "results")
    plain = only_row(standings(capsys, ran / "results"))

    assert exit_code_of(["leaderboard", str(folder), "--against", str(folder), "--json"]) == 0
    told = capsys.readouterr()
    assert only_row(json.loads(told.out))["tried"] == plain["tried"]
    assert json.loads(told.out)["against"]["compared"] == plain["tried"]
    (line,) = [line for line in told.err.splitlines() if "my_relu" in line]
    assert line.startswith("left out   my_relu: none of the benchmark's operators")


def test_results_of_own_operators_only_give_no_table(ran: Path, tmp_path: Path, capsys: Output) -> None:
    folder = with_own_operator(ran, tmp_path / "results")
    for name in ("relu", "elu"):
        shutil.rmtree(folder / "virtual-h200" / name)
    assert "holds no records of the benchmark's operators, only of my_relu" in refused(capsys, folder)
