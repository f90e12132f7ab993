from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hyfair.plugin import Evaluator, Head, Interval, Outcome, draw, evaluate
from hyfair.plugin.evaluate import at_least, gap_exceeds

from people import mixed, network


def by_definition(n, space, region, epsilon, x):
    """n, k and violates from exact logits."""
    logits = [exact_logit(n, space, z) for z in space.counterfactuals(x, region)]
    last = math.ceil(1 / epsilon) - 1
    bins = {bisect(range(1, last + 1), v, epsilon) for v in logits}
    return len(logits), len(bins), gap_exceeds(max(logits), min(logits), epsilon)


def bisect(edges, logit, epsilon):
    """How many of the edges the score is on or above."""
    if not edges:
        return 0
    half = len(edges) // 2
    if at_least(logit, edges[half] * epsilon):
        return half + 1 + bisect(edges[half + 1:], logit, epsilon)
    return bisect(edges[:half], logit, epsilon)


def exact_logit(n, space, z):
    values = [Fraction(0)] * space.inputs
    for f, v in zip(space.features, z):
        for m in f.inputs:
            values[m.index] = Fraction(m.scale) * Fraction(v) + Fraction(m.offset) if m.table is None else Fraction(m.table[int(v - f.lo)])
    for y in n.layers:
        values = [sum((Fraction(w) * v for w, v in zip(y.weights[j * y.inputs:(j + 1) * y.inputs], values)), Fraction(b)) for j, b in enumerate(y.bias)]
        values = [max(v, Fraction(0)) for v in values] if y.relu else values
    return values[1] - values[0] if n.head is Head.SOFTMAX else values[0]


@pytest.fixture(params=["numpy", "plain"])
def plain(request):
    if request.param == "numpy":
        pytest.importorskip("numpy")
    return request.param == "plain"


@pytest.mark.parametrize("head", [Head.SIGMOID, Head.SOFTMAX])
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(3, 10), Fraction(1, 99), Fraction(1, 4097), Fraction(1, 10 ** 12), Fraction(1, 1 << 62)])
def test_agrees_with_the_definition(plain, head, epsilon):
    rng, space = draw.generator(7), mixed()
    region = space.whole()
    for halves in (False, True):  # with weights of halves, scores of 1/2 are frequent
        n = network(rng, [space.inputs, 6, 4], head, halves)
        points, e = [space.random(rng, region) for _ in range(2)], Evaluator(n, space, region, epsilon, plain)
        assert e.error < 1e-9
        for x, o, (scores, bins) in zip(points, e.evaluate(points), e.copies(points)):
            last = math.ceil(1 / epsilon) - 1
            copies = space.counterfactuals(x, region)
            assert bins == [bisect(range(1, last + 1), exact_logit(n, space, z), epsilon) for z in copies]
            assert scores == pytest.approx([n.score(space.inputs_of(z)) for z in copies], abs=1e-12)
            assert (o.n, o.k, o.violates) == by_definition(n, space, region, epsilon, x)
            scores = [n.score(space.inputs_of(z)) for z in space.counterfactuals(x, region)]
            assert o.gap == pytest.approx(max(scores) - min(scores), abs=1e-12)
            assert n.score(space.inputs_of(e.point(x, o.highest))) == pytest.approx(max(scores), abs=1e-12)
            assert n.score(space.inputs_of(e.point(x, o.lowest))) == pytest.approx(min(scores), abs=1e-12)


