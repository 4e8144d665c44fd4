"""Commands derived from questions: options, their names, kinds and help from one declaration."""

import inspect
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import click
from click.core import ParameterSource

from netmodel.api._kinds import Kind
from netmodel.api.arguments import ArgumentsError, kinds_of, read_all
from netmodel.cli._console import print_blocks, print_csv, print_json
from netmodel.cli._files import INPUT_FILE, OUTPUT_FILE, OutputFile
from netmodel.cli._ids import (
    AXES,
    MODELS,
    RECORD_KINDS,
    Choice,
    Named,
    ValueText,
    a_case,
    a_flow,
    a_formula,
    a_host,
    a_path,
    a_stack,
    a_workload,
    an_adapter,
    any_record,
)
from netmodel.consumption import Side
from netmodel.errors import DomainError

Given = Mapping[str, Any]
"""Arguments of a question that the command line gives; the question has the defaults of others."""

_WIDTH = 30
"""Columns of the names of options in the help, as click has by default."""
_UNITS = re.compile(r"_(bps|bytes|s|hz)$")
"""Ends of arguments that options leave out: their values have a unit."""


def _formats() -> Sequence[str]:
    from netmodel.readers import result_formats

    return result_formats()


def _published_ids() -> Sequence[str]:
    from netmodel.published import listing

    names = ("client", "server", "adapter", "path")
    sides = (side for row in listing() for side in (row.of, row.base))
    return sorted({str(each) for side in sides for name in names for each in side.get(name, ())})


_NAMED = {
    "adapter": (an_adapter, "ID|FILE"),
    "host": (a_host, "ID|FILE"),
    "path": (a_path, "ID|FILE"),
    "workload": (a_workload, "ID|FILE"),
    "case": (a_case, "CASE"),
    "stack": (a_stack, "LAYER/..."),
    "flow": (a_flow, "DEMAND"),
    "file": (INPUT_FILE, "FILE"),
    "formula": (a_formula, "FORMULA"),
    "record": (any_record, "NAME|FILE"),
    "kind": (Choice(RECORD_KINDS), "KIND"),
    "side": (Named(lambda: ("client", "server", "both")), "SIDE"),
    "model": (Named(lambda: MODELS, or_file=True), "MODEL|FILE"),
    "id": (Named(_published_ids), "ID"),
    "name=values": (Named(lambda: AXES), "NAME=VALUES"),
    "folder": (OutputFile(file_okay=False), "PATH"),
    "format": (Named(_formats), "FORMAT"),
}
"""Kinds of arguments whose values a shell completes, and how help shows them."""
_OUTPUTS = {
    "verbose": ("--verbose", "Print every note and detail."),
    "draw": ("--draw", "Draw the path with each of its limits."),
    "plot": ("--plot", "Also draw it into a .png, .svg or .pdf file."),
    "html": ("--html", "Also write an HTML report."),
    "csv": ("--csv", "Print CSV in base units."),
    "json": ("--json", "Print JSON in base units."),
}
_OF_FILES = frozenset({"plot", "html"})


@dataclass(frozen=True, slots=True)
class Output:
    """How a result is printed, drawn and written."""

    verbose: bool = False
    draw: bool = False
    plot: str | None = None
    html: str | None = None
    csv: bool = False
    json: bool = False


def output_options(*names: str) -> list[click.Option]:
    """Options of the output, which mean the same in every command."""
    return [
        click.Option([text, name], help=help_, type=OUTPUT_FILE, metavar="FILE")
        if name in _OF_FILES
        else click.Option([text, name], help=help_, is_flag=True)
        for name, (text, help_) in _OUTPUTS.items()
        if name in names
    ]


def output_file_option(purpose: str) -> click.Option:
    """Return the option for a .toml file that the result is written into."""
    names = ["-o", "--output", "output_file"]
    text = f"Where to write the result; {purpose}."
    return click.Option(names, type=OUTPUT_FILE, metavar="PATH", help=text)


_ARGUMENTS = f"{__name__}.arguments"
"""Key of the context for what a command was given."""


_OTHER_NAMES = {
    "flow_count": "connections",
    "connection_count": "connections",
    "max_utilisation_ratio": "max_utilisation",
    "max_utilisation_after_failure_ratio": "max_utilisation_after_failure",
    "spare_count": "spares",
    "floor_ratio": "tolerance",
}
"""Names of numbers in formulas, by the names that options are passed by."""


