from __future__ import annotations

import math
import threading

import pytest
from claim import CLAIMS, conclude, open_ended, without_columns
from examples import program
from layout import effect_of_dropping, task

from hyfair import (
    MILP, Cancel, Column, InvalidOption, Objective, Problem, Reason, Row, SolveOptions, Status, Terms, Unsupported)


def answer(number, x=None, nodes=3, bound=None):
    return {"message": f"Something or other. (HiGHS Status {number}: text)", "x": x, "nodes": nodes, "bound": bound}


def box(maximise=True, objective=True):
    """x0 + 2 x1 + 0.5 over 0 <= x <= 3, whole numbers, x0 + x1 <= 4."""
    return MILP(
        [Column(hi=3, integer=True)] * 2, [Row("r", hi=4, terms=Terms([0, 1], [1.0, 1.0]))],
        Objective(maximise, 0.5, Terms([0, 1], [1.0, 2.0]) if objective else Terms()))


# What each status of HiGHS becomes: without a point, and with a feasible one.
TABLE = {
    0: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    1: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    2: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    3: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    4: (("UNKNOWN", "NUMERICAL"), ("FEASIBLE", "NUMERICAL")),
    5: (("UNKNOWN", "NUMERICAL"), ("FEASIBLE", "NUMERICAL")),
    6: (("UNKNOWN", "NUMERICAL"), ("OPTIMAL", "NONE")),
    7: (("UNKNOWN", "NUMERICAL"), ("OPTIMAL", "NONE")),
    8: (("INFEASIBLE", "NONE"), ("FEASIBLE", "NUMERICAL")),
    9: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    10: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    11: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    12: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
    13: (("UNKNOWN", "TIME_LIMIT"), ("FEASIBLE", "TIME_LIMIT")),
    14: (("UNKNOWN", "WORK_LIMIT"), ("FEASIBLE", "WORK_LIMIT")),
    15: (("UNKNOWN", "NUMERICAL"), ("FEASIBLE", "NUMERICAL")),
    16: (("UNKNOWN", "WORK_LIMIT"), ("FEASIBLE", "WORK_LIMIT")),
    17: (("UNKNOWN", "INTERRUPTED"), ("FEASIBLE", "INTERRUPTED")),
    18: (("UNKNOWN", "MEMORY_LIMIT"), ("FEASIBLE", "MEMORY_LIMIT")),
    99: (("UNKNOWN", "OTHER"), ("FEASIBLE", "OTHER")),
}


@pytest.mark.parametrize("number", TABLE)
def test_statuses(number):
    assert set(CLAIMS) < set(TABLE)
    for x, (status, reason) in zip((None, [1.0, 3.0]), TABLE[number]):
        r = conclude(box(), answer(number, x), 0)
        assert (r.status.name, r.reason.name) == (status, reason)
        assert (r.values is None) == (x is None)
        assert "HiGHS Status" in r.native
        if x is None:  # a question of feasibility is answered by a point, whatever stopped the solver
            continue
        f = conclude(box(objective=False), answer(number, x), 0)
        assert (f.status, f.bound) == (Status.FEASIBLE, None)
        assert f.reason is (Reason.NUMERICAL if number == 8 else Reason.NONE)


def test_no_number_is_no_claim():
    for message in ("Optimization terminated successfully.", "The problem is infeasible.", ""):
        assert conclude(box(), {**answer(7), "message": message}, 0).status is Status.UNKNOWN


def test_points_are_checked():
    # Nearly whole numbers are made whole; what breaks a row is not believed.
    r = conclude(box(), answer(7, [1.0000003, 2.9999998]), 0)
    assert (list(r.values), r.objective, r.tolerance) == ([1, 3], 7.5, 1e-6)
    r = conclude(box(), answer(7, [3.0, 3.0]), 0)
    assert (r.status, r.reason, r.values) == (Status.UNKNOWN, Reason.NUMERICAL, None)
    assert "breaks the problem by 2" in r.detail
    r = conclude(box(), answer(7, [math.nan, 0.0]), 0)
    assert r.status is Status.UNKNOWN
    # A continuous column a little off is held with the tolerance that covers it.
    m = MILP([Column(hi=1)], objective=Objective(True, 0, Terms([0], [1.0])))
    r = conclude(m, answer(7, [1.00002]), 0)
    assert r.status is Status.OPTIMAL and r.tolerance == pytest.approx(2e-5)
    assert conclude(m, answer(7, [1.0]), 3e-6).tolerance == pytest.approx(4e-6)


