"""What an entry's arguments say, read from its file, and what is said of those that no entry can have."""

import pytest

from mskernelbench.declared_entry import declared_entry
from mskernelbench.errors import NoEntry
from mskernelbench.operator import Access, Element, Kind, Precision

SAXPY = """// extern "C" void not_this(float* y, int n) {
__global__ void k(float* out, const float* x, int n) {}
extern "C" {
void declared_only(float* out, int n);
void saxpy(float* __restrict__ out, const float *x, float const * y, const int* where,
           float a, int n, cudaStream_t stream)
{ k<<<1, 1, 0, stream>>>(out, x, n); }
}
"""


def entry(arguments: str, name: str = "f") -> str:
    return f'extern "C" void {name}({arguments}) {{ }}'


def test_arguments_are_read_with_their_types_and_what_may_be_written() -> None:
    found = declared_entry(SAXPY, "saxpy.cu")

    assert (found.name, found.line, found.precision) == ("saxpy", 5, Precision.FP32)
    assert [(p.name, p.kind, p.element, p.access) for p in found.parameters] == [
        ("out", Kind.TENSOR, Element.VALUE, Access.OUTPUT),
        ("x", Kind.TENSOR, Element.VALUE, Access.INPUT),
        ("y", Kind.TENSOR, Element.VALUE, Access.INPUT),
        ("where", Kind.TENSOR, Element.INT32, Access.INPUT),
        ("a", Kind.FLOAT, Element.FLOAT32, Access.INPUT),
        ("n", Kind.INT, Element.INT32, Access.INPUT),
    ]


def test_an_entry_of_bf16_values_has_its_suffix_and_may_take_floats() -> None:
    found = declared_entry(entry("__nv_bfloat16* y, const float* scale, int n", "f_bf16"), "f.cu")

    assert (found.symbol, found.precision) == ("f", Precision.BF16)
    assert [p.element for p in found.parameters] == [Element.VALUE, Element.FLOAT32, Element.INT32]


def test_one_of_several_entries_is_picked_by_name() -> None:
    two = SAXPY + entry("float* y, int n")

    with pytest.raises(NoEntry, match=r"2 entries, saxpy \(line 5\), f \(line 9\): pick one with --entry"):
        declared_entry(two, "two.cu")
    assert declared_entry(two, "two.cu", "f").line == 9


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (entry("float* y, size_t n"), r"f\.cu:1: no entry can have the argument 'size_t n'"),
        (entry("float** y, int n"), r"f\.cu:1: no entry can have the argument 'float\*\* y'"),
        (entry("float*, int n"), r"f\.cu:1: the argument 'float\*' cannot be read"),
        (
            entry("float y[], int n"),
            r"f\.cu:1: the argument 'float y\[\]' cannot be read: write it as TYPE NAME",
        ),
        (entry("float& y, int n"), r"f\.cu:1: no entry can have the argument 'float& y'"),
        (entry("float* y, unsigned int n"), r"f\.cu:1: no entry can have the argument 'unsigned int n'"),
        (entry("const float* x, int n"), r"f\.cu:1: f has no pointer that is not const"),
        (entry("__nv_bfloat16* y, int n"), r"f\.cu:1: .* rename it f_bf16"),
        ("void f(float* y, int n) { }", r'f\.cu defines no extern "C" host function: write one'),
        ('extern "C" __global__ void f(float* y) { }', r'f\.cu defines no extern "C" host function'),
        ('extern "C" void f(float* y, int n);', r'f\.cu defines no extern "C" host function'),
    ],
)
def test_what_no_operator_can_be_begun_from_is_said_in_a_sentence(source: str, said: str) -> None:
    with pytest.raises(NoEntry, match=said) as caught:
        declared_entry(source, "f.cu")
    assert "\n" not in str(caught.value)


def test_a_name_that_is_not_there_is_named() -> None:
    with pytest.raises(NoEntry, match="host function called nope"):
        declared_entry(SAXPY, "saxpy.cu", "nope")
