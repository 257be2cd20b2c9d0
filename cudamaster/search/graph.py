"""The loop as a LangGraph graph: begin → plan → candidate ×K → conclude → plan … → crown.

Each candidate is a graph of its own (write → evaluate → debug → evaluate … → close → learn), so that they do
not wait for each other. Every step is checkpointed before the next begins; a run that was killed goes on from
there.
"""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cudamaster.search.candidate import Candidate
from cudamaster.search.checkpoint import STATE, saver, usable
from cudamaster.search.context import CandidateState, Context, FinishedState, RunState
from cudamaster.search.rounds import Rounds

STEPS_A_ROUND = 3
"""plan, the candidates, conclude."""


def run_graph(context: Context, checkpoint: Path) -> RunState:
    """Run the loop to its end, from the checkpoint where there is one; returns the last state."""
    config: Any = {
        "configurable": {"thread_id": STATE},
        "max_concurrency": context.settings.candidates,
        "recursion_limit": 10 + STEPS_A_ROUND * context.settings.rounds,
    }
    _keep_tracing_off()
    _keep_late_ends_unsaid()
    with saver(usable(checkpoint, context.ledger)) as kept:
        graph = _run_graph(context).compile(checkpointer=kept)
        begun = bool(graph.get_state(config).values)
        state: Any = graph.invoke(None if begun else {"round": 0}, config, durability="sync")
    return state  # type: ignore[no-any-return]


def _keep_late_ends_unsaid() -> None:
    """Leave unsaid that what ends after the loop has failed is not checkpointed any more.

    LangGraph then shuts its executor down, perhaps in the middle of another candidate's end; the journal
    holds what that was worth, and what the loop failed by is told.
    """
    logging.getLogger("concurrent.futures").addFilter(_is_no_late_checkpoint)


def _is_no_late_checkpoint(record: logging.LogRecord) -> bool:
    fault = record.exc_info[1] if record.exc_info else None
    return not (isinstance(fault, RuntimeError) and str(fault).endswith("after shutdown"))


def _keep_tracing_off() -> None:
    """LangGraph brings a tracer that would send kernels to a service where its variable is set."""
    os.environ["LANGSMITH_TRACING"] = "false"
    os.environ["LANGCHAIN_TRACING_V2"] = "false"


def _run_graph(context: Context) -> Any:
    from langgraph.graph import END, START, StateGraph

    rounds = Rounds(context)
    graph: Any = StateGraph(RunState)
    graph.add_node("begin", rounds.begin)
    graph.add_node("plan", rounds.plan)
    graph.add_node("candidate", _candidate_graph(context).compile())
    graph.add_node("conclude", rounds.conclude)
    graph.add_node("crown", rounds.crown)
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "plan")
    graph.add_conditional_edges("plan", _after_plan, ["candidate", "crown"])
    graph.add_edge("candidate", "conclude")
    graph.add_conditional_edges("conclude", _after_conclude, ["plan", "crown"])
    graph.add_edge("crown", END)
    return graph


def _after_plan(state: RunState) -> str | Sequence[Any]:
    from langgraph.types import Send

    if state["stopped_by"]:
        return "crown"
    shared = {"round": state["round"], "history": state["attempts"]}
    return [Send("candidate", {"ticket": ticket} | shared) for ticket in state["tickets"]]


def _after_conclude(state: RunState) -> str:
    return "crown" if state["stopped_by"] else "plan"


def _candidate_graph(context: Context) -> Any:
    from langgraph.graph import END, START, StateGraph

    candidate = Candidate(context)
    graph: Any = StateGraph(CandidateState, output_schema=FinishedState)
    for step in (candidate.write, candidate.evaluate, candidate.debug, candidate.close, candidate.learn):
        graph.add_node(step.__name__, step)
    graph.add_edge(START, "write")
    graph.add_conditional_edges("write", candidate.after_write, ["evaluate", END])
    graph.add_conditional_edges("evaluate", candidate.after_evaluation, ["debug", "close"])
    graph.add_conditional_edges("debug", candidate.after_debug, ["evaluate", "close"])
    graph.add_edge("close", "learn")
    graph.add_edge("learn", END)
    return graph
