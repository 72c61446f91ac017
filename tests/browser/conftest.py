"""One headless Chromium for all tests of pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium by its own driver; nothing is downloaded."""
    driver, program = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or program is None:
        pytest.fail("Tests of pages need Chromium and its driver. Install them: apt-get install chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1200,900",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The script of axe-core, from where `make test-extras` has put it or from npm."""
    place = Path("node_modules", "axe-core", "axe.min.js")
    kept = Path(sys.prefix) / "axe" / place
    if not kept.exists():
        folder = tmp_path_factory.mktemp("axe")
        if shutil.which("npm") is None:
            pytest.fail("Accessibility is checked by axe-core, which npm installs. Run: make test-extras")
        words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4.10.3"]
        subprocess.run(words, check=True, cwd=folder)
        kept = folder / place
    return kept.read_text(encoding="utf-8")
