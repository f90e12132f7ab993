"""The steps of scikit-learn before a model.

Which column each output of a step depends on follows from the step's class. For a column
whose domain is a list the values are those that the fitted step itself computes; for a
column of real numbers only affine steps are read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import ModelNotReadable
from .inputs import MOST_VALUES, Column, Input, Scale, Table


@dataclass(frozen=True)
class Signal:
    """An input of the next step: a function of the column with the index ``column``.

    If the column is real the function is ``scale`` times the value plus ``offset``, unless
    ``bent`` names the step that is not affine; a missing value counts as ``fill``.
    """

    column: int
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    bent: str = ""
    fill: Optional[float] = None


@dataclass(frozen=True)
class Flow:
    """What the next step is given: ``data`` in which a column's values are one after another,
    and for each of its columns the signal. ``fixed``, unless empty, are the inputs before a
    projection that has made the data of them. ``whole`` is the estimator that is read."""

    columns: Sequence[Column]
    data: Any
    signals: Sequence[Signal]
    fixed: Sequence[Input] = ()
    whole: Any = None

    @staticmethod
    def start(estimator: Any, columns: Sequence[Column]) -> "Flow":
        """The columns of the frame that the estimator was fitted with, in its order."""
        names = getattr(estimator, "feature_names_in_", None)
        if names is not None:
            known = {c.name: c for c in columns}
            lacking = [str(n) for n in names if n not in known]
            if lacking:
                raise ModelNotReadable(
                    f"the frame has no column {_listed(lacking)}, with which {type(estimator).__name__} was fitted: "
                    f"pass the frame of its fit")
            columns = [known[n] for n in names]
        else:
            want = getattr(estimator, "n_features_in_", len(columns))
            if want != len(columns):
                raise ModelNotReadable(
                    f"{type(estimator).__name__} was fitted with {want} columns, the frame has {len(columns)}: "
                    f"pass the frame of its fit")
        rows = max([_rows(c) for c in columns], default=1)
        cells = {}
        for c in columns:
            own = [*c.values, *([c.absent] if c.missing else [])] if _listed_domain(c) else [_least(c)]
            cells[c.name] = [own[i % len(own)] for i in range(rows)]
        data = _array(list(cells.values())) if names is None else _frame(cells)
        return Flow(columns, data, [Signal(i) for i in range(len(columns))], whole=estimator)

    def through(self, step: Any) -> "Flow":
        """What the fitted transformer makes of it."""
        if _nothing(step):
            return self
        if self.fixed:
            raise ModelNotReadable(
                f"{_name(step)} follows a projection, which hyfair reads just before the model only: leave it out")
        signals = _trace(step, self)
        try:
            data = step.transform(self.data)
        except ValueError as err:
            raise ModelNotReadable(
                f"{_name(step)} fails for values of the domain: {_line(err)}; narrow the columns' domains to what it knows") from err
        if data.shape[1] != len(signals):
            raise ModelNotReadable(f"{_name(step)} has {data.shape[1]} outputs, where hyfair reads {len(signals)}")
        return replace(self, data=data, signals=signals)

    def select(self, indices: Sequence[int]) -> "Flow":
        """The columns of data with these indices, as an array."""
        data = self.data.tocsc() if hasattr(self.data, "tocsc") else _numpy().asarray(self.data)
        return replace(self, data=data[:, list(indices)], signals=[self.signals[i] for i in indices])

    def column(self, index: int) -> Column:
        """The frame's column of which the input is a function."""
        return self.columns[self.signals[index].column]

    def values(self, index: int) -> Optional[List[float]]:
        """The input for each value of its column, and at last for a missing one; None for a real column."""
        column = self.column(index)
        if not _listed_domain(column):
            return None
        return _numbers(self.data, index, _rows(column), column)

    def inputs(self) -> List[Input]:
        """The inputs of a model that is given the data."""
        if self.fixed:
            return list(self.fixed)
        flow = replace(self, data=self.data.tocsc()) if hasattr(self.data, "tocsc") else self
        return [flow._input(i) for i in range(len(self.signals))]

    def _input(self, index: int) -> Input:
        signal, column = self.signals[index], self.column(index)
        entries = self.values(index)
        if entries is None:
            if signal.bent:
                raise ModelNotReadable(
                    f"{signal.bent} is not affine, and column {column.name!r} is real or has more than {MOST_VALUES:,} values: "
                    f"declare a domain of whole numbers, or scale it linearly")
            if column.missing and signal.fill is None:
                raise ModelNotReadable(
                    f"column {column.name!r} is real or has more than {MOST_VALUES:,} values and may be missing: "
                    f"put a SimpleImputer first, or declare a domain of whole numbers")
            fills = {s.fill for s in self.signals if s.column == signal.column and not s.bent}
            if len(fills) > 1:
                raise ModelNotReadable(
                    f"a missing cell of column {column.name!r} counts as {' and as '.join(str(f) for f in sorted(fills, key=str))}: "
                    f"fill it once, or declare a domain of whole numbers")
            if column.kind == "integer" and signal.fill is not None and signal.fill % 1:
                raise ModelNotReadable(
                    f"a missing cell of column {column.name!r} counts as {signal.fill}, and the column has whole numbers: "
                    f"let the SimpleImputer take the median, or fill it in the frame")
            return Scale(column.name, float(signal.scale), float(signal.offset), signal.fill)
        for cell, entry in zip([*column.values, "a missing cell"], entries):
            if math.isinf(entry):
                raise ModelNotReadable(f"the steps make {entry} of {cell} in column {column.name!r}: narrow its domain")
        return table(column, entries)

    def absent_rows(self) -> List[int]:
        """The rows of data in which a column is missing for the first time."""
        return sorted({_rows(c) - 1 for c in self.columns if c.missing and _listed_domain(c)})


