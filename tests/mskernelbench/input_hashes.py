"""SHA-256 of every operator's check inputs at seed 0: `python -m tests.mskernelbench.input_hashes` pins them.

With `--print` it only prints them.
"""

import hashlib
import json
import sys
from pathlib import Path

from mskernelbench.answers import draw_inputs
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.operator import Precision

FILE = Path(__file__).parent / "input_hashes.json"
Hashes = dict[str, dict[str, str]]
"""By operator and precision."""


def input_hash(name: str, precision: Precision) -> str:
    """Over every workload's label, and every tensor's name, type, dimensions and bytes."""
    operator = load_operator(name)
    digest = hashlib.sha256()
    for workload in operator.in_set("check"):
        digest.update(workload.label.encode())
        arrays = draw_inputs(operator, workload, precision, seed=0)
        for tensor in sorted(arrays):
            array = arrays[tensor]
            digest.update(f"{tensor} {array.dtype.name} {array.shape}".encode())
            digest.update(array.tobytes())
    return digest.hexdigest()


def all_hashes() -> Hashes:
    return {name: {str(p): input_hash(name, p) for p in Precision} for name in operator_names()}


def pinned() -> Hashes:
    hashes: Hashes = json.loads(FILE.read_text())
    return hashes


if __name__ == "__main__":
    text = json.dumps(all_hashes(), indent=1) + "\n"
    if "--print" in sys.argv:
        print(text)
    else:
        FILE.write_text(text)
