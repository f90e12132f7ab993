from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("grpc")

from hyfair.plugin import (  # noqa: E402
    Description, Finished, InvalidOption, Move, MoveKind, Option, Session, Strategy, TrialStatus, draw, testing)


class Told(Strategy):
    """Keeps what it is told; ``spoil`` changes its moves."""

    def __init__(self, spoil=lambda m: None, lag=0):
        self.spoil, self.lag, self.told = spoil, lag, []

    def describe(self):
        return Description(
            name="told", summary="for tests", needs_rows=True, needs_network=True, needs_scores=True, needs_bins=True, needs_pair=True,
            lag=self.lag, options=[Option("most", "1000")])

    def start(self, space, options):
        assert len(options.rows) == 20 and options.network is not None
        outer, rng, most = self, draw.generator(options.seed), int(options.options["most"])

        class Walk(Session):
            moves = 0

            def next(self, told, want):
                outer.told.append(told)
                if self.moves >= most:
                    raise Finished
                out = []
                for _ in range(want):
                    self.moves += 1
                    out.append(Move(self.moves, space.random(rng, options.region), self.moves))
                    outer.spoil(out[-1])
                return out

        return Walk()


def test_trials_are_complete():
    study, trials = testing.tiny(), testing.search(Told(), moves=50)
    region = study.space.whole()
    assert len(trials) == 50 and len({t.k for t in trials}) > 2
    for t in trials:
        copies = study.space.counterfactuals(t.point, region)
        scores = [study.network.score(study.space.inputs_of(z)) for z in copies]
        assert t.scores == pytest.approx(scores) and len(set(t.bins)) == t.k and t.violates == (t.gap > 0.05)
        assert t.scores[copies.index(t.highest)] == pytest.approx(max(scores)) and t.scores[copies.index(t.lowest)] == pytest.approx(min(scores))


def test_trials_lag_as_described():
    s = Told(lag=1)
    testing.search(s, moves=32, chains=16, want=8)
    assert [[t.id for t in told] for told in s.told] == [[], [], list(range(1, 9)), list(range(9, 17))]


def test_ends_and_answers():
    assert len(testing.search(Told(), options={"most": "7"})) == 7
    with pytest.raises(InvalidOption, match="few"):
        testing.search(Told(), options={"few": "7"})
    seeds = testing.search(Told(lambda m: setattr(m, "kind", MoveKind.SEED_FROM)), moves=3)
    assert [t.status for t in seeds] == [TrialStatus.NO_SOLVER] * 3


@pytest.mark.parametrize("says, spoil", [
    ("comes after move", lambda m: setattr(m, "id", 5)),
    ("not all whole numbers", lambda m: setattr(m, "id", m.id + 0.5)),
    ("its round", lambda m: setattr(m, "round", -m.id)),
    ("its chain", lambda m: setattr(m, "chain", -1)),
    ("its chain", lambda m: setattr(m, "chain", 4096)),
    ("its kind", lambda m: setattr(m, "kind", 1)),
    ("1 entries for 6", lambda m: setattr(m, "point", [1.0])),
    ("no finite number", lambda m: m.point.__setitem__(0, float("nan"))),
    ("no individual", lambda m: m.point.__setitem__(1, 99.0)),
    ("no individual", lambda m: (m.point.__setitem__(1, 55.0), m.point.__setitem__(2, 1.0))),
])
def test_rules_that_moves_break(says, spoil):
    with pytest.raises(testing.IllegalMove, match=says):
        testing.search(Told(spoil), moves=5)


def test_seeds_may_lie_anywhere():
    """The solver looks near them, inside the region."""
    trials = testing.search(Told(lambda m: (setattr(m, "kind", MoveKind.SEED_FROM), m.point.__setitem__(1, 99.0))), moves=3)
    assert [t.status for t in trials] == [TrialStatus.NO_SOLVER] * 3


@pytest.mark.parametrize("made", [[], None, [Move(i, [20.0] * 6) for i in range(3)]])
def test_answers_that_are_none(made):
    class Nothing(Told):
        def start(self, space, options):
            session = super().start(space, options)
            session.next = lambda told, want: made
            return session

    with pytest.raises(testing.IllegalMove, match="a list of 1 to 2 moves was wanted"):
        testing.search(Nothing(), want=2)


def test_rules_hold_without_assertions():
    """python -O leaves them in."""
    program = "from hyfair.plugin import testing, Move\nfrom test_testing import Told\ntesting.search(Told(lambda m: setattr(m, 'id', 5)), moves=5)"
    run = subprocess.run([sys.executable, "-O", "-c", program], cwd=os.path.dirname(__file__), env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True)
    assert run.returncode != 0 and "IllegalMove: move 5: it comes after move 5" in run.stderr