def table(column: Column, entries: Sequence[float]) -> Input:
    """The input with these entries; the column's own value where they are the same."""
    if column.kind == "integer":
        own = [float(v) for v in column.values]
        if list(entries[: len(own)]) == own and (not column.missing or math.isnan(entries[-1])):
            return Scale(column.name)
    return Table(column.name, tuple(entries))


def _trace(step: Any, flow: Flow) -> List[Signal]:
    """The signals that the step makes of those that it is given."""
    signals = flow.signals
    if _nothing(step):
        return list(signals)
    name = type(step).__name__
    if name == "FrozenEstimator":
        return _trace(step.estimator, flow)
    if _root(step) not in ("sklearn", "imblearn"):
        raise ModelNotReadable(
            f"{_name(step)} is no step that hyfair reads: apply it to the frame before the model, "
            f"or write it as one of {_listed(sorted(_STEPS))}")
    if hasattr(step, "get_support"):
        return [signals[i] for i in step.get_support(indices=True)]
    trace = _STEPS.get(name)
    if trace is None:
        raise ModelNotReadable(f"{name} is no step that hyfair reads: {_WHY.get(name, 'read are ' + _listed(sorted(_STEPS)))}")
    return trace(step, flow)


# The scale and the offset of the step's output with an index, as numbers of any kind.
_Affine = Callable[[Any, int], Tuple[Any, Any]]
_Trace = Callable[[Any, Flow], List[Signal]]


def _each(affine: Optional[_Affine] = None) -> _Trace:
    """A step with one output for each input, of real columns scaled as affine says."""

    def trace(step: Any, flow: Flow) -> List[Signal]:
        return [_scaled(step, flow, i, affine) for i in range(len(flow.signals))]

    return trace


def _scaled(step: Any, flow: Flow, index: int, affine: Optional[_Affine]) -> Signal:
    signal, column = flow.signals[index], flow.column(index)
    if _listed_domain(column) or signal.bent:
        return signal
    if affine is None:
        return replace(signal, bent=type(step).__name__)
    scale, offset = (v if isinstance(v, Fraction) else Fraction(float(v)) for v in affine(step, index))
    signal = replace(signal, scale=scale * signal.scale, offset=scale * signal.offset + offset)
    if getattr(step, "clip", False):
        low, high = getattr(step, "feature_range", (-1, 1))
        ends = [signal.scale * Fraction(float(v)) + signal.offset for v in (column.low, column.high)]
        if min(ends) < low or max(ends) > high:
            return replace(signal, bent=f"{type(step).__name__} with clip=True")
    return signal


def _standard(step: Any, index: int) -> Tuple[Any, Any]:
    scale = Fraction(1) if step.scale_ is None else 1 / Fraction(float(step.scale_[index]))
    mean = step.mean_[index] if step.with_mean else 0.0
    return scale, -Fraction(float(mean)) * scale


def _robust(step: Any, index: int) -> Tuple[Any, Any]:
    scale = 1 / Fraction(float(step.scale_[index])) if step.with_scaling else Fraction(1)
    center = step.center_[index] if step.with_centering else 0.0
    return scale, -Fraction(float(center)) * scale


def _one_hot(step: Any, flow: Flow) -> List[Signal]:
    infrequent: Sequence[Any] = getattr(step, "infrequent_categories_", None) or [None] * len(flow.signals)
    counts = []
    for i, categories in enumerate(step.categories_):
        count = len(categories)
        rare = infrequent[i]
        if rare is not None:
            count -= len(rare) - 1
        if step.drop_idx_ is not None and step.drop_idx_[i] is not None:
            count -= 1
        counts.append(count)
    return _repeated(step, flow, counts)


