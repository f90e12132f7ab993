"""OR-Tools as a solver plugin: mixed-integer linear programs with its CBC.

OR-Tools' package has several engines for such programs; CBC is the only one of them
that no other plugin runs. CP-SAT, OR-Tools' own engine, handles integers only: it would
round real columns and coefficients to a grid, and "infeasible" would hold for a different
problem. CBC cannot be interrupted from here, so it runs in a separate process.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Tuple

from hyfair.plugin import (
    MILP, Description, Exactness, Form, Goal, Incompatible, Library, Option, Problem, Reason, Result, Service,
    SolveOptions, Solver, Status, milp, option, serve)

TOLERANCE = 1e-6
"""CBC's tolerance for integers; rows and bounds must hold to a tenth of it."""
NUMBERS = milp.Range("CBC", smallest=1e-9, entry=1e15, cost=1e15)

CLAIMS: Dict[int, Tuple[Status, Reason, str]] = {
    0: (Status.OPTIMAL, Reason.NONE, "optimal"),
    1: (Status.FEASIBLE, Reason.TIME_LIMIT, "feasible"),
    2: (Status.INFEASIBLE, Reason.NONE, "infeasible"),
    3: (Status.UNKNOWN, Reason.OTHER, "unbounded"),
    4: (Status.UNKNOWN, Reason.NUMERICAL, "abnormal"),
    5: (Status.UNKNOWN, Reason.OTHER, "model invalid"),
    6: (Status.UNKNOWN, Reason.TIME_LIMIT, "not solved"),
}
"""By OR-Tools' ResultStatus. Only a time limit is ever set."""

OPTIONS = [Option("presolve", "on", "simplify the problem first: on or off")]


class ORTools(Solver):
    """The solver of --solver ortools."""

    def describe(self) -> Description:
        return Description(
            name="ortools", version="1.0.0",
            summary="mixed-integer linear programs with the CBC in OR-Tools (branch and cut, floating point)",
            serves=[Service(Form.MILP, Goal.DECIDE), Service(Form.MILP, Goal.MAXIMISE)], exactness=Exactness.NUMERICAL,
            libraries=[Library.of_package("ortools", "scripts/setup.sh solvers", "OR-Tools", solver="CBC")],
            options=OPTIONS)

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.milp is not None  # only this form is served
        if options.work_limit is not None:
            return Result(Status.UNKNOWN, Reason.WORK_LIMIT, "not started", "OR-Tools cannot limit CBC's nodes; set a time limit")
        return milp.answer(problem.milp, options, run, TOLERANCE, NUMBERS)


def run(m: MILP, options: SolveOptions, watch: milp.Watch) -> milp.Outcome:
    """Solves the problem once."""
    presolve = option.read(OPTIONS, options.options).choice("presolve", "on", "off") == "on"
    try:
        from ortools.linear_solver import pywraplp
    except ImportError as e:
        raise Incompatible(f"{e}: run scripts/setup.sh solvers to install OR-Tools") from e
    solver = pywraplp.Solver.CreateSolver("CBC")
    columns = fill(solver, m)
    if m.start is not None:
        known = [(x, v) for x, v in zip(columns, m.start) if math.isfinite(v)]
        solver.SetHint([x for x, _ in known], [v for _, v in known])
    if options.time_limit is not None:
        solver.SetTimeLimit(max(1, int(options.time_limit * 900)))  # CBC overruns it by some tenths
    solver.SetNumThreads(min(max(1, options.threads), 64))
    native = pywraplp.MPSolverParameters()
    native.SetDoubleParam(native.RELATIVE_MIP_GAP, options.gap)
    native.SetDoubleParam(native.PRIMAL_TOLERANCE, TOLERANCE / 10)
    native.SetIntegerParam(native.PRESOLVE, native.PRESOLVE_ON if presolve else native.PRESOLVE_OFF)
    number = solver.Solve(native)
    status, reason, text = CLAIMS.get(number, (Status.UNKNOWN, Reason.OTHER, f"status {number}"))
    held = status in (Status.OPTIMAL, Status.FEASIBLE)
    whole = any(c.integer for c in m.columns)
    return milp.Outcome(
        status, reason, text, [x.solution_value() for x in columns] if held else None,
        solver.Objective().BestBound() if held and whole else None, int(solver.nodes()) if whole else 0,
        open_ended=text in ("unbounded", "abnormal"))


def fill(solver: Any, m: MILP) -> list[Any]:
    """Adds the problem to the solver, and returns its columns."""
    def side(v: float) -> float:
        return v if math.isfinite(v) else math.copysign(solver.infinity(), v)

    columns = [solver.Var(side(c.lo), side(c.hi), c.integer, "") for c in m.columns]
    for row in m.rows:
        constraint = solver.Constraint(side(row.lo), side(row.hi))
        for c, a in zip(row.terms.columns, row.terms.coefs):
            constraint.SetCoefficient(columns[c], a)
    objective = solver.Objective()
    for c, a in zip(m.objective.terms.columns, m.objective.terms.coefs):
        objective.SetCoefficient(columns[c], a)
    objective.SetOffset(m.objective.offset)
    objective.SetOptimizationDirection(m.objective.maximise)
    return columns


if __name__ == "__main__":
    serve.solver(ORTools(), apart=True)
