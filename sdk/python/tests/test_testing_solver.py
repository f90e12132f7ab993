from __future__ import annotations

import dataclasses

import pytest
from examples import program

from hyfair.plugin import (
    Description, Form, Goal, InvalidOption, Option, Problem, Reason, Result, Script, Service, Solver, Status, Symbol, Unsupported, testing)


class Told(Solver):
    """Answers with what it is told, and keeps what it was asked."""

    def __init__(self, result=None, spoil=None):
        self.result, self.spoil = result, spoil

    def describe(self):
        return Description("told", options=[Option("cuts", "few"), Option("depth", "7")], serves=[
            Service(Form.MILP, Goal.DECIDE), Service(Form.MILP, Goal.MAXIMISE), Service(Form.SMT, Goal.DECIDE)])

    def solve(self, problem, options):
        self.options = options
        if self.spoil:
            self.spoil(problem)
        return self.result


BEST = Result(Status.OPTIMAL, values=[0, 1, 1, 1], objective=21, bound=21)


def test_a_right_claim():
    solver = Told(BEST)
    assert testing.solve(solver, testing.knapsack(), {"depth": "9"}, time_limit=2.5) is BEST
    assert solver.options.options == {"cuts": "few", "depth": "9"} and solver.options.time_limit == 2.5
    for r in (Result(Status.INFEASIBLE), Result(Status.UNKNOWN, Reason.TIME_LIMIT)):
        assert testing.solve(Told(r), testing.knapsack(2, 1)) is r


@pytest.mark.parametrize("changes, says", [
    ({"values": None}, "status OPTIMAL without a point"),
    ({"status": Status.INFEASIBLE}, "INFEASIBLE with a point"),
    ({"status": 2}, "no Result with a Status"),
    ({"values": [1, 1]}, "2 values for 4 columns"),
    ({"values": [1, 1, 1, 1]}, "breaks the problem by 5"),
    ({"values": [0, 1, 1, 0.5]}, "breaks the problem by 0.5"),
    ({"objective": 22}, "its objective is 22, and that of its point 21"),
    ({"objective": float("nan")}, "finite"),
    ({"bound": 20}, "its bound 20 is refuted"),
    ({"tolerance": -1}, "tolerance of at least 0"),
])
def test_a_wrong_claim(changes, says):
    with pytest.raises(testing.IllegalClaim, match=says):
        testing.solve(Told(dataclasses.replace(BEST, **changes)), testing.knapsack())


def test_what_is_not_served_or_not_kept():
    script = Problem("x", smt=Script("(declare-const a Int)", [Symbol("a", "Int")]))
    with pytest.raises(testing.IllegalClaim, match="0 values for 1 symbols"):
        testing.solve(Told(Result(Status.FEASIBLE, values=[])), script)
    with pytest.raises(Unsupported, match="told does not serve MAXIMISE of the SMT form"):
        testing.solve(Told(), dataclasses.replace(script, smt=dataclasses.replace(script.smt, objective="a")))
    with pytest.raises(InvalidOption, match="it takes cuts, depth"):
        testing.solve(Told(BEST), testing.knapsack(), {"width": "1"})
    with pytest.raises(testing.IllegalClaim, match="modified"):
        testing.solve(Told(BEST, lambda p: p.milp.rows.clear()), testing.knapsack())


def test_a_solver():
    pytest.importorskip("scipy")
    solver = program("hyfair-solver-scipy").SciPy()
    r = testing.solve(solver, testing.knapsack())
    assert (r.status, r.objective) == (Status.OPTIMAL, 21)
    assert testing.solve(solver, testing.knapsack(2, 1)).status is Status.INFEASIBLE
    with pytest.raises(InvalidOption, match="presolve"):
        testing.solve(solver, testing.knapsack(), {"presolve": "maybe"})
