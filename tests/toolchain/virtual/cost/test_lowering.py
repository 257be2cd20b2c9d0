import pytest

from cudamaster.toolchain.devices.virtual.cost.lowering import Lowering, lower
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Kernel
from tests.doubles.sampled_launch import kernel_of


def first(kernel: Kernel, prefix: str) -> Instruction:
    return next(i for block in kernel.blocks for i in block if i.opcode.startswith(prefix))


def issue(body: str, prefix: str) -> float:
    kernel = kernel_of(body)
    return lower(kernel).issue(first(kernel, prefix))


def shares(lowering: Lowering, kernel: Kernel, prefix: str) -> list[float]:
    return [lowering.share(i) for block in kernel.blocks for i in block if i.opcode.startswith(prefix)]


def test_a_wide_product_fuses_with_the_only_sum_that_reads_it() -> None:
    assert issue("mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ret;", "mul.wide") == 0
    assert (
        issue(
            "mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd5, %rd2; ret;", "mul.wide"
        )
        == 2
    )


def test_a_constant_folds_into_the_offset_of_the_loads_that_use_it() -> None:
    body = "add.s64 %rd2, %rd1, 64; ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4]; ret;"
    assert issue(body, "add.s64") == 0


def test_a_constant_added_to_a_pointer_that_is_kept_costs() -> None:
    assert issue("add.s64 %rd1, %rd1, 64; ld.global.f32 %f1, [%rd1]; ret;", "add.s64") == 2


def test_logic_of_three_operands_is_one_instruction() -> None:
    assert issue("and.b32 %r3, %r1, %r2; or.b32 %r5, %r3, %r4; ret;", "and.b32") == 0


def test_moves_are_free_except_from_special_registers() -> None:
    assert issue("mov.u32 %r1, %r2; ret;", "mov") == 0
    assert issue("mov.u32 %r1, %tid.x; ret;", "mov") == 1


def test_four_neighbouring_shared_words_become_one_access() -> None:
    loads = "".join(f"ld.shared.f32 %f{k}, [%r1+{4 * k}];" for k in range(1, 9))
    kernel = kernel_of(f"shl.b32 %r1, %r2, 4; {loads} ret;")
    assert shares(lower(kernel), kernel, "ld.shared") == [1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 1]


@pytest.mark.parametrize(("bits", "share"), [(2, 1.0), (3, 0.5), (4, 0.25)])
def test_words_are_merged_as_far_as_their_base_is_known_to_be_aligned(bits: int, share: float) -> None:
    loads = "".join(f"ld.shared.f32 %f{k}, [%r1+{4 * k}];" for k in range(4))
    kernel = kernel_of(f"mov.u32 %r2, %tid.x; shl.b32 %r1, %r2, {bits}; {loads} ret;")
    assert shares(lower(kernel), kernel, "ld.shared") == [share] * 4


def test_shared_words_are_not_merged_across_a_store() -> None:
    kernel = kernel_of("ld.shared.f32 %f1, [%r1]; st.shared.f32 [%r2], %f3; ld.shared.f32 %f2, [%r1+4]; ret;")
    assert shares(lower(kernel), kernel, "ld.shared") == [1, 1]


def test_global_words_are_not_merged() -> None:
    kernel = kernel_of("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ret;")
    assert shares(lower(kernel), kernel, "ld.global") == [1, 1]


COUNTED = (
    "L: fma.rn.f32 %f1, %f1, %f2, %f3; add.s32 %r1, %r1, {step}; setp.ne.s32 %p1, %r1, 64; @%p1 bra L; ret;"
)


def test_a_short_counted_loop_is_unrolled_and_its_overhead_divided() -> None:
    kernel = kernel_of(COUNTED.format(step=1))
    assert lower(kernel).issue(first(kernel, "bra")) == 0.25
    assert lower(kernel).issue(first(kernel, "fma")) == 1


def test_a_loop_with_a_variable_step_is_not_unrolled() -> None:
    kernel = kernel_of(COUNTED.format(step="%r9"))
    assert lower(kernel).issue(first(kernel, "bra")) == 1


def test_shared_words_of_later_rounds_of_an_unrolled_loop_are_merged() -> None:
    kernel = kernel_of(
        "shl.b32 %r1, %r3, 4;"
        "L: ld.shared.f32 %f1, [%r1]; fma.rn.f32 %f3, %f1, %f2, %f3; add.s32 %r1, %r1, 4;"
        "add.s32 %r2, %r2, 1;"
        "setp.ne.s32 %p1, %r2, 64; @%p1 bra L; ret;"
    )
    assert shares(lower(kernel), kernel, "ld.shared") == [0.25]