def test_numpy_and_plain_agree():
    pytest.importorskip("numpy")
    rng, space = draw.generator(8), mixed()
    region = space.whole()
    region.box[1], region.values[0] = Interval(8, 12), [20.0, 95.0]
    n = network(rng, [space.inputs, 5, 5], Head.SIGMOID)
    points = [space.random(rng, space.whole()) for _ in range(300)] + [[0.0], [math.nan] * 5, [20, 9, 1, 0.5, 0.5], [math.nan, 9, 1, -0.5, math.inf]]
    fast = Evaluator(n, space, region, Fraction(1, 20))
    got = fast.evaluate(points)
    want = Evaluator(n, space, region, Fraction(1, 20), plain=True).evaluate(points)
    assert [o._replace(gap=0) for o in got] == [o._replace(gap=0) for o in want]
    assert all(o.n == 0 for o, x in zip(got, points) if len(x) != 5 or not space.contains(x, region))
    assert got[-4:-2] == [Outcome(0, 0, 0.0, False, 0.0, 0.0, 0, 0)] * 2 and got[-1].n > 0
    assert fast.evaluate([]) == [] == fast.copies([])
    some, others = fast.copies(points), Evaluator(n, space, region, Fraction(1, 20), plain=True).copies(points)
    assert [b for _, b in some] == [b for _, b in others] and some[-4] == ([], [])
    for (a, _), (b, _) in zip(some, others):
        assert a == pytest.approx(b, abs=1e-12)


def test_error_bounds_hold(plain):
    """Of values that cancel, and whatever the size of the weights."""
    rng, space = draw.generator(9), mixed()
    region = space.whole()
    for scale in (1.0, 1e8, 1e-160, 1e200):
        n = network(rng, [space.inputs, 7, 7, 7], Head.SOFTMAX)
        for y in n.layers:
            y.weights, y.bias = [w * scale for w in y.weights], [b * scale for b in y.bias]
        e = Evaluator(n, space, region, Fraction(1, 20), plain)
        for _ in range(5):
            x = space.random(rng, region)
            if e.error < math.inf:
                assert (e._arrays is None) == plain
                allowed, logits = e._logits(x) if plain else (range(len(e.combinations)), e._arrays.known([x])[1][0].tolist())
                for c, logit in zip(allowed, logits):
                    assert abs(Fraction(logit) - exact_logit(n, space, e.point(x, c))) <= Fraction(e.error)
            (o,) = e.evaluate([x])
            assert (o.n, o.violates) == (len(space.counterfactuals(x, region)), gap_exceeds(*(
                f(exact_logit(n, space, z) for z in space.counterfactuals(x, region)) for f in (max, min)), Fraction(1, 20)))
    assert e.error == math.inf


def test_bins_by_the_million_cost_no_start():
    """Of a hundred million bins not one edge is computed."""
    space = mixed()
    e = Evaluator(network(draw.generator(7), [space.inputs, 6], Head.SIGMOID), space, space.whole(), Fraction(1, 10 ** 8))
    assert e._surely == e._possibly == []


def test_scores_at_an_edge():
    assert at_least(Fraction(0), Fraction(1, 2)) and not at_least(Fraction(-1, 10 ** 40), Fraction(1, 2))
    near = Fraction(math.log(3))  # of a float64, and ln 3 is none
    assert at_least(near, Fraction(3, 4)) != at_least(near + Fraction(1, 1 << 52), Fraction(3, 4)) or at_least(near, Fraction(3, 4))
    for a, b, epsilon, want in [
        (0, -1, Fraction(1, 4), False), (0, -2, Fraction(1, 4), True), (1, 0, Fraction(1, 4), False), (2, 0, Fraction(1, 4), True),
        (10 ** 6, -(10 ** 6), Fraction(999999, 10 ** 6), True), (10 ** 6, -(10 ** 6), Fraction(1), False), (10 ** 9, 0, Fraction(1, 2), False),
        (0, -(10 ** 9), Fraction(1, 2), False), (1, 1, Fraction(1, 9), False), (0, 1, Fraction(1, 9), False), (2, -10 ** 7, Fraction(88, 100), True),
    ]:
        assert gap_exceeds(Fraction(a), Fraction(b), epsilon) == want, (a, b, epsilon)


def test_entropies_are_those_of_the_host():
    """To the last bit: -sum p log2 p from a table of logarithms in whole numbers."""
    assert [evaluate._log2(n) for n in (1, 2, 4, 1 << 20)] == [0, 1 << 58, 2 << 58, 20 << 58]
    assert abs(evaluate._log2(3) / (1 << 58) - math.log2(3)) < 1e-16
