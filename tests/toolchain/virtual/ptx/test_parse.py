"""Whole modules: headers, scopes, blocks, places, and what is refused."""

import time

import pytest

from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Kernel, Register, SourceLine, Symbol
from cudamaster.toolchain.devices.virtual.ptx.parse import PtxError, parse_module

HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"


def kernel(body: str, *, parameters: str = "", directives: str = "", after: str = "") -> Kernel:
    text = f"{HEADER}.visible .entry k({parameters})\n{directives}\n{{\n{body}\n}}\n{after}"
    return parse_module(text).kernels["k"]


def opcodes(found: Kernel) -> list[list[str]]:
    return [[instruction.opcode for instruction in block] for block in found.blocks]


def instructions(found: Kernel) -> list[Instruction]:
    return [instruction for block in found.blocks for instruction in block]


def test_a_module_knows_its_version_target_and_files() -> None:
    module = parse_module(HEADER + '\t.file\t1 "/a//b.cu"\n')
    assert (module.version, module.target, module.files) == ((9, 0), "sm_90a", {1: "/a//b.cu"})


def test_comments_anywhere_change_nothing() -> None:
    assert opcodes(kernel("// a ; }\nadd.s32 %r1, /* } */ %r2, 3; /* \n; */ ret;")) == [["add.s32", "ret"]]


@pytest.mark.parametrize(
    "ending", ["bra L;", "ret;", "exit;", "trap;", "bar.sync 0;", "barrier.sync 0;", "call f;"]
)
def test_a_block_ends_where_control_may_leave(ending: str) -> None:
    found = kernel(f"mov.u32 %r1, 1; {ending} mov.u32 %r2, 2; L: ret;")
    assert len(found.blocks) == 3


@pytest.mark.parametrize(
    ("load", "blocks"),
    [
        ("ld.acquire.gpu.u32", 2),
        ("ld.volatile.global.u32", 2),
        ("ld.relaxed.sys.global.u32", 2),
        ("ld.volatile.u32", 2),
        ("ld.volatile.shared.u32", 1),
        ("ld.global.u32", 1),
    ],
)
def test_a_block_ends_after_a_load_that_may_spin(load: str, blocks: int) -> None:
    assert len(kernel(f"{load} %r1, [%rd1]; ret;").blocks) == blocks


@pytest.mark.parametrize(
    "instruction",
    [
        "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1",
        "vote.sync.ballot.b32 %r1, %p1, -1",
        "match.any.sync.b32 %r1, %r2, -1",
        "redux.sync.add.s32 %r1, %r2, -1",
        "elect.sync _|%p1, -1",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}"
        ", {%f1,%f2,%f3,%f4}",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5]",
        "bar.warp.sync -1",
    ],
)
def test_a_block_starts_before_each_warp_wide_instruction(instruction: str) -> None:
    opcode = instruction.split()[0]
    assert opcodes(kernel(f"mov.u32 %r9, 1; {instruction}; mov.u32 %r9, 2; ret;")) == [
        ["mov.u32"],
        [opcode, "mov.u32", "ret"],
    ]


def test_a_label_names_the_block_that_follows() -> None:
    found = kernel("mov.u32 %r1, 1;\nL1:\nL2:\n@%p1 bra L1;\nadd.s32 %r1, %r1, 1;\nL3:\n")
    assert found.labels == {"L1": 1, "L2": 1, "L3": 3}
    assert opcodes(found)[3] == ["ret"]


@pytest.mark.parametrize("body", ["", "mov.u32 %r1, 1;", "@%p1 ret;", "bar.sync 0;"])
def test_falling_off_the_end_returns(body: str) -> None:
    last = kernel(body).blocks[-1][-1]
    assert (last.opcode, last.guard) == ("ret", None)


def test_registers_of_inner_scopes_get_names_of_their_own() -> None:
    scope = (
        "{ .reg .pred p; .reg .b32 low; setp.eq.s32 p, %r1, 0; @!p mov.b32 low, 5; add.s32 %r1, low, %r1; }"
    )
    found = kernel(f".reg .b32 %r<2>;\n{scope}\n{scope}\nret;")
    first, guarded, add, second, *_ = instructions(found)
    assert first.operands[0] == Register("p$1")
    assert second.operands[0] == Register("p$2")
    assert guarded.guard is not None
    assert (guarded.guard.register, guarded.guard.negated) == ("p$1", True)
    assert add.operands == (Register("%r1"), Register("low$1"), Register("%r1"))
    assert found.registers["low$2"] == "b32"


def test_tables_of_inner_scopes_name_their_own_labels_and_those_around() -> None:
    scope = "{\nTABLE: .branchtargets A, OUT;\nbrx.idx %r1, TABLE;\nA: bra OUT;\n}"
    found = kernel(f"{scope}\n{scope}\nOUT: ret;")
    jumps = [instruction for instruction in instructions(found) if instruction.base == "brx"]
    targets = [found.branch_tables[jump.operands[1].name] for jump in jumps]
    assert [[found.labels[target] for target in table] for table in targets] == [[1, 4], [3, 4]]


