from pathlib import Path

import pytest

from cudamaster.agents.builtin.catalog import PLAYBOOK
from cudamaster.agents.builtin.strategy import read_strategy
from cudamaster.agents.errors import BadStrategy

WHOLE = (PLAYBOOK / "stencil" / "column_march" / "strategy.toml").read_text()


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('title = "Column march"\n', "title"),
        ('metric = "global_load_requests"\n', "predicts.metric"),
        ("default = 128\n", "parameters.THREADS.default"),
        ('threads = "THREADS"\n', "limits.threads"),
    ],
)
def test_a_missing_key_is_named_with_its_file(tmp_path: Path, line: str, key: str) -> None:
    assert line in WHOLE
    (tmp_path / "strategy.toml").write_text(WHOLE.replace(line, ""))

    with pytest.raises(BadStrategy, match=f"strategy.toml lacks the key '{key}'"):
        read_strategy(tmp_path)


def test_what_is_no_toml_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "strategy.toml").write_text("title =\n")

    with pytest.raises(BadStrategy, match=r"strategy\.toml cannot be read"):
        read_strategy(tmp_path)
