"""The stored kernels' records and the code that judges them belong to each other."""

import json
from pathlib import Path

from cudamaster.search.evidence import model_digest
from tests.docs.scripts import stored_results


def test_stored_times_are_those_of_the_time_model_as_it_is(tmp_path: Path) -> None:
    """Else `verify results` says that they differ, and a bench cannot be compared with them."""
    records = sorted(stored_results(tmp_path)[-1].rglob("record.json"))
    stored = [json.loads(record.read_text()) for record in records]

    assert len(stored) >= 8
    assert {r["clock_version"] for r in stored if r["clock"] == "modelled"} == {f"model {model_digest()}"}
