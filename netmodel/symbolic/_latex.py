"""LaTeX of formulas, with the symbols of the field."""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from netmodel.symbolic._expressions import expressions_of
from netmodel.symbolic._formulas import Function
from netmodel.symbolic._sympy import sympy

if TYPE_CHECKING:
    from sympy import Expr
    from sympy.printing.latex import LatexPrinter

_SYMBOLS: Mapping[str, str] = {
    "mtu_bytes": r"\mathrm{MTU}",
    "rdma_mtu_bytes": r"\mathrm{MTU}_\mathrm{RDMA}",
    "link_mtu_bytes": r"\mathrm{MTU}_\mathrm{link}",
    "line_rate_bps": r"R_\mathrm{line}",
    "payload_rate_bps": r"X",
    "path_rate_bps": r"R_\mathrm{path}",
    "payload_bytes": "D",
    "wire_bytes": "W",
    "frame_bytes": "F",
    "packet_bytes": "L",
    "header_bytes": "H",
    "link_header_bytes": r"H_\mathrm{link}",
    "ip_header_bytes": r"H_\mathrm{IP}",
    "overhead_bytes": "O",
    "message_bytes": "n",
    "segment_bytes": r"\mathrm{MSS}",
    "window_bytes": "w",
    "round_trip_s": r"\mathrm{RTT}",
    "timeout_s": r"\mathrm{RTO}",
    "retransmission_timeout_s": r"\mathrm{RTO}",
    "loss_event_ratio": "p",
    "loss_ratio": r"p_\mathrm{loss}",
    "bit_error_ratio": r"\mathrm{BER}",
    "bandwidth_delay_product_bytes": r"\mathrm{BDP}",
    "efficiency_ratio": r"\eta",
    "utilisation_ratio": r"\rho",
    "offered_load_erlang": "a",
    "arrival_rate_tps": r"\lambda",
    "transaction_rate_tps": "x",
    "transaction_time_s": "T",
    "think_time_s": "Z",
    "service_time_s": "s",
    "connection_count": "N",
    "flow_count": r"N_\mathrm{flow}",
    "parallel_count": "m",
    "consumption_us_per_gbit": "c",
    "contention_ratio": r"\sigma",
    "coherency_ratio": r"\kappa",
    "distance_m": "d",
    "group_index": r"n_\mathrm{g}",
    "frame_rate_fps": "f",
    "cpu_frequency_hz": r"f_\mathrm{CPU}",
    "frame_rate_of_payload_fps": r"f_\mathrm{payload}",
    "frame_time_of_rate_s": r"t_\mathrm{frame}",
    "data_ratio_at_fixed_concurrency": r"r_\mathrm{data}",
    "route_factor": r"k_\mathrm{route}",
    "consumption": r"c_\mathrm{unit}",
    "to_us_per_gbit": "c",
    "from_us_per_gbit": r"c_\mathrm{unit}",
    "low": r"\mathrm{low}",
    "high": r"\mathrm{high}",
}
"""Symbols that the RFCs and queueing theory use."""
_LETTERS: Mapping[str, str] = {
    "rate_bps": "R",
    "rate_tps": "x",
    "rate_fps": "f",
    "capacity_bps": "C",
    "bps": "R",
    "bytes": "B",
    "bits": "b",
    "hz": "f",
    "variation_ratio": "c",
    "ratio": "r",
    "time_s": "t",
    "s": "t",
    "count": "N",
    "us_per_gbit": "c",
    "tps": "x",
    "m": "d",
}
"""Letter of a quantity, by the last words of its name; the other words are its index."""
_SHORT: Mapping[str, str] = {
    "transaction": "tr",
    "interrupt": "irq",
    "message": "msg",
    "segment": "seg",
    "utilisation": "util",
    "maximum": "max",
    "baseline": "base",
    "congestion": "cong",
    "receive": "recv",
    "protocol": "prot",
    "management": "mgmt",
}
_UNITS = frozenset({"s", "count"})
_LONGEST_DENOMINATOR = 10**6
"""Of a fraction that is printed as one; the others are computed constants."""
_PRINTED_DIGITS = 6
"""Of such a constant."""
_ZEROS = re.compile(r"(?<![\d.])(\d*?)(0{6,})(?![\d.])")


