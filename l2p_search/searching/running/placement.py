"""What trials run on, settled before Ray starts: the device, and the share of a GPU per trial.

A trial is one program that trains all its seeds. On a GPU it takes the whole GPU, or the share
that `gpus_per_trial` says: with 0.25, four trials share one. Ray gives each worker its GPU, so in
a worker "cuda" is the one that it was given.
"""

from dataclasses import replace

from l2p_search.errors import UserError, argument
from l2p_search.model.devices import check_name, chosen_device
from l2p_search.searching.running.cluster import Resources, ray_runs


def settled(wanted: Resources) -> Resources:
    """The same resources with a device and a number of GPUs that are decided.

    `auto` is CUDA when GPUs are reserved, or when nothing is said of them and this machine has
    one; of a cluster at an address nothing is known yet, so there it is the CPU.

    Args:
        wanted: What the user asks for; settling it twice changes nothing.

    Returns:
        With `device` "cpu", "cuda" or "mps", and `gpus_per_trial` 0 unless it is "cuda".

    Raises:
        DeviceError: There is no such device.
        UserError: Device and GPUs contradict each other, or one GPU is named for all trials.

    Example:
        >>> settled(Resources(device="cpu")).gpus_per_trial
        0.0
        >>> settled(Resources(gpus_per_trial=0.25)).device
        'cuda'
    """
    device, gpus = wanted.device, wanted.gpus_per_trial
    check_name("device", device)
    if device.startswith("cuda:"):
        raise UserError(
            f"{argument('device', device)}: trials get their GPUs from Ray; give"
            f" {argument('device', 'cuda')}, and set CUDA_VISIBLE_DEVICES={device[5:]} to use only"
            " that one"
        )
    if device == "auto":
        device = _automatic(wanted)
    elif device != "cpu" and gpus is None and wanted.address is None and not ray_runs():
        chosen_device(device)  # with a share given, Ray says whether it has one
    if device == "cuda":
        gpus = 1.0 if gpus is None else gpus
        if gpus == 0:
            raise UserError(
                f"{argument('gpus_per_trial', 0)}: a trial with {argument('device', 'cuda')} needs"
                " a share of a GPU, such as 0.25"
            )
    elif gpus:
        raise UserError(
            f"{argument('gpus_per_trial', gpus)}: trials with {argument('device', device)} use no"
            f" GPU of Ray's; give {argument('device', 'cuda')}, or leave it out"
        )
    return replace(wanted, device=device, gpus_per_trial=gpus or 0.0)


def _automatic(wanted: Resources) -> str:
    """The device that `auto` stands for."""
    if wanted.gpus_per_trial is not None:
        return "cuda" if wanted.gpus_per_trial > 0 else "cpu"
    return "cpu" if wanted.address is not None else chosen_device("auto").type
