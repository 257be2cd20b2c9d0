"""A run's page in a real browser, while the run writes its journal."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Keys
from starlette.applications import Starlette
from starlette.responses import HTMLResponse

from cudamaster.search.scripted import verdict_line
from cudamaster.store.runs import RunFolder
from cudamaster.web.live.app import Shown, application
from cudamaster.web.live.glimpse import Beside
from mskernelbench.evaluation import Status
from tests.doubles.browser import PHONE, Browser
from tests.doubles.hostile import HostileTeam
from tests.doubles.readers import go_through_by_keyboard, go_through_by_screen_reader
from tests.doubles.retold_run import RetoldRun, retold, run_to_its_end
from tests.doubles.served import Served, served
from tests.doubles.stored_kernel import HOSTILE

KERNEL = verdict_line(Status.CORRECT, 1.5, 0.2) + f"// {HOSTILE}\n"
LINE = "document.getElementById('live-line').textContent"


def app(runs: Path) -> Callable[[Callable[[], bool]], Starlette]:
    return lambda ending: application(Shown(runs, Beside(runs.parent / "results")), ending)


@pytest.fixture
def server(run: RetoldRun) -> Iterator[Served]:
    with served(app(run.folder.path.parent)) as running:
        yield running


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run whose agents and kernel say HOSTILE."""
    return run_to_its_end(tmp_path_factory.mktemp("hostile"), HostileTeam(((KERNEL,),)))


def page(server: Served, run: RetoldRun) -> str:
    return f"{server.address}runs/{run.folder.name}/"


def test_the_page_follows_the_run_to_its_end(browser: Browser, server: Served, run: RetoldRun) -> None:
    run.until("started")
    browser.open(page(server, run))
    assert browser.text("#live-line") == "judging the baseline"
    assert "nothing faster yet" in browser.text(".headline")
    browser.js("window.opened = 1")

    run.until("rewards")
    browser.wait(f"{LINE}.startsWith('round 1 of 5, 4 candidates judged')")
    assert len(browser.all(".candidate")) == 3
    assert "1.50x" in browser.text(".headline")
    assert "// good" in browser.text("#after")

    run.until("finished")
    browser.wait(f"{LINE}.startsWith('finished')")
    assert "2.50x" in browser.text(".headline")
    assert "candidates judged\n7" in browser.text(".headline")
    assert "// better" in browser.text("#after")
    assert browser.driver.title.startswith("Matrix multiplication, FP32: finished")
    assert browser.js("return window.opened") == 1
    assert browser.said() == []
    assert {address.split("?")[0] for address in browser.asked()} == {
        page(server, run),
        f"{page(server, run)}events",
    }


def test_what_a_reader_opened_and_focused_stays_so(browser: Browser, server: Served, run: RetoldRun) -> None:
    run.until("rewards")
    browser.open(page(server, run))
    browser.one("#candidate-2 summary").click()
    browser.one("#view-diff").send_keys(Keys.SPACE)
    run.until("rewards", 2)
    browser.wait("document.getElementById('candidate-5')")
    assert browser.js("return document.querySelector('#candidate-2 details').open")
    assert not browser.js("return document.querySelector('#candidate-1 details').open")
    assert browser.js("return document.getElementById('view-diff').checked")
    assert browser.focused().get_attribute("id") == "view-diff"
    assert browser.one(".difference").is_displayed()


def test_copying_works_in_a_part_that_was_replaced(browser: Browser, server: Served, run: RetoldRun) -> None:
    run.until("started")
    browser.open(page(server, run))
    run.until("rewards")
    browser.wait("document.querySelector('[data-copy=after]')")
    browser.one("[data-copy=after]").click()
    browser.wait("document.querySelector('[data-copy=after]').textContent === 'copied'")
    assert browser.clipboard().endswith("// good\n")


