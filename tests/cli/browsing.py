"""Debian's chromium, driven by playwright; tests skip where there is none."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.tracking.serving import wait_for_server

needs_chromium = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="Debian's chromium is not installed"
)
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def browser_page(width: int = 1900, height: int = 900) -> Iterator[Any]:
    """A page of a fresh browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=_FLAGS)
        yield browser.new_page(viewport={"width": width, "height": height})
        browser.close()


@contextmanager
def interface(folder: Path) -> Iterator[str]:
    """`l2p-search ui` in a folder; the value is the link that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "l2p_search", "ui"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    link = process.stdout.readline().split(": ", 1)[1].strip()
    wait_for_server(link.split("/#")[0])
    try:
        yield link
        started = psutil.Process(process.pid).children(recursive=True)
        assert started
    finally:
        process.terminate()
        process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGTERM
    _, staying = psutil.wait_procs(started, timeout=60)
    assert staying == []
