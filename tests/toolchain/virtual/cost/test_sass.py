"""Estimated and real machine code are counted alike: each instruction once, whatever is unrolled or rare."""

from benchmarks.rank.sass import estimated, made
from cudamaster.toolchain.devices.virtual.cost.lowering import lower
from tests.doubles.sampled_launch import kernel_of

DISASSEMBLY = """
.text._Z3addPf:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/              @!P0 LDG.E.128 R4, desc[UR8][R2.64] ;
        /*0020*/               @P0 BRA `(.L_x_0) ;
        /*0030*/                   NOP;
$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath:
        /*0040*/                   SHF.R.U32.HI R4, RZ, 0x17, R3 ;
.text._Z6dividePl:
        /*0000*/                   CALL.REL.NOINC `($__internal_1_$__cuda_sm20_div_s64) ;
$__internal_1_$__cuda_sm20_div_s64:
        /*0010*/                   IADD3 R4, R4, R5, RZ ;
"""
LOOP = "L: fma.rn.f32 %f1, %f1, %f2, %f3; add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 64; @%p1 bra L; ret;"


def test_padding_and_what_divisions_do_in_rare_cases_is_not_counted() -> None:
    assert made(DISASSEMBLY) == {"_Z3addPf": 3, "_Z6dividePl": 2}


def test_a_loop_counts_as_if_it_were_not_unrolled() -> None:
    kernel = kernel_of(LOOP)
    lowering = lower(kernel)
    assert max(lowering.copies) > 1
    assert sum(lowering.issue(i) for block in kernel.blocks for i in block) < estimated(kernel) == 5