def test_a_lost_connection_is_said_and_made_again(browser: Browser, run: RetoldRun) -> None:
    runs = run.until("started").folder.path.parent
    with served(app(runs)) as first:
        browser.open(page(first, run))
        browser.wait("!document.getElementById('live-link').textContent")
    browser.wait("document.getElementById('live-link').textContent === 'connection lost, trying again'")
    run.until("rewards")
    with served(app(runs), port=first.port):
        browser.wait(f"{LINE}.startsWith('round 1')")
        assert browser.text("#live-link") == ""


def test_the_token_is_brought_once_and_leaves_the_address(browser: Browser, run: RetoldRun) -> None:
    runs = run.until("started").folder.path.parent
    with served(app(runs), token="a token") as server:
        home, _, token = server.address.partition("?")
        browser.open(f"{home}runs/{run.folder.name}/")
        assert "open the address with the token" in browser.text()
        browser.open(f"{home}runs/{run.folder.name}/?{token}")
        assert browser.driver.current_url == f"{home}runs/{run.folder.name}/"
        browser.said()
        run.until("rewards")
        browser.wait(f"{LINE}.startsWith('round 1')")
        assert browser.said() == []


def test_a_link_with_the_token_opens_from_a_page_of_another_site(browser: Browser, run: RetoldRun) -> None:
    """A terminal in a browser, or a chat, is such a page."""
    runs = run.until("started").folder.path.parent
    with served(app(runs), token="a token") as server:
        link = f"<a href='{server.address}'>open</a>"
        with served(lambda _: HTMLResponse(link)) as elsewhere:
            browser.open(f"http://localhost:{elsewhere.port}/")
            browser.one("a").click()
            browser.wait("document.querySelector('#part-runs') !== null")


def test_a_page_of_a_finished_run_asks_for_nothing_more(
    browser: Browser, server: Served, run: RetoldRun
) -> None:
    run.until("finished")
    browser.open(page(server, run))
    assert browser.text("#live-line").startswith("finished")
    assert browser.asked() == [page(server, run)]


def test_a_run_that_begins_appears_in_the_list(browser: Browser, server: Served, run: RetoldRun) -> None:
    browser.open(server.address)
    assert browser.text("#live-line") == "1 run"
    (run.folder.path.parent / "20990101-000000-relu-fp32-0000").mkdir()
    (run.folder.path.parent / "20990101-000000-relu-fp32-0000/journal.jsonl").touch()
    browser.wait(f"{LINE} === '2 runs'")
    browser.one("tbody tr:nth-child(2) a").click()
    assert browser.driver.current_url == page(server, run)


def test_hostile_words_and_kernels_are_shown_and_do_nothing(
    browser: Browser, hostile: RunFolder, tmp_path: Path
) -> None:
    run = retold(hostile, tmp_path / "runs").until("started")
    with served(app(tmp_path / "runs")) as server:
        browser.open(page(server, run))
        run.until("finished")
        browser.wait(f"{LINE}.startsWith('finished')")
        for shown in ("#candidate-1", "#after", ".told"):
            assert "<script>document.title='owned'" in browser.text(shown)
        assert browser.driver.title.endswith("· CUDAMaster")
        assert browser.all("img, [onerror], [onload]") == []
        assert browser.said() == []
        assert all(address.startswith(server.address) for address in browser.asked())
        browser.open(page(server, run))
        assert browser.driver.title.endswith("· CUDAMaster")
        assert "{{ 7*7 }}" in browser.text("#after")
        assert "‹U+202E›" in browser.text("#after")


def test_a_keyboard_and_a_screen_reader_go_through_both_pages(
    browser: Browser, server: Served, run: RetoldRun
) -> None:
    run.until("finished")
    for address in (page(server, run), f"{server.address}runs/"):
        browser.open(address)
        go_through_by_keyboard(browser)
        go_through_by_screen_reader(browser)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_sticks_out(browser: Browser, server: Served, run: RetoldRun, scheme: str) -> None:
    run.until("finished")
    browser.resize(PHONE)
    browser.colours(scheme)
    for address in (page(server, run), f"{server.address}runs/"):
        browser.open(address)
        assert browser.too_wide() == []
