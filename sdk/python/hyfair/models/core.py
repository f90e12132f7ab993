"""Models proper, without the steps before them, and the files that hyfair reads.

docs/reference/formats.md describes the files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Optional, Protocol, Sequence, Tuple

from .inputs import Input


class Core(Protocol):
    """A model of numbered inputs."""

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        ...

    @property
    def output(self) -> Literal["score", "logit", "share"]:
        """What the study says of the model's output."""
        ...

    def reordered(self, order: Sequence[int]) -> "Core":
        """The same model whose input ``i`` is the input ``order[i]`` of this one. An input
        that ``order`` lacks is one that the model does not use."""
        ...

    def file(self) -> Tuple[str, bytes]:
        """The name and the content of the model's file."""
        ...


@dataclass(frozen=True)
class Layer:
    """A dense layer: ``weights`` has a row for each unit, ``bias`` a number."""

    weights: Sequence[Sequence[float]]
    bias: Sequence[float]
    relu: bool = False


@dataclass(frozen=True)
class Network:
    """Dense layers and ReLUs whose last layer is a logit (format hyfair-network)."""

    layers: Sequence[Layer]
    precision: Literal[32, 64] = 64

    @property
    def inputs(self) -> int:
        return len(self.layers[0].weights[0])

    @property
    def output(self) -> Literal["score", "logit", "share"]:
        return "score"

    def reordered(self, order: Sequence[int]) -> "Network":
        first = self.layers[0]
        rows = [[row[i] for i in order] for row in first.weights]
        return replace(self, layers=[replace(first, weights=rows), *self.layers[1:]])

    def file(self) -> Tuple[str, bytes]:
        layers = [
            {
                "name": "output" if i == len(self.layers) - 1 else f"hidden {i + 1}",
                "inputs": len(layer.weights[0]),
                "units": len(layer.weights),
                "activation": "relu" if layer.relu else "linear",
                "weights": layer.weights,
                "bias": layer.bias,
            }
            for i, layer in enumerate(self.layers)
        ]
        return "model.json", _json({
            "format": "hyfair-network", "version": 1, "precision": self.precision,
            "head": "sigmoid" if len(self.layers[-1].weights) == 1 else "softmax", "layers": layers,
        })


@dataclass(frozen=True)
class Tree:
    """Nodes in parallel lists, the root first and children after their parents.

    A comparison sends an input up to ``border`` to ``left``, others to ``right``, and a
    missing one to the left if ``missing`` is 1; with a non-empty list in ``among``, only the
    numbers in it go left. A leaf has ``input`` -1 and adds ``weight`` times ``value``.
    """

    input: Sequence[int]
    border: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    value: Sequence[float]
    missing: Sequence[int] = ()
    among: Sequence[Sequence[float]] = ()
    weight: float = 1.0


@dataclass(frozen=True)
class Steps:
    """A step function of one input: ``values[i]`` from ``borders[i-1]`` to ``borders[i]``.

    A missing input adds ``missing``.
    """

    input: int
    borders: Sequence[float]
    values: Sequence[float]
    missing: float = 0.0


@dataclass(frozen=True)
class Trees:
    """A sum of a base, trees and step functions (format hyfair-trees).

    ``sum`` says what it is: the logit of the score, or the score itself as a share.
    ``below``: an input equal to a border goes right. ``single``: inputs are rounded to
    float32 before they are compared.
    """

    inputs: int
    sum: Literal["logit", "share"]
    base: float = 0.0
    trees: Sequence[Tree] = ()
    steps: Sequence[Steps] = ()
    below: bool = False
    single: bool = False

    @property
    def output(self) -> Literal["score", "logit", "share"]:
        return "share" if self.sum == "share" else "score"

    def reordered(self, order: Sequence[int]) -> "Trees":
        at = {old: new for new, old in enumerate(order)}
        return replace(
            self, inputs=len(order),
            trees=[replace(t, input=[i if i < 0 else at[i] for i in t.input]) for t in self.trees],
            steps=[replace(s, input=at[s.input]) for s in self.steps],
        )

    def file(self) -> Tuple[str, bytes]:
        trees = []
        for t in self.trees:
            one = {"weight": t.weight, "input": t.input, "border": t.border, "left": t.left,
                   "right": t.right, "value": t.value}
            if any(t.missing):
                one["missing"] = t.missing
            if any(t.among):
                one["among"] = t.among
            trees.append(one)
        steps = [{"input": s.input, "borders": s.borders, "values": s.values, "missing": s.missing} for s in self.steps]
        return "model.json", _json({
            "format": "hyfair-trees", "version": 1, "inputs": self.inputs, "sum": self.sum,
            "base": self.base, "at": "right" if self.below else "left",
            "rounding": "float32" if self.single else "none", "trees": trees, "steps": steps,
        })


@dataclass(frozen=True)
class Copy:
    """What a reader made of an estimator.

    ``model`` has the inputs ``inputs``, each a function of one column. ``positive`` is the
    class whose probability the score is. ``threshold``: the estimator's own predict says yes
    to scores above it, and with ``at`` to those equal to it. ``notes`` are what the reader
    took for granted, which the study shows. ``missing`` is the number that the model takes
    for a missing input, if it is not NaN.
    """

    model: Core
    inputs: Sequence[Input]
    library: str
    positive: Any = 1
    threshold: Optional[float] = None
    at: bool = False
    notes: Sequence[str] = field(default=())
    missing: Optional[float] = None


def _json(content: object) -> bytes:
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
