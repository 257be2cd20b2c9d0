"""Declarations: sizes, alignments, initialisers, relocations."""

import struct

import pytest

from cudamaster.toolchain.devices.virtual.ptx.declarations import parameters, registers, variables


def test_an_array_is_its_element_times_its_dimensions() -> None:
    (found,) = variables(".visible .shared .align 16 .f32 tile[8][33]")
    assert (found.name, found.space, found.align, found.size, found.type) == (
        "tile",
        "shared",
        16,
        1056,
        "f32",
    )


def test_an_unsized_shared_array_has_no_bytes() -> None:
    assert variables(".extern .shared .align 16 .b8 dyn[]")[0].size == 0


def test_a_vector_type_counts_its_elements() -> None:
    assert variables(".global .v4 .f32 four")[0].size == 16


def test_one_declaration_may_name_several_variables() -> None:
    assert [(v.name, v.size) for v in variables(".shared .b32 a, b[4]")] == [("a", 4), ("b", 16)]


def test_a_short_initialiser_is_padded_with_zeros() -> None:
    assert variables(".global .align 4 .b8 t[6] = {1, 255}")[0].initial == b"\x01\xff\0\0\0\0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".global .f32 f = 0f3FC00000", struct.pack("<f", 1.5)),
        (".const .f32 f[2] = {0f3FC00000, 2.0}", struct.pack("<2f", 1.5, 2.0)),
        (".global .f64 d = 0d4004000000000000", struct.pack("<d", 2.5)),
        (".global .s16 s[2] = {-1, 0x10}", struct.pack("<2h", -1, 16)),
        (".global .u8 u = 1", b"\1"),
        (".global .u32 m[2][3] = {{1}, {2, 3}}", struct.pack("<6i", 1, 0, 0, 2, 3, 0)),
        (".global .b8 t[] = {1, 2, 3}", b"\1\2\3"),
    ],
)
def test_initialisers_become_little_endian_bytes(text: str, expected: bytes) -> None:
    assert variables(text)[0].initial == expected


def test_addresses_in_initialisers_are_relocations() -> None:
    (found,) = variables(".global .u64 t[4] = {generic(a), b, generic(c)+8, 5}")
    assert found.relocations == ((0, "a", 0), (8, "b", 0), (16, "c", 8))
    assert found.initial == bytes(24) + struct.pack("<q", 5)


def test_a_packed_address_written_byte_by_byte_is_one_relocation() -> None:
    masks = ", ".join(f"0XFF{'00' * i}(generic(x))" for i in range(8))
    (found,) = variables(f".global .align 1 .u8 p[9] = {{1, {masks}}}")
    assert (found.initial, found.relocations) == (b"\1" + bytes(8), ((1, "x", 0),))


def test_parameters_are_laid_out_by_alignment() -> None:
    found = parameters(
        ".param .u8 a, .param .align 64 .b8 map[128], .param .u64 .ptr .global .align 4 p, .param .f32 f"
    )
    assert [(p.name, p.offset, p.size) for p in found] == [
        ("a", 0, 1),
        ("map", 64, 128),
        ("p", 192, 8),
        ("f", 200, 4),
    ]


def test_managed_attributes_do_not_hide_the_variable() -> None:
    (variable,) = variables(".global .attribute(.managed) .align 4 .u32 mg = 5")
    assert (variable.initial, variable.managed) == (b"\5\0\0\0", True)
    assert not variables(".global .align 4 .u32 mg = 5")[0].managed


def test_registers_by_count_and_by_name() -> None:
    assert registers(".reg .b32 \t%r<3>, low") == {"%r0": "b32", "%r1": "b32", "%r2": "b32", "low": "b32"}


def test_registers_of_vectors_by_element() -> None:
    assert list(registers(".reg .v2 .b32 %v<2>")) == ["%v0.x", "%v0.y", "%v1.x", "%v1.y"]
    assert registers(".reg .v4 .f32 v") == dict.fromkeys(["v.x", "v.y", "v.z", "v.w"], "f32")