class DerivedCommand(click.Command):
    """
    A command whose options are the arguments of a question.

    Parameters
    ----------
    question : callable
        Its signature and docstring declare name, kind, default and help of each option.
    run : callable
        Prints the answer: takes the arguments that are given, and the output. Its docstring is
        the help of the command.
    first : sequence of str, optional
        Arguments of which most users need some; ``--help-all`` lists the others. All by default.
    outputs : sequence of str
        Options of the output, such as ``"json"``.
    more : sequence of Parameter
        Of the command alone.
    without : collection of str
        Arguments that the command has not.
    documented_by : callable, optional
        Question whose docstring has the arguments that are taken as in it.
    """

    def __init__(
        self,
        question: Callable[..., object],
        run: Callable[[Given, Output], object],
        *,
        first: Sequence[str] | None = None,
        outputs: Sequence[str],
        more: Sequence[click.Parameter] = (),
        without: Collection[str] = (),
        documented_by: Callable[..., object] | None = None,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        texts = _texts_of(question)
        if documented_by is not None:
            texts = {**texts, **_texts_of(documented_by), **_own(texts)}
        own = [each for each in _parameters_of(question, texts) if each.name not in without]
        options = [*own, *more, *output_options(*outputs)]
        if first is None:
            first = [each.name or "" for each in own]
        else:
            help_all = click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False)
            help_all.callback, help_all.help = _print_all, "Show all options."
            options.append(help_all)
        ranks = {each: place for place, each in enumerate(first)}
        options.sort(key=lambda each: ranks.get(each.name or "", len(ranks)))
        self._first = {*first, *outputs, "--help", "--help-all", *(each.name for each in more)}
        self._run, self.kinds = run, kinds_of(question)
        super().__init__(
            name or question.__name__.replace("_", "-"),
            params=options,
            help=(inspect.getdoc(run) or "").partition("\n\nParameters\n---")[0],
            callback=self._called,
            **settings,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse them; an option that each side has one of needs the side in its name."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.removeprefix("--")
            of_sides = [f"--{side.value}-{name}" for side in Side]
            known = {option for each in self.params for option in each.opts}
            if not known.issuperset(of_sides):
                raise
            raise click.UsageError(
                f"--{name}: of which side? Give {' or '.join(of_sides)}", ctx
            ) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; keywords of netmodel.api are the names that options are passed by."""
        try:
            return super().invoke(ctx)
        except ArgumentsError as error:
            options = {
                each.name or "": "/".join((each.opts[0], *each.secondary_opts))
                for each in self.params
                if isinstance(each, click.Option)
            }
            raise click.UsageError(_with_option(ctx, error.naming(options)), ctx) from error
        except DomainError as error:
            raise DomainError(_with_option(ctx, str(error))) from error

    def _called(self, **values: Any) -> object:
        context = click.get_current_context()
        of_output = {name: values.pop(name) for name in _OUTPUTS if name in values}
        if of_output.get("csv") and of_output.get("json"):
            raise click.UsageError("give --json or --csv, not both")
        given = {name: each for name, each in values.items() if _is_given(context, name)}
        # text that is no number is refused before numbers that do not go together
        return self._run(read_all(self.kinds, given), Output(**of_output))

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, in which no id and no option is broken."""
        return super().get_help(ctx).replace(_NO_BREAK, "-")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Options of which most users need some, and the names of the others."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        records = {each: record for each in options if (record := each.get_help_record(ctx))}
        others = [each for each in records if not {each.name, *each.opts} & self._first]
        if ctx.meta.get(_ALL, False):
            others = []
        with formatter.section("Options"):
            shown = [record for each, record in records.items() if each not in others]
            if others:  # what stands behind a semicolon is for those who ask for all
                shown = [(name, re.sub(r";[^\[]*", ".", text)) for name, text in shown]
            # ids stay whole where lines end
            whole = [(name, text.replace("-", _NO_BREAK)) for name, text in shown]
            formatter.write_dl(whole, col_max=_WIDTH)
        if others:
            names = (each.opts[-1].replace("-", _NO_BREAK) for each in others)
            with formatter.section("With --help-all"):
                lines = click.formatting.wrap_text(", ".join(names), formatter.width - 4)
                for line in lines.splitlines():
                    formatter.write(f"  {line}\n")


def given_command() -> str:
    """The command that runs, with its arguments as given, for a shell."""
    ctx = click.get_current_context()
    directories = ctx.find_root().params.get("directories", ())
    own_data = [part for each in directories for part in ("--own-data", each)]
    return shlex.join(["netmodel", *own_data, ctx.info_name or "", *ctx.meta[_ARGUMENTS]])


def _with_option(ctx: click.Context, problem: str) -> str:
    """A problem that begins with the name of a number, by the option that gave the number."""
    name, _, rest = problem.partition(" ")
    asked, got = _OTHER_NAMES.get(name, name), rest.partition("; got ")[2]
    assert isinstance(ctx.command, DerivedCommand)
    for each in ctx.command.params:
        if each.name != asked or ctx.get_parameter_source(asked) is not ParameterSource.COMMANDLINE:
            continue
        # a file, or a part of another option, may have a number of the same name
        given = read_all(ctx.command.kinds, {asked: ctx.params[asked]})[asked]
        numbers = given if isinstance(given, list) else [given]
        if not got or got in {
            text
            for value in numbers
            for text in (f"{value:.15g}" if isinstance(value, float) else "", str(value))
        }:
            return f"{each.opts[0]} {rest}"
    return problem


def answering(
    question: Callable[..., Any],
    text: Callable[[Any, bool], Iterable[str]],
    *,
    data: Callable[[Any], Any] = lambda answer: answer,
    exit_code: Callable[[Any], int] = lambda answer: 0,
    outputs: Sequence[str] = ("json",),
    **settings: Any,
) -> DerivedCommand:
    """
    Return the command that asks a question and prints its answer.

    Parameters
    ----------
    question : callable
        As of `DerivedCommand`; its docstring is the help, and positional-only parameters are
        arguments.
    text : callable
        Blocks of text, of the answer and of whether all details are wanted.
    data : callable
        What JSON and CSV have of the answer.
    exit_code : callable
        Exit code of the answer.
    """

    def run(given: Given, output: Output) -> None:
        parameters = inspect.signature(question).parameters.items()
        first = [name for name, each in parameters if each.kind is each.POSITIONAL_ONLY]
        named = {name: each for name, each in given.items() if name not in first}
        answer = question(*(given[name] for name in first if name in given), **named)
        if output.json:
            print_json(data(answer))
        elif output.csv:
            rows = data(answer)
            print_csv(list(rows[0]) if rows else (), rows)
        else:
            print_blocks(text(answer, output.verbose))
        click.get_current_context().exit(exit_code(answer))

    run.__doc__ = question.__doc__
    return DerivedCommand(question, run, outputs=outputs, **settings)


_NO_BREAK = "\N{NON-BREAKING HYPHEN}"
"""Keeps the names of options whole where lines end."""
_ALL = f"{__name__}.all"
"""Key of the context for help with all options."""


def _print_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Print the help with all options, and end."""
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _is_given(context: click.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def options_of(question: Callable[..., object]) -> list[click.Parameter]:
    """Return options of what a command is asked beside its question."""
    return list(_parameters_of(question, _texts_of(question)))


def _parameters_of(
    question: Callable[..., object], texts: Mapping[str, str]
) -> Iterator[click.Parameter]:
    """An argument for each positional-only parameter of a question, an option for each other."""
    for name, parameter in inspect.signature(question).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            (declared,) = parameter.annotation.__metadata__
            for each, of in inspect.signature(declared).parameters.items():
                yield from _option(each, of.annotation, None, texts.get(each, ""))
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            yield _argument(name, parameter.annotation, parameter.default)
        elif name in texts:
            yield from _option(name, parameter.annotation, parameter.default, texts[name])


def _argument(name: str, annotation: Any, default: object) -> click.Argument:
    kind: Kind = annotation.__metadata__[0]
    known, metavar = _NAMED.get(kind.name, (ValueText(kind.name), None))
    is_required = default is inspect.Parameter.empty
    shown = metavar or kind.name.upper()
    metavar = f"{shown if is_required else f'[{shown}]'}{'...' if kind.repeats else ''}"
    nargs = -1 if kind.repeats else 1
    return click.Argument([name], type=known, required=is_required, nargs=nargs, metavar=metavar)


def _option(name: str, annotation: Any, default: object, text: str) -> Iterator[click.Option]:
    """The option of an argument; none of objects that no text stands for."""
    option = _option_name(name)
    parts = (annotation, *get_args(annotation))
    kind = next((k for part in parts for k in getattr(part, "__metadata__", ())), None)
    choices = next((get_args(part) for part in parts if get_origin(part) is Literal), ())
    more: dict[str, Any] = {"help": text, "required": default is inspect.Parameter.empty}
    if isinstance(kind, Kind):
        names = (kind.option or "").split()
        option = " ".join("-" * min(len(each), 2) + each for each in names) or option
        known, metavar = _NAMED.get(kind.name, (ValueText(kind.name), None))
        more |= {"type": known, "metavar": metavar, "multiple": kind.repeats}
    elif choices:
        more["type"] = Choice(choices)
    elif annotation is bool:
        more["is_flag"] = True
    elif bool in parts:
        option, more["default"] = f"{option}/--no-{option[2:]}", None
    else:
        return
    yield click.Option([*option.split(), name], **more)


_ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: : .*)?\n((?:[ ]{4}.*\n?|\n)+)", flags=re.MULTILINE)
_UNIT = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z`])")


def _texts_of(question: Callable[..., object]) -> dict[str, str]:
    """The help of each argument: the first sentence that the docstring has of it."""
    docstring = inspect.getdoc(question) or ""
    section = docstring.partition("Parameters\n----------\n")[2].partition("\n\nReturns\n")[0]
    entries = [(names.split(", "), text) for names, text in _ENTRY.findall(f"{section}\n")]
    known = {name for names, _ in entries for name in names}
    return {name: _help(text, known) for names, text in entries for name in names}


def _own(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts that do not refer to another question."""
    return {name: text for name, text in texts.items() if not text.startswith("As in ")}


def _help(text: str, known: Collection[str]) -> str:
    """The first sentence, with options in place of arguments."""
    sentence = _SENTENCE.split(" ".join(_UNIT.sub("", text).split()))[0]
    plain = sentence.replace('``"', "").replace('"``', "").replace("``", "")
    return re.sub(
        r"`(\w+)`", lambda name: _option_name(name[1]) if name[1] in known else name[1], plain
    )


def _option_name(argument: str) -> str:
    return f"--{_UNITS.sub('', argument.rstrip('_')).replace('_', '-')}"
