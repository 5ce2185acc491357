"""Devices by name: which of them this machine has, and which one a caller means.

`auto` takes a CUDA device where there is one, else the CPU. It never takes Apple's GPU (`mps`),
which has to be named: torch lists a kernel of it for every operation of the engine, but it has no
float64, and no results of it have been compared yet.
"""

import re

import torch

from l2p_search.errors import DeviceError, argument, shown

NAME = re.compile(r"auto|cpu|cuda(:\d{1,3})?|mps")
"""What a device may be called."""


def chosen_device(name: str) -> torch.device:
    """The device that a caller means.

    Args:
        name: "auto", "cpu", "cuda", "cuda:1" or "mps". "cuda" is the first one that this process
            sees; in a worker of a search, the one that Ray gave it.

    Returns:
        A device of this machine.

    Raises:
        DeviceError: It is no device, or this machine has none of that name.

    Example:
        >>> chosen_device("cpu")
        device(type='cpu')
    """
    check_name("device", name)
    there = devices_here()
    if name == "auto":
        name = "cuda" if "cuda:0" in there else "cpu"
    if name == "cuda" and "cuda:0" in there:
        name = "cuda:0"
    if name not in there:
        raise DeviceError(
            f"{argument('device', name)}: torch {torch.__version__} finds none here, only"
            f" {', '.join(there)}; give one of these, or {argument('device', 'auto')}"
        )
    return torch.device(name)


def devices_here() -> list[str]:
    """The devices of this machine that torch can use, by name.

    Example:
        >>> "cpu" in devices_here()
        True
    """
    found = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return ["cpu", *found]


def check_name(name: str, value: object) -> None:
    """Refuse what is no name of a device; None is accepted.

    Args:
        name: The argument that the value was given for.
        value: The value.

    Raises:
        DeviceError: One line with the argument, its value and what it may be.
    """
    if value is not None and not (isinstance(value, str) and NAME.fullmatch(value)):
        raise DeviceError(
            f"{argument(name)}: {shown(value)} is no device; it must be auto, cpu, cuda, cuda:1"
            " or mps"
        )
