"""InterpretML's explainable boosting machine: step functions of columns, and of pairs."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, List, Optional, Sequence, Set, Tuple

from . import ModelNotReadable
from .core import Copy, Steps, Tree, Trees
from .features import Growing, coded, counted, number, stepped
from .inputs import Column, Input

# The largest number of nodes that a term of several columns may need.
_MAX_NODES = 1 << 20
# No number is below it.
_LEAST = -sys.float_info.max


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
        grown = _term(axes, table)
        if grown is None:
            raise ModelNotReadable(f"{library}: the term {name} has {table.size} bins, too many: "
                                   "train with a smaller max_interaction_bins, or interactions=0")
        trees.append(grown)
    return Copy(
        Trees(len(estimator.bins_), "logit", float(estimator.intercept_[0]), trees, steps, below=True), (), library,
        positive=estimator.classes_[1])


def _term(axes: Sequence[Tuple[int, Sequence[float], bool]], table: Any) -> Optional[Tree]:
    """A term of several columns as a tree, which compares one column after another; None if it
    is too large. An axis is an input, the borders of its bins, and whether it may be missing."""
    grown = Growing()

    def column(depth: int, part: Any) -> int:
        if part.min() == part.max() or len(grown) > _MAX_NODES:
            return grown.leaf(float(part.flat[0]))
        feature, borders, missing = axes[depth]
        bins: List[Tuple[float, Any]] = []
        for border, inner in zip([_LEAST, *borders], part[1:]):
            if not bins or (inner != bins[-1][1]).any():
                bins.append((border, inner))

        def between(low: int, high: int) -> int:
            if high - low == 1:
                return column(depth + 1, bins[low][1])
            middle = (low + high) // 2
            return grown.node(feature, bins[middle][0], lambda: between(low, middle), lambda: between(middle, high))

        if not missing:
            return between(0, len(bins))
        return grown.node(feature, _LEAST, lambda: column(depth + 1, part[0]), lambda: between(0, len(bins)), missing=1)

    column(0, table)
    return grown.tree() if len(grown) <= _MAX_NODES else None
