from __future__ import annotations

import math

import pytest
from examples import program

from hyfair.plugin import (
    MILP, Column, InvalidOption, Objective, Problem, Reason, Row, SolveOptions, Status, Terms, milp)

scipy = program("hyfair-solver-scipy")


def conclude(m, number, x=None, bound=None, message="Something or other. (HiGHS Status %d: text)"):
    if "%" in message:
        message %= number
    return milp.conclude(m, scipy.outcome(m, message, x, bound, 3), scipy.TOLERANCE)


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
    assert set(scipy.CLAIMS) < set(TABLE)
    for x, (status, reason) in zip((None, [1.0, 3.0]), TABLE[number]):
        r = conclude(box(), number, x)
        assert (r.status.name, r.reason.name) == (status, reason)
        assert (r.values is None) == (x is None)
        assert "HiGHS Status" in r.native
        if x is None:  # a question of feasibility is answered by a point, whatever stopped the solver
            continue
        f = conclude(box(objective=False), number, x)
        assert (f.status, f.bound) == (Status.FEASIBLE, None)
        assert f.reason is (Reason.NUMERICAL if number == 8 else Reason.NONE)


def test_no_number_is_no_claim():
    for message in ("Optimization terminated successfully.", "The problem is infeasible.", ""):
        assert conclude(box(), 7, message=message).status is Status.UNKNOWN


def test_bounds():
    # SciPy minimises, so a bound of the negated objective comes back.
    assert conclude(box(), 13, [1.0, 3.0], bound=-9.0).bound == 9.5
    assert conclude(box(maximise=False), 13, [0.0, 1.0], bound=-1.0).bound == -0.5
    assert conclude(box(), 13, [1.0, 3.0], bound=None).bound is None
    assert conclude(box(), 7, [1.0, 3.0], bound=None).bound == 7.5
    assert conclude(box(), 7, [1.0, 3.0], bound=-6.9999999).bound == 7.5  # never behind the point
    assert conclude(box(), 13, [1.0, 3.0], bound=math.nan).bound is None
    assert conclude(box(), 13, bound=-9.0).bound is None


def test_layout():
    assert scipy.costs(box()) == [-1, -2] and scipy.costs(box(maximise=False)) == [1, 2]
    assert scipy.sparse(box()) == ([0, 2], [0, 1], [1, 1])


def ask(m, **more):
    pytest.importorskip("scipy")
    return scipy.SciPy().solve(Problem(milp=m), SolveOptions(options={"presolve": more.pop("presolve", "on")}, **more))


def test_solves():
    r = ask(box())
    assert (r.status, list(r.values), r.objective, r.bound, r.tolerance) == (Status.OPTIMAL, [1, 3], 7.5, 7.5, 1e-6)
    r = ask(MILP([Column(lo=-math.inf)], objective=Objective(terms=Terms([0], [1.0]))))
    assert (r.status, r.reason, r.bound) == (Status.FEASIBLE, Reason.OTHER, None)
    with pytest.raises(InvalidOption):
        ask(box(), presolve="maybe")
