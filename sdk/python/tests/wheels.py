"""Holds what the readers of hyfair.models make of estimators against the estimators.

A copy is evaluated here, from its columns to its scores, on the rows of a frame and on rows
drawn from the columns' domains. wheels_cases.py lists the estimators; run as a program, this
file writes the table of outcomes.
"""

from __future__ import annotations

import json
import math
import pathlib
import re
import sys
import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from hyfair.models import ModelNotReadable, read
from hyfair.models import scores as own_scores
from hyfair.models.core import Copy, Network, Tree, Trees
from hyfair.models.inputs import Column, Scale

# The rounding of a score that a library adds up in another order.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Case:
    """``build`` gives a fitted estimator and its frame; ``refused`` is in the message that refuses it.

    ``since`` is the first version of the library that has the estimator, and ``needs`` are the
    packages to import.
    """

    library: str
    estimator: str
    steps: str
    build: Callable[[], Tuple[Any, Any]]
    refused: str = ""
    since: str = ""
    needs: Tuple[str, ...] = ("sklearn", "pandas")
    rounding: float = ROUNDING


def lacking(case: Case) -> str:
    """What the case needs and is not there; empty if all is."""
    for name in case.needs:
        if find_spec(name) is None:
            return f"no {name}"
    have = import_module(case.needs[0]).__version__
    if case.since and [int(p) for p in have.split(".")[:2]] < [int(p) for p in case.since.split(".")]:
        return f"{case.library} {have}, and it is new in {case.since}"
    return ""


@dataclass(frozen=True)
class Outcome:
    """What became of a case: the rows on which scores are equal, or the refusal. ``asked``: a study asks the estimator itself."""

    rows: int
    refusal: str = ""
    asked: bool = False

    def __str__(self) -> str:
        return f"{'asked' if self.asked else 'refused'}: {self.refusal}" if self.refusal else f"equal on {self.rows:,} rows"


def hold(case: Case, drawn: int = 2000, evaluate: Optional[Callable[[Any, Any], Any]] = None) -> Outcome:
    """Read the case's estimator, and compare scores and decisions on every row and on ``drawn``
    made-up ones. Raises AssertionError where they differ, or where a refusal is another one.

    ``evaluate`` gives the scores of a Core of another library for a matrix of inputs.
    """
    estimator, frame = case.build()
    columns = columns_of(frame)
    try:
        copy = read(estimator, columns)
    except ModelNotReadable as err:
        assert case.refused and case.refused in str(err), f"{err}\nwant {case.refused or 'a copy'!r}"
        return Outcome(0, str(err), err.asked)
    assert not case.refused, f"was read, want the refusal {case.refused!r}"
    import numpy as np

    rows = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x in frame, made_up(frame, columns, drawn):
            got = scores(copy, columns, x, evaluate)
            want = np.asarray(own_scores(estimator, x, copy.positive), dtype=float)
            wrong = np.flatnonzero(~(abs(got - want) <= case.rounding))
            assert not len(wrong), f"{len(wrong)} of {len(x)} rows differ, first {x.iloc[wrong[:1]].to_dict()}: {got[wrong[0]]!r}, want {want[wrong[0]]!r}"
            border = 0.5 if copy.threshold is None else copy.threshold
            yes = got >= border if copy.at else got > border
            if hasattr(estimator, "predict_proba"):
                decided = estimator.predict(x) == copy.positive
                wrong = np.flatnonzero((decided != yes) & (abs(got - border) > case.rounding))
                assert not len(wrong), f"{len(wrong)} of {len(x)} decisions differ"
            rows += len(x)
    assert len(set(np.round(want, 9))) > 1, "the model gives everybody the same score"
    return Outcome(rows)


