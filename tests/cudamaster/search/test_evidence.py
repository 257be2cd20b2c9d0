from pathlib import Path

import pytest

from cudamaster.search.evidence import meaning_of, model_files, virtual_gpu

MODEL = '"""A model."""\n\n\ndef cycles(words: int) -> int:\n    """Of a copy."""\n    return 4 * words\n'


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (MODEL.replace("A model", "A better worded model"), True),
        (MODEL.replace("    return", "    # as measured\n    return"), True),
        (MODEL.replace("4 *", "5 *"), False),
        (MODEL.replace('    """Of a copy."""\n', '    note = "Of a copy."\n'), False),
    ],
)
def test_the_time_model_is_another_one_when_its_code_is(now: str, same: bool, tmp_path: Path) -> None:
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    before.write_text(MODEL)
    after.write_text(now)

    assert (meaning_of(before) == meaning_of(after)) is same


def test_all_that_counts_is_the_time_models() -> None:
    native = (virtual_gpu() / "native").glob("*.c")
    counting = {path.name for path in native if '#include "profile.h"' in path.read_text()}

    assert "counters.c" in counting
    assert counting <= {path.name for path in model_files(virtual_gpu())}


def test_constants_of_the_model_count_as_they_stand(tmp_path: Path) -> None:
    constants = tmp_path / "h200.toml"
    constants.write_text("cycles = 4")

    assert meaning_of(constants) == b"cycles = 4"
