"""Commands derived from questions: options, their names, kinds and help from one declaration."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from netmodel.api import arguments
from netmodel.api.arguments import ArgumentsError
from netmodel.errors import DomainError, NetmodelError, ParseError, UnitError
from netmodel.reading import noting_files, reason_of
from netmodel.results import plain
from netmodel.symbolic.docstrings import documentation
from netmodel.terminal import TEXT_WIDTH, known_width, wrapped_lines
from netmodel.text import RESULT_DIGITS, listed, meant_text, names_of_arguments, printable

UNREADABLE_EXIT_CODE = 3
"""Of a file that cannot be read or is not valid; 1 is a failed gate, 2 a wrong argument."""
_ALL = f"{__name__}.all"
"""Key of the context for help with all options."""


def _print_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Print the help with all options, and end."""
    if value:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def _only(ctx: click.Context, option: click.Parameter, values: Sequence[str]) -> str | None:
    """Return the value of an option that takes one; refuse several: the last would hide others."""
    name, given = option.opts[0], [*dict.fromkeys(values)]
    if len(given) < 2:
        return given[0] if given else None
    of_command = {"predict": "give one; in Python, netmodel.sweep takes several"}
    remedy = of_command.get(ctx.command.name or "", "give one, and ask again for each other")
    if option.type.name.endswith(",..."):
        remedy = f'write {name} "{",".join(given)}"'
    raise click.UsageError(f"{name} is given more than once: {listed(given)}; {remedy}", ctx)


_FILE = click.Path(dir_okay=False, writable=True)
_FILE.name = "path"
_ONE: Any = {"multiple": True, "callback": _only}
"""Settings of an option that takes one value."""
_OUTPUTS = {
    "verbose": click.Option(["--verbose"], is_flag=True, help="Print every note and detail."),
    "plot": click.Option(["--plot"], type=_FILE, help="Also draw a .png, .svg or .pdf.", **_ONE),
    "html": click.Option(["--html"], type=_FILE, help="Also write an HTML report.", **_ONE),
    "junit": click.Option(["--junit"], type=_FILE, help="Also write JUnit XML for CI.", **_ONE),
    "help-all": click.Option(
        ["--help-all"], is_flag=True, is_eager=True, callback=_print_all, help="Show all options."
    ),
    "json": click.Option(["--json"], is_flag=True, help="Print JSON in base units."),
}
"""How any answer is printed, drawn and written."""
_FORMULA_NAMES = {"flow_count": "connections", "transaction_bytes": "payload_bytes"}
"""Names of numbers in formulas, by which errors call them, and those of arguments."""
_OF_SCENARIOS = {"growth", "horizon", "start", "peak", "mean", "objective", "cost", "cpus"}
"""Words of keys that a scenario has, and no option of `plan`."""
_NAMES = re.compile(r"^\w+|(?<=give )\w+_\w+")
"""What can be an argument in an error: its subject, and what is to be given."""


def print_json(value: object) -> None:
    """Print a value as JSON in ASCII, which any terminal shows, without DEL, which steers it."""
    import json  # which text alone needs neither of

    import orjson

    option = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATACLASS  # which plain() makes plain
    try:
        text = orjson.dumps(value, default=plain, option=option).decode()
    except TypeError:  # of a name of a file that is no text
        text = json.dumps(plain(value), indent=2)
    click.echo(re.sub(r"[^\x00-\x7e]", lambda found: json.dumps(found[0])[1:-1], text))


def print_blocks(blocks: Iterable[str]) -> None:
    """Print blocks of text with an empty line between them, as wide as the terminal."""
    text, width = printable("\n\n".join(filter(None, blocks))), known_width()
    wrap = partial(wrapped_lines, width=width or TEXT_WIDTH)
    # two columns: a table stays whole
    lines = (x if width is None and "  " in x.strip() else wrap(x) for x in text.split("\n"))
    click.echo("\n".join(lines))


def write_output(option: str, path: str, made: Any) -> None:
    """Write a text or a plot whole, or leave the file as it was; UsageError where it cannot be."""
    from netmodel.report.drawing import image_of
    from netmodel.writing import write_whole

    try:
        write_whole(path, made.encode() if isinstance(made, str) else image_of(made, path))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{option} {path}: {reason_of(error)}") from None


