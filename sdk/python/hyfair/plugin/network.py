"""A trained fully connected ReLU network, and its forward pass."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import List, Sequence, Tuple

MAX_UNITS = 1 << 16
"""Bounds the width of a layer and of the input."""


class Head(enum.Enum):
    """How the outputs of the last layer become one score in [0, 1]."""

    SIGMOID = 1
    """One output unit: score = sigmoid(l0)."""
    SOFTMAX = 2
    """Two output units: score = sigmoid(l1 - l0)."""
    LINEAR = 3
    """One output unit, read as a logit."""


@dataclass
class Layer:
    """y = W x + b, followed by max(0, .) if relu is set."""

    name: str
    inputs: int
    outputs: int
    weights: Sequence[float]
    """Row-major, outputs x inputs: from input i to neuron j at j*inputs + i."""
    bias: Sequence[float]
    """One entry per neuron."""
    relu: bool

    def apply(self, values: Sequence[float]) -> List[float]:
        """The layer's outputs, in float64."""
        n, weights = self.inputs, self.weights
        out = []
        for j, total in enumerate(self.bias):
            for i in range(n):
                total += weights[j * n + i] * values[i]
            out.append(max(total, 0.0) if self.relu else total)
        return out

    def _check(self) -> None:
        if not (1 <= self.inputs <= MAX_UNITS and 1 <= self.outputs <= MAX_UNITS):
            raise ValueError(f"shape {self.outputs}x{self.inputs} is outside 1 to {MAX_UNITS}")
        if len(self.weights) != self.inputs * self.outputs:
            raise ValueError(f"{len(self.weights)} weights for shape {self.outputs}x{self.inputs}")
        if len(self.bias) != self.outputs:
            raise ValueError(f"{len(self.bias)} biases for {self.outputs} neurons")
        if not (all(map(math.isfinite, self.weights)) and all(map(math.isfinite, self.bias))):
            raise ValueError("a weight or a bias is not finite")


@dataclass
class Network:
    """A feed-forward network. Read-only."""

    layers: Sequence[Layer]
    """From the inputs to the outputs; the last one has no ReLU."""
    head: Head
    precision: int = 32
    """Width in bits in which the weights were stored, 32 or 64; the floats here hold
    every stored value exactly."""

    @property
    def inputs(self) -> int:
        """Number of network inputs."""
        return self.layers[0].inputs

    def logit(self, inputs: Sequence[float]) -> float:
        """The value before the last activation, in float64, at one input vector
        (see ``Space.inputs_of``)."""
        values: Sequence[float] = inputs
        for layer in self.layers:
            values = layer.apply(values)
        return values[1] - values[0] if self.head is Head.SOFTMAX else values[0]

    def score(self, inputs: Sequence[float]) -> float:
        """sigmoid(logit)."""
        return sigmoid(self.logit(inputs))

    def gradient(self, inputs: Sequence[float]) -> Tuple[float, List[float]]:
        """The logit at one input vector, and its slope by each input, by
        backpropagation. ``Feature.slope`` and ``Feature.promise`` convert these to
        slopes by feature. The slope of a ReLU at 0 is taken to be 0. The slope of the
        score is score * (1 - score) times the logit's. The numbers equal those of
        sdk/model/relu in Go to the last bit."""
        values: List[Sequence[float]] = [inputs]
        for layer in self.layers:
            values.append(layer.apply(values[-1]))
        last = values[-1]
        logit, back = (last[1] - last[0], [-1.0, 1.0]) if self.head is Head.SOFTMAX else (last[0], [1.0])
        for layer, out in zip(reversed(self.layers), reversed(values)):
            slopes = [0.0] * layer.inputs
            for j, b in enumerate(back):
                if b == 0 or layer.relu and out[j] <= 0:
                    continue
                row = layer.weights[j * layer.inputs:(j + 1) * layer.inputs]
                slopes = [s + w * b for s, w in zip(slopes, row)]
            back = slopes
        return logit, back

    def check(self) -> None:
        """Raises ValueError that names the first fault. Networks that a plugin gets
        have been checked."""
        if not self.layers:
            raise ValueError("network has no layers")
        if self.precision not in (32, 64):
            raise ValueError(f"network precision is {self.precision} bits; 32 and 64 are known")
        for i, layer in enumerate(self.layers):
            try:
                layer._check()
            except ValueError as e:
                raise ValueError(f"layer {i} ({layer.name}): {e}") from None
            if i > 0 and layer.inputs != self.layers[i - 1].outputs:
                raise ValueError(f"layer {i} ({layer.name}): takes {layer.inputs} inputs, "
                                 f"layer {i - 1} gives {self.layers[i - 1].outputs}")
        last = self.layers[-1]
        if last.relu:
            raise ValueError(f"layer {len(self.layers) - 1} ({last.name}): the output layer has a ReLU")
        want = 2 if self.head is Head.SOFTMAX else 1
        if last.outputs != want:
            raise ValueError(f"{last.outputs} output units with a {self.head.name.lower()}; {want} supported")


def sigmoid(t: float) -> float:
    """1 / (1 + exp(-t)), without overflow."""
    if t >= 0:
        return 1 / (1 + math.exp(-t))
    e = math.exp(t)
    return e / (1 + e)
