"""Gurobi as a solver plugin: mixed-integer linear programs in floating point.

The licence in Gurobi's package allows 2,000 columns and 2,000 rows. Larger problems are
refused unless Gurobi finds another licence.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Tuple

from hyfair.plugin import (
    MILP, Description, Exactness, Form, Goal, Incompatible, Library, Option, Problem, Reason, Result, Service,
    SolveOptions, Solver, Status, Terms, Unsupported, milp, option, serve)

TOLERANCE = 1e-6
"""Rows, bounds and integers must hold to a tenth of it. Gurobi's default for integers is
1e-5: with a coefficient of 1e4, a row may then be violated by 0.1."""
NUMBERS = milp.Range("Gurobi", smallest=1e-13, entry=1e15, cost=1e15)
TOO_LARGE = 10010
"""Gurobi's error number for a problem beyond its licence."""

OTHER = (Status.UNKNOWN, Reason.OTHER)
CLAIMS: Dict[int, Tuple[Status, Reason, str]] = {
    1: (*OTHER, "loaded"),
    2: (Status.OPTIMAL, Reason.NONE, "optimal"),
    3: (Status.INFEASIBLE, Reason.NONE, "infeasible"),
    4: (*OTHER, "infeasible or unbounded"),
    5: (*OTHER, "unbounded"),
    6: (*OTHER, "cutoff"),
    7: (Status.UNKNOWN, Reason.WORK_LIMIT, "iteration limit"),
    8: (Status.UNKNOWN, Reason.WORK_LIMIT, "node limit"),
    9: (Status.UNKNOWN, Reason.TIME_LIMIT, "time limit"),
    10: (Status.UNKNOWN, Reason.WORK_LIMIT, "solution limit"),
    11: (Status.UNKNOWN, Reason.INTERRUPTED, "interrupted"),
    12: (Status.UNKNOWN, Reason.NUMERICAL, "numeric"),
    13: (Status.UNKNOWN, Reason.NUMERICAL, "suboptimal"),
    14: (*OTHER, "in progress"),
    15: (*OTHER, "objective limit"),
    16: (Status.UNKNOWN, Reason.WORK_LIMIT, "work limit"),
    17: (Status.UNKNOWN, Reason.MEMORY_LIMIT, "memory limit"),
    18: (*OTHER, "locally optimal"),
    19: (*OTHER, "locally infeasible"),
}
"""By Gurobi's status, complete up to 13.0."""

OPTIONS = [
    Option("presolve", "auto", "simplify the problem first: auto, off, on or aggressive"),
    Option("focus", "balance", "what to focus on: balance, points, proof or bound"),
    Option("numeric", "0", "numerical care, 0 to 3"),
]


class Gurobi(Solver):
    """The solver of --solver gurobi."""

    def describe(self) -> Description:
        return Description(
            name="gurobi", version="1.0.0",
            summary="mixed-integer linear programs with Gurobi (branch and cut, floating point; 2,000 columns without a licence)",
            serves=[Service(Form.MILP, Goal.DECIDE), Service(Form.MILP, Goal.MAXIMISE)], exactness=Exactness.NUMERICAL,
            sets=True, libraries=[Library.of_package("gurobipy", "scripts/setup.sh solvers", "Gurobi")],
            options=OPTIONS)

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.milp is not None  # only this form is served
        return milp.answer(problem.milp, options, run, TOLERANCE, NUMBERS)


def run(m: MILP, options: SolveOptions, watch: milp.Watch) -> milp.Outcome:
    """Solves the problem once."""
    native = settings(options)
    try:
        import gurobipy
    except ImportError as e:
        raise Incompatible(f"{e}: run scripts/setup.sh solvers to install Gurobi") from e
    try:
        with gurobipy.Env(params={"OutputFlag": 0}) as environment, gurobipy.Model(env=environment) as model:
            for name, value in native.items():
                model.setParam(name, value)
            columns = fill(gurobipy, model, m)
            options.cancel.on_set(model.terminate)
            model.optimize(listener(gurobipy, columns, watch))
            return outcome(model, columns, m, watch)
    except gurobipy.GurobiError as e:
        if e.errno == TOO_LARGE:
            raise Unsupported(f"Gurobi's licence does not allow a problem of {len(m.columns)} columns and "
                              f"{len(m.rows)} rows; the one in its package allows 2,000 of each") from e
        raise Incompatible(f"Gurobi says: {e}") from e


