import pytest

from cudamaster.report.schema_check import faults, schema_of

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["a", "b"]},
        "marks": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
        "version": {"const": 2},
    },
}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"name": "n", "kind": "a", "marks": [1, 2], "version": 2}, []),
        ([], ["it is no object"]),
        ({}, ["it lacks name"]),
        ({"name": 1}, ["it.name is no string"]),
        ({"name": "n", "more": 1}, ["it has more, which is unknown"]),
        ({"name": "n", "kind": "c"}, ["it.kind is none of a, b"]),
        ({"name": "n", "marks": []}, ["it.marks has 0 items, fewer than 1"]),
        ({"name": "n", "marks": [1, 0]}, ["it.marks[1] is below 1"]),
        ({"name": "n", "marks": [True]}, ["it.marks[0] is no integer"]),
        ({"name": "n", "version": 3}, ["it.version is not 2"]),
    ],
)
def test_each_keyword_holds_a_value_to_what_it_says(value: object, said: list[str]) -> None:
    assert list(faults(value, SCHEMA)) == said


def test_a_keyword_that_nothing_checks_is_refused() -> None:
    with pytest.raises(ValueError, match="says pattern, which nothing here checks"):
        list(faults("x", {"type": "string", "pattern": "y"}))


@pytest.mark.parametrize("name", ["sft", "pairs", "events"])
def test_the_schemas_that_are_shipped_use_only_what_is_checked(name: str) -> None:
    pending = [schema_of(name)]
    while pending:
        schema = pending.pop()
        assert not [fault for fault in faults(None, schema) if "checks" in fault]
        pending += [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