def _repeated(step: Any, flow: Flow, counts: Sequence[int]) -> List[Signal]:
    return [_scaled(step, flow, i, None) for i, count in enumerate(counts) for _ in range(count)]


def _bins(step: Any, flow: Flow) -> List[Signal]:
    ordinal = step.encode == "ordinal"
    return _repeated(step, flow, [1 if ordinal else int(n) for n in step.n_bins_])


def _splines(step: Any, flow: Flow) -> List[Signal]:
    return _repeated(step, flow, [step.n_features_out_ // len(flow.signals)] * len(flow.signals))


def _target(step: Any, flow: Flow) -> List[Signal]:
    if step.target_type_ == "multiclass":
        raise ModelNotReadable("TargetEncoder of several classes is not read: hyfair.Study reads models of two classes")
    return _each()(step, flow)


def _imputer(step: Any, flow: Flow) -> List[Signal]:
    of_nan = isinstance(step.missing_values, float) and math.isnan(step.missing_values)
    keep = getattr(step, "keep_empty_features", False)
    out = []
    for i, fill in enumerate(step.statistics_):
        if not keep and (fill is None or fill != fill):
            continue  # No value in training: the step leaves the column out.
        signal = _scaled(step, flow, i, _same if of_nan else None)
        if flow.column(i).missing and not _listed_domain(flow.column(i)) and signal.fill is None and not signal.bent:
            whole = signal.scale == 1 and signal.offset == 0
            signal = replace(signal, fill=float(fill)) if whole else replace(signal, bent="SimpleImputer after another step")
        out.append(signal)
    return out + (_indicator(step.indicator_, flow) if step.add_indicator else [])


def _same(_step: Any, _index: int) -> Tuple[Any, Any]:
    return 1, 0


def _indicator(step: Any, flow: Flow) -> List[Signal]:
    return [_scaled(step, flow, int(i), None) for i in step.features_]


def _function(step: Any, flow: Flow) -> List[Signal]:
    np, func = _numpy(), step.func
    whole = getattr(func, "func", func)  # of a functools.partial
    if func is None or getattr(whole, "__name__", "") == "check_array" and _root(whole) == "sklearn":
        return list(flow.signals)
    if isinstance(func, np.ufunc):
        known = func.nin == 1 and func.nout == 1 and not step.kw_args
    else:
        scalars = all(isinstance(v, (int, float, str, type(None))) for v in (step.kw_args or {}).values())
        known = scalars and any(func is getattr(np, n) for n in ("nan_to_num", "round", "around", "clip", "fix"))
    if not known:
        raise ModelNotReadable(
            f"FunctionTransformer of {getattr(func, '__name__', func)} is no step that hyfair reads: only functions of numpy "
            f"or scipy of single numbers, such as log1p; apply others to the frame before the model")
    return [_scaled(step, flow, i, None) for i in range(len(flow.signals))]


def _pipeline(step: Any, flow: Flow) -> List[Signal]:
    for _, one in step.steps:
        flow = replace(flow, signals=_trace(one, flow))
    return list(flow.signals)


def _columns(step: Any, flow: Flow) -> List[Signal]:
    names = [str(n) for n in getattr(step, "feature_names_in_", [])]
    signals: List[Signal] = []
    for _, one, wanted in step.transformers_:
        places = _places(wanted, names, len(flow.signals))
        if places and not (isinstance(one, str) and one == "drop"):
            signals += _trace(one, replace(flow, signals=[flow.signals[i] for i in places]))
    return signals


def _places(wanted: Any, names: List[str], count: int) -> List[int]:
    """The indices of the columns that a ColumnTransformer names in one of its ways."""

    def place(one: Any) -> int:
        return names.index(one) if isinstance(one, str) else range(count)[int(one)]

    if isinstance(wanted, slice):
        if isinstance(wanted.start, str) or isinstance(wanted.stop, str):
            first = 0 if wanted.start is None else place(wanted.start)
            last = count if wanted.stop is None else place(wanted.stop) + 1
            return list(range(count))[first:last:wanted.step]
        return list(range(count))[wanted]
    if isinstance(wanted, (str, int)):
        return [place(wanted)]
    wanted = list(wanted)
    if wanted and all(isinstance(w, (bool, _numpy().bool_)) for w in wanted):
        return [i for i, w in enumerate(wanted) if w]
    return [place(w) for w in wanted]


def _union(step: Any, flow: Flow) -> List[Signal]:
    signals: List[Signal] = []
    for name, one in step.transformer_list:
        if isinstance(one, str) and one == "drop":
            continue
        weight = Fraction(float((step.transformer_weights or {}).get(name, 1)))
        signals += [replace(s, scale=s.scale * weight, offset=s.offset * weight) for s in _trace(one, flow)]
    return signals


_STEPS: Dict[str, _Trace] = {
    "Binarizer": _each(),
    "ColumnTransformer": _columns,
    "FeatureUnion": _union,
    "FunctionTransformer": _function,
    "KBinsDiscretizer": _bins,
    "MaxAbsScaler": _each(lambda step, i: (1 / Fraction(float(step.scale_[i])), 0)),
    "MinMaxScaler": _each(lambda step, i: (step.scale_[i], step.min_[i])),
    "MissingIndicator": _indicator,
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": _each(),
    "Pipeline": _pipeline,
    "PowerTransformer": _each(),
    "QuantileTransformer": _each(),
    "RobustScaler": _each(_robust),
    "SimpleImputer": _imputer,
    "SplineTransformer": _splines,
    "StandardScaler": _each(_standard),
    "TargetEncoder": _target,
}

_MIXES = "its outputs depend on several columns at once; leave it out"
_LAST = "its outputs depend on several columns at once; leave it out, or make it the last step before a linear model or a network"
_WHY = {
    "IterativeImputer": "it fills a column from the others; use SimpleImputer",
    "KNNImputer": "it fills a column from the others; use SimpleImputer",
    "Normalizer": "it divides each row by its length; use StandardScaler",
    "PCA": _LAST, "IncrementalPCA": _LAST, "TruncatedSVD": _LAST, "KernelPCA": _MIXES, "FastICA": _MIXES, "NMF": _MIXES,
    "LinearDiscriminantAnalysis": _MIXES, "PolynomialFeatures": "it multiplies columns; leave it out",
    "Nystroem": _MIXES, "RBFSampler": _MIXES, "RandomTreesEmbedding": _MIXES, "GaussianRandomProjection": _MIXES,
    "SparseRandomProjection": _MIXES, "KernelCenterer": _MIXES, "FeatureAgglomeration": _MIXES,
}


def _nothing(step: Any) -> bool:
    return step is None or isinstance(step, str) and step == "passthrough"


def _root(thing: Any) -> str:
    return str(getattr(thing, "__module__", None) or type(thing).__module__).partition(".")[0]


def _name(step: Any) -> str:
    kind = type(step)
    return kind.__name__ if _root(kind) == "sklearn" else f"{kind.__module__}.{kind.__qualname__}"


def _line(err: Exception) -> str:
    return str(err).partition("\n")[0].rstrip(".")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _listed_domain(column: Column) -> bool:
    return 0 < len(column.values) <= MOST_VALUES


def _rows(column: Column) -> int:
    return len(column.values) + column.missing if _listed_domain(column) else 1


def _least(column: Column) -> Any:
    return int(column.low) if column.kind == "integer" else column.low


def _numpy() -> Any:
    import numpy

    return numpy


def _frame(cells: Dict[str, List[Any]]) -> Any:
    """A frame of the columns, as scikit-learn selects from by name."""
    try:
        import pandas
    except ImportError:
        import polars

        return polars.DataFrame(cells)
    return pandas.DataFrame({
        name: pandas.Series(column, dtype=object if any(c is None for c in column) else None) for name, column in cells.items()
    })


def _array(columns: List[List[Any]]) -> Any:
    np = _numpy()
    numeric = all(isinstance(v, (int, float, np.number, np.bool_)) for column in columns for v in column)
    array = np.empty((len(columns[0]) if columns else 1, len(columns)), dtype=float if numeric else object)
    for i, column in enumerate(columns):
        array[:, i] = column
    return array


def _numbers(data: Any, index: int, count: int, column: Column) -> List[float]:
    """The first cells of a column of an array, a sparse matrix or a frame, as floats."""
    if hasattr(data, "tocsc"):
        cells = data.tocsc()[:count, [index]].toarray()[:, 0].tolist()
    elif hasattr(data, "columns"):
        cells = list(data[data.columns[index]])[:count]
    else:
        cells = data[:count, index].tolist()
    try:
        return [math.nan if _absent(cell) else float(cell) for cell in cells]
    except (TypeError, ValueError):
        raise ModelNotReadable(
            f"column {column.name!r} reaches the model as text, such as {cells[0]!r}: put an encoder before the model") from None


def _absent(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or isinstance(cell, float) and math.isnan(cell)
