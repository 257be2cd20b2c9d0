"""A real Chromium for tests: it opens a page, plays a reader, and notes what the page says and asks for.

It reaches no host but this machine. `chromium` and `chromedriver` are Debian's packages of those names.
"""

import base64
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

NAMES = ("google-chrome", "chromium", "chromium-browser")
"""Where several are installed, the driver on PATH is the first's."""
DESKTOP = (1280, 900)
PHONE = (360, 740)

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1", "--no-proxy-server"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
READ_CLIPBOARD = (
    "navigator.clipboard.readText().then(arguments[0], (refusal) => arguments[0](String(refusal)))"
)
TOO_WIDE = """
const room = document.documentElement.clientWidth;
const scrolls = (one) => /auto|scroll|hidden/.test(getComputedStyle(one).overflowX);
const held = (one) => { for (one = one.parentElement; one && one !== document.body; one = one.parentElement)
  if (scrolls(one)) return true; return false; };
return [...document.body.querySelectorAll('*')]
  .filter((one) => one.checkVisibility() && !held(one) && one.getBoundingClientRect().right > room + 1)
  .map((one) => one.outerHTML.slice(0, 120));
"""


class Browser:
    """One window. What it opens is forgotten with `fresh`, so that tests may share it."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def fresh(self) -> None:
        """A blank page of a desktop's size, in light colours; what was said and asked before is forgotten."""
        self.driver.get("about:blank")
        self.resize(DESKTOP)
        self.colours("light")
        self.said()
        self.asked()

    def open(self, address: str | Path) -> None:
        """Open an address, or the file at a path."""
        self.driver.get(address.resolve().as_uri() if isinstance(address, Path) else address)

    def resize(self, pixels: tuple[int, int]) -> None:
        """Give the page this width and height, those of a phone too."""
        wide, high = pixels
        size = {"width": wide, "height": high, "deviceScaleFactor": 1, "mobile": wide < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def colours(self, scheme: str, medium: str = "") -> None:
        """Prefer `light` or `dark`; `medium` may be `print`."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})

    def all(self, selector: str) -> list[WebElement]:
        """What a CSS selector finds."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """The first that a CSS selector finds. Raises NoSuchElementException."""
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str = "body") -> str:
        """What a reader sees of it."""
        return self.one(selector).text

    def style(self, selector: str, name: str) -> str:
        """The computed value of a CSS property."""
        return str(self.one(selector).value_of_css_property(name))

    def js(self, body: str, *arguments: object) -> Any:
        """What the body of a function returns in the page."""
        return self.driver.execute_script(body, *arguments)

    def press(self, *keys: str) -> None:
        """Type keys (`selenium.webdriver.Keys`) at what has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self) -> WebElement:
        """What has the focus."""
        return self.driver.switch_to.active_element

    def wait(self, condition: str, seconds: float = 10.0) -> None:
        """Until the JavaScript expression holds. Raises TimeoutException."""
        WebDriverWait(self.driver, seconds, 0.05).until(lambda _: self.js(f"return Boolean({condition})"))

    def clipboard(self) -> str:
        """What was copied last."""
        self.driver.execute_cdp_cmd(
            "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
        )
        read = (
            "const done = arguments[0]; navigator.clipboard.readText().then(done, (no) => done(String(no)));"
        )
        return str(self.driver.execute_async_script(read))

    def said(self) -> list[str]:
        """What stood in the console since it was last asked, refusals by the page's own policy too."""
        return [f"{line['level']} {line['message']}" for line in self._log("browser")]

    def asked(self) -> list[str]:
        """Addresses that the page asked for since last time, its own included; not those of `data:`."""
        events = [json.loads(line["message"])["message"] for line in self._log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        urls = [str(one["request"]["url"]) for one in sent]
        return [url for url in urls if not url.startswith(("data:", "about:"))]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        return list(self.driver.execute("getLog", {"type": kind})["value"])

    def too_wide(self) -> list[str]:
        """The beginnings of what sticks out at the right, other than within a box that scrolls by itself."""
        return list(self.js(TOO_WIDE))

    def picture(self, path: Path, *, whole: bool = True) -> Path:
        """Write a PNG of the window, or of the whole page."""
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", options)
        path.write_bytes(base64.b64decode(shot["data"]))
        return path


def programs() -> tuple[str, str]:
    """The paths of a browser and of its driver; empty where this machine has none."""
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in found if path), ""), shutil.which("chromedriver") or ""


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A window with a profile of its own in `profile`; skips the test where there is no browser.

    Where BROWSER_REQUIRED is set, as `.ci/run` does, a missing browser is a failure.
    """
    program, driver_path = programs()
    if not (program and driver_path):
        lack = "no chromium or no chromedriver on PATH: apt-get install chromium chromium-driver"
        (pytest.fail if os.environ.get("BROWSER_REQUIRED") else pytest.skip)(lack)
    options = ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={DESKTOP[0]},{DESKTOP[1]}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, ChromeService(driver_path))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
