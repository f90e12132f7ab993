"""Data frames of any kind: their columns' domains, their cells, and made-up rows like them.

narwhals reads pandas, polars, pyarrow and duckdb; numpy arrays come with the columns' names.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import narwhals as nw

from .exceptions import StudyError
from .models.inputs import MOST_VALUES, Column

MOST_WHOLE = 1 << 52
"""The largest end of a domain of whole numbers; a larger one is real."""
MOST_CATEGORIES = 10_000
"""The most categories that the program takes."""


class Frame:
    """The rows as the user gave them, and as narwhals reads them."""

    def __init__(self, native: Any, columns: Optional[Sequence[str]] = None) -> None:
        self.array, self.table = False, None
        if _is_array(native):
            native, self.array = _of_array(native, columns), True
        elif columns is not None:
            raise StudyError("columns= names the columns of a numpy array; a data frame has its own names: leave columns= out")
        names = getattr(native, "column_names", None) or getattr(native, "columns", None)
        if isinstance(names, Iterable):
            _refuse_names(list(names))
        try:
            data = nw.from_native(native)
        except TypeError:
            raise StudyError(
                f"X is a {type(native).__module__}.{type(native).__qualname__}: want a data frame of pandas, polars, "
                "pyarrow or duckdb, or a numpy array with columns=[…]") from None
        if isinstance(data, nw.LazyFrame):
            data = _collected(data)
        elif data.implementation.is_pyarrow():
            self.table, data = native[:0], _as_pandas(data)
        self.data: nw.DataFrame[Any] = data
        if not len(self.data):
            raise StudyError("X has no rows: want at least one")

    @property
    def names(self) -> List[str]:
        return self.data.columns

    def __len__(self) -> int:
        return len(self.data)

    def for_model(self, data: Optional["nw.DataFrame[Any]"] = None, names: Optional[Sequence[str]] = None) -> Any:
        """The rows as the estimator takes them: the user's kind of frame, or an array. ``names`` are its columns, by default all."""
        rows = self.data if data is None else data
        rows = rows if names is None or list(names) == rows.columns else rows.select(*names)
        return rows.to_numpy() if self.array else rows.to_native()

    def for_asking(self, rows: "nw.DataFrame[Any]", names: Sequence[str]) -> Any:
        """The rows as a callable takes them: the user's kind of frame, a table of pyarrow too, or an array."""
        made = self.for_model(rows, names)
        return made if self.table is None else self.table.from_pandas(made, schema=self.table.select(names).schema, preserve_index=False)

    def of(self, cells: Mapping[str, List[Any]]) -> "nw.DataFrame[Any]":
        """Rows of these columns, with the types of the frame's."""
        made = [_series_like(self.data.get_column(name), values) for name, values in cells.items()]
        return made[0].to_frame().with_columns(*made[1:])

    def head(self, rows: Sequence[int], data: Optional["nw.DataFrame[Any]"] = None) -> "nw.DataFrame[Any]":
        """The rows at these places."""
        return (self.data if data is None else data)[list(rows)]

    def beside(self, rows: Sequence[int], values: Mapping[str, Sequence[Any]]) -> Any:
        """The rows at these places with more columns, whose names end in ``_`` where the frame has them already."""
        shown = self.head(rows)
        made: Dict[str, nw.Series[Any]] = {}
        for name, cells in values.items():
            name = free(name, [*self.names, *made])
            made[name] = nw.new_series(name, list(cells), backend=shown.implementation)
        return shown.with_columns(*made.values()).to_native()

    def like(self, values: Mapping[str, Sequence[Any]]) -> Any:
        """A frame of the user's kind."""
        return nw.from_dict(dict(values), backend=self.data.implementation).to_native()

    def typed(self, native: Any, names: Sequence[str]) -> Any:
        """A frame whose columns with these names have the types of this one's."""
        data = nw.from_native(native, eager_only=True)
        made = [_series_like(self.data.get_column(n), data.get_column(n).to_list()) for n in data.columns if n in names]
        return data.with_columns(*made).to_native()

    def column(self, name: str, given: Any = None) -> Tuple[Column, str]:
        """The column with its domain, and how it was found. ``given`` is the user's domain."""
        series = self.data.get_column(name)
        try:
            cells = series.unique().to_list()
        except TypeError as err:
            raise StudyError(f"column {name!r} holds values that cannot be compared ({err}): want numbers, texts or booleans") from None
        present = [c for c in cells if not is_missing(c)]
        gone = [c for c in cells if is_missing(c)]
        if gone and series.dtype in (nw.Object, nw.String):
            kinds = sorted({repr(c) for c in series.to_list() if is_missing(c)})
            if len(kinds) > 1:
                raise StudyError(f"column {name!r} has missing values of two kinds, {' and '.join(kinds)}, which a model may tell apart: "
                                 "make them one, as X[…].where(X[…].notna(), None) does")
        column, how = self._column(series, given, present, bool(gone))
        if gone and type(gone[0]).__name__ == "NAType" and not (present and _kind(present[0]) == "text"):
            gone = [math.nan]  # as scikit-learn makes it
        return replace(column, absent=gone[0]) if gone else column, how

    def _column(self, series: "nw.Series[Any]", given: Any, present: List[Any], missing: bool) -> Tuple[Column, str]:
        name = series.name
        if given is not None:
            return _given(name, given, present, missing), ""
        if not present:
            raise StudyError(f"column {name!r} has no value in any row: give domains={{{name!r}: …}} or leave the column out")
        dtype = series.dtype
        ordered = _categories(series)
        if ordered is not None:
            return _category(name, ordered, missing), "its categories"
        if dtype.is_temporal():
            raise StudyError(f"column {name!r} holds dates or times: turn it into a number, such as days since a day")
        kinds = {_kind(c) for c in present} if dtype in (nw.Object, nw.Unknown) else {_kind(present[0])}
        if len(kinds) > 1 and kinds != {"integer", "real"}:
            example = {_kind(c): c for c in present}
            raise StudyError(f"column {name!r} mixes types, such as {', '.join(map(repr, example.values()))}: make it texts or numbers")
        if "boolean" in kinds:
            return _category(name, [False, True], missing), "false and true"
        if "text" in kinds:
            return _category(name, sorted(set(present)), missing), "the texts in the rows"
        if "other" in kinds:
            raise StudyError(f"column {name!r} holds {present[0]!r}, a {type(present[0]).__name__}: want numbers, texts or booleans"
                             + ("; cast the decimals to floats" if type(present[0]).__name__ == "Decimal" else ""))
        return _number(name, present, missing)

    def made_up(self, columns: Sequence[Column], count: int, seed: int) -> "nw.DataFrame[Any]":
        """Rows with the columns' values drawn uniformly and independently, others as in the
        first row. The types are those of the frame."""
        rng = random.Random(seed)
        of = {c.name: c for c in columns}
        made = []
        for name in self.names:
            series = self.data.get_column(name)
            if name not in of:
                made.append(series[[0] * count])
                continue
            made.append(_series_like(series, _drawn(of[name], count, rng)))
        return made[0].to_frame().with_columns(*made[1:])