def columns_of(frame: Any) -> List[Column]:
    """The columns of a frame of pandas, their domains from its cells."""
    columns = []
    for name in frame.columns:
        cells = frame[name]
        missing = bool(cells.isna().any())
        known = cells.dropna()
        absent = next((c for c in cells if c is None), math.nan)
        if cells.dtype.name == "category":
            values = [c for c in cells.cat.categories]
        elif cells.dtype.kind in "iuf":
            low, high = known.min(), known.max()
            if (known % 1 != 0).any():
                columns.append(Column(name, "real", low=low, high=high, missing=missing))
            else:
                whole = [cells.dtype.type(v) for v in range(int(low), int(high) + 1)]
                columns.append(Column(name, "integer", whole if len(whole) <= 10_000 else (), float(low), float(high), missing))
            continue
        else:
            values = sorted(set(known))
        columns.append(Column(name, "category", values, missing=missing, absent=absent))
    return columns


def made_up(frame: Any, columns: Sequence[Column], count: int) -> Any:
    """Rows drawn evenly from the columns' domains, of the frame's types."""
    import numpy as np
    import pandas as pd

    draw = np.random.default_rng(5)
    cells: Dict[str, Any] = {}
    for c in columns:
        if c.values:
            domain = [*c.values, *([c.absent] if c.missing else [])]
            cells[c.name] = [domain[i] for i in draw.integers(len(domain), size=count)]
        elif c.kind == "integer":
            cells[c.name] = draw.integers(int(c.low), int(c.high) + 1, size=count)
        else:
            cells[c.name] = np.where(c.missing & (draw.random(count) < 0.1), np.nan, draw.uniform(c.low, c.high, size=count))
    return pd.DataFrame({name: pd.Series(v, dtype=frame[name].dtype) for name, v in cells.items()})


def scores(copy: Copy, columns: Sequence[Column], frame: Any, evaluate: Optional[Callable[[Any, Any], Any]] = None) -> Any:
    """The copy's scores of a frame's rows."""
    x = inputs_of(copy, columns, frame)
    if isinstance(copy.model, Network):
        return _sigmoid(_network(copy.model, x))
    if isinstance(copy.model, Trees):
        total = _sum(copy.model, x)
        return total if copy.model.sum == "share" else _sigmoid(total)
    assert evaluate is not None, f"nothing evaluates {type(copy.model).__name__}"
    return evaluate(copy.model, x)


def inputs_of(copy: Copy, columns: Sequence[Column], frame: Any) -> Any:
    """The copy's inputs of a frame's rows; missing ones are NaN."""
    import numpy as np

    known = {c.name: c for c in columns}
    x = np.empty((len(frame), len(copy.inputs)))
    for i, one in enumerate(copy.inputs):
        cells, column = frame[one.column], known[one.column]
        if isinstance(one, Scale):
            cells = cells if one.fill is None else cells.fillna(one.fill)
            x[:, i] = one.scale * cells.to_numpy(dtype=float) + one.offset
            continue
        assert len(one.entries) == len(column.values) + column.missing, f"{one} has not an entry for each of {column}"
        entries = dict(zip(column.values, one.entries))
        x[:, i] = [one.entries[-1] if c is None or c != c else entries[c] for c in cells]
    if copy.missing is not None:
        x[x == copy.missing] = math.nan
    return x


def _sigmoid(logit: Any) -> Any:
    import numpy as np

    return np.where(logit < 0, np.exp(-abs(logit)), 1.0) / (1 + np.exp(-abs(logit)))


def _network(model: Network, x: Any) -> Any:
    import numpy as np

    for layer in model.layers:
        x = x @ np.array(layer.weights).T + np.array(layer.bias)
        if layer.relu:
            x = np.maximum(x, 0)
    return x[:, 0] if x.shape[1] == 1 else x[:, 1] - x[:, 0]


