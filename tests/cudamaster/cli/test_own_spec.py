"""`--spec` and `init-operator`: what is wrong with the request is one sentence, and exits with 2."""

from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from mskernelbench.declared_entry import declared_entry
from mskernelbench.skeleton import skeleton

Output = pytest.CaptureFixture[str]
SOURCE = 'extern "C" void mine(float* y, const float* x, int n) { }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`mine.cu` and `mine_op.py`, whose reference is open, and `other.cu`."""
    (tmp_path / "mine.cu").write_text(SOURCE)
    (tmp_path / "other.cu").write_text(SOURCE)
    (tmp_path / "mine_op.py").write_text(skeleton(declared_entry(SOURCE, "mine.cu"), "mine.cu", "mine_op.py"))
    return tmp_path


def said(capsys: Output, *arguments: object) -> str:
    """The one sentence of a request that is refused."""
    assert exit_code_of([str(argument) for argument in arguments]) == 2
    sentence = capsys.readouterr().err
    assert sentence.count("\n") == 1, sentence
    return sentence


@pytest.mark.parametrize("command", ["evaluate", "profile", "audit", "optimize"])
def test_what_is_open_in_a_spec_is_said_with_its_line(folder: Path, capsys: Output, command: str) -> None:
    spec = folder / "mine_op.py"
    assert f"{spec}:" in said(capsys, command, folder / "mine.cu", "--spec", spec)


def test_a_spec_that_is_no_file_or_stands_beside_a_folder_is_refused(folder: Path, capsys: Output) -> None:
    kernel, spec = folder / "mine.cu", folder / "mine_op.py"

    assert "nope.py is no file; 'cudamaster init-operator" in said(
        capsys, "evaluate", kernel, "--spec", folder / "nope.py"
    )
    assert "--spec and --operators-dir both say" in said(
        capsys, "evaluate", kernel, "--spec", spec, "--operators-dir", folder
    )


def test_a_kernel_in_the_place_of_a_spec_is_said_to_be_no_python_file(folder: Path, capsys: Output) -> None:
    kernel = folder / "mine.cu"

    assert f"{kernel} is no Python file: " in said(capsys, "evaluate", kernel, "--spec", kernel)


def test_a_spec_in_which_python_fails_is_said_with_its_line(folder: Path, capsys: Output) -> None:
    spec = folder / "mine_op.py"
    spec.write_text(spec.read_text().replace("from pathlib import Path", "from pathlib import Peth"))
    line = spec.read_text().splitlines().index("from pathlib import Peth") + 1

    assert f"{spec}:{line}: ImportError: " in said(capsys, "evaluate", folder / "mine.cu", "--spec", spec)


def test_optimize_wants_the_kernel_that_the_spec_names(folder: Path, capsys: Output) -> None:
    sentence = said(capsys, "optimize", folder / "other.cu", "--spec", folder / "mine_op.py")

    assert f"other.cu is no baseline of {folder / 'mine_op.py'}, which names {folder / 'mine.cu'}" in sentence


def test_a_spec_and_the_name_of_another_operator_are_told_apart(folder: Path, capsys: Output) -> None:
    spec = folder / "mine_op.py"
    for request in (["optimize", "softmax"], ["evaluate", folder / "mine.cu", "--operator", "softmax"]):
        assert f"{spec} is of the operator mine, not softmax" in said(capsys, *request, "--spec", spec)


def test_a_spec_may_be_named_by_an_alias(folder: Path, capsys: Output) -> None:
    spec = folder / "mine_op.py"
    with spec.open("a") as more:
        more.write('\nOPERATOR = __import__("dataclasses").replace(OPERATOR, aliases=("my",))\n')
    assert "is of the operator" not in said(capsys, "optimize", "my", "--spec", spec)
    assert "is of the operator" in said(capsys, "optimize", "your", "--spec", spec)


def test_a_kernel_without_a_spec_is_told_how_to_begin_one(folder: Path, capsys: Output) -> None:
    kernel = folder / "mine.cu"

    assert f"'cudamaster init-operator {kernel}' begins" in said(
        capsys, "optimize", kernel, "--precision", "fp32"
    )
    assert "Missing option '--operator'" in said(capsys, "evaluate", kernel, "--precision", "fp32")
    assert "Missing option '--precision'" in said(capsys, "evaluate", kernel, "--operator", "relu")


def test_two_baselines_want_a_precision(folder: Path, capsys: Output) -> None:
    spec = folder / "mine_op.py"
    (folder / "mine16.cu").write_text(
        'extern "C" void mine_bf16(__nv_bfloat16* y, const __nv_bfloat16* x, int n) { }'
    )
    both = 'Precision.FP32: KERNEL, Precision.BF16: KERNEL.with_name("mine16.cu")'
    spec.write_text(spec.read_text().replace("Precision.FP32: KERNEL", both))

    assert "has baselines in fp32 and bf16: pick one with --precision" in said(
        capsys, "evaluate", folder / "mine.cu", "--spec", spec
    )
    assert "still to be written" in said(capsys, "optimize", folder / "mine16.cu", "--spec", spec), (
        "the kernel says which"
    )
    assert "still to be written" in said(capsys, "mcp", "--spec", spec)


def test_init_operator_overwrites_nothing_and_stays_beside_the_kernel(folder: Path, capsys: Output) -> None:
    kernel = folder / "mine.cu"
    (folder / "sub").mkdir()

    assert "mine_op.py exists: it is kept" in said(capsys, "init-operator", kernel)
    assert "must lie beside" in said(capsys, "init-operator", kernel, "--out", folder / "sub" / "op.py")
    assert exit_code_of(["init-operator", str(kernel), "--out", str(folder / "second.py")]) == 0
    assert f"optimize {kernel} --spec {folder / 'second.py'} --model openai:NAME" in capsys.readouterr().out
    assert "to_do(" in (folder / "second.py").read_text()


def test_init_operator_finds_what_a_kernel_reads_before_it_writes_it(folder: Path, capsys: Output) -> None:
    kernel = folder / "axpy.cu"
    kernel.write_text(
        "__global__ void k(float* y, const float* x, int n) { y[threadIdx.x] += x[threadIdx.x]; }\n"
        'extern "C" void axpy(float* y, const float* x, int n) { k<<<1, n>>>(y, x, n); }\n'
    )
    assert exit_code_of(["init-operator", str(kernel)]) == 0
    assert "axpy.cu:1: y is read before it is written, so it is taken as in place" in capsys.readouterr().err
    assert 'in_place("y", ' in (folder / "axpy_op.py").read_text()


def test_init_operator_says_what_the_file_lacks(folder: Path, capsys: Output) -> None:
    kernel = folder / "k.cu"
    kernel.write_text("__global__ void k(float* y) { }")
    assert 'defines no extern "C" host function' in said(capsys, "init-operator", kernel)
    kernel.write_text(SOURCE.replace("mine", "gemm"))
    assert "k.cu:1: the benchmark has an operator gemm" in said(capsys, "init-operator", kernel)
    assert "does not exist" in said(capsys, "init-operator", folder / "none.cu")
