"""Nsight Compute is run on one call with our counters, and its refusals are understood."""

from pathlib import Path

import pytest

from cudamaster.toolchain.devices.cuda.ncu import LOG, REPORT, Refused, collect
from cudamaster.toolchain.devices.cuda.ncu_metrics import wanted_counters
from cudamaster.toolchain.devices.cuda.profiling_tools import Tool, find_tool
from cudamaster.toolchain.errors import EnvironmentLacks
from tests.doubles.ncu import VERSION, calls, tool

SAY = 'Path(after("--log-file")).write_text({words!r})\nsys.exit({code})'
UNKNOWN = """
log, wanted = Path(after("--log-file")), after("--metrics").split(",")
if "memory_l1_wavefronts_shared" in wanted:
    log.write_text("==ERROR== Failed to access the following 2 metrics: memory_l1_wavefronts_shared, "
                   "memory_l1_wavefronts_shared_ideal\\n")
    sys.exit(1)
Path(after("--export")).write_bytes(b"report")
"""
ONE_BY_ONE = """
wanted = after("--metrics").split(",")
for name in {lacking!r}:
    if name in wanted:
        Path(after("--log-file")).write_text(f"==ERROR== Failed to find metric '{{name}}'.\\n")
        sys.exit(1)
Path(after("--log-file")).write_text("")
Path(after("--export")).write_bytes(b"report")
"""


def ncu(folder: Path, body: str) -> Tool:
    return Tool(tool(folder / "bin" / "ncu", body), VERSION, "test")


def refused(folder: Path, words: str, code: int = 1) -> Refused:
    found = collect(ncu(folder, SAY.format(words=words, code=code)), folder, "GPU-1")
    assert isinstance(found, Refused)
    return found


def test_the_call_is_profiled_with_clocks_left_alone_and_only_between_its_marks(tmp_path: Path) -> None:
    program = ncu(tmp_path, 'Path(after("--export")).write_bytes(b"report")')
    assert collect(program, tmp_path, "GPU-1") == tmp_path / REPORT
    (call,) = calls(program.program)
    options = dict(zip(call[:-4:2], call[1:-4:2], strict=False))
    assert (options["--clock-control"], options["--profile-from-start"]) == ("none", "off")
    assert call[call.index("--metrics") + 1].split(",") == list(wanted_counters())
    assert call[-3:] == ["-m", "cudamaster.toolchain.devices.cuda.profiling_call", str(tmp_path)]


def test_counters_that_this_gpu_lacks_are_left_out(tmp_path: Path) -> None:
    program = ncu(tmp_path, UNKNOWN)
    assert collect(program, tmp_path, "GPU-1") == tmp_path / REPORT
    first, second = (call[call.index("--metrics") + 1].split(",") for call in calls(program.program))
    assert set(first) - set(second) == {"memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"}


def test_counters_that_are_named_one_by_one_and_quoted_are_left_out_as_well(tmp_path: Path) -> None:
    lacking = ("dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_bytes.sum", "smsp__inst_executed.sum")
    program = ncu(tmp_path, ONE_BY_ONE.format(lacking=lacking))
    assert collect(program, tmp_path, "GPU-1") == tmp_path / REPORT
    last = calls(program.program)[-1]
    wanted = set(wanted_counters())
    assert wanted - set(last[last.index("--metrics") + 1].split(",")) == wanted.intersection(lacking)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - no permission", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded.", "gVisor"),
        ("==ERROR== Profiling failed because a driver resource was unavailable.", "dcgmi profile --pause"),
    ],
)  # fmt: skip
def test_a_machine_that_refuses_says_what_allows_it(tmp_path: Path, words: str, advice: str) -> None:
    refusal = refused(tmp_path, words)
    assert advice in refusal.reason
    assert refusal.lasting


def test_another_failure_is_told_in_ncus_words_and_may_pass(tmp_path: Path) -> None:
    refusal = refused(tmp_path, "==PROF== Connected\n==ERROR== The application returned an error code (9).\n")
    assert refusal == Refused(
        "ncu wrote no report: The application returned an error code (9).", lasting=False
    )


def test_what_the_call_prints_is_not_taken_for_ncus_words(tmp_path: Path) -> None:
    program = ncu(tmp_path, f'print("==ERROR== ERR_NVGPUCTRPERM")\n{SAY.format(words="", code=1)}')
    found = collect(program, tmp_path, "GPU-1")
    assert isinstance(found, Refused)
    assert not found.lasting


def test_only_the_one_gpu_is_seen_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    seen = 'Path(after("--log-file")).with_name("seen.json")'
    body = f"import json, os\n{seen}.write_text(json.dumps(dict(os.environ)))"
    collect(ncu(tmp_path, body), tmp_path, "GPU-1")
    written = (tmp_path / "seen.json").read_text()
    assert '"CUDA_VISIBLE_DEVICES": "GPU-1"' in written
    assert "secret" not in written
    assert not (tmp_path / LOG).exists()


def test_ncu_is_found_by_its_setting_first_and_says_its_version(tmp_path: Path) -> None:
    program = tool(tmp_path / "bin" / "ncu", "")
    found = find_tool("ncu", {"CUDAMASTER_NCU": str(program)})
    assert found == Tool(program, VERSION, "setting")
    assert find_tool("ncu", {"PATH": str(tmp_path)}) is None


def test_a_setting_that_names_no_program_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="CUDAMASTER_NCU names"):
        find_tool("ncu", {"CUDAMASTER_NCU": str(tmp_path / "ncu")})
