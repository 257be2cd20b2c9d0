import pytest

from cudamaster.toolchain.devices.virtual.cost.demangle import identifier


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_Z7softmaxPKfPfi", "softmax"),
        ("_ZN2my5spaceEv", "my::space"),
        ("_ZN4tile4gemmILi128EEvPKfS1_Pf", "tile::gemm"),
        ("_ZN23_GLOBAL__N__0123456789a1kEv", "k"),
        ("entry", "entry"),
    ],
)
def test_the_identifier_is_found_without_any_program(mangled: str, name: str) -> None:
    assert identifier(mangled) == name
