from __future__ import annotations

import hashlib

import pytest
from cem import Island, Narrow, Settings, Wide
from examples import program
from people import mixed

from hyfair.plugin import Feature, Input, InvalidOption, Kind, Space, StartOptions, Trial, TrialStatus, draw

main = program("hyfair-search-cem")


def options(seed=1, chains=0, **given):
    defaults = {o.name: o.default for o in main.OPTIONS}
    return StartOptions(seed=seed, region=mixed().whole(), options={**defaults, **given}, chains=chains)


def drive(session, calls, want, lag=0, status=TrialStatus.EVALUATED):
    """The host's side; the trials of a call come ``lag`` calls late."""
    moves, held = [], []
    for _ in range(calls):
        told = held.pop(0) if len(held) > lag else []
        new = session.next(told, want)
        assert 1 <= len(new) <= want
        held.append([Trial(m.id, status, m.point, k=1 + int(m.point[1]) % 5, gap=0.1) for m in new])
        moves += new
    return moves


@pytest.mark.parametrize("chains", [0, 1, 256])
@pytest.mark.parametrize("lag", [0, 1])
def test_same_seed_same_moves(chains, lag):
    def run(seed):
        space = mixed()
        return drive(main.CrossEntropy().start(space, options(seed, chains, population="16")), 20, 12, lag)

    one, two, other = run(3), run(3), run(4)
    assert one == two and one != other
    space = mixed()
    assert all(space.contains(m.point, space.whole()) for m in one)
    assert [m.id for m in one] == list(range(1, len(one) + 1))
    assert {m.chain for m in one} == set(range(max(1, chains // 16)))


def test_islands_move_apart_and_rounds_rise():
    moves = drive(main.CrossEntropy().start(mixed(), options(chains=128)), 30, 16)
    for chain in {m.chain for m in moves}:
        rounds = [m.round for m in moves if m.chain == chain]
        assert rounds == list(range(len(rounds)))


def test_moves_are_the_same_everywhere():
    """On every machine, and with every Python."""
    moves = drive(main.CrossEntropy().start(mixed(), options(seed=5, chains=64, population="16")), 60, 32, lag=1)
    text = ";".join(",".join(float(v).hex() for v in m.point) for m in moves)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "0c0ba5b8e981bfaf"


def lattice():
    """Ten features; a point is worth more the closer it is to a secret corner."""
    return Space([Feature(f"x{i}", Kind.INTEGER, 0, 40 if i % 2 else 900, inputs=[Input(i)]) for i in range(10)], 10)


def worth(point):
    target = [(37 * i) % 41 if i % 2 else (371 * i) % 901 for i in range(10)]
    near = [1 - abs(v - t) / (40 if i % 2 else 900) for i, (v, t) in enumerate(zip(point, target))]
    return (1, 0.0, 0.0, int(sum(near) * 1e6))


def test_it_climbs():
    """Better than as many random draws, by far."""
    space, s = lattice(), Settings(population=64, elite=0.125, rate=0.5, explore=0.05, patience=10)
    island, best = Island(space, space.whole(), s, draw.generator(1)), (0, 0.0, 0.0, 0)
    rng, random_best = draw.generator(1), (0, 0.0, 0.0, 0)
    for _ in range(3000):
        x = island.draw()
        island.learn(x, worth(x))
        best = max(best, worth(x))
        random_best = max(random_best, worth(space.random(rng, space.whole())))
    assert random_best[3] < 9_300_000 < 9_700_000 < best[3]


def test_a_settled_island_starts_afresh():
    space = Space([Feature("x", Kind.INTEGER, 0, 30, inputs=[Input(0)])], 1)
    s = Settings(population=8, elite=0.25, rate=1, explore=0, patience=3)
    island, late = Island(space, space.whole(), s, draw.generator(1)), set()
    for i in range(2000):
        x = island.draw()
        island.learn(x, (1, 0.0, 0.0, int(x[0])))
        if i > 1000:
            late.add(x[0])
    assert len(late) > 20  # of 31 values, long after the best is known


def test_nothing_can_be_evaluated():
    for status in (TrialStatus.REFUSED, TrialStatus.OUTSIDE):
        session = main.CrossEntropy().start(mixed(), options(population="8"))
        told = []
        for _ in range(30):
            told = [Trial(m.id, status) for m in session.next(told, 7)]


def test_distributions():
    narrow = Narrow(3, 5)
    narrow.move([4.0, 4.0, 5.0, 4.0], 0.5)
    assert narrow.share == pytest.approx([1 / 6, 1 / 6 + 3 / 8, 1 / 6 + 1 / 8])
    rng = draw.generator(1)
    assert {narrow.draw(rng) for _ in range(200)} == {3, 4, 5}
    wide = Wide(-1e308, 1e308, False)
    wide.move([1e308, -1e308], 1)
    assert wide.mean == 0 and wide.deviation == pytest.approx(1e308)
    wide.move([5.0, 5.0], 1)
    assert (wide.mean, wide.deviation) == (5, 0) and wide.draw(rng) == 5
    steps = Wide(-3, 200, True)
    assert all(v == int(v) and -3 <= v <= 200 for v in (steps.draw(rng) for _ in range(500)))


@pytest.mark.parametrize("bad", [
    {"population": "3"}, {"population": "many"}, {"elite": "2"}, {"rate": "nan"}, {"explore": "-1"}, {"patience": "0"}])
def test_options(bad):
    with pytest.raises(InvalidOption, match='%s = "%s"; allowed' % next(iter(bad.items()))):
        main.CrossEntropy().start(mixed(), options(**bad))
