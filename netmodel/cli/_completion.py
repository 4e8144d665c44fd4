"""``netmodel completion``, and what shells ask for while a command is typed."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

from netmodel.cli._console import print_data, print_json
from netmodel.cli._ids import Choice
from netmodel.cli._options import json_option

if TYPE_CHECKING:
    from collections.abc import Mapping

_BASH = """\
_netmodel_completion() {
    local IFS=$'\\n' answer each
    COMPREPLY=()
    answer=$(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORD="${COMP_WORDS[COMP_CWORD]}" \\
        _NETMODEL_COMPLETE=bash_complete "$1" 2>/dev/null)
    for each in $answer; do
        case "$each" in
            file,*) compopt -o default ;;
            dir,*) compopt -o dirnames ;;
            plain,*) COMPREPLY+=("${each#plain,}") ;;
        esac
    done
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return 0
}

complete -o nosort -F _netmodel_completion netmodel
"""


class _Bash(BashComplete):
    """That of bash, which takes a line apart at ``=`` and ``:`` and replaces the last part only."""

    def source(self) -> str:
        return _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("COMP_LINE", "")
        words = split_arg_string(line)
        is_next = not words or (line[-1:].isspace() and not words[-1].endswith(line[-1]))
        return (words[1:], "") if is_next else (words[1:-1], words[-1])

    def complete(self) -> str:
        args, incomplete = self.get_completion_args()
        word = os.environ.get("COMP_WORD", "").lstrip("\"'")
        has_blanks = "\\ " in word
        tail = word.replace("\\ ", " ")
        tail = "" if tail in {"=", ":"} else tail
        kept = len(incomplete) - len(tail) if incomplete.endswith(tail) else 0
        items = self.get_completions(args, incomplete)
        for item in items:
            # click itself takes an option off its value
            item.value = str(item.value).removeprefix(incomplete[:kept])
            if has_blanks:
                item.value = item.value.replace(" ", "\\ ")
        return "\n".join(map(self.format_completion, items))


_SHELLS: "Mapping[str, type[ShellComplete]]" = {
    "bash": _Bash,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


def _of_shell(command: click.Command, shell: str) -> ShellComplete:
    return _SHELLS[shell](command, {}, "netmodel", "_NETMODEL_COMPLETE")


def answer(command: click.Command, asked: str) -> str:
    """What a shell asks for by that variable; empty where nothing can be said, for any reason."""
    shell, _, what = asked.partition("_")
    if shell not in _SHELLS:
        return ""
    try:
        one = _of_shell(command, shell)
        return one.source() if what == "source" else one.complete()
    except Exception:  # noqa: BLE001 - a traceback would spoil the line that is being typed
        return ""


def names_beginning(names: Sequence[str], incomplete: str) -> "list[CompletionItem[str]]":
    """Names as completions that a shell reads."""
    return [CompletionItem(each) for each in names if each.startswith(incomplete)]


@click.command()
@click.argument("shell", type=Choice(tuple(_SHELLS)))
@json_option
@click.pass_context
def completion(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print a script that completes commands in a shell.

    It completes commands, options, their choices, ids of records, and files.

    \b
    bash: echo 'eval "$(netmodel completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(netmodel completion zsh)"' >> ~/.zshrc
    fish: netmodel completion fish > ~/.config/fish/completions/netmodel.fish
    """
    script = _of_shell(ctx.find_root().command, shell).source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        print_data(script)
