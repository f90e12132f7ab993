"""SCIP as a solver plugin: mixed-integer linear programs in floating point.

It runs in a separate process: PySCIPOpt releases the interpreter lock, but SCIP
checks for an interruption only between steps, and some steps are long.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Tuple

from hyfair.plugin import (
    MILP, Description, Exactness, Form, Goal, Incompatible, Library, Option, Problem, Reason, Result, Service,
    SolveOptions, Solver, Status, Terms, milp, option, serve)

TOLERANCE = 1e-6
FINEST = 1e-8
"""The smallest tolerance that SCIP accepts with its epsilon of 1e-9."""
NUMBERS = milp.Range("SCIP", smallest=1e-9, entry=1e15, cost=1e15)
INFINITE = 1e20
"""SCIP treats absolute values of this size and above as infinite."""
EMPHASES = ["default", "feasibility", "optimality", "easycip", "hardlp"]

CLAIMS: Dict[str, Tuple[Status, Reason]] = {
    "optimal": (Status.OPTIMAL, Reason.NONE),
    "infeasible": (Status.INFEASIBLE, Reason.NONE),
    "unbounded": (Status.UNKNOWN, Reason.OTHER),
    "inforunbd": (Status.UNKNOWN, Reason.OTHER),
    "timelimit": (Status.UNKNOWN, Reason.TIME_LIMIT),
    "memlimit": (Status.UNKNOWN, Reason.MEMORY_LIMIT),
    "nodelimit": (Status.UNKNOWN, Reason.WORK_LIMIT),
    "totalnodelimit": (Status.UNKNOWN, Reason.WORK_LIMIT),
    "stallnodelimit": (Status.UNKNOWN, Reason.WORK_LIMIT),
    "restartlimit": (Status.UNKNOWN, Reason.WORK_LIMIT),
    "sollimit": (Status.UNKNOWN, Reason.WORK_LIMIT),
    "bestsollimit": (Status.UNKNOWN, Reason.WORK_LIMIT),
    "gaplimit": (Status.OPTIMAL, Reason.NONE),
    "userinterrupt": (Status.UNKNOWN, Reason.INTERRUPTED),
    "terminate": (Status.UNKNOWN, Reason.INTERRUPTED),
    "unknown": (Status.UNKNOWN, Reason.OTHER),
}
"""By SCIP's status, complete up to 10.0."""

OPTIONS = [
    Option("presolve", "on", "simplify the problem first: on or off"),
    Option("emphasis", "default", "SCIP's settings for a purpose: " + ", ".join(EMPHASES)),
]


class SCIP(Solver):
    """The solver of --solver scip."""

    def describe(self) -> Description:
        return Description(
            name="scip", version="1.0.0", summary="mixed-integer linear programs with SCIP (branch and cut, floating point)",
            serves=[Service(Form.MILP, Goal.DECIDE), Service(Form.MILP, Goal.MAXIMISE)], exactness=Exactness.NUMERICAL,
            libraries=[Library.of_package("pyscipopt", "scripts/setup.sh solvers", "PySCIPOpt", solver="SCIP")],
            options=OPTIONS)

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.milp is not None  # only this form is served
        return milp.answer(problem.milp, options, run, absolute(problem.milp)[0], NUMBERS)


def absolute(m: MILP) -> Tuple[float, float]:
    """The absolute tolerance that the answer keeps, and SCIP's tolerance for it, which is
    relative to the sides of rows and the bounds of columns."""
    sides = [(r.lo, r.hi) for r in m.rows] + [(c.lo, c.hi) for c in m.columns]
    sizes = [abs(v) for pair in sides for v in pair if math.isfinite(v)]
    largest = max(1.0, *sizes) if sizes else 1.0
    native = max(FINEST, TOLERANCE / largest)
    return native * largest, native


def run(m: MILP, options: SolveOptions, watch: milp.Watch) -> milp.Outcome:
    """Solves the problem once."""
    try:
        import pyscipopt
    except ImportError as e:
        raise Incompatible(f"{e}: run scripts/setup.sh solvers to install PySCIPOpt") from e
    model = pyscipopt.Model()
    model.hideOutput()
    given = option.read(OPTIONS, options.options)
    emphasis = given.choice("emphasis", *EMPHASES)
    model.setEmphasis(getattr(pyscipopt.SCIP_PARAMEMPHASIS, emphasis.upper()))
    if given.choice("presolve", "on", "off") == "off":
        model.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)
    native: Dict[str, Any] = {
        "numerics/feastol": absolute(m)[1], "limits/gap": options.gap, "misc/catchctrlc": False,
        "randomization/randomseedshift": options.seed % 2**31}
    if options.time_limit is not None:
        native["limits/time"] = options.time_limit
    if options.work_limit is not None:
        native["limits/nodes"] = options.work_limit
    if options.memory is not None:
        native["limits/memory"] = options.memory / 1e6
    model.setParams(native)
    columns = fill(pyscipopt, model, m)
    model.includeEventhdlr(listener(pyscipopt, columns, watch), "hyfair", "receives incumbents")
    options.cancel.on_set(model.interruptSolve)
    try:
        model.optimizeNogil()
    except Exception as e:  # SCIP's errors have this class
        return milp.Outcome(Status.UNKNOWN, Reason.NUMERICAL, str(e))
    status = model.getStatus()
    claim, reason = CLAIMS.get(status, CLAIMS["unknown"])
    if status == "userinterrupt" and watch.stop is not None:
        reason = watch.stop
    held = model.getBestSol() if model.getNSols() else None
    bound = model.getDualbound()
    return milp.Outcome(
        claim, reason, status, None if held is None else [model.getSolVal(held, x) for x in columns],
        bound if abs(bound) < INFINITE else None, int(model.getNTotalNodes()),
        open_ended=status in ("unbounded", "inforunbd"))


def fill(pyscipopt: Any, model: Any, m: MILP) -> List[Any]:
    """Adds the problem to the model, and returns its columns."""
    def side(v: float) -> Any:
        return v if math.isfinite(v) else None

    columns = [model.addVar(vtype="I" if c.integer else "C", lb=side(c.lo), ub=side(c.hi)) for c in m.columns]

    def total(terms: Terms) -> Any:
        return pyscipopt.quicksum(a * columns[c] for c, a in zip(terms.columns, terms.coefs))

    for row in m.rows:
        if math.isfinite(row.lo) or math.isfinite(row.hi):
            model.addCons(pyscipopt.scip.ExprCons(total(row.terms), side(row.lo), side(row.hi)))
    model.setObjective(total(m.objective.terms) + m.objective.offset, "maximize" if m.objective.maximise else "minimize")
    return columns


def listener(pyscipopt: Any, columns: List[Any], watch: milp.Watch) -> Any:
    """Passes incumbents on, and stops SCIP when the watch says so."""
    new = pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND

    class Listener(pyscipopt.Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(new, self)

        def eventexit(self) -> None:
            self.model.dropEvent(new, self)

        def eventexec(self, event: Any) -> None:
            best = self.model.getBestSol()
            watch.found([self.model.getSolVal(best, x) for x in columns], int(self.model.getNTotalNodes()))
            if watch.stop is not None:
                self.model.interruptSolve()

    return Listener()


if __name__ == "__main__":
    serve.solver(SCIP(), apart=True)
