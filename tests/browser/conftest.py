"""Headless Chromium for the reports. Where there is none, the command says so loudly and tests nothing."""

import os
import shutil
import sys
from pathlib import Path

import pytest

FLAGS = (
    "--no-sandbox",  # a page of our own, opened from disk; without it root cannot start Chromium at all
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MISSING = """
!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!
!!  SKIPPED: NO REPORT WAS CHECKED IN A BROWSER, for {what}.
!!  Install Chromium (on Debian: apt-get install chromium), or say where it is:
!!      make browser CHROMIUM=/path/to/chromium
!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!
"""


def found_chromium():
    """Return the program: what CHROMIUM names, else the first that is on the path."""
    named = os.environ.get("CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


def pytest_sessionstart():
    if found_chromium() is None:
        named = os.environ.get("CHROMIUM")
        what = f"CHROMIUM={named} is no program" if named else "there is no Chromium on this machine"
        sys.__stderr__.write(MISSING.format(what=what))
        sys.__stderr__.flush()
        pytest.exit(f"no report was checked: {what}", returncode=0)


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found_chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where reports and pictures of them go; BROWSER_KEEP=folder keeps them to be looked at."""
    kept = os.environ.get("BROWSER_KEEP")
    if not kept:
        return tmp_path_factory.mktemp("reports")
    Path(kept).mkdir(parents=True, exist_ok=True)
    return Path(kept).resolve()


@pytest.fixture(scope="session")
def report(folder):
    """Return the file of a system's report, made once."""
    from reports import write

    made = {}

    def file_of(name):
        if name not in made:
            made[name] = write(name, folder)
        return made[name]

    return file_of
