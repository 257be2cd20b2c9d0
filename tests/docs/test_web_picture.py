"""The picture of the web demo shows the site as it is made from the stored results now."""

import json
from pathlib import Path

from tests.docs.scripts import stored_results
from tests.docs.web_picture import DIGEST, PICTURE, digest


def test_the_picture_is_fresh(tmp_path: Path) -> None:
    drawn = json.loads(DIGEST.read_text())["sha256"]
    digests = [digest(results) for results in stored_results(tmp_path)]
    assert drawn in digests, "make it anew: python -m tests.docs.web_picture"


def test_the_picture_is_small() -> None:
    assert PICTURE.read_bytes()[8:12] == b"WEBP"
    assert PICTURE.stat().st_size < 200_000
