"""The script that comments on a pull request, run as GitHub runs it, on a scripted GitHub."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.doubles.browser import Browser, chromium

ACTION = Path(__file__).parents[2] / ".github/actions/leaderboard/action.yml"
MARK = "<!-- cudamaster leaderboard -->"
RUN = """
const [script, table, present] = arguments;
const done = [];
const noted = (what) => async (about) => { done.push([what, about]); };
const issues = { listComments: {}, createComment: noted("created"), updateComment: noted("updated") };
const asked = [];
const github = { rest: { issues }, paginate: async (_, where) => { asked.push(where); return present; } };
const context = { repo: { owner: "an owner", repo: "a repository" }, issue: { number: 7 } };
const require = (name) => ({ readFileSync: (path) => `${name} ${path}: ${table}` });
const Script = Object.getPrototypeOf(async () => {}).constructor;
return new Script("github", "context", "require", script)(github, context, require).then(() => [asked, done]);
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Its JavaScript is that of Node, as far as the script goes."""
    with chromium(tmp_path_factory.mktemp("profile")) as window:
        yield window


def commented(browser: Browser, table: str, *present: dict[str, Any]) -> dict[str, Any]:
    """What the script did: the one call, with its name under `did`."""
    steps = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    (script,) = [step["with"]["script"] for step in steps if "script" in step.get("with", {})]
    asked, done = browser.js(RUN, script, table, list(present))
    assert asked == [{"owner": "an owner", "repo": "a repository", "issue_number": 7}]
    ((name, about),) = done
    return {"did": name} | dict(about)


def by(kind: str, number: int) -> dict[str, Any]:
    """A comment that begins as ours do."""
    return {"id": number, "user": {"type": kind}, "body": f"{MARK}\nold"}


def test_the_table_becomes_a_comment(browser: Browser) -> None:
    done = commented(browser, "| team |", {"id": 1, "body": "by a person"})
    assert done.pop("body") == f"{MARK}\n## Leaderboard\n\nfs leaderboard/table.md: | team |"
    assert done == {"did": "created", "owner": "an owner", "repo": "a repository", "issue_number": 7}


def test_a_comment_that_is_there_is_renewed_and_no_other(browser: Browser) -> None:
    done = commented(browser, "| new |", {"id": 1, "body": "by a person"}, by("Bot", 2))
    assert (done["did"], done["comment_id"]) == ("updated", 2)
    assert "| new |" in done["body"]


def test_a_comment_of_a_person_is_left_alone_whatever_it_says(browser: Browser) -> None:
    ghost = {"id": 3, "user": None, "body": None}
    assert commented(browser, "| team |", by("User", 2), ghost)["did"] == "created"


def test_a_table_too_long_for_a_comment_is_cut(browser: Browser) -> None:
    assert len(commented(browser, "x" * 100_000)["body"]) == 65_000