def settings(options: SolveOptions) -> Dict[str, Any]:
    """Gurobi's parameters for a call."""
    given = option.read(OPTIONS, options.options)

    def choice(name: str, words: Dict[str, int]) -> int:
        return words[given.choice(name, *words)]

    out: Dict[str, Any] = {
        "Presolve": choice("presolve", {"auto": -1, "off": 0, "on": 1, "aggressive": 2}),
        "MIPFocus": choice("focus", {"balance": 0, "points": 1, "proof": 2, "bound": 3}),
        "NumericFocus": choice("numeric", {"0": 0, "1": 1, "2": 2, "3": 3}),
        "FeasibilityTol": TOLERANCE / 10, "IntFeasTol": TOLERANCE / 10, "MIPGap": options.gap,
        "Threads": min(max(1, options.threads), 1024), "Seed": options.seed % 2_000_000_000}
    if options.time_limit is not None:
        out["TimeLimit"] = options.time_limit
    if options.work_limit is not None:
        out["NodeLimit"] = options.work_limit
    if options.memory is not None:
        out["SoftMemLimit"] = options.memory / 1e9
    return out


def fill(gurobipy: Any, model: Any, m: MILP) -> list[Any]:
    """Adds the problem to the model, and returns its columns. A row with two different sides
    becomes two rows, since Gurobi would add a column for it."""
    columns = [model.addVar(lb=c.lo, ub=c.hi, vtype="I" if c.integer else "C") for c in m.columns]

    def total(terms: Terms) -> Any:
        return gurobipy.LinExpr(list(terms.coefs), [columns[c] for c in terms.columns])

    for row in m.rows:
        if row.lo == row.hi:
            model.addLConstr(total(row.terms), "=", row.lo)
            continue
        for side, sense in ((row.lo, ">"), (row.hi, "<")):
            if math.isfinite(side):
                model.addLConstr(total(row.terms), sense, side)
    for s in m.sets:
        model.addSOS(1, [columns[c] for c in s.columns], list(range(1, len(s.columns) + 1)))
    goal = total(m.objective.terms)
    goal.addConstant(m.objective.offset)
    model.setObjective(goal, -1 if m.objective.maximise else 1)
    for x, c, v in zip(columns, m.columns, m.start if m.start is not None else [math.nan] * len(columns)):
        x.BranchPriority = c.priority
        if math.isfinite(v):
            x.Start = v
    return columns


def listener(gurobipy: Any, columns: list[Any], watch: milp.Watch) -> Any:
    """Passes incumbents and bounds on, and stops Gurobi when the watch says so."""
    code = gurobipy.GRB.Callback

    def heard(model: Any, where: int) -> None:
        if where == code.MIPSOL:
            watch.found(model.cbGetSolution(columns), int(model.cbGet(code.MIPSOL_NODCNT)), model.cbGet(code.MIPSOL_OBJBND))
        if watch.stop is not None:
            model.terminate()

    return heard


def outcome(model: Any, columns: list[Any], m: MILP, watch: milp.Watch) -> milp.Outcome:
    """Returns the status, the best point and the bound of a finished run."""
    status, reason, text = CLAIMS.get(model.Status, (*OTHER, f"status {model.Status}"))
    if text == "interrupted" and watch.stop is not None:
        reason = watch.stop
    whole = any(c.integer for c in m.columns) or bool(m.sets)
    bound = model.ObjBound if whole and model.Status not in (3, 4, 5) else None
    return milp.Outcome(
        status, reason, text, [x.X for x in columns] if model.SolCount else None,
        bound if bound is not None and abs(bound) < 1e100 else None, int(model.NodeCount),
        open_ended=text in ("unbounded", "infeasible or unbounded"))


if __name__ == "__main__":
    serve.solver(Gurobi(), apart=True)
