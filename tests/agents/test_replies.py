"""What models write, well and badly, and what is read from it."""

import json
import time

import pytest

from cudamaster.agents.errors import BadReply
from cudamaster.agents.planner import parse as plans_of
from cudamaster.agents.profiler import parse as reading_of
from cudamaster.agents.replies import cuda_block, edits_of, json_block, source_from

ENTRY = 'extern "C" void f() {}'
PLAN = {"strategy": "tile", "change": "Stage a tile.", "reason": "L1 binds"}


def planned(**changes: object) -> str:
    return json.dumps({"plans": [PLAN | changes]})


def test_a_source_is_the_only_cuda_block() -> None:
    assert cuda_block(f"Here:\n```cuda\n{ENTRY}\n```\nand\n```json\n{{}}\n```") == f"{ENTRY}\n"
    assert cuda_block(f"```\n{ENTRY}\n```   ") == f"{ENTRY}\n"


@pytest.mark.parametrize("blocks", ["", f"```cuda\n{ENTRY}\n", f"```cuda\n{ENTRY}\n```\n" * 2])
def test_without_exactly_one_whole_block_there_is_no_source(blocks: str) -> None:
    with pytest.raises(BadReply, match="where exactly one was asked for"):
        cuda_block(blocks)


def test_a_source_without_an_entry_is_asked_for_again() -> None:
    with pytest.raises(BadReply, match="no extern"):
        cuda_block("```cuda\nint x;\n```")


def test_what_could_not_be_shown_again_is_asked_for_shorter() -> None:
    with pytest.raises(BadReply, match="at most 120000"):
        cuda_block(f"```cuda\n{ENTRY}\n{'// x' * 40_000}\n```")
    with pytest.raises(BadReply, match="one sentence was asked for"):
        plans_of(planned(change="x" * 5000))


def test_edits_are_read_in_order_and_halves_of_them_are_none() -> None:
    whole = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert edits_of(f"{whole}text\n<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE") == [
        ("a\n", "b\n"),
        ("c\n", ""),
    ]
    assert edits_of("<<<<<<< SEARCH\na\n=======\nb\n") == []
    assert source_from(whole, "a\nx\n") == "b\nx\n"


@pytest.mark.parametrize("line", ["```a\n", "<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n=======\n"])
def test_a_long_reply_of_beginnings_is_read_at_once(line: str) -> None:
    begun = time.process_time()
    with pytest.raises(BadReply):
        source_from(line * 100_000, "")
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("text", ["[" * 100_000, f'{{"plans": {"9" * 5000}}}', "{]", "[1]", "", "NaN"])
def test_what_is_no_object_is_a_bad_reply(text: str) -> None:
    with pytest.raises(BadReply):
        json_block(text)


def test_an_empty_reply_is_called_that() -> None:
    with pytest.raises(BadReply, match="the reply is empty"):
        json_block(" \n")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, True, "3", None, 1.5])
def test_a_parameter_is_a_whole_number_of_a_sensible_size(number: object) -> None:
    with pytest.raises(BadReply, match="parameters"):
        plans_of(planned(parameters={"rows": number}))


@pytest.mark.parametrize("metric", ["speed", ["occupancy"], {}, 3])
def test_a_predicted_metric_is_one_of_the_profile_s(metric: object) -> None:
    with pytest.raises(BadReply, match="is no metric"):
        plans_of(planned(predicted_metric=metric))


def test_what_json_escapes_hide_is_left_out_of_a_plan() -> None:
    (plan,) = plans_of(planned(change="clear \x1b[2J the\r\nscreen\ud800"))
    assert plan.change == "clear [2J the\nscreen?"


def test_a_reading_s_metrics_are_finite() -> None:
    reading = {"bound": "memory", "sentence": "s", "lesson": "l", "metrics": {"occupancy": float("-inf")}}
    with pytest.raises(BadReply, match="occupancy"):
        reading_of(json.dumps(reading))