class Stated(NamedTuple):
    """
    An answer in a sentence, with plain values, which make JSON and a table.

    Parameters
    ----------
    sentence : str
        The decision.
    data : mapping or list
        What JSON has.
    stated : collection of str
        Names of values that the sentence makes needless in the table.
    digits : int
        Significant digits of rates and times.
    """

    sentence: str
    data: Any
    stated: Collection[str] = ()
    digits: int = RESULT_DIGITS

    def to_dict(self) -> Any:
        return plain(self.data)

    def blocks(self, is_verbose: bool) -> Iterator[str]:
        from netmodel.report.fields import answer_blocks

        return answer_blocks((self.sentence, self.to_dict()), is_verbose, self.digits, self.stated)


class Question(click.Command):
    """
    Command that asks a question and prints its answer; also a decorator of the question.

    Signature and docstring declare name, kind, default and help of each option; parameters before
    the star are arguments. They are read when the command is asked for, so that listing
    commands loads nothing more: what stands in quotes is imported then.

    What netmodel refuses becomes one line and exit code 2, or 3 of a file. Errors name options in
    place of arguments and numbers of formulas.

    Parameters
    ----------
    question : callable
        Its docstring is the help of the command.
    text : callable
        Blocks of text, of the answer and of whether all details are wanted.
    data : callable
        What JSON has of the answer.
    exit_code : callable
        Exit code of the answer; what it refuses stands below the answer.
    files : mapping of str to callable, optional
        Makes the text or the plot that an option of the output writes, of the answer.
    first : sequence of str, optional
        Arguments of which most users need some; ``--help-all`` lists the others. All by default.
    failures : tuple of type, optional
        Errors that are an answer to the question, with exit code 1.
    """

    def __init__(
        self,
        question: Callable[..., Any],
        text: Callable[[Any, bool], Iterable[str]] = Stated.blocks,
        *,
        data: Callable[[Any], Any] = plain,
        exit_code: Callable[[Any], int] = lambda answer: 0,
        files: Mapping[str, Callable[[Any], Any]] = MappingProxyType({}),
        first: Sequence[str] = (),
        failures: tuple[type[NetmodelError], ...] = (),
        **settings: Any,
    ) -> None:
        docstring = (inspect.getdoc(question) or "").partition("\n\nParameters\n---")[0]
        settings |= {"help": docstring, "callback": self._print_answer}
        super().__init__(question.__name__.rstrip("_"), **settings)
        del self.params
        self.question, self.text, self.data, self.exit_code = question, text, data, exit_code
        self.files, self.first, self.failures = files, first, failures

    @cached_property
    def params(self) -> list[click.Parameter]:  # type: ignore[override]
        """Arguments and options of the question, then those of the output."""
        self.question.__annotations__ = inspect.get_annotations(self.question, eval_str=True)
        asked = {str(each.name): each for each in _parameters_of(self.question)}
        outputs = ("verbose", *self.files, "json", *(["help-all"] if self.first else []))
        return [*map(asked.pop, self.first), *asked.values(), *(_OUTPUTS[x] for x in outputs)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what is given; an unknown option is answered with the one that is near, if any."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name, known = error.option_name, (x for each in self.params for x in each.opts)
            meant = ": no value is negative" * name[1:].isdigit() or meant_text(name, known)
            if not meant and self.name == "plan" and _OF_SCENARIOS & {*name[2:].split("-")}:
                meant = "; scenario files have it: netmodel schema scenarios lists their keys"
            raise click.UsageError(f"no option {name}{meant}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Print the answer, or raise what click prints."""
        options = {e.name or "": "/".join((e.opts[0], *e.secondary_opts)) for e in self.params}

        def option(found: re.Match[str]) -> str:
            name = _FORMULA_NAMES.get(found[0], found[0])
            return options.get(name) or options.get(name.removesuffix("_ratio"), found[0])

        problem: click.ClickException
        ctx.call_on_close(partial(names_of_arguments.reset, names_of_arguments.set(options)))
        try:
            with noting_files():
                return super().invoke(ctx)
        except ParseError as error:
            problem = click.ClickException(str(error))
            vars(problem)["exit_code"] = UNREADABLE_EXIT_CODE
        except NetmodelError as error:
            has_names = isinstance(error, DomainError | UnitError)
            text = _NAMES.sub(option, str(error)) if has_names else str(error)
            is_answer = isinstance(error, self.failures) and not isinstance(error, ArgumentsError)
            kind = click.ClickException if is_answer else click.UsageError
            problem = kind("\n- ".join((text, *getattr(error, "__notes__", ()))))
        except OSError as error:
            problem = click.UsageError(f"{error.filename or 'cannot write'}: {error.strerror}")
        raise problem

    def _print_answer(self, **given: Any) -> None:
        kinds = arguments.kinds_of(self.question)
        asked = {name: each for name, each in given.items() if each not in (None, ())}
        empty = {name: x for name, x in asked.items() if "" in arguments.listed_values(x)}
        arguments.refuse("{name}: it is empty", **empty)
        named = arguments.read_all(kinds, {name: asked[name] for name in asked if name in kinds})
        # kept until the process ends, as taking thousands of results apart takes time
        answer = self.answer = self.question(**named)
        for name, made in self.files.items():
            if given[name] is not None:
                write_output(f"--{name}", given[name], made(answer))
        if given["json"]:
            print_json(self.data(answer))
        else:
            print_blocks(self.text(answer, given["verbose"]))
        click.get_current_context().exit(self.exit_code(answer))


class _Option(click.Option):
    """An option; help shows one that few users need only with all of them."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        first = getattr(ctx.command, "first", ()) or [self.name]
        return super().get_help_record(ctx) if self.name in first or _ALL in ctx.meta else None


def _parameters_of(question: Callable[..., object]) -> Iterator[click.Parameter]:
    """Yield an argument for each parameter before the star, an option for each documented one."""
    texts, own = _texts_of(question), inspect.signature(inspect.unwrap(question)).parameters
    for name, (declared, kind) in arguments.declared(question).items():
        stem = arguments.without_unit(name).replace("_", "-")
        names = ["-" * min(len(each), 2) + each for each in (kind.option or stem).split()]
        is_required = name in own and declared.default is declared.empty
        more: dict[str, Any] = {"required": is_required, "type": click.types.StringParamType()}
        more["type"].name = kind.name
        if kind.name == "flag":
            names = [f"--{stem}" if declared.annotation is bool else f"--{stem}/--no-{stem}"]
            more |= {"is_flag": True, "default": None, "type": None}
        elif kind.choices:
            more["type"] = click.Choice(kind.choices, case_sensitive=False)
        elif kind.name == "output":
            more["type"] = _FILE
        if name in own and declared.kind is declared.POSITIONAL_OR_KEYWORD:
            shown = (name if kind.choices else kind.name).upper()
            metavar = (shown if is_required else f"[{shown}]") + "..." * kind.repeats
            yield click.Argument([name], nargs=-1 if kind.repeats else 1, metavar=metavar, **more)
        elif kind.name and name in texts:
            more |= {"multiple": True} if kind.repeats else _ONE if kind.name != "flag" else {}
            yield _Option([*names, name], help=texts[name], **more)


_FIRST_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z`]).*|\s*\[[^\[\]]*\]\s*$", flags=re.DOTALL)
_MARKS = re.compile(r"``\"|\"``|``|`(\w+)`")


def _texts_of(question: Callable[..., object]) -> dict[str, str]:
    """Return the first sentence on each argument, with options in place of arguments."""
    known, texts = documentation(question).texts, dict[str, str]()
    for each in inspect.signature(inspect.unwrap(question)).parameters.values():
        if each.kind is each.VAR_KEYWORD:
            texts = _texts_of(each.annotation.__metadata__[0])

    def shown(found: re.Match[str]) -> str:
        name = found[1] or ""
        return f"--{arguments.without_unit(name).replace('_', '-')}" if name in known else name

    return texts | {x: _MARKS.sub(shown, _FIRST_SENTENCE.sub("", y)) for x, y in known.items()}
