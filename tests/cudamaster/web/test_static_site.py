"""The static site in a real browser: what a reader sees and can do, and what hostile text cannot."""

from pathlib import Path

import pytest
from selenium.webdriver import Keys

from cudamaster.web.building import site_files
from cudamaster.web.site import write_site
from tests.doubles.browser import DESKTOP, PHONE, Browser
from tests.doubles.readers import go_through_by_keyboard, go_through_by_screen_reader
from tests.doubles.stored_kernel import HOSTILE, KERNEL, baseline, store

PAGES = ("index.html", "virtual-h200/vector_add/fp32/index.html")
LONG = "// " + 60 * "a_long_name_without_a_break_" + "\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of an ordinary kernel, under a path of its own."""
    return built(tmp_path_factory.mktemp("site"), KERNEL + LONG, "as planned")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a kernel and a story that hold nothing but attacks."""
    return built(tmp_path_factory.mktemp("hostile"), f"// {HOSTILE}\n{KERNEL}", HOSTILE)


def built(folder: Path, kernel: str, text: str) -> Path:
    store(folder / "results", kernel, text=text)
    write_site(folder / "a b/site", site_files(folder / "results"))
    return folder / "a b/site"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_page_says_nothing_asks_for_nothing_and_fits(
    browser: Browser, site: Path, page: str, scheme: str, size: tuple[int, int]
) -> None:
    browser.resize(size)
    browser.colours(scheme)
    browser.open(site / page)

    assert browser.said() == []
    assert browser.asked() == [(site / page).as_uri()]
    assert browser.too_wide() == []
    assert browser.js("return document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("page", PAGES)
def test_hostile_text_is_shown_and_does_nothing(browser: Browser, hostile: Path, page: str) -> None:
    browser.open(hostile / page)

    assert browser.driver.title.endswith("· CUDAMaster")
    assert browser.said() == []
    assert browser.asked() == [(hostile / page).as_uri()]
    assert len(browser.all("script")) == 1
    assert browser.all("img, [onerror], [onload]") == []
    assert "<script>document.title='owned'" in browser.js("return document.body.textContent")


def test_the_first_page_leads_to_the_kernel_and_back(browser: Browser, site: Path) -> None:
    browser.open(site / PAGES[0])
    browser.one("a[href$='vector_add/fp32/index.html']").click()
    assert browser.text("h1") == "Vector addition, FP32"

    browser.one(".top .name").click()
    assert browser.text("h1") == "Faster CUDA kernels, with proof"


def test_the_difference_is_a_choice_that_needs_no_script(browser: Browser, site: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(site / PAGES[1])
        sides, difference = browser.one(".sides"), browser.one(".difference")
        assert (sides.is_displayed(), difference.is_displayed()) == (True, False)

        browser.one("#view-diff").click()
        assert (sides.is_displayed(), difference.is_displayed()) == (False, True)
        assert not [b for b in browser.all("button") if b.is_displayed()]
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_the_difference_marks_what_only_one_source_has(browser: Browser, site: Path) -> None:
    browser.open(site / PAGES[1])
    browser.one("#view-diff").click()

    gone, come = (
        [browser.js("return arguments[0].textContent", one) for one in browser.all(f".difference .{kind}")]
        for kind in ("del", "ins")
    )
    assert "+// two values a thread\n" in come
    assert {line[1:-1] for line in come} <= set(f"{KERNEL}{LONG}".split("\n"))
    assert {line[1:-1] for line in gone} <= set(baseline().split("\n"))


@pytest.mark.parametrize(("name", "source"), [("before", baseline()), ("after", KERNEL + LONG)])
def test_the_code_is_copied_as_it_is(browser: Browser, site: Path, name: str, source: str) -> None:
    browser.open(site / PAGES[1])
    browser.one(f"button[data-copy={name}]").click()
    browser.wait(f"document.querySelector('button[data-copy={name}]').textContent === 'copied'")

    assert browser.clipboard() == source


def test_colours_follow_the_readers_choice(browser: Browser, site: Path) -> None:
    browser.open(site / PAGES[1])
    light = browser.style("body", "background-color")
    browser.colours("dark")

    assert light == "rgba(255, 255, 255, 1)"
    assert browser.style("body", "background-color") == "rgba(15, 19, 24, 1)"


def test_print_shows_all_code_on_white_also_in_the_dark(browser: Browser, site: Path) -> None:
    browser.colours("dark", "print")
    browser.open(site / PAGES[1])

    assert browser.style("body", "background-color") == "rgba(255, 255, 255, 1)"
    assert browser.style("#after", "max-height") == "none"
    assert browser.style("button", "display") == "none"


def test_a_keyboard_reaches_everything_in_the_order_of_the_page(browser: Browser, site: Path) -> None:
    browser.open(site / PAGES[1])
    go_through_by_keyboard(browser)


def test_the_skip_link_leads_past_the_head(browser: Browser, site: Path) -> None:
    browser.open(site / PAGES[1])
    browser.press(Keys.TAB, Keys.ENTER)

    assert browser.focused().get_attribute("id") == "main"


@pytest.mark.parametrize("page", PAGES)
def test_a_screen_reader_finds_landmarks_headings_and_names(browser: Browser, site: Path, page: str) -> None:
    browser.open(site / page)
    go_through_by_screen_reader(browser)


def test_a_costly_line_is_led_to(browser: Browser, site: Path) -> None:
    browser.open(site / PAGES[1])
    browser.one(".hots a[href='#after-2']").click()

    assert browser.one("#after-2").text == KERNEL.split("\n")[1]
    assert browser.driver.current_url.endswith("#after-2")
