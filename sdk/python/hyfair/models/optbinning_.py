"""optbinning's scorecards: logistic regressions on binned columns, each a step function."""

from __future__ import annotations

import math
from typing import Any, List, Sequence

from . import ModelNotReadable
from .core import Copy, Steps, Trees
from .features import stepped
from .inputs import Column, Input, Scale, Table


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    if type(estimator).__name__ != "Scorecard":
        raise ModelNotReadable(f"optbinning: {type(estimator).__name__} gives no score: want a Scorecard, or a Pipeline of a "
                               "BinningProcess and a LogisticRegression")
    if estimator.binning_process_ is None or estimator.estimator_ is None:
        raise ModelNotReadable("Scorecard is not fitted: call fit first")
    # What fit was told of special and missing values; the library keeps it here only.
    more = {key: getattr(estimator, "_" + key, 0) for key in ("metric_special", "metric_missing")}
    return binned(estimator.binning_process_, estimator.estimator_, columns, **more)


def binned(process: Any, last: Any, columns: Sequence[Column], **more: Any) -> Copy:
    """Read a logistic regression on what a fitted BinningProcess makes of the columns.

    The process itself is run on the values of each column, or on one value of each bin.
    """
    import numpy as np
    import optbinning
    import pandas

    library = f"optbinning {optbinning.__version__}"
    if not hasattr(last, "coef_") or type(last).__name__ not in ("LogisticRegression", "LogisticRegressionCV"):
        raise ModelNotReadable(f"{library}: the last step {type(last).__name__} is not read: want a fitted LogisticRegression")
    if len(last.classes_) != 2:
        raise ModelNotReadable(f"{library}: the model has {len(last.classes_)} classes: train one class against the rest")
    found = {c.name: c for c in columns}
    lacking = [n for n in process.variable_names if n not in found]
    if lacking:
        raise ModelNotReadable(f"{library}: the frame lacks the column {lacking[0]}, to which the model was fitted")
    cells: List[Sequence[Any]] = []
    inputs: List[Input] = []
    borders: List[List[float]] = []
    for name in process.variable_names:
        column = found[name]
        if len(column.values):
            cells.append(list(column.values) + [None] * column.missing)
            inputs.append(Table(name, [*map(float, range(len(column.values)))] + [math.nan] * column.missing))
            borders.append([i + 0.5 for i in range(len(column.values) - 1)])
            continue
        optimal = process.get_binned_variable(name)
        if getattr(optimal, "special_codes", None):
            raise ModelNotReadable(f"{library}: the column {name} of real numbers has special codes: round it to whole numbers, or leave them out")
        if optimal.dtype != "numerical":
            raise ModelNotReadable(f"{library}: the model takes the column {name} as categories, and the frame has real numbers")
        splits = [float(s) for s in optimal.splits]
        # A bin includes its lower border.
        cells.append([(splits[0] - abs(splits[0]) - 1) if splits else 0.0, *splits] + [math.nan] * column.missing)
        inputs.append(Scale(name))
        borders.append(splits)
    rows = max(map(len, cells))
    made = {n: np.resize(np.array(c, dtype=object if any(isinstance(v, str) for v in c) else None), rows)
            for n, c in zip(process.variable_names, cells)}
    changed = np.asarray(process.transform(pandas.DataFrame(made), **more), dtype=np.float64)
    steps: List[Steps] = []
    for weight, name, values in zip(last.coef_[0], process.get_support(names=True), changed.T):
        i = list(process.variable_names).index(name)
        numbers = [float(weight) * float(v) for v in values[:len(cells[i])]]
        missing = numbers.pop() if found[name].missing else 0.0
        steps.append(stepped(i, borders[i], numbers, missing))
    return Copy(Trees(len(inputs), "logit", float(last.intercept_[0]), (), steps, below=True), inputs, library, positive=last.classes_[1])
