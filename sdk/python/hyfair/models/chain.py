"""A chain of affine maps and ReLUs, from which PyTorch's and Keras's layers become a network.

Scales and shifts of units become part of the next dense layer, or of the one before if no
ReLU lies between. A weight is then one product, rounded once; a shift is summed in NumPy's
longdouble.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List, Sequence, Tuple

import numpy as np

from . import ModelNotReadable
from .core import Copy, Layer, Network
from .features import counted, number
from .inputs import Column


class Chain:
    """The layers so far, and an affine map of their outputs that is yet to be folded: a
    matrix with at most one number in each column, and a shift."""

    def __init__(self) -> None:
        self._layers: List[Tuple[Any, Any, bool]] = []
        self._map: Any = None
        self._folded = False

    def dense(self, weights: Any, bias: Any) -> None:
        """``weights`` has a row for each unit; ``bias`` may be None."""
        weights = np.asarray(weights, np.float64)
        bias = np.zeros(len(weights)) if bias is None else np.asarray(bias, np.float64)
        if self._map is not None:
            matrix, shift = self._map
            bias = _sum(weights, shift, bias)
            weights, self._map, self._folded = weights @ matrix, None, True
        self._layers.append((weights, bias, False))

    def scale(self, scale: Any, shift: Any) -> None:
        """Multiply each output by its scale and add its shift."""
        scale, shift = np.asarray(scale, np.float64), np.asarray(shift, np.float64)
        if self._map is not None:
            matrix, before = self._map
            self._map = scale[:, None] * matrix, scale * before + shift
        elif self._layers and not self._layers[-1][2]:
            weights, bias, _ = self._layers[-1]
            self._layers[-1], self._folded = (scale[:, None] * weights, _sum(np.diag(scale), bias, shift), False), True
        else:
            self._map = np.diag(scale), shift

    def relu(self, slope: float = 0.0, inputs: int = 0) -> None:
        """A ReLU, leaky with a slope; ``inputs`` is their number if no layer came before."""
        self._settle()
        if not self._layers:
            self.dense(np.eye(inputs), None)
        elif self._layers[-1][2]:  # nothing is below 0
            return
        weights, bias, _ = self._layers[-1]
        if not slope:
            self._layers[-1] = weights, bias, True
            return
        self._layers[-1] = np.concatenate([weights, -weights]), np.concatenate([bias, -bias]), True
        one = np.eye(len(weights))
        self._map = np.concatenate([one, -slope * one], axis=1), np.zeros(len(weights))

    def _settle(self) -> None:
        if self._map is not None:
            (matrix, shift), self._map = self._map, None
            self.dense(matrix, shift)

    def copy(self, library: str, name: str, end: str) -> Copy:
        """The network as a copy without inputs, if its outputs give one score.

        ``end`` is sigmoid, softmax or empty. Without either the score is the sigmoid of the
        only output, or the second of the softmax of two.
        """
        self._settle()
        units = len(self._layers[-1][0]) if self._layers else 0
        if units not in (1, 2) or units != {"sigmoid": 1, "softmax": 2}.get(end, units):
            raise ModelNotReadable(f"{library}: {name} has {units} outputs{' before the ' + end if end else ''}: "
                                   "want one with a sigmoid or as a logit, or two classes")
        single = not self._folded and not any(
            (v.astype(np.float32) != v).any() for weights, bias, _ in self._layers for v in (weights, bias))
        network = Network([Layer(w.tolist(), b.tolist(), relu) for w, b, relu in self._layers], 32 if single else 64)
        what = "the sigmoid of the only output" if units == 1 else "the second of the softmax of the two outputs"
        return Copy(network, (), library, notes=() if end else (f"{name} gives no probabilities: the score is {what}",))


def fed(copy: Copy, columns: Sequence[Column]) -> Copy:
    """The copy with the columns' values as inputs."""
    counted(copy.library, copy.model.inputs, columns)
    for c in columns:
        if c.missing:
            raise ModelNotReadable(f"{copy.library}: the column {c.name} may be missing, and the network has no score then: "
                                   "fill it in X, or give a domain without missing cells")
    return replace(copy, inputs=[number(copy.library, c) for c in columns])


def score(outputs: Any, end: str) -> Any:
    """The score of each row of a network's outputs; ``end`` as of Chain.copy."""
    y = np.asarray(outputs, np.float64).reshape(len(outputs), -1)
    if not end:
        y = np.concatenate([np.zeros_like(y), y], axis=1) if y.shape[1] == 1 else y
        y = np.exp(y - y.max(axis=1, keepdims=True))
        y /= y.sum(axis=1, keepdims=True)
    return y[:, -1]


def _sum(weights: Any, values: Any, bias: Any) -> Any:
    wide = weights.astype(np.longdouble) @ values.astype(np.longdouble) + bias
    return wide.astype(np.float64)
