import json
from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.search.run import settings_of
from cudamaster.store.lessons import FILE
from cudamaster.store.runs import list_runs
from tests.doubles import scripted_run
from tests.doubles.scripted_opening import ScriptedOpening

Output = pytest.CaptureFixture[str]
OPTIMIZE = ("optimize", "gemm", "--precision", "fp32")


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    return ["--runs-dir", str(tmp_path / "runs"), "--out", str(tmp_path / "results")]


def test_the_document_has_exactly_the_promised_keys(folders: list[str], capsys: Output) -> None:
    code = exit_code_of([*OPTIMIZE, *folders, "--json"], ScriptedOpening())
    document = json.loads(capsys.readouterr().out)

    assert code == 0
    assert list(document) == [
        *("schema", "run", "operator", "precision", "device", "clock", "model", "rounds", "candidates"),
        *("stopped_by", "baseline", "best", "cost_usd", "tokens", "seconds", "record", "stored", "folder"),
    ]
    assert document["schema"] == "cudamaster.run/1"
    assert (document["operator"], document["clock"]) == ("matrix_mul", "modelled")
    assert list(document["best"]) == ["kernel", "kernel_sha256", "strategy", "round", "speedup", "attainment"]
    assert list(document["best"]["speedup"]) == ["geomean", "low", "high"]
    assert list(document["baseline"]) == ["geomean_ms", "attainment", "workloads"]


def test_the_paths_in_the_document_exist(folders: list[str], capsys: Output) -> None:
    exit_code_of([*OPTIMIZE, *folders, "--json"], ScriptedOpening())
    document = json.loads(capsys.readouterr().out)

    assert Path(document["best"]["kernel"]).read_text() == scripted_run.BETTER
    assert json.loads(Path(document["record"]).read_text())["run"] == document["run"]


