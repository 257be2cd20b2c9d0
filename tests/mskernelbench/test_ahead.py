"""Work that is done ahead."""

from threading import Event

from cudamaster.toolchain.outputs import FailureKind, RunFailure
from mskernelbench.ahead import ahead
from mskernelbench.errors import BaselineBroken

SECONDS = 30.0


def test_jobs_are_done_in_their_order_while_the_block_runs() -> None:
    done: list[int] = []
    last = Event()
    with ahead([lambda: done.append(1), lambda: done.append(2), last.set]):
        assert last.wait(SECONDS)
    assert done == [1, 2]


def test_what_is_begun_when_the_block_ends_is_waited_for_and_the_rest_is_left() -> None:
    begun = Event()
    done: list[str] = []

    def until_the_end() -> None:
        begun.set()
        Event().wait(0.2)
        done.append("begun")

    with ahead([until_the_end, lambda: done.append("left")]):
        assert begun.wait(SECONDS)
    assert done == ["begun"]


def test_a_failure_ends_them_and_is_not_told_here() -> None:
    done: list[str] = []

    def broken() -> None:
        done.append("broken")
        raise BaselineBroken("for the test")

    failed = Event()

    def fails() -> RunFailure:
        failed.set()
        return RunFailure(FailureKind.TIMED_OUT, "for the test")

    with ahead([broken, lambda: done.append("after")]):
        pass
    with ahead([fails, lambda: done.append("after")]):
        assert failed.wait(SECONDS)
    assert "after" not in done
