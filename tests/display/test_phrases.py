from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.display.phrases import (
    count,
    describe_config,
    elsewhere,
    paper_figure,
    plain,
    sentence,
    size_in_words,
    tied_with,
)


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 trials"), (1, "1 trial"), (2, "2 trials"), (1234, "1,234 trials")]
)
def test_one_is_singular_and_thousands_have_a_comma(number: int, said: str) -> None:
    assert count(number, "trial") == said


@pytest.mark.parametrize(
    ("others", "said"),
    [(0, "tied with no other"), (1, "tied with 1 other"), (2, "tied with 2 others")],
)
def test_ties_are_counted_and_none_is_said_to_be_none(others: int, said: str) -> None:
    assert tied_with(others) == said


def test_a_sentence_begins_with_a_capital_and_keeps_the_others() -> None:
    assert sentence("nearly all nodes of APPNP stop") == "Nearly all nodes of APPNP stop."


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.1, "0.1"), (5e-4, "0.0005"), (0.123456, "0.1235"), (1e-7, "1e-07"), (8, "8"), ("a", "a")],
)
def test_a_number_has_four_digits_at_most(value: object, said: str) -> None:
    assert plain(value) == said


def test_a_configuration_is_said_by_the_keys_that_matter_in_their_order() -> None:
    config = TrialConfig(K=8, hidden=64, dropout=0.123456)
    assert describe_config(config, ["K", "dropout"]) == "K=8 dropout=0.1235"
    assert describe_config(config, ["hidden", "K"]) == "hidden=64 K=8"
    assert describe_config(config, []) == ""


def test_the_paper_is_quoted_where_it_has_the_method_and_the_dataset() -> None:
    assert paper_figure("cora", TrialConfig(posterior="quit")) == "85.20 % (l2q)"
    assert paper_figure("texas", TrialConfig(model="gcn")) == "52.16 % (gcn)"
    assert paper_figure("demo", TrialConfig()) is None
    assert paper_figure("cora", TrialConfig(model="gprgnn")) is None


def test_the_size_of_a_space_may_be_endless() -> None:
    assert size_in_words(1, 432) == "1 hyperparameter, 432 configurations"
    assert size_in_words(5, None) == "5 hyperparameters, not countable"


def test_a_search_outside_the_default_folder_needs_a_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    default = Path("searches")
    assert elsewhere(default / "s", default) == ""
    assert elsewhere(tmp_path / "searches" / "s", default) == ""  # the same, said in full
    assert elsewhere(Path("other/s"), default) == " --dir other"
    assert elsewhere(Path("my searches/s"), default) == " --dir 'my searches'"
