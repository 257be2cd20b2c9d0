"""What holds for every role: four files, prompts that render for every operator, a sample that parses."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from cudamaster.agents.coder import parse as parse_coder
from cudamaster.agents.debugger import parse as parse_debugger
from cudamaster.agents.errors import BadReply
from cudamaster.agents.nouns import Plan, Situation
from cudamaster.agents.planner import parse as parse_planner
from cudamaster.agents.profiler import parse as parse_profiler
from cudamaster.agents.prompts import Prompt, coder_prompt, debugger_prompt, planner_prompt, profiler_prompt
from cudamaster.agents.replies import fenced_blocks
from cudamaster.agents.role import all_roles
from cudamaster.toolchain.nvcc.driver_entries import SOURCE
from mskernelbench.catalog import operator_names
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision
from tests.doubles.situations import attempt, evaluation, profile, situation

OPERATORS = operator_names()
PLAN = Plan("tile", "Stage a tile.", "L1 binds", "l1_throughput", "lower", {"TILE": 16})


def sample(role: str) -> str:
    return (all_roles()[role].folder / "sample_reply.md").read_text(encoding="utf-8")


def history_of_three(role_plan: Plan) -> Situation:
    good = attempt(1, role_plan, reward=1.5, verdict=evaluation(speedup=2.8), seen=profile("compute"))
    slow = attempt(2, role_plan, reward=-0.2, verdict=evaluation(speedup=0.9), seen=profile())
    wrong = attempt(3, role_plan, reward=-1.5, verdict=evaluation(Status.WRONG, reason="row 3 is zero"))
    return situation(history=(good, slow, wrong))


def prompt_of(role: str, now: Situation) -> Prompt:
    declared, last = all_roles()[role], now.history[-1] if now.history else now.baseline
    match role:
        case "planner":
            return planner_prompt(declared, now, 3)
        case "coder":
            return coder_prompt(declared, now, PLAN)
        case "debugger":
            return debugger_prompt(declared, now, PLAN, last.source, evaluation(Status.WRONG))
    return profiler_prompt(declared, now, now.baseline.profile, last)


def test_the_four_roles_are_found_by_their_folders() -> None:
    assert set(all_roles()) == {"planner", "coder", "debugger", "profiler"}


@pytest.mark.parametrize("role", all_roles())
def test_a_role_declares_itself_under_its_folder_s_name(role: str) -> None:
    declared = all_roles()[role]

    assert declared.name == role == declared.folder.name
    assert declared.gets
    assert declared.returns


@pytest.mark.parametrize("role", all_roles())
def test_the_sample_reply_is_understood(role: str) -> None:
    assert all_roles()[role].parse(sample(role))


def objects_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object that a schema describes."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and schema.get("type") == "object":
        yield schema
    for part in parts:
        yield from objects_of(part)


@pytest.mark.parametrize("role", [role for role in all_roles() if all_roles()[role].schema])
def test_a_schema_has_the_form_that_providers_hold_a_model_to(role: str) -> None:
    objects = list(objects_of(all_roles()[role].schema))

    assert objects
    assert all(
        o["additionalProperties"] is False and set(o["required"]) == {*o["properties"]} for o in objects
    )


@pytest.mark.parametrize("role", [role for role in all_roles() if all_roles()[role].schema])
def test_the_sample_reply_follows_the_schema(role: str) -> None:
    answer = json.loads(fenced_blocks(sample(role))[0].text)

    jsonschema.validate(answer, all_roles()[role].schema)


@pytest.mark.parametrize("pair", [["TILE", 4], {"name": "TILE"}, {"name": 4, "value": 4}, 4])
def test_a_list_of_numbers_is_of_names_and_values(pair: object) -> None:
    plan = {"strategy": "s", "change": "c", "reason": "r", "parameters": [pair]}

    with pytest.raises(BadReply, match="not a name and a value"):
        parse_planner(json.dumps({"plans": [plan]}))


@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("role", all_roles())
def test_prompts_render_for_every_operator_and_precision(
    role: str, operator: str, precision: Precision
) -> None:
    now = situation(operator, precision)

    prompt = prompt_of(role, now)

    assert now.operator.c_signature(precision) in prompt.task
    assert "{{" not in prompt.task + prompt.system
    assert "None" not in prompt.task


@pytest.mark.parametrize("role", all_roles())
def test_prompts_tell_the_history_as_plan_predicted_happened(role: str) -> None:
    prompt = prompt_of(role, history_of_three(PLAN))

    assert "lesson of attempt 1" in prompt.task or role == "debugger"
    if role in ("planner", "profiler"):
        assert (
            "attempt 1, tile: Stage a tile. → l1_throughput lower → correct, 2.80x the baseline"
            in prompt.task
        )
        assert "wrong: row 3 is zero" in prompt.task


@pytest.mark.parametrize("role", ["coder", "debugger"])
def test_who_writes_code_is_told_the_rules_by_which_it_is_refused(role: str) -> None:
    system = prompt_of(role, situation()).system

    for rule in ("out of bounds", "64 bits", "stream it is given", "are refused", "--maxrregcount"):
        assert rule in system


@pytest.mark.parametrize("role", ["coder", "debugger"])
def test_what_a_kernel_is_given_of_the_driver_is_named_as_it_is_asked_for(role: str) -> None:
    said, given = prompt_of(role, situation()).system, SOURCE.read_text()

    for name in ("cuTensorMapEncodeTiled", "cudaGetDriverEntryPoint"):
        assert name in said
        assert name in given


@pytest.mark.parametrize(
    ("operator", "precision", "said"),
    [
        ("sorting", Precision.BF16, "nothing but equality passes"),
        ("matrix_mul", Precision.FP32, "TF32, BF16 or FP16 products fail"),
        ("matrix_mul", Precision.BF16, "Tensor cores with FP32 accumulators are welcome"),
    ],
)
def test_how_exact_an_answer_must_be_is_told(operator: str, precision: Precision, said: str) -> None:
    tasks = [prompt_of(role, situation(operator, precision)).task for role in all_roles()]

    assert all(said in task for task in tasks)
    assert all(("2√n" in task) == (operator != "sorting") for task in tasks)


def test_the_planner_sees_a_contrasting_pair_and_the_best_kernel() -> None:
    task = prompt_of("planner", history_of_three(PLAN)).task

    assert "+int line_1;" in task
    assert "-int line_3;" in task
    assert "int line_1;" in task.split("## The kernel to start from")[1]


def test_a_profile_is_told_with_the_meaning_of_its_metrics() -> None:
    task = prompt_of("planner", situation()).task

    assert "dram_throughput = 40 % — DRAM bytes per second" in task
    assert "fma_pipe_utilisation" not in task.split("## What was tried")[0], (
        "compute metrics do not explain memory"
    )
    assert "line 12 costs 80 %" in task


def test_the_coder_sees_the_playbook_s_kernel_of_the_planned_strategy() -> None:
    plan = Plan("register_tile", "Tile registers.", "FMAs wait for loads")

    task = coder_prompt(all_roles()["coder"], situation(), plan).task

    assert "register_tile_gemm" in task


def test_a_plan_may_do_without_a_prediction() -> None:
    plans = parse_planner(sample("planner"))

    assert [p.strategy for p in plans] == ["register_tile", "smaller_blocks"]
    assert plans[0].parameters["BK"] == 16
    assert plans[1].predicted_metric is None


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("I would tile it.", "not valid"),
        ("```json\n[1]\n```", "not an object"),
        ("```json\n{}\n```\n```json\n{}\n```", "2 ```json blocks"),
        ('{"plans": []}', "'plans' is missing or empty"),
        ('{"plans": ["tile it"]}', "not an object"),
        ('{"plans": [{"strategy": "", "change": "c", "reason": "r"}]}', "'strategy' is missing"),
        (
            '{"plans": [{"strategy": "s", "change": "c", "reason": "r", "predicted_metric": "speed"}]}',
            "'speed' is no metric",
        ),
        (
            '{"plans": [{"strategy": "s", "change": "c", "reason": "r", "predicted_metric": "duration", '
            '"predicted_direction": "down"}]}',
            "must be one of lower, higher",
        ),
        ('{"plans": [{"strategy": "s", "change": "c", "reason": "r", "parameters": {"N": 0.5}}]}', "whole"),
        ('{"plans": [{"strategy": "s", "change": "c", "reason": "r", "parameters": {"N": true}}]}', "number"),
    ],
)
def test_a_bad_plan_is_refused_with_what_is_missing(reply: str, complaint: str) -> None:
    with pytest.raises(BadReply, match=complaint):
        parse_planner(reply)


def test_a_source_must_be_one_block_with_an_entry() -> None:
    with pytest.raises(BadReply, match="0 ```cuda blocks"):
        parse_coder('extern "C" void f() {}')
    with pytest.raises(BadReply, match="2 ```cuda blocks"):
        parse_coder("```cuda\na\n```\n```cuda\nb\n```")
    with pytest.raises(BadReply, match="complete file"):
        parse_coder("```cuda\n__global__ void k() {}\n```")


def test_the_debugger_may_give_up() -> None:
    assert parse_debugger("GIVE UP: the tile cannot fit this device.") is None
    assert "copy_kernel" in str(parse_debugger(sample("debugger")))


def test_a_reading_has_a_bound_its_evidence_and_a_lesson() -> None:
    reading = parse_profiler(sample("profiler"))

    assert reading.diagnosis.bound == "memory"
    assert reading.diagnosis.metrics["l1_throughput"] == 91.2
    assert "outputs a thread" in reading.lesson
    with pytest.raises(BadReply, match="must be one of memory"):
        parse_profiler('{"bound": "dram", "sentence": "s", "lesson": "l"}')


def test_the_coder_and_the_planner_start_from_the_parent_that_the_search_chose() -> None:
    best = attempt(1, PLAN, reward=1.5, verdict=evaluation(speedup=2.8), seen=profile("compute"))
    chosen = attempt(2, PLAN, reward=0.3, verdict=evaluation(speedup=1.3), seen=profile("latency"))
    now = replace(situation(history=(best, chosen)), parent_number=2)

    for task in (prompt_of("coder", now).task, prompt_of("planner", now).task):
        assert "## The kernel to start from (attempt 2, tile: correct, 1.30x the baseline)" in task
        assert "int line_2;" in task.split("## The kernel to start from")[1]
    assert "The best kernel is attempt 1 (tile), 2.80x the baseline" in prompt_of("planner", now).task
    assert "latency-bound" in prompt_of("planner", now).task


def test_without_a_choice_the_best_is_the_parent_and_before_there_is_one_the_baseline() -> None:
    assert "(attempt 1, tile: correct, 2.80x" in prompt_of("coder", history_of_three(PLAN)).task
    assert "## The kernel to start from (the baseline)" in prompt_of("coder", situation()).task


def test_lessons_of_earlier_runs_are_shown_to_those_who_plan_and_write() -> None:
    now = replace(situation(), lessons=("softmax fp32 on virtual:h200: tile reached 2x. It helped.",))
    shown = {role for role in all_roles() if "## Lessons of earlier runs" in prompt_of(role, now).task}
    assert shown == {"planner", "coder"}
