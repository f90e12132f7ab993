from __future__ import annotations

import math

import pytest

from hyfair.plugin import MILP, Cancel, Column, Objective, Reason, Row, SolveOptions, Status, Terms, Unsupported, milp

NUMBERS = milp.Range("Odd", smallest=1e-9, entry=1e15, cost=1e20)
DONE = (Status.OPTIMAL, Reason.NONE)


def box(maximise=True, objective=True):
    """x0 + 2 x1 + 0.5 over 0 <= x <= 3, whole numbers, x0 + x1 <= 4: at most 7.5."""
    return MILP(
        [Column(hi=3, integer=True)] * 2, [Row("r", hi=4, terms=Terms([0, 1], [1.0, 1.0]))],
        Objective(maximise, 0.5, Terms([0, 1], [1.0, 2.0]) if objective else Terms()))


def conclude(m, status, x=None, known=None, bound=None, tolerance=1e-6, **options):
    return milp.conclude(m, milp.Outcome(*status, point=x, bound=bound), tolerance, SolveOptions(**options), known)


def test_points_are_checked():
    # Nearly whole numbers are made whole; what breaks a row is not believed.
    r = conclude(box(), DONE, [1.0000003, 2.9999998])
    assert (list(r.values), r.objective, r.tolerance) == ([1, 3], 7.5, 1e-6)
    r = conclude(box(), DONE, [3.0, 3.0])
    assert (r.status, r.reason, r.values) == (Status.UNKNOWN, Reason.NUMERICAL, None)
    assert "breaks the problem by 2" in r.detail
    assert conclude(box(), DONE, [math.nan, 0.0]).status is Status.UNKNOWN
    assert conclude(box(), DONE).status is Status.UNKNOWN
    # A continuous column a little off is held with the tolerance that covers it.
    m = MILP([Column(hi=1)], objective=Objective(True, 0, Terms([0], [1.0])))
    r = conclude(m, DONE, [1.00002])
    assert r.status is Status.OPTIMAL and r.tolerance == pytest.approx(2e-5)


def test_claims_are_held_against_what_is_known():
    none, stopped = (Status.INFEASIBLE, Reason.NONE), (Status.UNKNOWN, Reason.TIME_LIMIT)
    assert conclude(box(), none).status is Status.INFEASIBLE
    assert conclude(box(), none, [3.0, 3.0]).status is Status.INFEASIBLE  # that point is none
    r = conclude(box(), none, known=[0.0, 1.0])
    assert (r.status, r.reason, r.objective) == (Status.FEASIBLE, Reason.NUMERICAL, 2.5)
    r = conclude(box(), DONE, [0.0, 1.0], known=[1.0, 3.0], bound=2.5)
    assert (r.status, r.reason, r.objective, r.bound) == (Status.FEASIBLE, Reason.NUMERICAL, 7.5, None)
    r = conclude(box(), DONE, [1.0, 3.0], bound=5.0)
    assert (r.status, r.reason, r.bound) == (Status.FEASIBLE, Reason.NUMERICAL, None)
    r = conclude(box(), stopped, [0.0, 1.0], known=[0.0, 2.0], bound=9.0)
    assert (r.status, r.reason, r.objective, r.bound) == (Status.FEASIBLE, Reason.TIME_LIMIT, 4.5, 9.0)
    assert conclude(box(), stopped, [0.0, 2.0], target=4.5).reason is Reason.NONE
    assert conclude(box(), stopped, [0.0, 2.0], target=4.6).reason is Reason.TIME_LIMIT
    r = conclude(box(objective=False), stopped, [0.0, 2.0])
    assert (r.status, r.reason, r.bound) == (Status.FEASIBLE, Reason.NONE, None)


def test_a_coarse_tolerance_proves_nothing():
    r = conclude(box(), (Status.INFEASIBLE, Reason.NONE), tolerance=1e-3)
    assert (r.status, r.reason, r.tolerance) == (Status.UNKNOWN, Reason.NUMERICAL, 0.0)
    r = conclude(box(), DONE, [1.0, 3.0], bound=7.5, tolerance=1e-3)
    assert (r.status, r.reason, r.bound, r.tolerance) == (Status.FEASIBLE, Reason.NUMERICAL, None, 0.0)


def test_without_columns():
    def of(lo, hi):
        return milp.answer(MILP([], [Row(lo=lo, hi=hi)]), SolveOptions(), None, 1e-6, NUMBERS)

    assert of(-1, 1).status is Status.FEASIBLE and of(-1, 1).values == []
    assert of(1, 2).status is Status.INFEASIBLE


def test_small_and_large_coefficients():
    def with_row(coef, hi=1.0, cost=1.0):
        return MILP([Column(hi=hi)], [Row("r", hi=1, terms=Terms([0], [coef]))], Objective(terms=Terms([0], [cost])))

    assert NUMBERS.lost(with_row(1e-8)) == 0
    assert NUMBERS.lost(with_row(1e-10, hi=1e4)) == pytest.approx(1e-6)
    for bad in (with_row(1e-10, hi=math.inf), with_row(1e15), with_row(1, cost=1e20)):
        with pytest.raises(Unsupported):
            NUMBERS.lost(bad)


@pytest.mark.parametrize("second, want", [
    ((Status.FEASIBLE, [0.0, 0.0]), (Status.FEASIBLE, Reason.OTHER)),
    ((Status.INFEASIBLE, None), (Status.INFEASIBLE, Reason.NONE)),
])
def test_an_open_end_is_asked_about(second, want):
    asked = []

    def run(m, options, watch):
        asked.append(bool(m.objective.terms.columns))
        if len(asked) == 1:
            return milp.Outcome(Status.UNKNOWN, Reason.OTHER, open_ended=True)
        return milp.Outcome(second[0], point=second[1])

    r = milp.answer(box(), SolveOptions(), run, 1e-6, NUMBERS)
    assert (asked, (r.status, r.reason), r.bound) == ([True, False], want, None)


def test_watch():
    seen = []
    w = milp.Watch(box(), SolveOptions(progress=seen.append, target=7.0))
    w.found([3.0, 3.0])  # no point of the problem
    w.found([0.0, 1.0000001], 5, 9.0)
    assert w.best == [0, 1] and w.stop is None
    w.found([0.0, 0.0], 6)  # no better
    w.found([0.0, 0.0], 7, math.inf)
    assert w.best == [0, 1]
    w.found([1.0, 3.0], 8)
    assert w.best == [1, 3] and w.stop is Reason.NONE
    assert [(p.values, p.objective, p.bound, p.nodes) for p in seen] == [([0, 1], 2.5, 9.0, 5), ([1, 3], 7.5, None, 8)]
    cancel = Cancel()
    w = milp.Watch(box(), SolveOptions(cancel=cancel))
    assert w.stop is None
    cancel.set()
    assert w.stop is Reason.INTERRUPTED
    assert milp.Watch(box(), SolveOptions(time_limit=0.0)).stop is Reason.TIME_LIMIT
    w = milp.Watch(box(objective=False), SolveOptions())
    w.found([0.0, 0.0])
    assert w.stop is Reason.NONE
