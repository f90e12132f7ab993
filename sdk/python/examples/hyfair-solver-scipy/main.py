"""SciPy's mixed-integer solver, which uses HiGHS, as a solver plugin.

This solver cannot do what ``scipy.optimize.milp`` does not offer: it ignores start
values, seed, threads, branching priorities and special ordered sets, reports no
progress, and cannot be interrupted. So it runs in a separate process, which is
killed if the host cancels; its incumbent is then lost.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

from hyfair.plugin import (
    MILP, Description, Exactness, Form, Goal, Incompatible, Library, Option, Problem, Reason, Result, Service,
    SolveOptions, Solver, Status, milp, option, serve)

TOLERANCE = 1e-6
"""HiGHS's default for integrality and the absolute gap, which is above the default
for rows and bounds (1e-7). SciPy cannot change them."""
NUMBERS = milp.Range("HiGHS", smallest=1e-9, entry=1e15, cost=1e20)

OTHER = (Status.UNKNOWN, Reason.OTHER)
CLAIMS: Dict[int, Tuple[Status, Reason]] = {
    0: OTHER,  # not set
    1: OTHER,  # load error
    2: OTHER,  # model error, which SciPy calls infeasible
    3: OTHER,  # presolve error
    4: (Status.UNKNOWN, Reason.NUMERICAL),  # solve error
    5: (Status.UNKNOWN, Reason.NUMERICAL),  # postsolve error
    6: (Status.OPTIMAL, Reason.NONE),  # no rows
    7: (Status.OPTIMAL, Reason.NONE),
    8: (Status.INFEASIBLE, Reason.NONE),
    9: OTHER,  # unbounded or infeasible
    10: OTHER,  # unbounded
    11: OTHER,  # bound on the objective
    12: OTHER,  # target for the objective
    13: (Status.UNKNOWN, Reason.TIME_LIMIT),
    14: (Status.UNKNOWN, Reason.WORK_LIMIT),  # iterations
    15: (Status.UNKNOWN, Reason.NUMERICAL),  # unknown
    16: (Status.UNKNOWN, Reason.WORK_LIMIT),  # nodes, or solutions
    17: (Status.UNKNOWN, Reason.INTERRUPTED),
    18: (Status.UNKNOWN, Reason.MEMORY_LIMIT),
}
"""By HiGHS's number, which SciPy's message contains; SciPy's own status does not
distinguish all of these."""

OPTIONS = [Option("presolve", "on", "on or off")]


class SciPy(Solver):
    """What --solver scipy selects."""

    def describe(self) -> Description:
        return Description(
            name="scipy", version="1.0.0", summary="SciPy's milp: HiGHS, without the means to steer it",
            serves=[Service(Form.MILP, Goal.DECIDE), Service(Form.MILP, Goal.MAXIMISE)],
            exactness=Exactness.NUMERICAL,
            libraries=[Library.of_package("scipy", "scripts/setup.sh python", "SciPy", solver="HiGHS")],
            options=OPTIONS)

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.milp is not None  # the form asked for is one that is served
        return milp.answer(problem.milp, options, run, TOLERANCE, NUMBERS)


def run(m: MILP, options: SolveOptions, watch: milp.Watch) -> milp.Outcome:
    """Builds SciPy's arrays and runs its solver once. SciPy has no callbacks, so ``watch``
    is not used."""
    presolve = option.read(OPTIONS, options.options).choice("presolve", "on", "off") == "on"
    try:
        import numpy
        from scipy.optimize import Bounds, LinearConstraint
        from scipy.sparse import csr_matrix
        from scipy.optimize import milp as solve
    except ImportError as e:
        raise Incompatible(f"SciPy cannot be used: {e}") from e
    native: Dict[str, Any] = {
        "presolve": presolve, "mip_rel_gap": options.gap, "node_limit": options.work_limit, "disp": False,
        "time_limit": options.time_limit}
    starts, indices, data = sparse(m)
    rows = None
    if m.rows:
        matrix = csr_matrix((data, indices, starts), shape=(len(m.rows), len(m.columns)), dtype=float)
        sides: Any = [r.lo for r in m.rows], [r.hi for r in m.rows]
        rows = LinearConstraint(matrix, *sides)
    ends: Any = [c.lo for c in m.columns], [c.hi for c in m.columns]
    r = solve(
        numpy.array(costs(m)), integrality=numpy.array([int(c.integer) for c in m.columns]),
        bounds=Bounds(*ends), constraints=rows, options=native)
    bound = r.get("mip_dual_bound")
    return outcome(m, r.message, None if r.x is None else list(map(float, r.x)), bound, r.get("mip_node_count"))


def outcome(m: MILP, message: str, x: Any, bound: Any, nodes: Any) -> milp.Outcome:
    """Interprets SciPy's answer by the HiGHS number in its message."""
    found = re.search(r"\(HiGHS Status (\d+)", message)
    number = int(found.group(1)) if found else -1
    status, reason = CLAIMS.get(number, OTHER)
    sign = -1.0 if m.objective.maximise else 1.0
    return milp.Outcome(
        status, reason, message, x, None if bound is None else sign * float(bound) + m.objective.offset,
        int(nodes or 0), open_ended=number in (9, 10))


def costs(m: MILP) -> List[float]:
    """The objective's coefficient of each column, negated for a maximum: SciPy always
    minimises."""
    out = [0.0] * len(m.columns)
    for c, a in zip(m.objective.terms.columns, m.objective.terms.coefs):
        out[c] = -a if m.objective.maximise else a
    return out


def sparse(m: MILP) -> Tuple[List[int], List[int], List[float]]:
    """The rows as the three arrays of a compressed sparse row matrix."""
    starts: List[int] = [0]
    indices: List[int] = []
    data: List[float] = []
    for row in m.rows:
        indices += row.terms.columns
        data += row.terms.coefs
        starts.append(len(indices))
    return starts, indices, data


if __name__ == "__main__":
    serve.solver(SciPy(), apart=True)
