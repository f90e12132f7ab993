"""A space with a feature of each kind, for the tests."""

from __future__ import annotations

import math

from random import Random
from typing import List

from hyfair.plugin import Condition, Feature, Head, Input, Interval, Kind, Layer, Network, Space


def mixed() -> Space:
    """Two protected features, and constraints across all."""
    return Space(
        [
            Feature("age", Kind.INTEGER, 18, 80, protected=[20.0, 40.0, 95.0], inputs=[Input(0, 0.01)]),
            Feature("hours", Kind.INTEGER, 1, 12, inputs=[Input(1, 0.5, -1)]),
            Feature("job", Kind.CATEGORICAL, 0, 3, ["clerk", "farmer", "nurse", "teacher"], inputs=[
                Input(2, table=[3.0, 1.0, 0.0, 2.0])]),
            Feature("rate", Kind.REAL, -1.5, 2.25, inputs=[Input(3)]),
            Feature("sex", Kind.CATEGORICAL, 0, 1, ["f", "m"], [0.0, 1.0], inputs=[Input(4)]),
        ],
        5,
        [
            [Condition(1, Interval(4, 7))],
            [Condition(2, categories=[0, 3]), Condition(4, categories=[0, 1])],
            [Condition(3, Interval(0, math.inf)), Condition(4, categories=[1]), Condition(0, Interval(30, 99))],
        ])


def network(rng: Random, widths: List[int], head: Head, halves: bool = False) -> Network:
    """A network with random weights; with ``halves``, all are multiples of one half."""
    def weight() -> float:
        v = 4 * rng.random() - 2
        return round(2 * v) / 2 if halves else v

    sizes = widths + [2 if head is Head.SOFTMAX else 1]
    return Network([
        Layer(f"layer {i}", a, b, [weight() for _ in range(a * b)], [weight() for _ in range(b)], i < len(widths) - 1)
        for i, (a, b) in enumerate(zip(sizes, sizes[1:]))], head, 64)
