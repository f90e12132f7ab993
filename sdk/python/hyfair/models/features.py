"""Columns as the features of a library that is given a frame itself, without steps."""

from __future__ import annotations

from typing import Any, Callable, List, Sequence

from . import ModelNotReadable
from .core import Steps, Tree
from .inputs import Column, Input, Scale, Table, listed


def matched(library: str, names: Sequence[str], columns: Sequence[Column]) -> None:
    """Hold the columns against the names of the features that a model was fitted to, if it has any."""
    got = [c.name for c in columns]
    if names and list(names) != got:
        raise ModelNotReadable(
            f"{library} was fitted to the columns {listed(names)} and the frame has {listed(got)}: "
            "give those columns in that order, X[[…]]")


def counted(library: str, inputs: int, columns: Sequence[Column]) -> None:
    """Hold the columns against the number of features that a model was fitted to."""
    if inputs != len(columns):
        raise ModelNotReadable(
            f"{library} was fitted to {inputs} columns and the frame has {len(columns)}: "
            "give those columns in that order, X[[…]]")


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


class Growing:
    """A tree that is written node by node, a parent before its children."""

    def __init__(self) -> None:
        self._input: List[int] = []
        self._border: List[float] = []
        self._left: List[int] = []
        self._right: List[int] = []
        self._value: List[float] = []
        self._missing: List[int] = []
        self._among: List[Sequence[float]] = []

    def __len__(self) -> int:
        return len(self._input)

    def leaf(self, value: float) -> int:
        """Write a leaf, and return its position."""
        return self._write(-1, 0.0, value, 0, ())

    def node(self, input: int, border: float, left: Callable[[], int], right: Callable[[], int], missing: int = 0,
             among: Sequence[float] = ()) -> int:
        """Write a comparison and, by the functions, its children; return its position."""
        at = self._write(input, border, 0.0, missing, among)
        self._left[at] = left()
        self._right[at] = right()
        return at

    def _write(self, input: int, border: float, value: float, missing: int, among: Sequence[float]) -> int:
        self._input.append(input)
        self._border.append(border)
        self._left.append(-1)
        self._right.append(-1)
        self._value.append(value)
        self._missing.append(missing)
        self._among.append(among)
        return len(self._input) - 1

    def tree(self, weight: float = 1.0) -> Tree:
        return Tree(self._input, self._border, self._left, self._right, self._value, self._missing, self._among, weight)


def stepped(input: int, borders: Sequence[float], values: Sequence[Any], missing: Any) -> Steps:
    """A step function in which bins of one value are merged."""
    kept: List[float] = []
    merged = [float(values[0])]
    for border, value in zip(borders, values[1:]):
        if value != merged[-1]:
            kept.append(border)
            merged.append(float(value))
    return Steps(input, kept, merged, float(missing))
