"""`l2p-search completion`: what a shell needs to complete commands, flags and names."""

import argparse
from typing import Any

from l2p_search.cli.completing import SHELLS, completions

_BASH = r"""# l2p-search completion bash; load it with: source <(l2p-search completion bash)
_l2p_search() {
    local line=("${COMP_WORDS[@]:1:COMP_CWORD}") found quoted
    COMPREPLY=()
    while IFS= read -r found; do
        # bash takes --flag=value for three words, of which only the last is replaced
        [[ " ${line[*]} " == *" = "* || ${line[-1]} == "=" ]] && found=${found#*=}
        printf -v quoted %q "$found"
        COMPREPLY+=("$quoted")
    done < <("${COMP_WORDS[0]}" completion words -- "${line[@]}" 2>/dev/null)
}
complete -o default -o bashdefault -F _l2p_search l2p-search
"""
_ZSH = r"""#compdef l2p-search
# l2p-search completion zsh; load it with: source <(l2p-search completion zsh)
_l2p_search() {
    local -a found
    found=("${(@f)$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=(${found:#})
    if (( ${#found} )); then compadd -a found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
compdef _l2p_search l2p-search
"""
_FISH = r"""# l2p-search completion fish; load it with: l2p-search completion fish | source
function __l2p_search
    set -l line (commandline -opc) (commandline -ct)
    set -l found ($line[1] completion words -- $line[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c l2p-search -f -a '(__l2p_search)'
"""
_SCRIPTS = dict(zip(SHELLS, (_BASH, _ZSH, _FISH), strict=True))


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "completion",
        help="print what lets a shell complete commands, flags and names",
        description="Print a script that lets bash, zsh or fish complete commands and flags, and"
        " the names of searches, datasets, spaces and models. Load it in the shell's startup file:"
        " source <(l2p-search completion bash), source <(l2p-search completion zsh), or"
        " l2p-search completion fish | source.",
        epilog="example: l2p-search completion bash",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(_SCRIPTS[args.shell], end="")
    return 0


def print_words(parser: argparse.ArgumentParser, words: list[str]) -> int:
    """What a script asks: print what the last of the words may become, one per line."""
    for found in completions(parser, _joined(words)):
        print(found)
    return 0


def _joined(words: list[str]) -> list[str]:
    """The words as they were typed: bash takes --flag=value for three."""
    joined: list[str] = []
    for word in words:
        if joined and (word == "=" or joined[-1].endswith("=")) and joined[-1].startswith("--"):
            joined[-1] += word
        else:
            joined.append(word)
    return joined
