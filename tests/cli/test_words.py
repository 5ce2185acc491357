"""One line for every wrong word: what is wrong, and the nearest that is right."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from l2p_search.cli.main import build_parser, main
from l2p_search.cli.words import options_of, subcommands, walk


def _error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    try:
        code = main(words)
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert said.err.startswith("l2p-search: error: ")
    assert said.err.count("\n") == 1
    return said.err.removeprefix("l2p-search: error: ").rstrip()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--trails 5", "--trails: there is no such option; did you mean --trials?"),
        ("--trails=5", "--trails: there is no such option; did you mean --trials?"),
        ("--dataset demo --trails 5", "did you mean --trials?"),
        ("--datset demo", "did you mean --dataset?"),
        ("--Trials 5", "did you mean --trials?"),
        ("--dataset demo --time 5m", "there is no such option; did you mean --time-budget?"),
        ("--dataset demo --conc 2", "did you mean --concurrency?"),
        ("train Demo", "train: 'Demo' is one word too many; did you mean --dataset Demo?"),
        ("train --datset demo", "--datset: train has no such option; did you mean --dataset?"),
        (
            "train --trials 5",
            "--trials: train has no such option; a search (no command) and",
        ),
        ("report x --sead 5", "--sead: report has no such option"),
        ("--zzz", "--zzz: there is no such option; see l2p-search --help"),
        ("status -x", "-x: status has no such option; see l2p-search status --help"),
        ("trian", "'trian' is no command; did you mean train?"),
        ("trian --dataset demo", "'trian' is no command; did you mean train?"),
        ("Status", "'Status' is no command; did you mean status?"),
        ("--dataset demo trian", "'trian' is no command; did you mean train?"),
        ("help", "'help' is no command; did you mean l2p-search --help?"),
        ("help train", "'help' is no command; did you mean l2p-search --help?"),
        ("search --dataset demo", "'search' is no command; searching needs no command: l2p-s"),
        ("Demo", "'Demo' is no command; to search that graph: l2p-search --dataset Demo"),
        ("5", "'5' is no command; see l2p-search --help"),
        ("--dataset demo --sampler tpee", "--sampler: 'tpee' is none of them; did you mean tpe?"),
        ("--dataset demo --sampler x", "choose one of tpe, random, grid, gp"),
        ("--dataset", "--dataset: expected one argument"),
        ("--dataset=--", "--dataset: '--' is no value"),
        ("--dataset demo --race=--", "--race: '--' is no value"),
        ("train --dataset demo --set=--", "--set: '--' is no value"),
        ("export --dataset=--", "--dataset: '--' is no value"),
        ("train", "train: give --dataset too, as in: l2p-search train --dataset wisconsin"),
        (
            "--dataset demo --epochs 5",
            "epochs is a hyperparameter: name its values in a space file",
        ),
        ("train --dataset demo --weight-decay 0.1", "hyperparameter: --set weight_decay=.."),
        ("train --dataset demo K=3", "train: 'K=3' is one word too many; did you mean --set K=3?"),
        ("status a b", "status: 'b' is one word too many; see "),
        ("inspect n.csv e.csv", "'e.csv' is one word too many; name the table of edges with --e"),
        ("compare a b c.d", "compare: 'c.d' is one word too many; "),
        ("--dataset demo --trials five", "--trials: 'five' is not a whole number of at least 1"),
    ],
)
def test_a_wrong_word_gets_one_line(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in _error(capsys, *words.split())


def test_a_file_in_the_place_of_a_command_is_taken_for_a_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my graph.npz").touch()
    assert "to search that graph: l2p-search --dataset 'my graph.npz'" in _error(
        capsys, "my graph.npz"
    )


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("--dataset demo --sampler tpee", 2),  # between words
        (
            "--dataset demo search",
            1,
        ),  # a command is in it, to be copied: as the terminal breaks it
    ],
)
def test_on_a_terminal_an_error_is_broken_between_words_unless_a_command_is_in_it(
    words: str, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with suppress(SystemExit):
        main(words.split())
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_a_very_long_word_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(_error(capsys, "--" + "x" * 10_000)) < 200
    assert len(_error(capsys, "x" * 10_000)) < 200


def test_every_flag_that_lacks_a_letter_is_understood() -> None:
    parser = build_parser()
    from l2p_search.cli.words import check_words
    from l2p_search.errors import UserError

    for flag in options_of(parser):
        wrong = flag[:4] + flag[5:]
        if len(flag) > 7 and wrong not in options_of(parser):
            with pytest.raises(UserError, match="did you mean --"):
                check_words(parser, [wrong, "5"])


def test_words_are_what_argparse_takes_them_for() -> None:
    parser = build_parser()
    words = list(walk(parser, ["--set", "train", "--set", "K=2", "lr=1", "--dataset", "-5"]))
    assert [word.option is not None for word in words[:2]] == [False, False]
    inner = subcommands(parser)["train"]
    assert [word.parser is inner for word in words] == [False, False] + [True] * 5
    assert [word.is_value for word in words[2:]] == [False, True, True, False, True]


@pytest.mark.parametrize(
    "words",
    [
        ["--dataset", "train", "--trials", "3"],  # a graph may have a command's name
        ["--dataset=demo", "--race", "-v"],
        ["train", "--dataset", "demo", "--set", "K=2", "lr=0.1", "--seeds", "2"],
        ["compare", "a", "b", "--train"],
        ["export", "--", "-odd-name"],
        ["reproduce", "a:3"],
    ],
)
def test_what_is_right_passes(words: list[str]) -> None:
    from l2p_search.cli.words import check_words

    parser = build_parser()
    check_words(parser, words)
    parser.parse_args(words)
