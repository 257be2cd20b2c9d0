import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.store.results import (
    SCHEMA,
    Stored,
    digest_of,
    folder_of,
    read_stored,
    read_story,
    store_better,
)


def champion(kernel: str, low: float, **changes: str) -> Stored:
    record = {
        "schema": SCHEMA,
        "device": "virtual:h200",
        "clock": "modelled",
        "clock_version": "model 1",
        "baseline_sha256": "b",
        "kernel_sha256": digest_of(kernel),
        "evaluation": {"speedup": {"geomean": low, "low": low, "high": low}},
    }
    return Stored(kernel, record | changes)


def test_the_folder_names_device_operator_and_precision() -> None:
    assert folder_of(Path("r"), "virtual:h200", "softmax", "bf16") == Path("r/virtual-h200/softmax/bf16")


def test_a_better_champion_replaces_a_worse_one(tmp_path: Path) -> None:
    assert store_better(tmp_path, champion("one", 1.5))
    assert store_better(tmp_path, champion("two", 2.0))

    stored = read_stored(tmp_path)
    assert stored is not None
    assert (stored.kernel, stored.low) == ("two", 2.0)


@pytest.mark.parametrize("low", [1.4, 1.5, 1.64])
def test_a_champion_that_the_model_cannot_tell_to_be_better_is_not_stored(tmp_path: Path, low: float) -> None:
    store_better(tmp_path, champion("one", 1.5))

    assert not store_better(tmp_path, champion("two", low))
    assert read_stored(tmp_path) == champion("one", 1.5)


@pytest.mark.parametrize(("low", "stored"), [(1.51, False), (1.54, True)])
def test_a_measured_champion_is_stored_where_the_intervals_do_not_meet(
    tmp_path: Path, low: float, stored: bool
) -> None:
    for kernel, centre in (("one", 1.5), ("two", low + 0.03)):
        figures = {"geomean": centre, "low": centre - 0.03, "high": centre + 0.03}
        found = champion(kernel, 0.0, clock="measured")
        found.record["evaluation"] = {"speedup": figures}
        last = store_better(tmp_path, found)

    assert last is stored


def test_the_kernel_that_is_stored_is_not_stored_again_for_figures_that_jitter(tmp_path: Path) -> None:
    store_better(tmp_path, champion("one", 1.5))

    assert not store_better(tmp_path, champion("one", 1.501))
    assert read_stored(tmp_path) == champion("one", 1.5)


def test_figures_of_another_model_version_hold_no_place(tmp_path: Path) -> None:
    store_better(tmp_path, champion("one", 9.0))

    assert store_better(tmp_path, champion("two", 1.5, clock_version="model 2"))


def test_a_torn_pair_counts_as_nothing(tmp_path: Path) -> None:
    """A crash between the two files leaves a kernel that the record does not name."""
    store_better(tmp_path, champion("one", 9.0))
    (tmp_path / "kernel.cu").write_text("two")

    assert read_stored(tmp_path) is None
    assert store_better(tmp_path, champion("three", 1.1))


@pytest.mark.parametrize("content", ["{", "\ud800", "[" * 100_000])
def test_a_record_that_is_not_json_is_named(tmp_path: Path, content: str) -> None:
    store_better(tmp_path, champion("one", 9.0))
    (tmp_path / "record.json").write_bytes(content.encode(errors="surrogatepass"))

    with pytest.raises(BrokenStore, match=r"record\.json is not JSON"):
        read_stored(tmp_path)


@pytest.mark.parametrize("name", ["kernel.cu", "record.json"])
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_named(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    store_better(tmp_path, champion("one", 9.0))
    (tmp_path / name).unlink()
    make(tmp_path / name)

    with pytest.raises(BrokenStore, match=f"{name} is no file"):
        read_stored(tmp_path)


@pytest.mark.parametrize("name", ["device", "clock_version", "kernel_sha256", "evaluation"])
@pytest.mark.parametrize("value", [None, 10**400])
def test_a_record_that_the_store_cannot_go_by_is_refused(tmp_path: Path, name: str, value: object) -> None:
    store_better(tmp_path, champion("one", 9.0))
    figures = {"speedup": {"geomean": 9.0, "low": value, "high": 9.0}} if name == "evaluation" else value
    broken = champion("one", 9.0).record | {name: figures}
    (tmp_path / "record.json").write_text(json.dumps(broken))

    with pytest.raises(BrokenStore, match=r"record\.json cannot be right"):
        read_stored(tmp_path)


def test_a_source_is_stored_and_read_byte_for_byte(tmp_path: Path) -> None:
    windows = champion("// one\r\n", 1.5)
    store_better(tmp_path, windows)

    assert read_stored(tmp_path) == windows


def test_bytes_that_are_no_text_are_a_torn_pair_or_named(tmp_path: Path) -> None:
    store_better(tmp_path, champion("one", 9.0))
    (tmp_path / "kernel.cu").write_bytes(b"\xff")
    assert read_stored(tmp_path) is None

    record = champion("one", 9.0).record | {"kernel_sha256": hashlib.sha256(b"\xff").hexdigest()}
    (tmp_path / "record.json").write_text(json.dumps(record))
    with pytest.raises(BrokenStore, match=r"kernel\.cu is not text"):
        read_stored(tmp_path)


def store_many(folder: Path, first: int) -> None:
    for number in range(first, 40, 2):
        store_better(folder, champion(f"kernel {number}", 1.2**number))


def test_two_processes_leave_the_better_whole_pair(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=store_many, args=(tmp_path, first)) for first in (0, 1)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert read_stored(tmp_path) == champion("kernel 39", 1.2**39)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kernel.cu", "record.json"]


def story(kernel: str) -> dict[str, object]:
    return {"schema": "cudamaster.story/1", "champion": {"kernel_sha256": digest_of(kernel)}}


def test_a_story_is_kept_beside_the_kernel_that_it_tells_of(tmp_path: Path) -> None:
    store_better(tmp_path, replace(champion("one", 1.5), story=story("one")))
    assert read_story(tmp_path, champion("one", 1.5).record) == story("one")
    assert read_story(tmp_path, champion("two", 1.5).record) is None

    store_better(tmp_path, champion("two", 2.0))
    assert not (tmp_path / "story.json").exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"schema": "cudamaster.story/9"}', "[" * 100_000])
def test_what_is_no_story_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "story.json").write_text(content)

    with pytest.raises(BrokenStore, match=r"story\.json"):
        read_story(tmp_path, champion("one", 1.5).record)