def test_labels_of_inner_scopes_lead_to_their_own_scope() -> None:
    scope = "{\nWAIT:\nmbarrier.try_wait.shared.b64 %p1, [%r1], 0;\n@%p1 bra DONE;\nbra WAIT;\nDONE:\n}"
    found = kernel(f"{scope}\n{scope}\nret;")
    targets = [i.operands[0] for i in instructions(found) if i.opcode == "bra"]
    assert targets == [Symbol("DONE$1"), Symbol("WAIT$1"), Symbol("DONE$2"), Symbol("WAIT$2")]
    assert found.labels["DONE$1"] == found.labels["WAIT$2"]


def test_an_inner_branch_may_lead_out() -> None:
    found = kernel("{\n.reg .pred q;\n@q bra OUT;\n}\nOUT: ret;")
    assert instructions(found)[0].operands == (Symbol("OUT"),)


def test_call_parameters_of_two_calls_are_two_variables() -> None:
    call = (
        "{ .reg .b32 temp_param_reg; .param .align 4 .b8 param0[20]; st.param.f32 [param0+4], %f1;"
        " .param .b32 retval0; call.uni (retval0),\nf,\n(\nparam0\n); ld.param.f32 %f2, [retval0+0]; }"
    )
    found = kernel(f"{call} {call} ret;")
    assert {name: v.size for name, v in found.variables.items()} == {
        "param0$1": 20,
        "retval0$1": 4,
        "param0$2": 20,
        "retval0$2": 4,
    }
    assert found.registers == {}


def test_branch_tables_are_kept_by_label() -> None:
    found = kernel("$T: .branchtargets\n$A,\n$B;\nbrx.idx %r1, $T;\n$A: ret;\n$B: exit;")
    assert found.branch_tables == {"$T": ("$A", "$B")}
    assert "$T" not in found.labels


def test_kernel_directives_are_numbers() -> None:
    found = kernel(
        "ret;", directives=".maxntid 256, 1, 1\n.minnctapersm 2\n.explicitcluster\n.reqnctapercluster 2,1,1"
    )
    assert found.directives == {
        "maxntid": (256, 1, 1),
        "minnctapersm": (2,),
        "explicitcluster": (),
        "reqnctapercluster": (2, 1, 1),
    }


PLACES = '\n.file 1 "/t/k.cu"\n.file 2 "/usr/include/a.h"\n'


def test_an_inlined_place_in_a_header_counts_as_its_caller() -> None:
    body = (
        ".loc 1 10 3\n.loc 2 77 5, function_name $S, inlined_at 1 10 3\n"
        ".loc 2 99 1, function_name $S, inlined_at 2 77 5\nadd.s32 %r1, %r1, 1;\n"
    )
    assert instructions(kernel(body + "ret;", after=PLACES))[0].source == SourceLine(1, 10)


def test_an_inlined_place_in_the_own_file_is_kept() -> None:
    body = ".loc 1 10 3\n.loc 1 4 5, function_name $S, inlined_at 1 10 3\nadd.s32 %r1, %r1, 1;\n"
    assert instructions(kernel(body + "ret;", after=PLACES))[0].source == SourceLine(1, 4)


def test_line_zero_keeps_the_line_before() -> None:
    body = ".loc 1 10 3\n.loc 1 0 3\nret;"
    assert instructions(kernel(body, after=PLACES))[0].source == SourceLine(1, 10)


def test_debug_sections_are_passed_over() -> None:
    section = "\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90\n.b8 0\n}\n"
    assert opcodes(kernel("ret;", after=section)) == [["ret"]]


def test_an_alias_is_the_same_kernel() -> None:
    module = parse_module(HEADER + ".func f() { ret; }\n.alias g, f;\n")
    assert module.kernels["g"] is module.kernels["f"]


def test_functions_without_a_body_are_declared() -> None:
    text = (
        HEADER + ".extern .func (.param .b32 r) vprintf (.param .b64 a)\n;\n.func f()\n;\n.func f() { ret; }"
    )
    assert parse_module(text).declared == {"vprintf"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("int main() {}", 1, "not PTX"),
        (".version 10.0\n.target sm_90\n", 1, "newer"),
        (HEADER + ".entry k();\n", 4, "no body"),
        (HEADER + ".entry k() {\nmov.u32 %r1, 1;\n", 5, "not a PTX statement"),
        (HEADER + "\nhello;\n", 5, "not a PTX declaration"),
        (HEADER + ".entry k() {\nret;\nmov.u32 %r1, 1 +;\n}", 6, "cannot read"),
        (HEADER + ".entry k() {\n.reg .v3 .f32 v;\n}", 5, "cannot read"),
    ],
)
def test_what_is_not_ptx_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(PtxError, match=words) as caught:
        parse_module(text)
    assert caught.value.line == line


def test_three_thousand_lines_take_less_than_a_blink() -> None:
    body = "\n".join(
        f"\t.loc\t1 {i} 3\n\tfma.rn.f32 \t%f{i}, %f{i + 1}, %f{i + 2}, 0f3F800000;\n"
        f"\tld.global.v2.f32 \t{{%f{i}, %f{i + 1}}}, [%rd{i}+{4 * i}];"
        for i in range(1000)
    )
    start = time.process_time()
    kernel(body + "\nret;", after=PLACES)
    assert time.process_time() - start < 0.3  # 0.02 s on an idle core
