"""Commands derived from questions: options, their names, kinds and help from one declaration."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args, get_origin

import click

from netmodel.api.arguments import ArgumentsError, kinds_of, read_all
from netmodel.api.kinds import Kind
from netmodel.cli._console import print_blocks, print_csv, print_json
from netmodel.cli._files import OUTPUT_FILE, write_output
from netmodel.errors import DomainError, UnitError
from netmodel.results import plain
from netmodel.text import RESULT_DIGITS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_Written: TypeAlias = Annotated[str, Kind("output")]
_Declared: TypeAlias = tuple[inspect.Parameter, str | None]
"""A parameter, and its help where it is documented."""


def _output(
    *,
    verbose: bool = False,
    plot: _Written | None = None,
    html: _Written | None = None,
    junit: _Written | None = None,
    csv: bool = False,
    json: bool = False,
) -> None:
    """
    How an answer is printed, drawn and written.

    Parameters
    ----------
    verbose : bool
        Print every note and detail.
    plot : str, optional
        Also draw it into a .png, .svg or .pdf file.
    html : str, optional
        Also write an HTML report.
    junit : str, optional
        Also write JUnit XML for CI.
    csv : bool
        Print CSV in base units.
    json : bool
        Print JSON in base units.
    """


_FORMULA_NAMES = {
    "flow_count": "connections",
    "connection_count": "connections",
    "max_utilisation_ratio": "max_utilisation",
    "max_utilisation_after_failure_ratio": "max_utilisation_after_failure",
    "spare_count": "spares",
    "floor_ratio": "tolerance",
    "transaction_bytes": "payload_bytes",
}
"""Names of numbers in formulas, by which errors call them, and those of arguments."""
_NAMES = re.compile(r"^\w+|(?<=give )\w+_\w+")
"""What can be an argument in an error: its subject, and what is to be given."""
_ALL = f"{__name__}.all"
"""Key of the context for help with all options."""


def _print_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Print the help with all options, and end."""
    if value:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_SILENT = {"is_flag": True, "is_eager": True, "expose_value": False}
_HELP_ALL = click.Option(["--help-all"], callback=_print_all, help="Show all options.", **_SILENT)


class _Option(click.Option):
    """An option; help shows one that few users need only with all of them."""

    is_rare = False

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        return None if self.is_rare and _ALL not in ctx.meta else super().get_help_record(ctx)


