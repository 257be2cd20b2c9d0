"""Readers who use a keyboard or a screen reader: what any page must give them."""

from itertools import pairwise

from selenium.webdriver import Keys

from tests.doubles.browser import Browser

NAMED = "svg[role=img], [role=region], nav, section, meter, a[href], button, input, summary"
REACHED = "a[href], button, input:checked, summary, [tabindex='0']"
FOLLOWS = "return arguments[0].compareDocumentPosition(arguments[1]) & (4 | 16)"
"""Whether the second stands behind the first or within it."""


def go_through_by_keyboard(browser: Browser) -> None:
    """Every control is reached, in the order of the page, the skip link first, and it shows the focus."""
    seen = []
    browser.press(Keys.TAB)
    while (focused := browser.focused()).tag_name != "body":
        assert browser.js("return getComputedStyle(arguments[0]).outlineStyle", focused) != "none"
        seen.append(focused)
        browser.press(Keys.TAB)

    assert seen[0].get_attribute("class") == "skip"
    assert all(browser.js(FOLLOWS, *pair) for pair in pairwise(seen))
    assert [one for one in browser.all(REACHED) if one.is_displayed() and one not in seen] == []


def go_through_by_screen_reader(browser: Browser) -> None:
    """There are landmarks, headings without gaps, captions of tables, and a name for all that has a role."""
    browser.js("for (const one of document.querySelectorAll('details')) one.open = true")
    assert [len(browser.all(tag)) for tag in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    levels = [int(one.tag_name[1]) for one in browser.all("h1, h2, h3, h4")]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(table.find_elements("css selector", "caption") for table in browser.all("table"))
    nameless = [one for one in browser.all(NAMED) if one.is_displayed() and not one.accessible_name]
    assert [one.get_attribute("outerHTML") for one in nameless] == []
