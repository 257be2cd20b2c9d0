"""Source code as HTML lines."""

import re
from html import unescape

import pytest
from markupsafe import Markup

from cudamaster.web.pages.code import code_lines, heat, hot_lines, html_lines
from tests.doubles.stored_kernel import HOSTILE, profile

NOTHING: frozenset[int] = frozenset()


def text(line: Markup) -> str:
    """What a reader sees of a line."""
    return unescape(re.sub(r"<[^>]*>", "", line))


def test_every_line_keeps_its_text_and_its_number() -> None:
    source = (
        '\n\n#include <x.h>\n/* over\n   lines */ int f() { return 1; }\n\t// "a" & <b>\nchar* s = "\\n";\n'
    )
    lines = code_lines(source, None, NOTHING)

    assert [text(line.html) for line in lines] == source.splitlines()
    assert [line.number for line in lines] == list(range(1, 8))


def test_a_comment_over_several_lines_is_coloured_on_each() -> None:
    assert html_lines("/* a\n b */") == ['<span class="c">/* a</span>', '<span class="c"> b */</span>']


def test_a_source_without_a_last_line_break_has_as_many_lines() -> None:
    assert len(code_lines("int x;\nint y;", None, NOTHING)) == len(
        code_lines("int x;\nint y;\n", None, NOTHING)
    )


@pytest.mark.parametrize("around", ["{}", "// {}", '"{}"', "/* {} */", "#define X {}"])
def test_no_source_writes_a_tag_of_its_own(around: str) -> None:
    tags = re.findall(r"<[^>]*>", Markup("").join(html_lines(around.format(HOSTILE))))

    assert {tag for tag in tags if not re.fullmatch(r'<span class="[a-z]+">|</span>', tag)} == set()


def test_a_separator_of_lines_within_a_line_does_not_end_it() -> None:
    lines = code_lines("// one\u2028two\x0cthree\nint x;\n", None, NOTHING)

    assert [text(line.html) for line in lines] == ["// one‹U+2028›two‹U+000C›three", "int x;"]


def test_hot_lines_have_their_share_of_the_whole_call() -> None:
    lines = code_lines("a\nb\nc\n", profile("k", 50.0), frozenset({3}))

    assert [(line.number, line.share) for line in hot_lines(lines)] == [(2, 0.97)]
    assert [line.changed for line in lines] == [False, False, True]
    assert heat(None) == {}
