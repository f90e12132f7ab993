from __future__ import annotations

from fractions import Fraction
from typing import List

import pytest

from hyfair.plugin import Feature, Head, Input, Kind, Layer, Network, draw

from people import network


def exact(n: Network, inputs: List[Fraction]) -> Fraction:
    """The logit, by definition."""
    values = inputs
    for y in n.layers:
        values = [
            sum((Fraction(y.weights[j * y.inputs + i]) * v for i, v in enumerate(values)), Fraction(b))
            for j, b in enumerate(y.bias)]
        if y.relu:
            values = [max(v, Fraction(0)) for v in values]
    return values[1] - values[0] if n.head is Head.SOFTMAX else values[0]


@pytest.mark.parametrize("head", [Head.SIGMOID, Head.SOFTMAX])
def test_gradient_is_that_of_exact_quotients(head):
    """With dyadic weights slopes are exact; steps are too small to meet another piece."""
    rng, step = draw.generator(5), Fraction(1, 1 << 300)
    for _ in range(20):
        n = network(rng, [3, 4, 3], head, halves=True)
        at = [draw.below(rng, 1 << 20) / (1 << 16) - 8 for _ in range(3)]
        logit, slopes = n.gradient(at)
        inputs = [Fraction(v) for v in at]
        assert Fraction(logit) == exact(n, inputs) and logit == n.logit(at)
        for i, slope in enumerate(slopes):
            beside = list(inputs)
            beside[i] += step
            assert (exact(n, beside) - exact(n, inputs)) / step == Fraction(slope)


def test_slope_of_a_neuron_at_zero():
    n = Network([Layer("h", 2, 2, [1, 1, 1, 1], [0, -1], True), Layer("o", 2, 1, [1, -2], [0], False)], Head.SIGMOID)
    assert n.gradient([0, 0]) == (0, [0, 0])  # the first neuron lies at 0
    assert n.gradient([0.25, 0.25]) == (0.5, [1, 1])
    assert n.gradient([0.5, 0.5]) == (1, [1, 1])  # the second one does
    assert n.gradient([1, 1]) == (0, [-1, -1])


def test_slopes_along_features():
    age = Feature("age", Kind.INTEGER, 10, 90, inputs=[Input(1, 0.5, -3)])
    job = Feature("job", Kind.CATEGORICAL, 0, 2, ["a", "b", "c"], inputs=[Input(0, table=[1, 0, 4]), Input(2, table=[0, 1, 0])])
    slopes = [1.0, 2.0, -3.0]
    assert age.slope(slopes) == 1 and age.promise(slopes, 20, 50) == 30
    assert job.slope(slopes) == 0 and [job.promise(slopes, 0, v) for v in range(3)] == [0, -4, 3]
