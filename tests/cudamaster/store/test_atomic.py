import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cudamaster.errors import FolderUnwritable
from cudamaster.store.atomic import held, require_writable, write_atomically


def test_a_written_file_replaces_the_old_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"old")
    write_atomically(tmp_path / "a", b"new")

    assert (tmp_path / "a").read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_held_folder_cannot_be_held_again_at_once(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(BlockingIOError), held(tmp_path, wait=False):
        pass


def test_a_second_holder_waits_for_the_first(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with held(tmp_path):
            order.append("second")

    thread = threading.Thread(target=second)
    with held(tmp_path):
        thread.start()
        time.sleep(0.05)
        order.append("first")
    thread.join()

    assert order == ["first", "second"]


def test_a_folder_that_cannot_be_made_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderUnwritable, match=r"results folder .*file/x.*: give another with --out"):
        require_writable(tmp_path / "file" / "x", "results", "give another with --out")


def test_the_probe_leaves_nothing_in_a_writable_folder(tmp_path: Path) -> None:
    require_writable(tmp_path / "new", "results", "")

    assert list((tmp_path / "new").iterdir()) == []


def test_what_was_missing_is_missing_again_where_it_is_not_to_stay(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name in ("new/below", "there"):
        require_writable(tmp_path / name, "results", "", leave=False)

    assert [p.name for p in tmp_path.iterdir()] == ["there"]


def test_many_may_prove_the_same_folder_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        proved = [
            pool.submit(require_writable, tmp_path / "a" / "b", "results", "", leave=False)
            for _ in range(100)
        ]

    assert [future.exception() for future in proved] == [None] * 100
