from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.cli.kernel_file import LARGEST_BYTES, read_kernel
from cudamaster.errors import UnreadableKernel
from tests.doubles.scripted_opening import ScriptedOpening

Output = pytest.CaptureFixture[str]
ENTRY = 'extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K) {}\n'


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableKernel) as refused:
        read_kernel(path)
    return str(refused.value)


def test_a_text_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("// é\n")

    assert read_kernel(tmp_path / "k.cu") == "// é\n"


def test_a_missing_file_names_those_beside_it(tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text("x")

    assert refusal(tmp_path / "kernle.cu").endswith(
        "kernle.cu does not exist; " + f"{tmp_path} has kernel.cu"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\x7fELF\0\0", "is a binary file"),
        (b"// \xe9\n", "is not UTF-8 text (byte 3)"),
        (b"/" * (LARGEST_BYTES + 1), "is over 1 MiB"),
    ],
)
def test_what_cannot_be_source_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "k.cu").write_bytes(content)

    assert words in refusal(tmp_path / "k.cu")


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert "is not a file" in refusal(tmp_path)


FILES = {
    "no entry": ("__global__ void f() {}\n", [], "the file defines none of matrix_mul"),
    "two entries": (ENTRY + ENTRY.replace("matrix_mul", "matrix_mul_optimized"), [], "pick one with --entry"),
    "the other precision": (ENTRY.replace("matrix_mul", "matrix_mul_bf16"), [], "not an entry for fp32"),
    "an empty entry": (ENTRY, ["--entry", ""], "it is empty"),
    "an entry that is not there": (ENTRY, ["--entry", "other"], "other"),
}


@pytest.mark.parametrize("command", ["evaluate", "profile"])
@pytest.mark.parametrize(("source", "options", "words"), FILES.values(), ids=FILES)
def test_a_file_without_exactly_one_entry_cannot_be_judged(
    command: str, source: str, options: list[str], words: str, tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "k.cu").write_text(source)
    opening = ScriptedOpening()
    arguments = [command, str(tmp_path / "k.cu"), "--operator", "gemm", "--precision", "fp32", *options]

    assert exit_code_of(arguments, opening) == 2
    assert words in capsys.readouterr().err
    assert opening.opened == []


def test_an_unknown_workload_set_names_the_sets(tmp_path: Path, capsys: Output) -> None:
    arguments = [
        "evaluate",
        "k.cu",
        "--operator",
        "gemm",
        "--precision",
        "fp32",
        "--workloads",
        "check,papers",
    ]

    assert exit_code_of(arguments, ScriptedOpening()) == 2
    assert "unknown workload set 'papers': did you mean paper?" in capsys.readouterr().err
