"""The words that read a graph again: a shell gives them back as they were."""

import shlex
import subprocess

import pytest

from l2p_search.cli.main import build_parser
from l2p_search.cli.options import reading
from l2p_search.data.reading_again import one_line, shell_words, train_command


@pytest.mark.parametrize(
    "request_",
    [
        {"source": "demo"},
        {"source": "pyg:Amazon:Photo", "splits": "10x60/20/20"},
        {"source": "/a b/nodes.csv", "edges": "/a b/it's.csv", "label": "page type", "id": "$id"},
        {
            "source": "/n.parquet",
            "edges": "/e.parquet",
            "source_column": "u",
            "target_column": "v",
            "features": "a,b",
            "split": "part",
            "weight": "w",
            "splits": "temporal:year",
            "scale": "none",
        },
    ],
)
def test_the_command_line_reads_the_words_as_the_same_arguments(
    request_: dict[str, str],
) -> None:
    words = shell_words(request_, "any")
    assert words is not None
    options = vars(build_parser().parse_args(["train", *shlex.split(one_line(words))]))
    assert {"source": options["dataset"], **reading(options)} == request_


def test_what_python_gives_as_a_list_is_one_word_for_a_shell() -> None:
    words = shell_words({"source": "n.csv", "features": ["a", "b"], "name": "mine"}, "mine")
    assert words == ["--dataset", "n.csv", "--features", "a,b"]


def test_a_known_dataset_needs_no_request_and_one_in_memory_has_no_command() -> None:
    assert shell_words(None, "cora") == ["--dataset", "cora"]
    assert shell_words(None, "mine") is None
    assert train_command(None, "mine", "b.yaml").startswith("python: l2p.fit(graph, config=")


@pytest.mark.parametrize(
    "word", ["two words", "it's", "$HOME `id`", "line\nbreak", "tab\t'q'", "é"]
)
def test_a_shell_reads_a_quoted_word_as_it_was(word: str) -> None:
    line = one_line(["printf", "%s", word])
    assert "\n" not in line
    assert subprocess.run(["bash", "-c", line], check=True, capture_output=True).stdout == (
        word.encode()
    )
