"""The folder of a site: replaced whole, and never anything else's."""

import json
from pathlib import Path

import pytest

from cudamaster.errors import FolderUnwritable, UsageError
from cudamaster.web.site import exchange_in_steps, write_site

OLD = {"index.html": b"old", "a/b/index.html": b"old page"}
NEW = {"index.html": b"new"}


def found(out: Path) -> dict[str, bytes]:
    files = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert sorted(json.loads(files.pop("site.json"))["files"]) == sorted(files)
    return files


def test_a_site_is_made_with_its_parents(tmp_path: Path) -> None:
    write_site(tmp_path / "deep/site", OLD)

    assert found(tmp_path / "deep/site") == OLD


def test_an_older_site_is_replaced_and_nothing_is_left(tmp_path: Path) -> None:
    write_site(tmp_path / "site", OLD)
    write_site(tmp_path / "site", NEW)

    assert found(tmp_path / "site") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    write_site(tmp_path / "site", NEW)

    assert found(tmp_path / "site") == NEW


@pytest.mark.parametrize("name", ["notes.txt", "a/CNAME", ".git/config"])
def test_a_folder_with_anything_else_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "site" / name).parent.mkdir(parents=True)
    (tmp_path / "site" / name).write_text("mine")

    with pytest.raises(UsageError, match=f"{name} in it is not of a site of ours"):
        write_site(tmp_path / "site", NEW)
    assert (tmp_path / "site" / name).read_text() == "mine"


def test_a_site_that_something_was_put_into_is_refused(tmp_path: Path) -> None:
    write_site(tmp_path / "site", OLD)
    (tmp_path / "site/CNAME").write_text("example.org")

    with pytest.raises(UsageError, match="CNAME"):
        write_site(tmp_path / "site", NEW)


@pytest.mark.parametrize(
    "mark",
    [
        "{",
        "[]",
        "[" * 100_000,
        '{"schema": "other", "files": ["index.html"]}',
        '{"schema": "cudamaster.site/1", "files": null}',
        '{"schema": "cudamaster.site/1", "files": "index.html"}',
    ],
)
def test_a_list_that_is_not_ours_lists_nothing(tmp_path: Path, mark: str) -> None:
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / "site.json").write_text(mark)

    with pytest.raises(UsageError, match=r"index\.html"):
        write_site(tmp_path, NEW)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")

    with pytest.raises(UsageError, match="is a file"):
        write_site(tmp_path / "site", NEW)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderUnwritable, match="cannot write the site folder"):
        write_site(tmp_path / "file/site", NEW)


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    write_site(tmp_path / "real", OLD)
    (tmp_path / "link").symlink_to("real")
    write_site(tmp_path / "link", NEW)

    assert found(tmp_path / "real") == NEW
    assert (tmp_path / "link").is_symlink()


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(UsageError, match="is a link to itself"):
        write_site(tmp_path / "loop", NEW)


def test_folders_change_names_where_no_single_step_does_it(tmp_path: Path) -> None:
    write_site(tmp_path / "one", OLD)
    write_site(tmp_path / "other", NEW)
    exchange_in_steps(tmp_path / "one", tmp_path / "other")

    assert (found(tmp_path / "one"), found(tmp_path / "other")) == (NEW, OLD)


def test_a_site_that_cannot_be_exchanged_stays(tmp_path: Path) -> None:
    write_site(tmp_path / "site", OLD)

    with pytest.raises(FileNotFoundError):
        exchange_in_steps(tmp_path / "missing", tmp_path / "site")
    assert found(tmp_path / "site") == OLD
