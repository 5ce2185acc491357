"""Machines of a cluster on this one: network namespaces with an address each, on one bridge."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_NET = "10.77.83"
_BRIDGE = "l2pf"
_TOKEN = "f" * 64


class Machines:
    """Nodes of a Ray cluster that can be cut off from each other; the first is the head.

    Raises:
        OSError: No namespaces can be made here: it takes root and iproute2.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.remove()
        try:
            _ip(f"link add {_BRIDGE} type bridge")
            _ip(f"link set {_BRIDGE} up")
            for number in range(count):
                name, here, there = f"{_BRIDGE}{number}", f"{_BRIDGE}h{number}", f"{_BRIDGE}n"
                _ip(f"netns add {name}")
                _ip(f"link add {here} type veth peer name {there} netns {name}")
                _ip(f"link set {here} master {_BRIDGE} up")
                _ip(f"-n {name} addr add {_NET}.{number + 1}/24 dev {there}")
                _ip(f"-n {name} link set {there} up")
                _ip(f"-n {name} link set lo up")
        except OSError:
            self.remove()
            raise

    @property
    def address(self) -> str:
        """Of the cluster."""
        return f"{_NET}.1:6379"

    def inside(self, number: int, *command: str) -> list[str]:
        """A command line that runs on one of the machines, and asks no proxy for the others."""
        proxies = [f"--unset={name}" for name in os.environ if name.lower().endswith("_proxy")]
        secret = ("RAY_AUTH_MODE=token", f"RAY_AUTH_TOKEN={_TOKEN}")
        name = f"{_BRIDGE}{number}"
        return ["ip", "netns", "exec", name, "env", *proxies, *secret, *command]

    def start_ray(self) -> None:
        """Start a node of one CPU on each machine; each is known to the head when this returns."""
        ray = (sys.executable, "-m", "ray.scripts.scripts")
        for number in range(self.count):
            which = ("--head", "--port=6379") if number == 0 else (f"--address={self.address}",)
            options = (f"--node-ip-address={_NET}.{number + 1}", "--num-cpus=1")
            quiet = ("--disable-usage-stats", "--include-dashboard=false") if number == 0 else ()
            found = subprocess.run(
                self.inside(number, *ray, "start", *which, *options, *quiet),
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert found.returncode == 0, found.stdout + found.stderr

    def cut_off(self, number: int) -> None:
        """Pull the plug of a machine."""
        _ip(f"link set {_BRIDGE}h{number} down")

    def plug_in(self, number: int) -> None:
        """And put it back."""
        _ip(f"link set {_BRIDGE}h{number} up")

    @contextmanager
    def slowed_down(self, number: int) -> Iterator[None]:
        """Let a machine stand still for nine tenths of the time within the block."""
        ended = threading.Event()

        def slow() -> None:
            while not ended.is_set():
                running = self._processes(number)
                for process_id in running:
                    _send(process_id, signal.SIGSTOP)
                time.sleep(0.45)
                for process_id in running:
                    _send(process_id, signal.SIGCONT)
                time.sleep(0.05)

        thread = threading.Thread(target=slow)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _processes(self, number: int) -> list[int]:
        listed = ["ip", "netns", "pids", f"{_BRIDGE}{number}"]
        found = subprocess.run(listed, capture_output=True, text=True)
        return [int(each) for each in found.stdout.split()]

    def remove(self) -> None:
        """End the nodes, and take the network away."""
        for number in range(8):
            for process_id in self._processes(number):
                _send(process_id, signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", f"{_BRIDGE}{number}"], capture_output=True)
            subprocess.run(["ip", "link", "del", f"{_BRIDGE}h{number}"], capture_output=True)
        subprocess.run(["ip", "link", "del", _BRIDGE], capture_output=True)


def _send(process_id: int, what: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process_id, what)


def _ip(arguments: str) -> None:
    found = subprocess.run(["ip", *arguments.split()], capture_output=True, text=True)
    if found.returncode:
        raise OSError(f"ip {arguments}: {found.stderr.strip()}")
