"""Columns as the features of a library that is given a frame itself, without steps."""

from __future__ import annotations

from typing import Any, List, Sequence

from . import ModelNotReadable
from .core import Steps
from .inputs import Column, Input, Scale, Table


def matched(library: str, names: Sequence[str], columns: Sequence[Column]) -> None:
    """Hold the columns against the names of the features that a model was fitted to, if it has any."""
    got = [c.name for c in columns]
    if names and list(names) != got:
        raise ModelNotReadable(
            f"{library} was fitted to the columns {_listed(names)} and the frame has {_listed(got)}: "
            "give those columns in that order, X[[…]]")


def counted(library: str, inputs: int, columns: Sequence[Column]) -> None:
    """Hold the columns against the number of features that a model was fitted to."""
    if inputs != len(columns):
        raise ModelNotReadable(
            f"{library} was fitted to {inputs} columns and the frame has {len(columns)}: "
            "give those columns in that order, X[[…]]")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(str, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def number(library: str, column: Column) -> Input:
    """The column as the library takes it if it is no column of categories: its value."""
    if column.kind != "category":
        return Scale(column.name)
    try:
        entries = [float(v) for v in column.values]
    except (TypeError, ValueError):
        raise ModelNotReadable(
            f"{library} takes the column {column.name} as a number, and it holds {column.values[0]!r}: "
            "make it numbers in X, as the model was fitted to") from None
    return Table(column.name, entries + [float("nan")] * column.missing)


def coded(library: str, column: Column, categories: Sequence[Any], unknown: float | None = None) -> Table:
    """The column as the code of each value in the categories of training. ``unknown`` is the
    code of others, None if the library refuses them."""
    codes = {c: float(i) for i, c in enumerate(categories)}
    texts = {str(c): float(i) for i, c in enumerate(categories)}
    entries: List[float] = []
    for v in column.values:
        code = codes.get(v, texts.get(str(v), unknown))
        if code is None:
            raise ModelNotReadable(
                f"{library} was fitted without the category {v!r} of the column {column.name} and refuses it: "
                f"leave it out of the domain, domains={{{column.name!r}: […]}}")
        entries.append(code)
    return Table(column.name, entries + [float("nan")] * column.missing)


def stepped(input: int, borders: Sequence[float], values: Sequence[Any], missing: Any) -> Steps:
    """A step function in which bins of one value are merged."""
    kept: List[float] = []
    merged = [float(values[0])]
    for border, value in zip(borders, values[1:]):
        if value != merged[-1]:
            kept.append(border)
            merged.append(float(value))
    return Steps(input, kept, merged, float(missing))
