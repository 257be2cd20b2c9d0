"""What differs between two sources."""

from cudamaster.web.pages.code import code_lines
from cudamaster.web.pages.differences import Difference, DiffLine

BEFORE = "".join(f"line {i};\n" for i in range(1, 21))
AFTER = BEFORE.replace("line 10;\n", "new 10;\nnew 11;\n")


def compared(before: str, after: str) -> list[DiffLine]:
    difference = Difference(before, after)
    old, new = (code_lines(source, None, frozenset()) for source in (before, after))
    return list(difference.lines(old, new))


def test_changed_lines_stand_with_a_few_equal_ones_around() -> None:
    shown = [(line.mark, line.before, line.after, line.left_out) for line in compared(BEFORE, AFTER)]

    assert shown == [
        ("@", None, None, 6),
        (" ", 7, 7, 0),
        (" ", 8, 8, 0),
        (" ", 9, 9, 0),
        ("-", 10, None, 0),
        ("+", None, 10, 0),
        ("+", None, 11, 0),
        (" ", 11, 12, 0),
        (" ", 12, 13, 0),
        (" ", 13, 14, 0),
        ("@", None, None, 7),
    ]


def test_the_changed_lines_of_each_source_are_numbered() -> None:
    assert Difference(BEFORE, AFTER).changed == (frozenset({10}), frozenset({10, 11}))


def test_equal_sources_have_nothing_but_lines_that_are_left_out() -> None:
    assert [line.left_out for line in compared(BEFORE, BEFORE)] == [20]
    assert Difference(BEFORE, BEFORE).changed == (frozenset(), frozenset())


def test_sources_without_a_common_line_are_all_removed_and_added() -> None:
    assert [line.mark for line in compared("a\nb\n", "c\n")] == ["-", "-", "+"]
