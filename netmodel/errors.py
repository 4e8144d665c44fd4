"""The exceptions of netmodel: one tree, so that ``except NetmodelError`` catches them all."""

from typing import Any

from netmodel.printable import printable


class NetmodelError(Exception):
    """
    Parent of every error that netmodel raises on purpose.

    Its text is printable: control characters of files and options are escaped.
    """

    def __str__(self) -> str:
        return printable(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        # not by its arguments: those of a class are not those of its message
        return type(self).__new__, (type(self), *self.args), self.__dict__


class DomainError(NetmodelError, ValueError):
    """An argument lies outside the domain of the formula: physically impossible input."""


class UnitError(NetmodelError, ValueError):
    """A text or object is no quantity of the wanted kind, or its unit is missing or ambiguous."""


class ContradictionError(NetmodelError, ValueError):
    """Two things that were given, or given and measured, cannot both be true."""


class CalibrationError(NetmodelError, RuntimeError):
    """Observations do not determine the result: too few, all censored, or in no agreement."""


class MissingPartError(NetmodelError, ImportError):
    """The installation lacks data that netmodel carries, or a library that an extra brings."""


class UnknownRecordError(NetmodelError, LookupError):
    """No record has this id, or no formula this name."""


class NotJudgeableError(ContradictionError):
    """Too little is known of the line or of the run."""


class AmbiguousValueError(NetmodelError, ValueError):
    """A record gives less than the one number that is wanted, or several have this id."""


class ParseError(NetmodelError, ValueError):
    """
    A file is not what its reader reads.

    Parameters
    ----------
    source : str
        File, or what stands for it in messages.
    problem : str
        What is wrong, with the key or line where there is one.
    """

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{source}: {problem}")
        self.source = source
        self.problem = printable(problem)


class UnknownFormatError(ParseError):
    """
    A file is of no format that its reader knows: not a result at all, rather than a broken one.

    Parameters
    ----------
    source : str
        File, or what stands for it in messages.
    problem : str
        What is wrong.
    kind : str
        What the file is instead, in a word or two.
    """

    def __init__(self, source: str, problem: str, kind: str) -> None:
        super().__init__(source, problem)
        self.kind = kind
