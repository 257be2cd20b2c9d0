"""A site's files: what they show, what they never do, and which results are refused."""

import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cudamaster.errors import UsageError
from cudamaster.web.building import site_files
from cudamaster.web.site import write_site
from tests.doubles.stored_kernel import HOSTILE, KERNEL, baseline, record_of, store

PLACE = "virtual-h200/vector_add/fp32"
VOID = frozenset({"meta", "link", "input", "br", "img"})


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.policy = ""
        self.text = ""
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append(tag)
        self.links += [value for name in ("href", "src") if (value := known.get(name))]
        self.ids += [value] if (value := known.get("id")) else []
        if known.get("http-equiv") == "Content-Security-Policy":
            self.policy = known.get("content") or ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text += data


def page(results: Path, name: str = f"{PLACE}/index.html") -> Page:
    return Page(site_files(results)[name].decode())


def test_the_page_of_a_kernel_shows_figures_code_search_and_evidence(tmp_path: Path) -> None:
    store(tmp_path)
    shown = page(tmp_path).text

    assert "1.53x" in shown
    assert "1.50x [1.35, 1.65]" in shown
    assert "modelled (not measured on a GPU)" in shown
    assert "40.0 % of the roofline" in shown
    for line in (*KERNEL.splitlines(), *baseline().splitlines()):
        assert line in shown
    assert re.search(r"DRAM throughput\s+rose from 50 % to\s+90 %", shown)
    assert "costly lines: 2 (97 % of the time" in " ".join(shown.lower().split())
    assert "Round 1" in shown
    assert f"cudamaster verify {tmp_path.name}/{PLACE}/record.json" in shown
    assert record_of(KERNEL)["kernel_sha256"] in shown


def test_every_link_leads_to_a_file_of_the_site_or_a_place_in_the_page(tmp_path: Path) -> None:
    store(tmp_path)
    files = site_files(tmp_path)
    for name, content in files.items():
        if name.endswith(".html"):
            shown = Page(content.decode())
            for link in shown.links:
                path, _, place = link.partition("#")
                assert not place or place in shown.ids
                target = (Path("/site") / name).parent / path
                known = link == "data:," or not path or str(target.resolve())[len("/site/") :] in files
                assert known, link


def test_a_page_is_well_formed_and_no_id_comes_twice(tmp_path: Path) -> None:
    store(tmp_path, HOSTILE, text=HOSTILE)
    for name in ("index.html", f"{PLACE}/index.html"):
        shown = page(tmp_path, name)
        assert shown.open == []
        assert len(shown.ids) == len(set(shown.ids))


def test_nothing_of_a_kernel_or_a_story_becomes_markup(tmp_path: Path) -> None:
    store(tmp_path / "plain")
    store(tmp_path / "hostile", f"// {HOSTILE}\n{KERNEL}", text=HOSTILE)
    plain, hostile = page(tmp_path / "plain"), page(tmp_path / "hostile")

    assert set(hostile.tags) == set(plain.tags)
    assert [hostile.tags.count(tag) for tag in ("script", "style", "img", "svg")] == [
        plain.tags.count(tag) for tag in ("script", "style", "img", "svg")
    ]
    assert "<script>document.title='owned'" in hostile.text
    assert "{{ 7*7 }}{% raw %}" in hostile.text


def test_characters_that_cannot_be_seen_are_shown_as_marks(tmp_path: Path) -> None:
    store(tmp_path, f"// {HOSTILE}\n{KERNEL}", text=HOSTILE)
    for name in ("index.html", f"{PLACE}/index.html"):
        shown = page(tmp_path, name).text
        assert "‹U+202E›" in shown
        assert not {"\u2028", "\u202e", "\x00"} & set(shown)


def test_the_policy_lets_only_the_pages_own_style_and_script_work(tmp_path: Path) -> None:
    store(tmp_path)
    policy = page(tmp_path).policy

    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "connect-src 'none'" in policy


def test_code_record_and_story_can_be_downloaded_as_they_are(tmp_path: Path) -> None:
    folder = store(tmp_path)
    files = site_files(tmp_path)

    assert files[f"{PLACE}/kernel.cu"].decode() == KERNEL
    assert files[f"{PLACE}/baseline.cu"].decode() == baseline()
    for name in ("record.json", "story.json"):
        assert json.loads(files[f"{PLACE}/{name}"]) == json.loads((folder / name).read_text())


def test_measured_and_modelled_kernels_stand_in_tables_of_their_own(tmp_path: Path) -> None:
    store(tmp_path)
    record = record_of(KERNEL)
    measured = {"device": "cuda:h200", "clock": "measured"}
    store(tmp_path, **measured, evaluation=record["evaluation"] | measured)
    tables = site_files(tmp_path)["index.html"].decode().split("<table")[1:]

    assert len(tables) >= 4
    assert not [table for table in tables if "cuda-h200/" in table and "virtual-h200/" in table]
    assert tables[0].count("cuda-h200/") == 1


