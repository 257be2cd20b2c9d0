import pytest

from cudamaster.toolchain.devices.cuda.selection import Selection, parse_selection
from cudamaster.toolchain.errors import UnknownDevice


@pytest.mark.parametrize(
    ("argument", "selection"),
    [
        (None, Selection((0,))),
        ("3", Selection((3,))),
        ("1,0,1", Selection((1, 0))),
        ("all", Selection(None)),
        ("shared", Selection((0,), shared=True)),
        ("0,1,shared", Selection((0, 1), shared=True)),
        ("all,shared", Selection(None, shared=True)),
    ],
)
def test_an_argument_selects_gpus(argument: str | None, selection: Selection) -> None:
    assert parse_selection(argument) == selection


@pytest.mark.parametrize("argument", ["", "x", "-1", "0,", "0,all", "1.5", "99999", "²"])
def test_what_is_no_selection_is_answered_with_the_forms(argument: str) -> None:
    with pytest.raises(UnknownDevice, match="cuda, cuda:1, cuda:0,1 or cuda:all"):
        parse_selection(argument or ",")


def test_a_gpu_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(UnknownDevice, match="no cuda:2; this machine has cuda:0, cuda:1"):
        parse_selection("0,2").among(2)


def test_all_is_every_gpu() -> None:
    assert parse_selection("all").among(3) == (0, 1, 2)
