"""Draws a terminal session as an SVG without fonts or links from elsewhere.

Usage: `python docs/picture.py session.txt docs/run.svg`.
"""

import sys
from html import escape
from pathlib import Path

LINE, CHARACTER, MARGIN = 18, 7.9, 16
STYLE = "font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre"


def drawing(lines: list[str]) -> str:
    """One `<text>` a line on a dark sheet; prompts and speedups stand out."""
    width = 2 * MARGIN + CHARACTER * max(map(len, lines))
    height = 2 * MARGIN + LINE * len(lines)
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 0.75):.0f}" fill="{_colour(line)}" style="{STYLE}'
        f';fill:{_colour(line)}" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            "<title>A terminal session of cudamaster</title>",
            '<rect width="100%" height="100%" rx="10" fill="#0b1622"/>',
            *rows,
            "</svg>",
            "",
        ]
    )


def _colour(line: str) -> str:
    if line.startswith("$"):
        return "#7fdbca"
    return "#addb67" if line.startswith(("speedup", "best ")) else "#d6deeb"


if __name__ == "__main__":
    session, target = map(Path, sys.argv[1:])
    target.write_text(drawing([line.rstrip() for line in session.read_text().splitlines()]))
