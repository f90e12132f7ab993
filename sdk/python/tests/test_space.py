from __future__ import annotations

import itertools
import math

import pytest
from people import mixed

from hyfair.plugin import Feature, Head, Input, Interval, Kind, Layer, Network, Space, draw


def brute_contains(space: Space, region, point) -> bool:
    """The definition: some combination of protected values is allowed."""
    for i in space.free:
        f = space.features[i]
        if not (f.contains(point[i]) and region.box[i].lo <= point[i] <= region.box[i].hi):
            return False
    for values in itertools.product(*(region.values[i] for i in space.protected)):
        full = list(point)
        for i, v in zip(space.protected, values):
            full[i] = v
        if space.allowed(full):
            return True
    return False


def test_contains_agrees_with_the_definition():
    space, rng = mixed(), draw.generator(1)
    region = space.whole()
    region.box[1] = Interval(3, 9)
    region.values[0] = [20.0, 40.0]
    seen = set()
    for _ in range(2000):
        point = [0.0, float(draw.below(rng, 14)), float(draw.below(rng, 5)), rng.random() * 4 - 1.7, 0.0]
        got = space.contains(point, region)
        assert got == brute_contains(space, region, point), point
        assert got == (bool(space.counterfactuals(point, region)) and space.contains(point, region))
        seen.add(got)
    assert seen == {True, False}


def test_counterfactuals():
    space = mixed()
    # At a positive rate men may only be twenty.
    got = space.counterfactuals([0.0, 1.0, 1.0, 0.5, 0.0], space.whole())
    assert [(x[0], x[4]) for x in got] == [(20, 0), (20, 1), (40, 0), (95, 0)]
    assert all(x[1:4] == [1.0, 1.0, 0.5] for x in got)
    assert space.counterfactuals([0.0, 1.0, 0.0, 0.5, 0.0], space.whole()) == []


def test_random_and_neighbours_stay_inside():
    space, rng = mixed(), draw.generator(7)
    region = space.whole()
    region.box[3] = Interval(0.25, 0.5)
    point, changed = space.random(rng, region), set()
    for _ in range(500):
        assert brute_contains(space, region, space.random(rng, region))
        other = space.neighbour(rng, point, region)
        assert brute_contains(space, region, other)
        different = [i for i in space.free if other[i] != point[i]]
        assert len(different) == 1
        changed.update(different)
        point = other
    assert changed == set(space.free)


def test_neighbours_are_uniform():
    space = Space([Feature("x", Kind.INTEGER, 0, 4, inputs=[Input(0)])], 1)
    rng, counts = draw.generator(3), {}
    for _ in range(8000):
        (v,) = space.neighbour(rng, [2.0], space.whole())
        counts[v] = counts.get(v, 0) + 1
    assert set(counts) == {0.0, 1.0, 3.0, 4.0}
    assert all(abs(n - 2000) < 250 for n in counts.values())  # six standard deviations


def test_nothing_to_draw():
    space = mixed()
    region = space.whole()
    region.box[1] = Interval(5, 6)  # forbidden
    with pytest.raises(ValueError, match="no individual"):
        space.random(draw.generator(1), region)
    one = Space([Feature("x", Kind.INTEGER, 3, 3, inputs=[Input(0)])], 1)
    assert one.neighbour(draw.generator(1), [3.0], one.whole()) == [3.0]


def test_clip():
    space = mixed()
    region = space.whole()
    region.box[1] = Interval(2.5, 9.5)
    assert space.clip([99, 0, 1.5, 9, 7], region) == [20.0, 3.0, 2.0, 2.25, 0.0]
    assert space.clip([99, 99, -3, -9, 7], region) == [20.0, 9.0, 0.0, -1.5, 0.0]
    rng = draw.generator(5)
    for _ in range(500):
        raw = [rng.random() * 300 - 150 for _ in space.features]
        point = space.clip(raw, region)
        assert all(
            space.features[i].contains(point[i]) and region.box[i].contains(point[i]) for i in space.free)


@pytest.mark.parametrize("lo, hi", [(-2.0**52, 2.0**52), (-1e308, 1e308)])
def test_wide_features(lo, hi):
    kind = Kind.INTEGER if hi < 1e300 else Kind.REAL
    space = Space([Feature("x", kind, lo, hi, inputs=[Input(0)])], 1)
    space.check()
    rng, region = draw.generator(2), space.whole()
    values = [space.neighbour(rng, [0.0], region)[0] for _ in range(300)]
    assert all(space.features[0].contains(v) for v in values)
    assert min(values) < lo / 2 and max(values) > hi / 2


def test_forward_pass():
    network = Network([
        Layer("a", 2, 2, [0.5, -0.25, 0.125, 1.0], [0.5, -1.0], True),
        Layer("b", 2, 2, [1.0, 0.0, 0.5, -1.0], [0.0, 0.25], False)], Head.SOFTMAX)
    network.check()
    # Hidden: 0.5*2 - 0.25*1 + 0.5 = 1.25, and 0.25 + 1 - 1 = 0.25.
    assert network.logit([2.0, 1.0]) == (0.625 - 0.25 + 0.25) - 1.25
    assert network.score([2.0, 1.0]) == pytest.approx(1 / (1 + math.exp(0.625)))
    network.layers[1].weights = [1.0]
    with pytest.raises(ValueError, match=r"layer 1 \(b\): 1 weights"):
        network.check()


def test_inputs_of():
    assert mixed().inputs_of([40.0, 3.0, 1.0, 0.5, 1.0]) == [0.4, 0.5, 1.0, 0.5, 1.0]


@pytest.mark.parametrize("fault", [
    lambda s: s.features.clear(),
    lambda s: setattr(s, "inputs", 6),
    lambda s: setattr(s.features[1], "name", "age"),
    lambda s: setattr(s.features[1], "hi", 0.0),
    lambda s: setattr(s.features[1], "hi", 3.5),
    lambda s: setattr(s.features[1], "hi", math.inf),
    lambda s: setattr(s.features[2], "hi", 4.0),
    lambda s: setattr(s.features[0], "protected", [40.0, 20.0]),
    lambda s: setattr(s.features[4], "protected", [0.0, 2.0]),
    lambda s: setattr(s.features[3].inputs[0], "table", [1.0]),
    lambda s: setattr(s.features[2].inputs[0], "table", [1.0]),
    lambda s: s.forbidden.append([]),
    lambda s: setattr(s.forbidden[0][0], "feature", 9),
    lambda s: setattr(s.forbidden[1][0], "categories", [7]),
])
def test_faulty_spaces(fault):
    space = mixed()
    space.check()
    fault(space)
    with pytest.raises(ValueError):
        space.check()


def test_draws_are_the_same_everywhere():
    """What the generator gives is promised for all versions; this is what is
    made of it."""
    rng = draw.generator(2024)
    assert [draw.below(rng, 10) for _ in range(8)] == PINNED
    assert draw.generator(-1).random() != draw.generator(1).random()
    rng = draw.generator(9)
    normals = [draw.normal(rng) for _ in range(4000)]
    mean = math.fsum(normals) / 4000
    assert abs(mean) < 0.1 and abs(math.fsum((v - mean) ** 2 for v in normals) / 4000 - 1) < 0.1


PINNED = [4, 7, 3, 8, 4, 7, 2, 2]
