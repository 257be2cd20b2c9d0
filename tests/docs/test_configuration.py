"""`docs/configuration.md` names every setting that the code reads."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from cudamaster.agents.errors import ModelMisused
from cudamaster.agents.models.model import Request
from cudamaster.agents.models.prices import price_of
from cudamaster.agents.models.recorded import read_script
from cudamaster.agents.role import all_roles
from cudamaster.config import API_KEYS, read_config
from cudamaster.errors import BadConfig

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text()
FILE, PRICES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
SCRIPT = json.loads(re.findall(r"```json\n(.*?)\n```\n\n", PAGE, re.DOTALL)[0])
SOURCES = [
    file
    for folder in ("cudamaster", "agents", "mskernelbench", "toolchain")
    for file in (ROOT / folder).rglob("*")
    if file.suffix in (".py", ".c", ".h", ".toml")
]


def variables_read() -> set[str]:
    return {name for file in SOURCES for name in re.findall(r"CUDAMASTER_[A-Z_]*[A-Z]", file.read_text())}


def test_every_variable_of_ours_in_the_code_is_on_the_page() -> None:
    read = variables_read()
    assert {"CUDAMASTER_CONFIG", "CUDAMASTER_NVCC"} <= read
    assert read | set(API_KEYS) <= set(re.findall(r"`([A-Z_]+)`", PAGE))


def test_every_variable_on_the_page_is_read() -> None:
    assert set(re.findall(r"CUDAMASTER_[A-Z_]+", PAGE)) <= variables_read()


def test_the_script_on_the_page_answers_what_every_role_but_the_debugger_is_asked(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    model = read_script(tmp_path / "script.json")
    asked = {"diagnosis": "profiler", "plan": "planner", "proposal": "coder", "lesson": "profiler"}
    for question, role in asked.items():
        reply = model.ask(Request(role, "", (), 1, None, key=f"{question}/1/1"))
        assert all_roles()[role].parse(reply.text)


@pytest.mark.parametrize("key", ["plan1", "plans/1/1", "plan/one/1", "debug"])
def test_a_script_with_a_key_that_no_question_has_names_it_and_the_page(tmp_path: Path, key: str) -> None:
    (tmp_path / "script.json").write_text(json.dumps({key: "text"}))
    with pytest.raises(ModelMisused, match=f"key '{key}', which no question has; docs/configuration.md"):
        read_script(tmp_path / "script.json")


def test_the_file_on_the_page_is_read_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(FILE)
    config = read_config({"CUDAMASTER_CONFIG": str(tmp_path / "config.toml")})
    assert (config.model, config.protocol, config.base_url) == (
        *("openai:gpt-5", "chat", "http://localhost:8000/v1"),
    )
    assert config.models == {"coder": "anthropic:claude-sonnet-5"}
    assert config.keys.commands == {"openai": ("pass", "show", "openai")}
    assert config.keys.prices == tmp_path / "my-prices.toml"


@pytest.mark.parametrize("name", ["model", "base_url", "protocol", "prices", "models", "keys"])
def test_every_name_that_the_file_may_have_is_on_the_page(name: str, tmp_path: Path) -> None:
    """The names are those that a refusal lists."""
    (tmp_path / "config.toml").write_text("nonsense = 1")
    with pytest.raises(BadConfig, match=rf"known: .*\b{name}\b"):
        read_config({"CUDAMASTER_CONFIG": str(tmp_path / "config.toml")})
    assert name in tomllib.loads(FILE)


def test_the_prices_on_the_page_are_read(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    price = price_of("openai", "my-model-large", tmp_path / "prices.toml")
    assert price is not None
    assert price.output == 2.0