def test_the_vendors_own_answer_stands_beside_where_it_was_timed(tmp_path: Path) -> None:
    record = record_of(KERNEL)
    figures = {"vendor_ms": 0.875, "vendor_speedup": {"median": 1.3125, "low": 1.25, "high": 1.375}}
    record["evaluation"]["workloads"][1] |= figures
    beside = {
        "vendor": {"library": "cuBLAS 13.1.0", "speedup": {"geomean": 1.3125, "low": 1.25, "high": 1.4}}
    }
    store(tmp_path, evaluation=record["evaluation"] | beside)
    shown = page(tmp_path).text

    assert re.search(r"over cuBLAS 13\.1\.0, the vendor's own\s*1\.31x", shown)
    assert "1.31x [1.25, 1.38]" in shown
    assert "; the vendor's own 0.875 ms" in shown


def test_why_the_vendors_own_answer_was_not_timed_is_said(tmp_path: Path) -> None:
    beside = {"vendor": {"library": "cuSPARSE", "lacks": "it is not installed"}}
    store(tmp_path, evaluation=record_of(KERNEL)["evaluation"] | beside)

    assert "Not compared with cuSPARSE, the vendor's own: it is not installed." in page(tmp_path).text


def test_a_kernel_whose_baseline_has_changed_is_shown_alone(tmp_path: Path) -> None:
    store(tmp_path, baseline_sha256="0" * 64)
    files = site_files(tmp_path)

    assert "it has been changed since this kernel was judged" in page(tmp_path).text
    assert f"{PLACE}/baseline.cu" not in files


def test_a_kernel_without_a_story_is_shown_without_one(tmp_path: Path) -> None:
    (store(tmp_path) / "story.json").unlink()
    shown = page(tmp_path)

    assert "How it was found" not in shown.text
    assert "Why it can be believed" in shown.text


def test_an_operator_of_the_users_own_has_a_page_and_no_place_in_the_leaderboard(tmp_path: Path) -> None:
    store(tmp_path, **record_of(KERNEL, operator="mine"))
    files = site_files(tmp_path)

    assert "virtual-h200/mine/fp32/index.html" in files
    assert "mine are none of its operators" in Page(files["index.html"].decode()).text


def test_an_operator_of_the_users_own_takes_no_other_off_the_leaderboard(tmp_path: Path) -> None:
    store(tmp_path)
    alone = Page(site_files(tmp_path)["index.html"].decode()).text
    store(tmp_path, **record_of(KERNEL, operator="mine"))
    beside = Page(site_files(tmp_path)["index.html"].decode()).text

    assert "none of its operators" not in beside
    assert "Success" in alone
    assert "Success" in beside


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("record.json", "{", r"record\.json is not JSON"),
        ("record.json", '{"schema": "cudamaster.record/0"}', "another version wrote it"),
        ("kernel.cu", "other", "another kernel than that beside it"),
        ("story.json", "{", r"story\.json is not JSON"),
        ("story.json", '{"schema": "cudamaster.story/9"}', "another version wrote it"),
    ],
)
def test_an_unsound_file_is_refused_by_name(tmp_path: Path, name: str, content: str, complaint: str) -> None:
    (store(tmp_path) / name).write_text(content)

    with pytest.raises(UsageError, match=complaint):
        site_files(tmp_path)


def test_a_record_that_was_edited_is_refused(tmp_path: Path) -> None:
    folder = store(tmp_path)
    (folder / "record.json").write_text((folder / "record.json").read_text().replace("1.53", "15.3"))

    with pytest.raises(UsageError, match="changed after it was written"):
        site_files(tmp_path)


@pytest.mark.parametrize("lacks", ["change", "evaluation", "versions", "precision"])
def test_a_record_that_lacks_something_is_refused(tmp_path: Path, lacks: str) -> None:
    folder = store(tmp_path)
    record = json.loads((folder / "record.json").read_text())
    del record[lacks], record["record_sha256"]
    (folder / "record.json").write_text(json.dumps(record))

    with pytest.raises(UsageError, match=f"(?s)record.json.* cannot be right: .*{lacks}"):
        site_files(tmp_path)


def test_times_that_cannot_be_are_refused(tmp_path: Path) -> None:
    record = record_of(KERNEL)
    record["evaluation"]["workloads"][1]["baseline_ms"] = float("nan")
    store(tmp_path, evaluation=record["evaluation"])

    with pytest.raises(UsageError, match="not above 0 on N=1024"):
        site_files(tmp_path)


def test_folders_whose_names_are_no_text_are_shown_and_led_to(tmp_path: Path) -> None:
    results = tmp_path / os.fsdecode(b"r\xff")
    store(results)
    own = results / PLACE / os.fsdecode(b"own-sizes/\xff")
    shutil.copytree(results / PLACE, own)
    files = site_files(results)
    assert f'href="{PLACE}/own-sizes/%FF/index.html"'.encode() in files["index.html"]
    write_site(tmp_path / "site", files)


def test_nothing_to_show_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no stored kernels"):
        site_files(tmp_path)