def test_bounds():
    # SciPy minimises, so a bound of the negated objective comes back.
    assert conclude(box(), answer(13, [1.0, 3.0], bound=-9.0), 0).bound == 9.5
    assert conclude(box(maximise=False), answer(13, [0.0, 1.0], bound=-1.0), 0).bound == -0.5
    assert conclude(box(), answer(13, [1.0, 3.0], bound=None), 0).bound is None
    assert conclude(box(), answer(7, [1.0, 3.0], bound=None), 0).bound == 7.5
    assert conclude(box(), answer(7, [1.0, 3.0], bound=-6.9999999), 0).bound == 7.5  # never behind the point
    assert conclude(box(), answer(13, [1.0, 3.0], bound=math.nan), 0).bound is None
    assert conclude(box(), answer(13, bound=-9.0), 0).bound is None


def test_without_columns():
    def of(lo, hi, **more):
        return without_columns(MILP([], [Row(lo=lo, hi=hi)], **more))

    assert of(-1, 1).status is Status.FEASIBLE and of(-1, 1).values == []
    assert of(1, 2).status is Status.INFEASIBLE


def test_small_and_large_coefficients():
    def with_row(coef, hi=1.0, cost=1.0):
        return MILP([Column(hi=hi)], [Row("r", hi=1, terms=Terms([0], [coef]))], Objective(terms=Terms([0], [cost])))

    assert effect_of_dropping(with_row(1e-8)) == 0
    assert effect_of_dropping(with_row(1e-10, hi=1e4)) == pytest.approx(1e-6)
    for bad in (with_row(1e-10, hi=math.inf), with_row(1e15), with_row(1, cost=1e20)):
        with pytest.raises(Unsupported):
            effect_of_dropping(bad)


def test_layout():
    got = task(box())
    assert got["c"] == [-1, -2] and got["integrality"] == [1, 1]
    assert (got["starts"], got["indices"], got["data"]) == ([0, 2], [0, 1], [1, 1])
    assert task(box(maximise=False))["c"] == [1, 2]


@pytest.fixture(scope="module")
def solver():
    pytest.importorskip("scipy")
    return program("hyfair-solver-scipy").SciPy()


def hard():
    """A market split: equal sums of 0-1 columns in several rows at once."""
    state, rows, columns = 12345, [], 40
    for _ in range(5):
        coefs = []
        for _ in range(columns):
            state = (state * 1664525 + 1013904223) % 2**32
            coefs.append(float(state // 65536 % 100))
        half = sum(coefs) // 2
        rows.append(Row(lo=half, hi=half, terms=Terms(range(columns), coefs)))
    return Problem(milp=MILP([Column(hi=1, integer=True)] * columns, rows))


def ask(solver, problem, **more):
    return solver.solve(problem, SolveOptions(options={"presolve": "on"}, **more))


def test_solves(solver):
    r = ask(solver, Problem(milp=box()))
    assert (r.status, list(r.values), r.objective, r.bound, r.tolerance) == (Status.OPTIMAL, [1, 3], 7.5, 7.5, 1e-6)
    free = MILP([Column(lo=-math.inf)], objective=Objective(terms=Terms([0], [1.0])))
    assert open_ended(answer(9)) and open_ended(answer(10)) and not open_ended(answer(8))
    r = ask(solver, Problem(milp=free))
    assert (r.status, r.reason, r.bound) == (Status.FEASIBLE, Reason.OTHER, None)
    with pytest.raises(InvalidOption):
        solver.solve(Problem(milp=box()), SolveOptions(options={"presolve": "maybe"}))


def test_a_cancel_ends_the_process_and_the_next_solve_has_another(solver):
    cancel = Cancel()
    threading.Timer(0.3, cancel.set).start()
    r = ask(solver, hard(), cancel=cancel)  # alone it would take hours
    assert (r.status, r.reason) == (Status.UNKNOWN, Reason.INTERRUPTED)
    assert ask(solver, Problem(milp=box())).status is Status.OPTIMAL


def test_memory(solver):
    r = ask(solver, hard(), memory=1 << 20)  # less than Python itself
    assert (r.status, r.reason) == (Status.UNKNOWN, Reason.MEMORY_LIMIT)


def test_a_time_that_is_up(solver):
    assert ask(solver, hard(), time_limit=1e-9).reason is Reason.TIME_LIMIT