class _Command(click.Command):
    """A command whose errors name options in place of arguments and numbers of formulas."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (ArgumentsError, DomainError, UnitError) as error:
            options = {e.name or "": "/".join((e.opts[0], *e.secondary_opts)) for e in self.params}
            if isinstance(error, ArgumentsError):
                raise click.UsageError(error.naming(options)) from error

            def option(name: re.Match[str]) -> str:
                return options.get(_FORMULA_NAMES.get(name[0], name[0]), name[0])

            raise click.UsageError(_NAMES.sub(option, str(error))) from error


def answering(
    question: Callable[..., Any],
    text: Callable[[Any, bool], Iterable[str]],
    *,
    data: Callable[[Any], Any] = plain,
    exit_code: Callable[[Any], int] = lambda answer: 0,
    files: Mapping[str, Callable[[Any, str], bytes]] = MappingProxyType({}),
    first: Sequence[str] = (),
    outputs: Sequence[str] = (),
    without: Collection[str] = (),
    **settings: Any,
) -> click.Command:
    """
    Return the command that asks a question and prints its answer.

    Parameters
    ----------
    question : callable
        Its signature and docstring declare name, kind, default and help of each option;
        positional-only parameters are arguments. The docstring is the help of the command.
    text : callable
        Blocks of text, of the answer and of whether all details are wanted.
    data : callable
        What JSON and CSV have of the answer.
    exit_code : callable
        Exit code of the answer; what it refuses stands below the answer.
    files : mapping of str to callable
        Makes what an option of the output writes, of the answer and the name of the file.
    first : sequence of str, optional
        Arguments of which most users need some; ``--help-all`` lists the others. All by default.
    outputs : sequence of str
        Options of the output, such as ``"json"``; that, ``verbose`` and those of files by default.
    without : collection of str
        Arguments that the command has not.
    """
    outputs = outputs or ("verbose", *files, "json")
    asked = [each for each in _options_of(question) if each.name not in without]
    asked.sort(key=lambda each: first.index(each.name) if each.name in first else len(first))
    for each in asked if first else ():
        if isinstance(each, _Option):
            each.is_rare = each.name not in first
    written = [each for each in _options_of(_output) if each.name in outputs]
    kinds, parameters = kinds_of(question), inspect.signature(question).parameters.values()
    positional = [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY]

    def run(**values: Any) -> None:
        given = {name: each for name, each in values.items() if each not in (None, ())}
        output = {name: given.pop(name, None) for name in outputs}
        named = read_all(kinds, given)
        places = [named.pop(name) for name in positional if name in named]
        answer = question(*places, **named)
        for name, made in files.items():
            if output[name] is not None:
                write_output(f"--{name}", output[name], made(answer, output[name]))
        if output.get("json"):
            print_json(data(answer))
        elif output.get("csv"):
            print_csv(data(answer))
        else:
            print_blocks(text(answer, bool(output.get("verbose"))))
        click.get_current_context().exit(exit_code(answer))

    docstring = inspect.getdoc(question) or ""
    settings = {
        "name": question.__name__.replace("_", "-"),
        "help": docstring.partition("\n\nParameters\n---")[0],
        **settings,
    }
    return _Command(params=[*asked, *written, *[_HELP_ALL] * bool(first)], callback=run, **settings)


def stating(
    question: Callable[..., Any],
    digits: int = RESULT_DIGITS,
    stated: Collection[str] = (),
    **settings: Any,
) -> click.Command:
    """Return the command of a question whose answer is a sentence and its plain values."""

    def text(answer: Any, is_verbose: bool) -> Iterable[str]:
        from netmodel.report.fields import answer_blocks

        return answer_blocks(answer, is_verbose, digits, stated)

    return answering(question, text, data=lambda answer: answer[1], **settings)


# Options of arguments


class _Text(click.ParamType[str]):
    """Text that a question reads; a shell completes ids of its records, or files."""

    def __init__(self, kind: Kind) -> None:
        self.name, self._records = kind.name, kind.records

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value or self.fail("it is empty", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        from netmodel.records.files import catalog_files

        ids = catalog_files(self._records) if self._records else ()
        found = [CompletionItem(each) for each in ids if each.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


def _options_of(question: Callable[..., object]) -> list[click.Parameter]:
    """Return an argument for each positional-only parameter, an option for each documented one."""
    made = (_parameter(*each) for each in _declared(question).values())
    return [each for each in made if each is not None]


def _declared(question: Callable[..., object]) -> dict[str, _Declared]:
    """Parameters and help; keywords are those of the function that the annotation names."""
    texts, own = _texts_of(question), inspect.signature(question).parameters
    declared = {name: (each, texts.get(name)) for name, each in own.items()}
    for each in own.values():
        if each.kind is each.VAR_KEYWORD:
            del declared[each.name]
            for name, (taken, text) in _declared(each.annotation.__metadata__[0]).items():
                own_one = declared.get(name, (taken.replace(default=None), None))[0]
                declared[name] = (own_one, texts.get(name, text))
    return declared


def _parameter(declared: inspect.Parameter, text: str | None) -> click.Parameter | None:
    """An argument or option; none of what is not documented, or of objects that no text makes."""
    name, annotation = declared.name, declared.annotation
    is_required = declared.default is declared.empty
    parts = (annotation, *get_args(annotation))
    kind = next((each for part in parts for each in getattr(part, "__metadata__", ())), None)
    choices = next((get_args(part) for part in parts if get_origin(part) is Literal), ())
    more: dict[str, Any] = {"required": is_required}
    option, repeats = _option_name(name), isinstance(kind, Kind) and kind.repeats
    if isinstance(kind, Kind):
        names = (kind.option or "").split()
        option = " ".join("-" * min(len(each), 2) + each for each in names) or option
        more["type"] = OUTPUT_FILE if kind.name == "output" else _Text(kind)
    elif choices:
        more["type"] = click.Choice(choices, case_sensitive=False)
    elif bool in parts:
        more |= {"is_flag": True, "default": None}
        option += "" if annotation is bool else f"/--no-{option[2:]}"
    else:
        return None
    if declared.kind is declared.POSITIONAL_ONLY:
        shown = (kind.name if isinstance(kind, Kind) else name).upper()
        metavar = (shown if is_required else f"[{shown}]") + "..." * repeats
        return click.Argument([name], nargs=-1 if repeats else 1, metavar=metavar, **more)
    if text is None:
        return None
    return _Option([*option.split(), name], multiple=repeats, help=text, **more)


_ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: : .*)?\n((?:[ ]{4}.*\n?|\n)+)", flags=re.MULTILINE)
_UNIT = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z`])")
_QUOTES = re.compile(r"``\"|\"``|``")
_NAMED = re.compile(r"`(\w+)`")


def _texts_of(question: Callable[..., object]) -> dict[str, str]:
    """The first sentence of the docstring on each argument, with options in place of arguments."""
    docstring = inspect.getdoc(question) or ""
    section = docstring.partition("Parameters\n----------\n")[2].partition("\n\nReturns\n")[0]
    texts = {
        name: _QUOTES.sub("", _SENTENCE.split(" ".join(_UNIT.sub("", text).split()))[0])
        for names, text in _ENTRY.findall(f"{section}\n")
        for name in names.split(", ")
    }

    def option(name: re.Match[str]) -> str:
        return _option_name(name[1]) if name[1] in texts else name[1]

    own = {name: text for name, text in texts.items() if not text.startswith("As in ")}
    return {name: _NAMED.sub(option, text) for name, text in own.items()}


def _option_name(argument: str) -> str:
    """The option of an argument, without its unit, as its values have one."""
    return f"--{re.sub('_(bps|bytes|s|hz)$', '', argument.rstrip('_')).replace('_', '-')}"
