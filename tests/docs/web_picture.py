"""Draws docs/pictures/web.webp, a page of the site of the stored results: `python -m tests.docs.web_picture`.

Beside it lies the digest of what it shows, by which a test sees that it is fresh.
"""

import base64
import hashlib
import json
import tempfile
from pathlib import Path

from cudamaster.web.exhibits import read_exhibits
from cudamaster.web.pages.kernel import kernel_page
from tests.doubles.browser import chromium

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/pictures/web.webp"
DIGEST = PICTURE.with_suffix(".json")
PLACE = "virtual-h200/spmv_csr/bf16"
SIZE = (1180, 1010)
QUALITY = 80
BELOW = 'id="times"'
"""What the picture does not reach any more."""


def page(results: Path) -> str:
    """The page that is drawn."""
    (exhibit,) = [one for one in read_exhibits(results) if str(one.place) == PLACE]
    return kernel_page(exhibit)


def digest(results: Path) -> str:
    """SHA-256 of the page, style and all, as far down as the picture goes."""
    shown, mark, _ = page(results).partition(BELOW)
    assert mark
    return hashlib.sha256(shown.encode()).hexdigest()


def draw(results: Path) -> None:
    """Write the picture and its digest."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "index.html"
        file.write_text(page(results))
        with chromium(Path(folder) / "profile") as browser:
            browser.fresh()
            browser.resize(SIZE)
            browser.open(file)
            options = {"format": "webp", "quality": QUALITY}
            shot = browser.driver.execute_cdp_cmd("Page.captureScreenshot", options)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(base64.b64decode(shot["data"]))
    about = {"page": f"{PLACE}/index.html", "sha256": digest(results)}
    DIGEST.write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    draw(ROOT / "results")