def _sum(model: Trees, x: Any) -> Any:
    import numpy as np

    # float32(x) compared with a border of double precision.
    compared = x.astype(np.float32).astype(float) if model.single else x
    total = np.full(len(x), model.base)
    for tree in model.trees:
        total += tree.weight * np.array(tree.value)[_leaves(tree, compared, model.below)]
    for step in model.steps:
        values = np.array(step.values)[np.searchsorted(step.borders, compared[:, step.input], side="right" if model.below else "left")]
        total += np.where(np.isnan(compared[:, step.input]), step.missing, values)
    return total


def _leaves(tree: Tree, x: Any, below: bool) -> Any:
    import numpy as np

    node = np.zeros(len(x), dtype=int)
    inputs, borders, left, right = (np.array(a) for a in (tree.input, tree.border, tree.left, tree.right))
    missing = np.array(tree.missing or [0] * len(inputs)) == 1
    rows = np.arange(len(x))
    while True:
        inner = inputs[node] >= 0
        if not inner.any():
            return node
        value = x[rows, np.maximum(inputs[node], 0)]
        goes = value < borders[node] if below else value <= borders[node]
        for at in {n for n in node[inner] if tree.among and tree.among[n]}:
            goes = np.where(node == at, np.isin(value, tree.among[at]), goes)
        goes = np.where(np.isnan(value), missing[node], goes)
        node = np.where(inner, np.where(goes, left[node], right[node]), node)


def frozen(case: Case, rows: int = 10) -> Optional[Dict[str, Any]]:
    """The case's file, its inputs reversed, with the inputs and the estimator's own scores of rows
    of the frame and of made-up ones. None if the case is refused."""
    if case.refused:
        return None
    estimator, frame = case.build()
    columns = columns_of(frame)
    copy = read(estimator, columns)
    order = list(reversed(range(copy.model.inputs)))
    name, content = copy.model.reordered(order).file()
    x: List[List[Optional[float]]] = []
    wanted: List[float] = []
    for some in frame[:rows], made_up(frame, columns, rows):
        for row in inputs_of(copy, columns, some):
            x.append([None if math.isnan(v) else v for v in map(float, row[order])])
        wanted += map(float, own_scores(estimator, some, copy.positive))
    return {
        "name": " ".join(filter(None, (case.library, case.estimator, case.steps))), "file": name, "content": content.decode(),
        "missing": copy.missing, "output": copy.model.output, "rounding": case.rounding, "inputs": x, "scores": wanted,
    }


def main() -> None:
    """With --frozen, print the cases' files and scores, a line each. Otherwise hold every case, and
    write the table of outcomes into the page that is named; a row that cannot be tried here stays."""
    from libs_cases import evaluate
    from wheels_cases import CASES

    warnings.simplefilter("ignore")
    if "--frozen" in sys.argv:
        for case in CASES:
            one = None if lacking(case) else frozen(case)
            if one and len(one["content"]) < 30_000:
                print(json.dumps(one, separators=(",", ":")), flush=True)
        return
    page = pathlib.Path(sys.argv[1])
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- outcomes -->\n")
    kept, mark, after = rest.partition("<!-- end of outcomes -->")
    assert mark, f"{page} has no marks of the table"
    old = {tuple(line.split(" | ")[:3]): line for line in kept.splitlines()}
    lines = ["| library | estimator | steps | outcome |", "|---|---|---|---|"]
    passed = failed = 0
    for case in CASES:
        key = f"| {case.library}", case.estimator, case.steps or "none"
        outcome: Any = f"not tried: {lacking(case)}"
        if not lacking(case):
            try:
                outcome = hold(case, evaluate=evaluate)
                passed += 1
            except AssertionError as err:
                failed, outcome = failed + 1, f"FAILED: {err}"
        elif key in old:
            lines.append(old[key])
            continue
        # A threshold depends on the data and on the library's version.
        lines.append(f"{' | '.join(key)} | {re.sub('threshold=[0-9.e-]+', 'threshold=…', str(outcome))} |")
        print(lines[-1], flush=True)
    page.write_text(f"{before}<!-- outcomes -->\n" + "\n".join(lines) + f"\n{mark}{after}", encoding="utf-8")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
