"""InterpretML's explainable boosting machine: step functions of columns, and of pairs."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, List, Optional, Sequence, Set, Tuple

from . import ModelNotReadable
from .core import Copy, Steps, Tree, Trees
from .features import coded, counted, number, stepped
from .inputs import Column, Input

# The largest number of nodes that a term of several columns may need.
_MAX_NODES = 1 << 20


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    library = _library(estimator)
    names = [str(n) for n in estimator.feature_names_in_]
    found = {c.name: c for c in columns}
    if not all(n in found for n in names):  # a model of an array has names of its own
        counted(library, len(names), columns)
        found = dict(zip(names, columns))
    fed = [found[n] for n in names]
    copy = _copy(estimator, library, {i for i, c in enumerate(fed) if c.missing})
    inputs: List[Input] = []
    for column, bins in zip(fed, estimator.bins_):
        if isinstance(bins[0], dict):
            # The bin of each category; the last one is for others.
            by_bin = {v: k for k, v in bins[0].items()}
            last = max(by_bin)
            inputs.append(coded(library, column, [by_bin.get(i) for i in range(last + 1)], unknown=last + 1.0))
        else:
            inputs.append(number(library, column))
    return replace(copy, inputs=inputs)


def model(estimator: Any) -> Copy:
    """Read the model proper: a copy without inputs. Its inputs are numbers."""
    library = _library(estimator)
    if any(isinstance(bins[0], dict) for bins in estimator.bins_):
        raise ModelNotReadable(f"{library}: categories behind another step are not read: give the model the frame itself")
    return _copy(estimator, library, set(range(len(estimator.bins_))))


def _library(estimator: Any) -> str:
    import interpret

    library, kind = f"interpret {interpret.__version__}", type(estimator).__name__
    if kind not in ("ExplainableBoostingClassifier", "DPExplainableBoostingClassifier"):
        raise ModelNotReadable(f"{library}: {kind} is not read: want an ExplainableBoostingClassifier")
    if not hasattr(estimator, "term_scores_"):
        raise ModelNotReadable(f"{kind} is not fitted: call fit first")
    if len(estimator.classes_) != 2:
        raise ModelNotReadable(f"{library}: the model has {len(estimator.classes_)} classes: train one class against the rest")
    if estimator.link_ != "logit":
        raise ModelNotReadable(f"{library}: the link {estimator.link_} is not read: train with objective=\"log_loss\"")
    return library


def _copy(estimator: Any, library: str, missing: Set[int]) -> Copy:
    trees: List[Tree] = []
    steps: List[Steps] = []
    for name, features, table in zip(estimator.term_names_, estimator.term_features_, estimator.term_scores_):
        axes = []
        for feature in features:
            levels = estimator.bins_[feature]
            bins = levels[min(len(features), len(levels)) - 1]
            if isinstance(bins, dict):
                borders = [i + 0.5 for i in range(1, max(bins.values()) + 1)]
            else:
                borders = [float(b) for b in bins]
            axes.append((feature, borders, feature in missing))
        if len(features) == 1:
            steps.append(stepped(features[0], axes[0][1], table[1:len(axes[0][1]) + 2], table[0]))
            continue
        grown = _Term(axes).tree(table)
        if grown is None:
            raise ModelNotReadable(f"{library}: the term {name} has {table.size} bins, too many: "
                                   "train with a smaller max_interaction_bins, or interactions=0")
        trees.append(grown)
    return Copy(
        Trees(len(estimator.bins_), "logit", float(estimator.intercept_[0]), trees, steps, below=True), (), library,
        positive=estimator.classes_[1])


class _Term:
    """A term of several columns as a tree: it compares one column after another."""

    def __init__(self, axes: Sequence[Tuple[int, Sequence[float], bool]]) -> None:
        self._axes = axes
        self._lists: Tuple[List[Any], ...] = ([], [], [], [], [], [])

    def tree(self, table: Any) -> Optional[Tree]:
        """The tree; None if it is too large."""
        self._column(0, table)
        return Tree(*self._lists) if len(self._lists[0]) <= _MAX_NODES else None

    def _column(self, depth: int, table: Any) -> int:
        if depth == len(self._axes) or table.min() == table.max():
            return self._add(-1, 0.0, float(table.flat[0]) if depth < len(self._axes) else float(table))
        feature, borders, missing = self._axes[depth]
        parts: List[Tuple[float, Any]] = []
        for i, border in enumerate([-sys.float_info.max, *borders]):
            if not parts or (table[i + 1] != parts[-1][1]).any():
                parts.append((border, table[i + 1]))

        def between(low: int, high: int) -> int:
            if high - low == 1:
                return self._column(depth + 1, parts[low][1])
            middle = (low + high) // 2
            return self._node(feature, parts[middle][0], 0, lambda: between(low, middle), lambda: between(middle, high))

        if missing:  # no number is below the smallest
            return self._node(feature, -sys.float_info.max, 1, lambda: self._column(depth + 1, table[0]), lambda: between(0, len(parts)))
        return between(0, len(parts))

    def _node(self, feature: int, border: float, missing: int, left: Any, right: Any) -> int:
        at = self._add(feature, border, 0.0, missing)
        if at < _MAX_NODES:
            self._lists[2][at], self._lists[3][at] = left(), right()
        return at

    def _add(self, feature: int, border: float, value: float, missing: int = 0) -> int:
        for entry, column in zip((feature, border, -1, -1, value, missing), self._lists):
            column.append(entry)
        return len(self._lists[0]) - 1