def symbol_of(name: str) -> str:
    """LaTeX of a quantity by its name."""
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    part = re.fullmatch(r"y_(\d+)", name)
    if part:
        return f"y_{{{part.group(1)}}}"
    words = name.split("_")
    if "per" in words and words[-1] != "gbit":
        words = words[words[0] == "time" : -1 if words[-1] in _UNITS else None]
        letter, words = ("t", words) if name.endswith("_s") else ("k", words)
        return _with_index(letter, words)
    ends = (place for place in range(len(words)) if "_".join(words[place:]) in _LETTERS)
    place = next(ends, len(words))
    letter = _LETTERS.get("_".join(words[place:]), "q")
    return _with_index(letter, words[:place])


def _with_index(letter: str, index: list[str]) -> str:
    short = r"\,".join(_SHORT.get(each, each) for each in index)
    return rf"{letter}_\mathrm{{{short}}}" if short else letter


@cache
def _printer() -> "type[LatexPrinter]":
    from sympy.printing.latex import LatexPrinter

    class Printer(LatexPrinter):  # type: ignore[misc]
        """Sums begin with what is added, and long numbers are powers of ten or decimals."""

        def _as_ordered_terms(self, expr: Any, order: Any = None) -> Any:
            terms = super()._as_ordered_terms(expr, order)
            return sorted(terms, key=lambda each: bool(each.could_extract_minus_sign()))

        def _print_Rational(self, expr: Any) -> str:  # noqa: N802 - a hook of SymPy
            if expr.q > _LONGEST_DENOMINATOR:
                return str(sympy.Float(expr, _PRINTED_DIGITS))
            return str(super()._print_Rational(expr))

        def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802 - a hook too
            return symbol_of(expr.name)

    return Printer


def latex_of(expr: "Expr") -> str:
    """LaTeX of an expression of named quantities."""
    text = _printer()({"fold_short_frac": False}).doprint(_with_decimals(expr))
    return _ZEROS.sub(_power_of_ten, text)


def _with_decimals(expr: "Expr") -> "Expr":
    """Computed constants as decimals, so that they do not print as fractions of long numbers."""
    long = {
        each: sympy.Float(each, _PRINTED_DIGITS)
        for each in expr.atoms(sympy.Rational)
        if min(each.q, abs(each.p)) > _LONGEST_DENOMINATOR
        or (each.q > _LONGEST_DENOMINATOR and sympy.factorint(each.q, limit=10).keys() - {2, 5})
    }
    return expr.xreplace(long) if long else expr


def _power_of_ten(match: re.Match[str]) -> str:
    digits, zeros = match.groups()
    power = (
        f"10^{{{len(zeros)}}}" if digits in ("", "1") else rf"{digits} \cdot 10^{{{len(zeros)}}}"
    )
    return power if digits else match.group(0)


def latex(formula: "Function | str", **fixed: object) -> "str | dict[str, str]":
    r"""
    LaTeX of a formula, with the symbols of the field.

    Parameters
    ----------
    formula : callable or str
        As in :func:`~netmodel.symbolic.expression`.
    **fixed : object
        Arguments that are no symbols.

    Returns
    -------
    latex : str or dict of str to str
        Result, equals sign and expression. Several by name where the formula
        returns several quantities.

    Raises
    ------
    DomainError
        If the formula has no symbolic form, or a fixed number is outside its domain.
    UnknownFormulaError
        If no formula has this name.
    ContradictionError
        If the formula has no such argument.

    References
    ----------
    A. Meurer et al., "SymPy: symbolic computing in Python", PeerJ Computer
    Science 3 (2017), e103.

    Examples
    --------
    >>> from netmodel.symbolic import latex
    >>> print(latex("ceilings.wire_time_s"))
    t_\mathrm{wire} = \frac{8 W}{R_\mathrm{line}}
    """
    made = expressions_of(formula, fixed)
    texts = {
        name: f"{symbol_of(name)} = {latex_of(each)}" for name, each in made.with_known().items()
    }
    return next(iter(texts.values())) if made.record.is_single else texts
