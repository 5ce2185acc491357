"""The machine that trains: what decides the last digits of a result besides the packages."""

import os
import platform

import torch


def machine(threads: int | None = None) -> dict[str, str]:
    """Describe the machine.

    Args:
        threads: How many a training has; None for those that torch has now.

    Returns:
        The CPU's name, the vector instructions that torch uses on it, and the threads.

    Example:
        >>> machine(threads=2)["threads"]
        '2'
    """
    return {
        "cpu": _cpu(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "threads": str(threads or torch.get_num_threads()),
    }


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or os.uname().machine
