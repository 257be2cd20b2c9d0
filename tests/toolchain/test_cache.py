"""The cache folder: whole or absent, whoever dies when."""

import errno
import threading
from pathlib import Path

import pytest

from cudamaster.toolchain import cache
from cudamaster.toolchain.errors import EnvironmentLacks


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUDAMASTER_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_setting_chooses_the_folder(own_cache: Path) -> None:
    assert cache.cache_folder() == own_cache
    assert own_cache.is_dir()


def test_a_published_folder_is_complete_and_nothing_else_stays(own_cache: Path) -> None:
    final = cache.publish_folder(own_cache / "kind" / "key", lambda folder: _write(folder, "one"))
    assert (final / "file").read_text() == "one"
    assert list((own_cache / "unpublished").iterdir()) == []


def test_the_first_writer_of_a_folder_wins(own_cache: Path) -> None:
    cache.publish_folder(own_cache / "key", lambda folder: _write(folder, "first"))
    cache.publish_folder(own_cache / "key", lambda folder: _write(folder, "second"))
    assert (own_cache / "key" / "file").read_text() == "first"


def test_a_failed_writer_publishes_nothing(own_cache: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        cache.publish_folder(own_cache / "key", lambda folder: _fail(folder))
    assert not (own_cache / "key").exists()
    assert list((own_cache / "unpublished").iterdir()) == []


def test_a_published_file_replaces_the_older_one(own_cache: Path) -> None:
    cache.publish_file(own_cache / "file", b"old")
    cache.publish_file(own_cache / "file", b"new")
    assert [p.name for p in own_cache.iterdir()] == ["file"]
    assert (own_cache / "file").read_bytes() == b"new"


def test_one_key_is_held_by_one_thread_at_a_time() -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(20):
            with cache.held("abcdef"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1


def test_only_old_remains_are_removed(own_cache: Path) -> None:
    with cache.private_folder() as folder:
        made = folder.stat().st_mtime
        assert cache.remove_stale(made + 1) == 0
        assert cache.remove_stale(made + cache.STALE_SECONDS + 1) == 1


def test_a_folder_that_cannot_be_made_is_named_with_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for place in ("/proc/x", str(tmp_path / "file"), str(tmp_path / "file" / "below")):
        monkeypatch.setenv("CUDAMASTER_CACHE_DIR", place)
        with pytest.raises(EnvironmentLacks, match=f"{place} cannot be used: .*CUDAMASTER_CACHE_DIR"):
            cache.cache_folder()


def test_a_folder_in_which_nothing_can_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDAMASTER_CACHE_DIR", "/proc/self")
    with pytest.raises(EnvironmentLacks, match="/proc/self cannot be used"), cache.private_folder():
        pass
    with pytest.raises(EnvironmentLacks, match="/proc/self cannot be used"), cache.held("abcdef"):
        pass


def test_writing_without_room_says_that_the_cache_is_full(own_cache: Path) -> None:
    def fill(_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(EnvironmentLacks, match=f"the cache folder {own_cache} is full"):
        cache.publish_folder(own_cache / "key", fill)
    with pytest.raises(EnvironmentLacks, match=r"is full: .* MiB needed"):
        cache.require_room(cache.cache_folder(), 1 << 62)


def _write(folder: Path, text: str) -> None:
    (folder / "file").write_text(text)


def _fail(folder: Path) -> None:
    _write(folder, "half")
    raise ZeroDivisionError
