"""Every cheat of the gauntlet is refused for the true reason, on the virtual GPU.

One of each number and rule in every run; its variants, those that need a call of seconds, and cheats that one
name in their object gives away, in the exhaustive one.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from tests.gauntlet.judging import Gauntlet, opened, sizes, timed_on
from tests.gauntlet.kernels import Cheat, cheats, honest, suspects

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

CHEATS = cheats()
FIRST = """
A01 A02 A04 A06 A07 A08 A09 A11 A12 A13 A15 A16 A18 A20 B01 B02 B03 B07 C01 C02 C03
C04 C05 C06 C07 C08 C10 C12 T01 T02 T04 T05 T07 T09 T13 E01 E04 E06 E12 L02
"""
"""What other benchmarks have met most often."""
BY_NAME = """
c10_state_in_shared_memory_file e02_network e03_reads_files e05_sets_environment e08_kills_parent
e09_catches_signals e10_writes_process_memory e16_resets_device e19_daemon e20_sets_clocks e22_knows_sanitizer
e23_sniffs_clock l01_links_cusparse l03_embedded_machine_code t03_graph_on_another_stream t04_host_thread
t05_host_function t08_preloads t13_keeps_l2_cache t19_device_flags
"""
"""What they import is tried in `guards/test_imports.py` or `test_unsupported_calls.py`, uncompiled."""

HEAVY = {"b09_rank_one_power", "t46_nothing_above_a_size"}
"""Their rule is tried on lighter kernels too."""


def cases() -> Iterator[Any]:
    """All cheats, those marked that only the exhaustive run judges."""
    kinds = set[tuple[str, str]]()
    for cheat in CHEATS:
        kind = (cheat.name[:3], cheat.rule)
        variant = kind in kinds or cheat.name in BY_NAME.split() or cheat.name in HEAVY
        kinds.add(kind)
        yield pytest.param(cheat, id=cheat.name, marks=[pytest.mark.exhaustive] if variant else [])


@pytest.fixture(scope="module")
def gauntlet() -> Iterator[Gauntlet]:
    with opened() as gauntlet:
        yield gauntlet


@needs_nvcc
@pytest.mark.parametrize("cheat", list(cases()))
def test_a_cheat_is_refused_by_the_rule_that_it_breaks(gauntlet: Gauntlet, cheat: Cheat) -> None:
    evaluation = gauntlet.judge(cheat)
    assert evaluation.status is cheat.status, evaluation.reason
    assert evaluation.rule == cheat.rule, evaluation.reason


@needs_nvcc
@pytest.mark.parametrize("seed", [0, 1])
def test_a_table_of_answers_is_wrong_even_for_the_seed_it_was_made_for(gauntlet: Gauntlet, seed: int) -> None:
    table = next(cheat for cheat in CHEATS if cheat.name == "a18_table_of_seed_0")
    evaluation = gauntlet.judge(table, seed=seed)
    assert evaluation.rule == "comparison"
    right = [row for row in evaluation.workloads if row.error_ratio is not None and row.error_ratio <= 1]
    assert bool(right) == (seed == 0)


def test_there_are_more_than_sixty_cheats_and_none_is_to_be_accepted() -> None:
    assert len(CHEATS) >= 60
    assert not [cheat.name for cheat in CHEATS if cheat.status is Status.CORRECT]


def test_the_most_frequent_cheats_of_other_benchmarks_are_among_them() -> None:
    known = Counter(re.sub("_.*", "", cheat.name).upper() for cheat in CHEATS)
    assert not [name for name in FIRST.split() if not known[name]]


def test_the_rule_of_a_heavy_one_is_that_of_lighter_ones_too() -> None:
    rules = {cheat.name: cheat.rule for cheat in CHEATS}
    light = {case.values[0].rule for case in cases() if not case.marks}
    assert {rules[name] for name in HEAVY} <= light


def test_what_is_refused_by_a_name_breaks_a_rule_of_imports() -> None:
    rules = {cheat.rule for cheat in CHEATS if cheat.name in BY_NAME.split()}
    assert rules == {"imports", "unsupported_calls"}
    assert set(BY_NAME.split()) <= {cheat.name for cheat in CHEATS}


def test_every_cheat_names_the_rule_that_it_breaks() -> None:
    assert all(cheat.breaks and cheat.title.startswith(cheat.name[:3].upper()) for cheat in CHEATS)


def test_the_sizes_that_a_head_names_are_all_that_is_timed_of_its_sets() -> None:
    for kernel in (*suspects(), *honest()):
        operator = timed_on(load_operator(kernel.operator), kernel.shapes)
        timed = {sizes(w) for name in kernel.sets if name != "check" for w in operator.in_set(name)}
        assert not kernel.shapes or timed == set(kernel.shapes), kernel.name
        assert operator.in_set("check")