def free(name: str, taken: Sequence[str]) -> str:
    """The name, with ``_`` at its end until no other is the same."""
    while name in taken:
        name += "_"
    return name


def _is_array(native: Any) -> bool:
    return type(native).__module__.partition(".")[0] == "numpy" or isinstance(native, (list, tuple))


def _of_array(native: Any, columns: Optional[Sequence[str]]) -> Any:
    shape = getattr(native, "shape", None)
    if shape is None or len(shape) != 2:
        raise StudyError(f"X is {type(native).__name__} without rows and columns: want a data frame, or a numpy array of two dimensions with columns=[…]")
    if columns is None:
        raise StudyError(f"X is an array of {shape[1]} columns without names: give columns=[…], one name for each")
    if len(columns) != shape[1]:
        raise StudyError(f"columns= has {len(columns)} names, but X has {shape[1]} columns: give one name for each")
    _refuse_names(list(columns))
    try:
        import pandas as library
    except ImportError:
        import polars as library  # type: ignore[import-not-found, no-redef, unused-ignore]
    return library.DataFrame({name: native[:, i] for i, name in enumerate(columns)})


def _refuse_names(names: List[Any]) -> None:
    twice = sorted({str(n) for n in names if names.count(n) > 1})
    if twice:
        raise StudyError(f"X has several columns named {', '.join(twice)}: rename or drop all but one")
    wrong = [n for n in names if not isinstance(n, str) or not n]
    if wrong:
        raise StudyError(f"X has a column named {wrong[0]!r}: want texts as names, as X.columns = X.columns.astype(str) makes them")


def _collected(data: Any) -> "nw.DataFrame[Any]":
    """The rows of a lazy frame: of polars as polars, of others as pandas, which models take."""
    if data.implementation.is_polars():
        frame: nw.DataFrame[Any] = data.collect()
        return frame
    return _as_pandas(data.collect("pyarrow"))


def _as_pandas(data: "nw.DataFrame[Any]") -> "nw.DataFrame[Any]":
    try:
        return nw.from_native(data.to_pandas(), eager_only=True)
    except ImportError:
        return data


def is_missing(cell: Any) -> bool:
    """The cell is None, NaN, or what pandas has for them."""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell


