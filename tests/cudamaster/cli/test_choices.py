from pathlib import Path

from cudamaster.cli.choices import choose_model
from cudamaster.config import Config, Keys

ROLES = {"coder": "anthropic:claude-sonnet-5"}


def config(**environment: str) -> Config:
    return Config(models=ROLES, keys=Keys(environment), file=Path("cudamaster.toml"))


def test_models_of_single_roles_that_the_expert_leaves_unused_are_named() -> None:
    unused = "[models] of cudamaster.toml is not used, since the expert plays every role"

    assert unused in str(choose_model("builtin", config()))
    assert unused in str(choose_model(None, config()))
    assert unused not in str(choose_model("openai:gpt-5", config()))
    assert unused not in str(choose_model(None, config(OPENAI_API_KEY="sk")))
    assert "[models]" not in str(choose_model("builtin", Config()))
