from __future__ import annotations

import pytest

pytest.importorskip("optuna", reason="Optuna is missing; scripts/setup.sh solvers brings it")

from examples import program  # noqa: E402

from hyfair.plugin import InvalidOption, Trial, TrialStatus, testing  # noqa: E402

SAMPLERS = ["tpe", "cmaes", "nsga2", "random"]
main = program("../../../plugins/search-optuna")


def search(sampler, moves, **more):
    return testing.search(main.Optuna(), moves, options={"sampler": sampler, "startup": "5", "population": "6"}, **more)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_same_seed_same_moves(sampler):
    one, again, other = ([t.point for t in search(sampler, 40, seed=seed, want=4)] for seed in (1, 1, 2))
    assert one == again != other
    job = testing.tiny().space.features[2]
    assert {p[2] for p in one} <= set(range(len(job.categories)))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_what_is_not_evaluated_is_survived(sampler):
    trials = search(sampler, 30, answer=lambda t: Trial(t.id, TrialStatus.REFUSED) if t.id % 2 else t)
    assert len(trials) == 30


def test_it_learns():
    """The second half of a search is better than its first individuals, which are drawn."""
    for sampler in ("tpe", "nsga2"):
        ks = [t.k for t in search(sampler, 120, seed=3)]
        assert sum(ks[60:]) / 60 > sum(ks[:5]) / 5


def test_where_the_sampler_finds_nobody(monkeypatch):
    """What the constraints allow is drawn in its place, and told to it."""
    study = testing.tiny()
    session = main.Optuna().start(study.space, testing.StartOptions(1, study.space.whole(), study.epsilon, options={
        "sampler": "random", "startup": "0", "population": "2"}))
    monkeypatch.setattr(type(study.space), "contains", lambda *_: False)
    monkeypatch.setattr(type(study.space), "random", lambda *_: study.rows[0])
    (move,) = session.next([], 1)
    told = session.asked[move.id].params
    assert move.point == study.rows[0] and session.point(told) == pytest.approx(study.space.clip(study.rows[0], study.space.whole()))
    assert len(session.study.trials) == main.TRIES + 1


@pytest.mark.parametrize("options", [{"sampler": "grid"}, {"startup": "-1"}, {"population": "1"}])
def test_options(options):
    with pytest.raises(InvalidOption, match=next(iter(options))):
        testing.search(main.Optuna(), 1, options=options)
