import io
import os
import platform
from types import SimpleNamespace

import pytest
import torch

from l2p_search.training import machine as machine_module
from l2p_search.training.machine import machine


def test_it_says_cpu_instructions_and_threads() -> None:
    found = machine()
    assert set(found) == {"cpu", "instructions", "threads"}
    assert all(found.values())
    assert found["threads"] == str(torch.get_num_threads())
    assert machine(threads=7)["threads"] == "7"


def test_the_cpu_is_called_as_linux_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: str, *, encoding: str) -> io.StringIO:
        assert (path, encoding) == ("/proc/cpuinfo", "utf-8")
        return io.StringIO("vendor_id\t: Any\nmodel name\t: A CPU: 3 GHz\nmodel name\t: other\n")

    monkeypatch.setattr(machine_module, "open", opened, raising=False)
    assert machine()["cpu"] == "A CPU: 3 GHz"


@pytest.mark.parametrize(("processor", "name"), [("arm", "arm"), ("", "arm64")])
def test_elsewhere_it_is_called_as_python_knows_it(
    processor: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(path: str, *, encoding: str) -> io.StringIO:
        raise FileNotFoundError(path)

    monkeypatch.setattr(machine_module, "open", missing, raising=False)
    monkeypatch.setattr(platform, "processor", lambda: processor)
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="arm64"))
    assert machine()["cpu"] == name
