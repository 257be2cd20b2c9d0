"""One Chromium for the tests of the site."""

from collections.abc import Iterator

import pytest

from tests.doubles.browser import Browser, chromium


@pytest.fixture(scope="package")
def _window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as window:
        yield window


@pytest.fixture
def browser(_window: Browser) -> Browser:
    """A blank page; nothing was said or asked for yet."""
    _window.fresh()
    return _window