def test_every_choice_is_said_first_with_its_reason(
    folders: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    exit_code_of([*OPTIMIZE, *folders], ScriptedOpening())
    lines = capsys.readouterr().err.splitlines()

    assert lines[0] == "operator   matrix_mul fp32, entry matrix_mul ('gemm' is its alias)"
    assert lines[1] == "device     virtual:h200 (no driver answers)"
    assert lines[2] == "proposes   builtin: no API key is set (OPENAI_API_KEY, ANTHROPIC_API_KEY)"
    assert lines[3] == "budget     at most 3 rounds of 3 candidates"
    assert lines[4].startswith("run        ")
    assert lines[5].startswith(
        f"stores     the best kernel in {folders[-1]}/virtual-h200/matrix_mul/fp32 (--no-store: "
    )


def test_a_set_key_chooses_a_model_and_what_it_may_spend(
    folders: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    exit_code_of([*OPTIMIZE, *folders], ScriptedOpening())
    told = capsys.readouterr()

    assert "proposes   openai:gpt-5: OPENAI_API_KEY is set; '--model builtin' costs nothing" in told.err
    assert "budget     4 rounds of 3 candidates: 1 round of the built-in expert (--from-baseline" in told.err
    assert "leaves it out), then 3 rounds of the language model; about " in told.err
    assert "calls and $" in told.err
    assert "at most $5.00" in told.err
    assert "secret" not in told.err + told.out


def test_a_model_without_its_key_names_the_variable(
    folders: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    code = exit_code_of([*OPTIMIZE, *folders, "--model", "anthropic:claude-sonnet-5"], ScriptedOpening())

    assert code == 3
    assert "ANTHROPIC_API_KEY is not set" in capsys.readouterr().err
    assert not any(Path(folder).exists() for folder in folders if not folder.startswith("--"))


def test_money_cannot_be_limited_where_no_price_is_known(
    folders: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    model = ["--model", "openai:unheard-of", "--max-usd", "1"]
    code = exit_code_of([*OPTIMIZE, *folders, *model], ScriptedOpening())

    assert code == 2
    assert "no price is known for openai:unheard-of" in capsys.readouterr().err


def test_the_search_and_whether_lessons_count_are_kept_with_the_run(
    folders: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    asked = [*OPTIMIZE, *folders, "--model", "openai:gpt-5", "--search", "best-of", "--no-lessons"]
    assert exit_code_of(asked, ScriptedOpening()) == 0

    (run,) = list_runs(tmp_path / "runs")
    settings = settings_of(run)
    assert (settings.search, settings.lessons) == ("best-of", False)
    assert not (tmp_path / "runs" / FILE).exists()


def test_the_configuration_file_names_models_and_key_commands(
    tmp_path: Path, folders: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('model = "openai:gpt-5"\n[keys]\nopenai = ["echo", "sk-from-a-command"]\n')
    monkeypatch.setenv("CUDAMASTER_CONFIG", str(config))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code = exit_code_of([*OPTIMIZE, *folders], ScriptedOpening())
    told = capsys.readouterr()

    assert code == 0
    assert "proposes   openai:gpt-5: as the configuration file says" in told.err
    assert "sk-from-a-command" not in told.err + told.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modle = 'x'", "modle is unknown"),
        ("model = 3", "of the wrong kind"),
        ("models = {coder = 1}", "must be texts"),
        ("keys = {openai = 'pass'}", "must be a list of words"),
        ("keys = {openia = ['pass']}", "keys.openia is unknown"),
        ("model = ", "is not TOML"),
    ],
)
def test_a_configuration_file_with_a_mistake_is_refused_by_name(
    text: str, said: str, tmp_path: Path, folders: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text)
    monkeypatch.setenv("CUDAMASTER_CONFIG", str(config))
    assert exit_code_of([*OPTIMIZE, *folders], ScriptedOpening()) == 2
    told = capsys.readouterr().err
    assert said in told
    assert str(config) in told


def test_the_end_is_a_table_that_says_modelled(folders: list[str], capsys: Output) -> None:
    exit_code_of([*OPTIMIZE, *folders], ScriptedOpening())
    table = capsys.readouterr().out

    assert "2.50x [2.48, 2.52], modelled (not measured on a GPU)" in table
    assert "change 0 of round 2 (strategy_0, round 2)" in table
    assert "all rounds are done (3 rounds, 6 candidates" in table


def test_progress_is_plain_lines_where_there_is_no_terminal(folders: list[str], capsys: Output) -> None:
    exit_code_of([*OPTIMIZE, *folders, "--json"], ScriptedOpening())
    lines = capsys.readouterr().err.splitlines()

    assert any(line.startswith("baseline   correct, attains 10.0 % of the roofline") for line in lines)
    assert any(line.startswith("  #1   strategy_0") and "correct, 1.50x modelled" in line for line in lines)
    assert any(line.startswith("  #2   strategy_1") and "wrong: the script says so" in line for line in lines)
    assert any(line.startswith("the end    #4 strategy_0 index=0: correct, 2.50x") for line in lines)


def test_without_a_faster_kernel_best_is_null_and_the_exit_code_is_0(
    folders: list[str], capsys: Output
) -> None:
    opening = ScriptedOpening(team=scripted_run.team([[scripted_run.SLOW]]))
    code = exit_code_of([*OPTIMIZE, *folders, "--json"], opening)
    document = json.loads(capsys.readouterr().out)

    assert (code, document["best"], document["record"]) == (0, None, None)


REFUSED = {
    "unknown operator": (["optimize", "matrix_mull", "--precision", "fp32"], 2, "nearest: matrix_mul"),
    "no near operator": (["optimize", "none", "--precision", "fp32"], 2, "'cudamaster operators' lists all"),
    "unknown precision": (["optimize", "gemm", "--precision", "fp16"], 2, "there are fp32 and bf16"),
    "unknown device": ([*OPTIMIZE, "--device", "virtual:h2000"], 2, "did you mean virtual:h200?"),
    "no driver": ([*OPTIMIZE, "--device", "cuda"], 3, "no NVIDIA driver here"),
    "unknown model": ([*OPTIMIZE, "--model", "builtim"], 2, "did you mean builtin?"),
    "no model's name": ([*OPTIMIZE, "--model", "openai:"], 2, "openai:NAME"),
    "no script": ([*OPTIMIZE, "--model", "scripted:nowhere.json"], 2, "nowhere.json cannot be read"),
    "no recording": ([*OPTIMIZE, "--model", "replay:nowhere"], 2, "no journal there"),
    "no money": ([*OPTIMIZE, "--max-usd", "0"], 2, "--max-usd"),
    "a place for nothing": ([*OPTIMIZE, "--no-store"], 2, "--out says where to"),
    "no rounds": ([*OPTIMIZE, "--rounds", "0"], 2, "--rounds"),
    "unknown search": ([*OPTIMIZE, "--search", "annealing"], 2, "'best-of', 'evolve', 'refine'"),
    "a search for the expert": ([*OPTIMIZE, "--search", "evolve"], 2, "needs a language model"),
    "a server for the expert": ([*OPTIMIZE, "--base-url", "http://localhost:1/v1"], 2, "--model openai:NAME"),
    "negative candidates": ([*OPTIMIZE, "--candidates", "-1"], 2, "--candidates"),
    "no minutes": ([*OPTIMIZE, "--max-minutes", "0"], 2, "--max-minutes"),
    "unknown size": ([*OPTIMIZE, "--shape", "Q=3"], 2, "no size 'Q'"),
    "a matrix that is not there": (
        ["optimize", "spmv", "--precision", "fp32", "--matrix", "a.mtx"],
        2,
        "a.mtx",
    ),
    "a matrix for a dense operator": ([*OPTIMIZE, "--matrix", "a.mtx"], 2, "takes no sparse matrix"),
    "shape without a value": ([*OPTIMIZE, "--shape", "M"], 2, "NAME=VALUE"),
    "missing precision": (["optimize", "gemm"], 2, "give fp32 or bf16"),
    "a file for an operator": (["optimize", "k.cu", "--precision", "fp32"], 2, "cudamaster evaluate k.cu"),
    "unknown command": (["optimise"], 2, "did you mean optimize?"),
    "unknown option": ([*OPTIMIZE, "--round", "3"], 2, "--rounds"),
}


@pytest.mark.parametrize(("arguments", "code", "words"), REFUSED.values(), ids=REFUSED)
def test_a_refused_request_is_one_sentence_and_leaves_nothing_behind(
    arguments: list[str], code: int, words: str, folders: list[str], tmp_path: Path, capsys: Output
) -> None:
    extra = folders if arguments[0] == "optimize" else []

    assert exit_code_of([*arguments, *extra], ScriptedOpening()) == code
    told = capsys.readouterr()
    assert words in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert told.out == ""
    assert list(tmp_path.iterdir()) == []


def test_with_json_a_refusal_is_one_document_on_stdout(capsys: Output) -> None:
    exit_code_of(["optimize", "matrix_mull", "--precision", "fp32", "--json"], ScriptedOpening())
    document = json.loads(capsys.readouterr().out)

    assert (document["schema"], document["exit_code"]) == ("cudamaster.error/1", 2)
    assert "matrix_mull" in document["error"]


def test_a_results_folder_that_cannot_be_written_is_refused_before_the_device_opens(
    tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "file").write_text("")
    opening = ScriptedOpening()
    arguments = [*OPTIMIZE, "--runs-dir", str(tmp_path / "runs"), "--out", str(tmp_path / "file" / "results")]

    assert exit_code_of(arguments, opening) == 2
    assert "give another with --out" in capsys.readouterr().err
    assert opening.opened == []


def test_our_own_fault_is_one_line_and_a_log_file(
    folders: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDAMASTER_LOG_DIR", str(tmp_path / "log"))
    broken = ScriptedOpening(judge=scripted_run.judge())
    broken.judge.baseline_source = "no verdict in here"

    assert exit_code_of([*OPTIMIZE, *folders], broken) == 70
    last = capsys.readouterr().err.strip().splitlines()[-1]
    (log,) = (tmp_path / "log").iterdir()
    assert "a fault of cudamaster" in last
    assert str(log) in last
    assert "Traceback" in log.read_text()


@pytest.mark.parametrize(
    "asked",
    [
        *(["--seed", "-1"], ["--seed", str(2**63)], ["--max-minutes", "nan"], ["--max-minutes", "inf"]),
        *(["--max-minutes", "-1"], ["--max-minutes", "0"]),
    ],
)
def test_a_number_out_of_range_is_refused_before_anything_is_opened(
    folders: list[str], asked: list[str], capsys: Output
) -> None:
    opening = ScriptedOpening()

    assert exit_code_of([*OPTIMIZE, *folders, *asked], opening) == 2
    assert opening.opened == []
    assert asked[0] in capsys.readouterr().err
