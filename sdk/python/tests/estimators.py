"""An estimator of a made-up library and its reader, so that tests of studies need no library of models."""

from __future__ import annotations

import math
import sys
import types
from typing import Any, Dict, List, Sequence

from hyfair import models
from hyfair.models.core import Copy, Layer, Network, Steps, Tree, Trees
from hyfair.models.inputs import Column, Scale, Table


class Linear:
    """A logistic regression of columns: a number's weight, or a weight for each category."""

    __module__ = "linear"

    def __init__(self, bias: float, classes: Sequence[Any] = ("no", "yes"), shift: float = 0.0, **weights: Any) -> None:
        self.bias, self.classes_, self.shift, self.weights = bias, list(classes), shift, weights

    def predict_proba(self, frame: Any) -> Any:
        import numpy as np

        rows = zip(*(self._terms(name, frame, i) for i, name in enumerate(self.weights)))
        ones = np.array([1 / (1 + math.exp(-self.bias - sum(row))) for row in rows]) + self.shift
        return np.stack([1 - ones, ones], axis=1)

    def _terms(self, name: str, frame: Any, i: int) -> List[float]:
        cells = frame[:, i] if type(frame).__module__ == "numpy" else frame[name].to_list()
        return [self.term(name, c) for c in cells]

    def term(self, name: str, cell: Any) -> float:
        weight = self.weights[name]
        return weight[cell] if isinstance(weight, dict) else weight * float(cell)


class Deep:
    """A network of three layers with drawn weights on 12 numbers and the sex, whose shares take long to prove."""

    __module__ = "linear"

    def __init__(self) -> None:
        import numpy as np

        rng = np.random.default_rng(7)
        self.classes_ = [0, 1]
        self.layers = [(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in ((13, 24), (24, 24), (24, 1))]

    def predict_proba(self, frame: Any) -> Any:
        import numpy as np

        x = np.column_stack([*(frame[f"x{i}"] for i in range(12)), frame["sex"] == "male"]).astype(float)
        for i, (w, b) in enumerate(self.layers):
            x = x @ w.T + b
            x = np.maximum(x, 0) if i < 2 else 1 / (1 + np.exp(-x))
        return np.column_stack([1 - x, x])


class Points:
    """A sum of shares that are multiples of 1/8, so that every order of adding gives the same."""

    __module__ = "linear"
    classes_ = ["no", "yes"]

    def predict_proba(self, frame: Any) -> Any:
        import numpy as np

        rows = zip(*(frame[c].to_list() for c in ("age", "sex", "income")))
        ones = np.array([0.125 + 0.25 * (age > 22.5) + 0.375 * (sex == "male") * (income > 3) + 0.25 * (income > 5) for age, sex, income in rows])
        return np.stack([1 - ones, ones], axis=1)


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    """Each column of values is a table of terms; a real one is scaled."""
    if isinstance(estimator, Deep):
        feeds = [Table(c.name, [float(v == "male") for v in c.values]) if c.name == "sex" else Scale(c.name) for c in columns]
        return Copy(Network([Layer(w.tolist(), b.tolist(), i < 2) for i, (w, b) in enumerate(estimator.layers)]), feeds, "linear")
    if isinstance(estimator, Points):
        both = Tree([1, -1, 2, -1, -1], [0.5, 0, 3, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, 0, 0, 0, 0.375])
        trees = Trees(3, "share", 0.125, [both], [Steps(0, [22.5], [0, 0.25]), Steps(2, [5.0], [0, 0.25])])
        return Copy(trees, [Scale("age"), Table("sex", [float(v == "male") for v in columns[1].values]), Scale("income")], "linear", "yes", 0.5)
    of: Dict[str, Column] = {c.name: c for c in columns}
    inputs: List[Any] = []
    for name, weight in estimator.weights.items():
        if of[name].values:
            gone = [estimator.term(name, None)] if of[name].missing else []
            inputs.append(Table(name, [estimator.term(name, v) for v in of[name].values] + gone))
        else:
            inputs.append(Scale(name, weight))
    return Copy(Network([Layer([[1.0] * len(inputs)], [estimator.bias])]), inputs, "linear", estimator.classes_[1], 0.5)


def install() -> None:
    """Make hyfair.models read them."""
    module: Any = types.ModuleType("hyfair.models.linear_")
    module.read = read
    sys.modules["hyfair.models.linear_"] = module
    models._READERS["linear"] = "linear_"
