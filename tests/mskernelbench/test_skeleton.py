"""A spec that was begun is whole but for what only its author knows."""

from pathlib import Path

import pytest

from mskernelbench.answers import draw_inputs
from mskernelbench.declared_entry import declared_entry
from mskernelbench.errors import BadOperator, NoEntry
from mskernelbench.operator import Contract, Operator, Precision
from mskernelbench.rehearsal import rehearse
from mskernelbench.skeleton import skeleton, with_in_place
from mskernelbench.user_operators import load

ENTRIES = {
    "scaled": "float* out, const float* in, float a, int n",
    "product": "float* C, const float* A, const float* B, int M, int N, int K",
    "gathered_bf16": "__nv_bfloat16* y, const __nv_bfloat16* values, const int* where, const float* w, int n",
    "filled": "float* lambda, int n",
    "axpy": "float* y, const float* x, float a, int n",
    "stepped": "float* x, float* energy, const float* v, int n",
}


IN_PLACE = {"axpy": ("y",), "stepped": ("x",)}
"""Arrays of them that are read as well as written."""


def begun(folder: Path, name: str) -> tuple[Path, Operator]:
    """The spec of one of the entries, and its operator."""
    source = f'extern "C" void {name}({ENTRIES[name]}, cudaStream_t stream) {{ }}\n'
    (folder / "mine.cu").write_text(source)
    spec = folder / "mine_op.py"
    entry = with_in_place(declared_entry(source, "mine.cu"), IN_PLACE.get(name, ()))
    spec.write_text(skeleton(entry, "mine.cu", spec.name))
    return spec, load(spec)


@pytest.mark.parametrize("name", ENTRIES)
def test_it_loads_and_has_the_entrys_signature_and_inputs(tmp_path: Path, name: str) -> None:
    _, operator = begun(tmp_path, name)
    (precision,) = operator.precisions
    arrays = draw_inputs(operator, operator.workloads[0], precision, seed=0)
    wanted = " ".join(ENTRIES[name].split())

    assert operator.c_signature(precision) == f'extern "C" void {name}({wanted})'
    assert all(array.shape == (1,) for array in arrays.values())
    assert operator.dram_bytes(operator.workloads[-1].shape, precision) > 1 << 20
    assert operator.baseline(precision) == (tmp_path / "mine.cu").read_text()


@pytest.mark.parametrize("name", [name for name in ENTRIES if name != "stepped"])
def test_its_open_parts_are_named_one_after_another(tmp_path: Path, name: str) -> None:
    spec, operator = begun(tmp_path, name)
    (precision,) = operator.precisions
    said = []
    for part in ("reference", "scale", "flops"):
        with pytest.raises(BadOperator, match=rf"mine_op\.py:\d+: still to be written: .*{part}") as caught:
            rehearse(load.__wrapped__(spec), precision, spec)
        said.append(str(caught.value))
        line = int(str(caught.value).removeprefix(f"{spec}:").partition(":")[0])
        written = spec.read_text().splitlines()
        begin = written[line - 1].partition("to_do(")[0]
        tail = ")" if "Rounding" in begin else ""
        value = "7" if part == "flops" else "np.zeros(outputs(workload.shape)[OPERATOR.output_names[0]])"
        written[line - 1] = f"{begin}{value}{tail}"
        spec.write_text("import numpy as np\n" + "\n".join(written) + "\n")
    rehearse(load.__wrapped__(spec), precision, spec)
    assert len(set(said)) == 3


def test_what_is_in_place_is_read_and_written_and_moved_twice(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    _, alone = begun(tmp_path / "alone", "axpy")
    _, beside = begun(tmp_path, "stepped")
    arrays = draw_inputs(beside, beside.workloads[0], Precision.FP32, seed=0)

    assert (alone.contract, beside.contract) == (Contract.IN_PLACE, Contract.POISONED)
    assert beside.output_names == ("x", "energy")
    assert sorted(arrays) == ["v", "x"]
    assert beside.dram_bytes({"n": 100}, Precision.FP32) == 1600


def test_scalars_are_guessed_by_their_names_and_said_as_guesses() -> None:
    source = 'extern "C" void norm(float* y, const float* x, float eps, float Beta, float a, int n) { }'
    text = skeleton(declared_entry(source, "norm.cu"), "norm.cu", "norm_op.py")

    assert '{"eps": 1e-05, "Beta": 0.5, "a": 0.75, "n": 37}' in text
    assert "# Scalars are guesses: eps=1e-05, Beta=0.5, a=0.75." in text


def test_only_what_is_written_can_be_in_place() -> None:
    entry = declared_entry(f'extern "C" void axpy({ENTRIES["axpy"]}) {{ }}', "mine.cu")
    with pytest.raises(NoEntry, match="axpy writes no array x, so that none is in place: it writes y"):
        with_in_place(entry, ["x"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('drawn["in"] = values', 'drawn["x"] = values', r"inputs\(\) gives no 'in'"),
        ("precision)\n    return drawn", "Precision.BF16)\n    return drawn", "gives 'in' as bfloat16, not"),
        ('return {"out": out}', 'return {"y": out}', r"reference\(\) gives no 'out'"),
        ("np.zeros(1)", "np.zeros(2)", r"gives 'out' in dimensions \(2,\), and outputs\(\) says \(1,\)"),
        ("np.zeros(1)", "np.zeros((1,))", r"in dimensions \(1,\), and outputs\(\) says \((?!1,)"),
        ("np.zeros(1)", "np.zeros(1, np.float32)", "gives 'out' as float32, not as float64"),
        ("np.ones(1)", "np.ones(3)", r"rounding\(\) gives 'out' a scale in other dimensions, \(3,\)"),
        ("return 7", "return 7.5", r"flops\(\) and dram_bytes\(\) give 7.5 and 8, and must"),
        ('"a": 0.75, ', "", "the workload has no 'a'"),
        ('return {"out": out}', "return None", "TypeError: "),
    ],
)
def test_parts_that_do_not_fit_together_are_said_in_a_sentence(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    spec, _ = begun(tmp_path, "scaled")
    text = spec.read_text()
    for call, value in (("out of", "np.zeros(1)"), ("the scale", "np.ones(1)"), ("flops()", "7")):
        begin = text.index(f'to_do("{call}')
        end = text.index('")', begin) + 2
        text = text[:begin] + value + text[end:]
    if "'a'" in said:
        text = text.replace('a = workload.shape["a"]', "")
    assert old in text
    spec.write_text(text.replace(old, new))

    with pytest.raises(BadOperator, match=said) as caught:
        rehearse(load.__wrapped__(spec), Precision.FP32, spec)
    assert str(spec) in str(caught.value)
    assert "\n" not in str(caught.value)
