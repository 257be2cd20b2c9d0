"""Which metrics moved, in words."""

from dataclasses import replace

from cudamaster.toolchain.profile import Profile
from cudamaster.web.pages.movements import Movement, movements, words
from tests.doubles.stored_kernel import profile


def call(**metrics: float) -> Profile:
    """A call of one kernel with these metrics."""
    whole = profile("k", 50.0)
    return replace(whole, kernels=(replace(whole.kernels[0], metrics=metrics),))


def moved(before: Profile, after: Profile) -> dict[str, Movement]:
    found = movements(before, after)
    assert found is not None
    return {one.title: one for one in found.moved}


def test_a_movement_is_told_with_direction_worth_and_unit() -> None:
    found = moved(call(dram_throughput=50.8, l1_hit_rate=80.0), call(dram_throughput=86.6, l1_hit_rate=20.0))

    up, down = found["DRAM throughput"], found["L1 hit rate"]
    assert (up.before, up.after, up.rose, up.better) == ("50.8 %", "86.6 %", True, True)
    assert (down.rose, down.better) == (False, False)


def test_a_metric_that_is_good_neither_way_is_not_judged() -> None:
    assert moved(call(l1_throughput=90.0), call(l1_throughput=40.0))["L1 throughput"].better is None


def test_what_hardly_moved_is_left_out() -> None:
    before = call(dram_throughput=50.0, instructions_executed=1000.0)
    assert moved(before, call(dram_throughput=54.0, instructions_executed=1200.0)) == {}


def test_large_amounts_have_prefixes() -> None:
    found = moved(
        call(dram_read_bytes=65_856_072.0, instructions_executed=4_396_677.0),
        call(dram_read_bytes=1_000.0, instructions_executed=10_590_976.0),
    )
    assert (found["DRAM read bytes"].before, found["DRAM read bytes"].after) == ("65.86 MB", "1000 bytes")
    assert found["instructions executed"].after == "10.59 M instructions"


def test_the_largest_movement_comes_first_and_nothing_outranks_by_being_zero() -> None:
    found = moved(
        call(local_bytes=0.0, global_load_requests=1e6, global_load_sectors_per_request=32.0),
        call(local_bytes=1.0, global_load_requests=5e5, global_load_sectors_per_request=4.0),
    )
    assert next(iter(found)) == "global load sectors per request"


def test_a_kernel_among_others_is_named_with_its_share() -> None:
    whole = call(dram_throughput=50.0)
    other = replace(whole.kernels[0], name="tail", time_ms=0.25)
    found = movements(whole, replace(whole, kernels=(*whole.kernels, other)))

    assert found is not None
    assert (found.before, found.after) == ("k", "k (80 % of the call)")


def test_without_a_profile_nothing_is_told() -> None:
    assert movements(None, profile("k", 50.0)) is None
    assert movements(profile("k", 50.0), replace(profile("k", 50.0), kernels=())) is None


def test_metrics_are_named_in_words() -> None:
    assert words("global_load_sectors_per_request") == "global load sectors per request"
    assert words("l2_hit_rate") == "L2 hit rate"
