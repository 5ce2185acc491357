import math
import threading
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api.arguments import CHECKS, check, on_epoch, path_of, seconds, space_of
from l2p_search.errors import ConfigError, UserError, in_shell
from tests.api.in_process import SPACE

_NOT_WHOLE = (1.5, "3", True, [3], math.nan)
_BAD: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("trials", "seeds", "concurrency", "cpus_per_trial"), (0, -1, *_NOT_WHOLE)),
    **dict.fromkeys(("threads", "train"), (0, *_NOT_WHOLE)),
    **dict.fromkeys(("seed", "confirm", "confirm_ties", "node"), (-1, *_NOT_WHOLE)),
    "gpus_per_trial": (-1, -0.5, math.inf, math.nan, "1", True),
    "device": ("gpu", "", "cuda:", 0, True),
    "margin": (0, -1, 101, math.nan, "1", True, []),
    "memory_gb": (0, -1.0, math.inf, math.nan, "4", True, []),
    "sampler": ("cmaes", 3, ["tpe"], ""),
    "metric": ("precision", 3, ["accuracy"], ""),
    **dict.fromkeys(("name", "model", "address", "tracking_uri"), (3, b"x", ["x"], Path("x"))),
    "register": (3, "", " x", "a/b", "a:b", "x@y", "it's", "..", "a\nb"),
    **dict.fromkeys(
        (
            "race",
            "resume",
            "tracking",
            "champion",
            "keep_model",
            "sealed",
            "controls",
            "fresh_splits",
        ),
        (1, "yes", []),
    ),
    "display": ("loud", None, 3, object()),
    "stop": (True, "now", object()),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in _BAD.items() for value in values]
)
def test_a_bad_value_is_refused_in_one_line_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(UserError) as error:
        check(**{name: value})
    said = str(error.value)
    assert said.startswith((f"{name}=", f"{name}: "))
    assert " must be " in said
    assert "\n" not in said
    assert "--" not in said
    flag = "--memory" if name == "memory_gb" else "--" + name.replace("_", "-")
    assert in_shell(error.value.message).startswith(flag)


def test_every_check_has_bad_values_here() -> None:
    assert set(_BAD) == set(CHECKS)


def test_what_is_not_given_is_accepted() -> None:
    check(**dict.fromkeys(set(CHECKS) - {"display"}))


def test_good_values_are_accepted() -> None:
    class Display:
        def update(self, event: object, snapshot: object) -> None: ...
        def note(self, text: str) -> None: ...

    check(trials=1, seeds=1, seed=0, confirm=0, confirm_ties=0, node=0, concurrency=1)
    check(cpus_per_trial=1, gpus_per_trial=0, threads=1, memory_gb=0.5, sampler="gp")
    check(name="x", model="x", address="auto", tracking_uri="http://x", stop=threading.Event())
    check(register="my graph, v1.2", champion=True)
    check(race=False, resume=True, tracking=False, display=Display())
    check(display="auto")
    check(display="off", gpus_per_trial=0.25)


def test_a_value_that_would_fill_a_page_is_cut() -> None:
    with pytest.raises(UserError) as error:
        check(trials=["x\n" * 5] * 1000)
    assert len(str(error.value)) < 150
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("value", "expected"), [(None, None), (90, 90), (0.5, 0.5), ("8h", 28800.0), ("45s", 45.0)]
)
def test_a_duration_is_seconds_or_text(value: Any, expected: float | None) -> None:
    assert seconds("time_budget", value) == expected


@pytest.mark.parametrize("value", [0, -1, "soon", "", "-1h", math.inf, True, [1]])
def test_what_is_no_duration_is_refused(value: Any) -> None:
    with pytest.raises(UserError, match=r"^time_budget"):
        seconds("time_budget", value)


def test_a_path_is_text_or_a_path() -> None:
    assert path_of("out", "a/b") == path_of("out", Path("a/b")) == Path("a/b")
    assert path_of("out", None) is None
    for bad in (3, b"x", ""):
        with pytest.raises(UserError, match=r"^out: .* must be a path$"):
            path_of("out", bad)


def test_a_space_is_a_name_a_file_its_content_or_itself(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("K: {choices: [1, 2]}\n")
    assert space_of("smoke").name == "smoke"
    assert space_of(file).name == space_of(str(file)).name == "mine"
    own = space_of(SPACE)
    assert (own.name, own.size) == ("own", 24)
    assert space_of(own) is own


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "space: nothing varies; give"),
        ({"droput": {"choices": [1]}}, "space: unknown key 'droput'; did you mean 'dropout'?"),
        ({"K": [1, 2]}, "space: K: a bare list"),
        ("papr", "unknown space 'papr'; did you mean 'paper'?"),
        ("no/such.yaml", "no/such.yaml: no such file"),
        (3, "space: 3 must be the name of a space"),
        (["paper"], "space: ['paper'] must be the name of a space"),
    ],
)
def test_what_is_no_space_is_refused_with_a_remedy(given: Any, says: str) -> None:
    with pytest.raises((ConfigError, UserError)) as error:
        space_of(given)
    assert str(error.value).startswith(says)


def test_the_display_of_a_training_is_a_word_or_a_function() -> None:
    on_epoch("display", "auto")
    on_epoch("display", print)
    for bad in ("loud", None, 3):
        with pytest.raises(UserError, match=r"^display: .* a function of a Progress"):
            on_epoch("display", bad)
