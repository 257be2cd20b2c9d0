"""Which kernels may answer differently in another order of threads."""

import pytest

from cudamaster.toolchain.devices.virtual.ordering import reached, rounds_in_any_order


@pytest.mark.parametrize(
    "line",
    [
        "atom.global.add.f32 %f1, [%rd1], %f2;",
        "red.global.add.f32 [%rd1], %f2;",
        "red.global.add.noftz.bf16x2 [%rd1], %r2;",
        "atom.shared.add.f64 %fd1, [%r1], %fd2;",
        "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "atom.relaxed.gpu.global.add.f16x2 %r1, [%rd1], %r2;",
    ],
)
def test_atomic_floats_and_swaps_round_in_any_order(line: str) -> None:
    assert rounds_in_any_order(f"\t{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "atom.global.add.u32 %r1, [%rd1], 1;",
        "red.global.max.s32 [%rd1], %r2;",
        "add.f32 %f1, %f2, %f3;",
        "ld.global.f32 %f1, [atomic_f32];",
    ],
)
def test_other_kernels_do_not(line: str) -> None:
    assert not rounds_in_any_order(f"\t{line}\n")


@pytest.mark.parametrize(
    "load",
    [
        "ld.relaxed.gpu.v2.u32 {%r1, %r2}, [%rd1];",
        "ld.acquire.gpu.global.u64 %rd2, [%rd1];",
        "ld.volatile.global.u32 %r1, [%rd1];",
    ],
)
def test_a_look_back_rounds_in_any_order_where_it_adds_floats(load: str) -> None:
    assert rounds_in_any_order(f"\t{load}\n\tadd.f32 %f3, %f1, %f2;\n")
    assert rounds_in_any_order(f"\t{load}\n\tfma.rn.f32 %f3, %f1, %f2, %f0;\n")
    assert not rounds_in_any_order(f"\t{load}\n\tadd.s32 %r3, %r1, %r2;\n")


def test_what_tickets_have_put_in_order_is_added_up_in_any_order() -> None:
    ticket = "atom.global.add.u32 %r1, [%rd1], 1;"
    assert rounds_in_any_order(f"\t{ticket}\n\tfma.rn.f32 %f3, %f1, %f2, %f0;\n")
    assert not rounds_in_any_order("\tred.global.add.u32 [%rd1], 1;\n\tadd.f32 %f3, %f1, %f2;\n")


def test_a_volatile_load_within_the_block_is_no_look_back() -> None:
    assert not rounds_in_any_order("\tld.volatile.shared.f32 %f1, [%r1];\n\tadd.f32 %f3, %f1, %f2;\n")


SUM = "atom.global.add.f32 %f1, [%rd1], %f2;"


def function(name: str, body: str, head: str = ".visible .entry") -> str:
    taken = f"(\n\t.param .u64 {name}_param_0\n)\n.maxntid 256"
    return f"\t// .globl {name}\n{head} {name}{taken}\n{{\n\t{body}\n\n}}\n"


def test_a_kernel_that_is_not_launched_excuses_nobody() -> None:
    ptx = function("sums", SUM) + function("copies", "ret;")
    assert rounds_in_any_order(reached(ptx, {"sums"}))
    assert rounds_in_any_order(reached(ptx, None))
    assert not rounds_in_any_order(reached(ptx, {"copies"}))


def test_functions_are_reached_from_those_that_name_them() -> None:
    announced = ".func  (.param .b32 func_retval0) adds\n(\n\t.param .b64 adds_param_0\n)\n;\n"
    adds = function("adds", SUM, ".func  (.param .b32 func_retval0)")
    between = function("between", "call.uni (retval0), adds, (param0);", ".func ")
    ptx = announced + adds + between + function("sums", "call.uni between, (param0);") + function("alone", "")
    assert rounds_in_any_order(reached(ptx, {"sums"}))
    assert not rounds_in_any_order(reached(ptx, {"alone"}))


def test_functions_whose_addresses_are_kept_may_be_reached() -> None:
    table = ".global .align 8 .u64 table[1] = {adds};\n"
    ptx = function("adds", SUM, ".func ") + table + function("calls", "ret;")
    assert rounds_in_any_order(reached(ptx, {"calls"}))
