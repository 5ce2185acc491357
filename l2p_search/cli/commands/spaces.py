"""`l2p-search spaces`: the shipped search spaces, and one of them in full."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from l2p_search.cli.signals import tell
from l2p_search.display.phrases import size_in_words

if TYPE_CHECKING:
    from l2p_search.searching.space.search_space import SearchSpace


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "spaces",
        help="list the search spaces, or show one with its size",
        description="List the search spaces that come along, or show one with its size.",
        epilog="example: l2p-search spaces paper",
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="NAME",
        help="a space, or the path of a file (default: list all); `show NAME` is the same",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List, or print one."""
    from l2p_search.errors import UserError
    from l2p_search.searching.space.shipped import find_space_file, shipped_spaces
    from l2p_search.searching.space.space_file import read_space

    words = list(args.words)
    if words == ["show"]:
        known = ", ".join(shipped_spaces())
        raise UserError(f"spaces show: name one of {known}, or the path of a file")
    if words[:1] == ["list"] and words[1:]:
        raise UserError(f"spaces list {words[1]}: did you mean `l2p-search spaces {words[1]}`?")
    name = next((word for word in words if word not in ("list", "show")), None)
    if len(words) > 1 + (words[:1] == ["show"]):
        raise UserError(f"spaces {' '.join(words)}: name one space")
    if name is not None:
        path = find_space_file(name)
        space = read_space(path)
        if args.json:
            print(json.dumps(_mapping(space), indent=2))
        else:
            print(path.read_text(encoding="utf-8").rstrip())
            print(f"\n# {size_in_words(len(space.dimensions), space.size)}")
        return 0
    spaces = [read_space(path) for path in shipped_spaces().values()]
    if args.json:
        print(json.dumps([_mapping(space) for space in spaces], indent=2))
        return 0
    width = max(len(space.name) for space in spaces)
    for space in spaces:
        size = size_in_words(len(space.dimensions), space.size)
        tell(f"{space.name:<{width}}  {size:<40} {', '.join(space.dimensions)}", width + 2)
    return 0


def _mapping(space: "SearchSpace") -> dict[str, Any]:
    return {"name": space.name, "size": space.size, "space": space.to_mapping()}
