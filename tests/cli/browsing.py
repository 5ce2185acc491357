"""Debian's chromium, driven by playwright; tests skip where there is none."""

import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
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


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any) -> None:
        return None


def _led_to(base: str, printed: str) -> str:
    """Where `/start` leads; the link itself where MLflow does not know our app yet."""
    if "#" in printed:
        return printed
    try:
        urllib.request.build_opener(_Stay).open(printed)
    except urllib.error.HTTPError as answer:
        return f"{base}{answer.headers['Location']}"
    raise AssertionError(f"{printed} leads nowhere")


@contextmanager
def interface(folder: Path) -> Iterator[str]:
    """`l2p-search ui` in a folder; the value is the link to which what it prints leads."""
    process = subprocess.Popen(
        [sys.executable, "-m", "l2p_search", "ui", "--no-browser"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    printed = process.stdout.readline().split(": ", 1)[1].split(" ")[0]
    base = "/".join(printed.split("/")[:3])
    wait_for_server(base)
    try:
        yield _led_to(base, printed)
        started = psutil.Process(process.pid).children(recursive=True)
        assert started
    finally:
        process.terminate()
        process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGTERM
    _, staying = psutil.wait_procs(started, timeout=60)
    assert staying == []