def _kind(cell: Any) -> str:
    if isinstance(cell, bool) or type(cell).__name__ in ("bool_", "bool"):
        return "boolean"
    if isinstance(cell, str):
        return "text"
    if isinstance(cell, int) or hasattr(cell, "__index__"):
        return "integer"
    return "real" if isinstance(cell, float) or hasattr(cell, "dtype") and cell.dtype.kind == "f" else "other"


def _categories(series: "nw.Series[Any]") -> Optional[List[Any]]:
    """The categories of a categorical column, in its own order."""
    if series.dtype not in (nw.Categorical, nw.Enum):
        return None
    native = series.to_native()
    if series.implementation.is_pandas_like():
        return list(native.cat.categories)
    if isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    present = set(series.to_list())
    return [c for c in series.cat.get_categories().to_list() if c in present]


def _category(name: str, values: Sequence[Any], missing: bool) -> Column:
    if len(values) > MOST_CATEGORIES:
        raise StudyError(f"column {name!r} has {len(values):,} different texts; at most {MOST_CATEGORIES:,} are possible: "
                         "drop the column, or group its values")
    return Column(name, "category", tuple(values), missing=missing)


def _number(name: str, present: Sequence[Any], missing: bool) -> Tuple[Column, str]:
    low, high = min(present), max(present)
    if math.isinf(low) or math.isinf(high):
        raise StudyError(f"column {name!r} has infinite values: replace them, or drop these rows")
    return _range(name, low, high, present, missing), "the range in the rows"


def _range(name: str, low: Any, high: Any, present: Sequence[Any], missing: bool) -> Column:
    """The numbers from low to high: whole ones, as the rows have them, if all are."""
    if max(-low, high) > MOST_WHOLE or not all(c == int(c) for c in [*present, low, high]):
        return Column(name, "real", low=float(low), high=float(high), missing=missing)
    first, last, of = int(low), int(high), type(present[0]) if present else int
    values = tuple(of(v) for v in range(first, last + 1)) if last - first < MOST_VALUES else ()
    return Column(name, "integer", values, float(first), float(last), missing)


def _given(name: str, given: Any, present: Sequence[Any], missing: bool) -> Column:
    """The user's domain: (low, high), a range, or a list of values."""
    if isinstance(given, range):
        given = (given.start, given[-1]) if given.step == 1 and len(given) else list(given)
    if isinstance(given, tuple) and len(given) == 2 and all(_kind(v) in ("integer", "real") for v in given):
        low, high = given
        numbers = all(_kind(c) in ("integer", "real") for c in present)
        if not low <= high or not numbers:
            raise StudyError(f"domains={{{name!r}: {given!r}}}: want the least and the largest number of a numeric column, or a list of values")
        wrong = [c for c in present if not low <= c <= high]
        if wrong:
            raise StudyError(f"domains={{{name!r}: {given!r}}} leaves out {wrong[0]!r}, which is in the rows: widen it, or drop these rows")
        return _range(name, low, high, present, missing)
    if not isinstance(given, (list, set, frozenset)) and not hasattr(given, "tolist"):
        raise StudyError(f"domains={{{name!r}: {given!r}}}: want (least, largest), or a list of values")
    values = sorted(given) if isinstance(given, (set, frozenset)) else list(given)
    known = set(values)
    wrong = [c for c in present if c not in known]
    if wrong:
        raise StudyError(f"domains={{{name!r}: …}} leaves out {wrong[0]!r}, which is in the rows: add it, or drop these rows")
    if len(known) < len(values):
        raise StudyError(f"domains={{{name!r}: …}} lists a value twice: list each once")
    return _category(name, [v for v in values if v is not None], missing or None in values)


def _drawn(column: Column, count: int, rng: random.Random) -> List[Any]:
    if column.values:
        values: List[Any] = list(column.values) + ([column.absent] if column.missing else [])
        return rng.choices(values, k=count)
    if column.kind == "integer":
        low, high = int(column.low), int(column.high)
        cells: List[Any] = [low + int((high - low + 1) * rng.random()) for _ in range(count)]
    else:
        cells = [column.low + (column.high - column.low) * rng.random() for _ in range(count)]
    if column.missing:
        cells = [column.absent if rng.random() < 0.1 else c for c in cells]
    return cells


def _series_like(series: "nw.Series[Any]", cells: List[Any]) -> "nw.Series[Any]":
    """A series of the same type and name."""
    if series.implementation.is_pandas_like():
        native = series.to_native()
        return nw.from_native(type(native)(cells, dtype=native.dtype, name=series.name), series_only=True)
    return nw.new_series(series.name, cells, dtype=series.dtype, backend=series.implementation)
