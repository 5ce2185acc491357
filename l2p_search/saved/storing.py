"""From a model's parts to the files of its folder, and back."""

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from l2p_search import __version__
from l2p_search.config import TrialConfig
from l2p_search.errors import ConfigError, ModelError
from l2p_search.saved.card import model_card
from l2p_search.saved.config_lines import config_lines, read_config_lines
from l2p_search.saved.described import described
from l2p_search.saved.evidence import Evidence
from l2p_search.saved.expected import Expected
from l2p_search.saved.folder import (
    CARD,
    CONFIG,
    DESCRIPTION,
    FIGURE,
    WEIGHTS,
    read_folder,
    write_folder,
)
from l2p_search.saved.profile_svg import profile_svg
from l2p_search.saved.weight_checks import check_weights
from l2p_search.weights import Weights

Parts = tuple[TrialConfig, Weights, Expected, Evidence]


def write_model(
    folder: Path, config: TrialConfig, weights: Weights, expected: Expected, evidence: Evidence
) -> Path:
    """Write a model's folder.

    Args:
        folder: Where to.
        config: How it was trained.
        weights: What its seeds learned.
        expected: What it knows of its graph.
        evidence: How good it is.

    Returns:
        The folder.

    Raises:
        ModelError: See `write_folder`.
    """
    provenance = {
        "dataset": expected.dataset,
        "data_digest": expected.digest,
        "metric": evidence.metric,
        "seeds": len(weights.seeds),
        "search": evidence.search,
    }
    files = {
        CONFIG: config_lines(config, provenance).encode(),
        WEIGHTS: weights_bytes(weights),
        CARD: model_card(config, weights.seeds, expected, evidence).encode(),
    }
    if evidence.profile is not None:
        files[FIGURE] = profile_svg(evidence.profile).encode()
    description = {
        "made_by": f"l2p-search {__version__}",
        "config_id": config.config_id,
        "seeds": list(weights.seeds),
        "expected": expected.to_mapping(),
        "evidence": evidence.to_mapping(),
    }
    write_folder(folder, description, files)
    return folder


def weights_bytes(weights: Weights) -> bytes:
    """The content of a safetensors file with the weights of all seeds."""
    return save_tensors({name: value.contiguous() for name, value in weights.named()})


def weights_of_bytes(seeds: tuple[int, ...], content: bytes) -> Weights:
    """The inverse of `weights_bytes`.

    Raises:
        ValueError: It is no such content.
    """
    try:
        # A copy: tensors that share the file's bytes lie in memory wherever these happen to.
        tensors = {name: value.clone() for name, value in load_tensors(content).items()}
        return Weights.of_named(seeds, tensors)
    except SafetensorError as error:
        raise ValueError(f"is no whole safetensors file ({error})") from None


def read_model(folder: Path) -> Parts:
    """Read a model's folder and check that its parts fit together.

    Args:
        folder: What `write_model` made.

    Returns:
        Configuration, weights, and what is known of its graph and of how good it is.

    Raises:
        ModelError: One line that names the file and says what is wrong with it.
    """
    description, files = read_folder(folder)
    try:
        config = read_config_lines(files[CONFIG].decode())
    except UnicodeDecodeError:
        raise ModelError(f"{folder / CONFIG}: is no text; copy the model again") from None
    except ConfigError as error:
        raise ModelError(f"{folder / CONFIG}: {error.message}") from None
    try:
        seeds, expected, evidence = described(description)
    except ValueError as error:
        raise ModelError(
            f"{folder / DESCRIPTION}: {error}; save the model anew with l2p-search"
        ) from None
    try:
        weights = weights_of_bytes(seeds, files[WEIGHTS])
        check_weights(weights, config, expected)
    except ValueError as error:
        raise ModelError(
            f"{folder / WEIGHTS}: {error}; copy the model again, or train anew"
        ) from None
    return config, weights, expected, evidence
