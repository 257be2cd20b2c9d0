"""What the browser of the tests notices of a page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from tests.doubles.browser import PHONE, Browser, chromium

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline'">
<style>body { margin: 0; color: rgb(1, 1, 1) } .box { overflow-x: auto }
@media (prefers-color-scheme: dark) { body { color: rgb(9, 9, 9) } }</style>
<a href="#here">here</a><button onclick="navigator.clipboard.writeText('copied')">copy</button>"""
WIDE = "<div id='wide' style='width: 700px'>wide</div>"


@pytest.fixture(scope="module")
def _window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as window:
        yield window


@pytest.fixture
def browser(_window: Browser) -> Browser:
    _window.fresh()
    return _window


def page(folder: Path, body: str = "") -> Path:
    path = folder / "page.html"
    path.write_text(PAGE + body)
    return path


def test_a_quiet_page_says_nothing_and_asks_for_itself_alone(browser: Browser, tmp_path: Path) -> None:
    path = page(tmp_path)
    browser.open(path)
    assert browser.said() == []
    assert browser.asked() == [path.as_uri()]


def test_what_a_page_says_and_asks_for_is_noted(browser: Browser, tmp_path: Path) -> None:
    browser.open(page(tmp_path, "<img src='https://example.com/a.png'><script>console.error('oh')</script>"))
    said = browser.said()
    assert any("oh" in line for line in said)
    assert any("Content Security Policy" in line and "example.com" in line for line in said)


def test_colours_and_widths_are_the_readers(browser: Browser, tmp_path: Path) -> None:
    browser.open(page(tmp_path, f"<div class='box'>{WIDE}</div>"))
    assert browser.style("body", "color") == "rgba(1, 1, 1, 1)"
    browser.colours("dark")
    assert browser.style("body", "color") == "rgba(9, 9, 9, 1)"
    browser.resize(PHONE)
    assert browser.js("return innerWidth") == PHONE[0]


def test_what_sticks_out_is_found_but_not_in_a_box_that_scrolls(browser: Browser, tmp_path: Path) -> None:
    browser.resize(PHONE)
    browser.open(page(tmp_path, f"<div class='box'>{WIDE}</div>"))
    assert browser.too_wide() == []
    browser.open(page(tmp_path, WIDE))
    assert [piece[:14] for piece in browser.too_wide()] == ['<div id="wide"']


def test_keys_reach_the_page_and_what_it_copies_is_read(browser: Browser, tmp_path: Path) -> None:
    browser.open(page(tmp_path))
    browser.press(Keys.TAB)
    assert browser.focused().text == "here"
    browser.press(Keys.TAB, Keys.ENTER)
    assert browser.clipboard() == "copied"
