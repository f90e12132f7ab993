"""From SciPy's answer to a claim. Its word is taken no further than its own
point bears out."""

from __future__ import annotations

import math
import re
from typing import Dict, List, NamedTuple, Optional

from hyfair import MILP, Reason, Result, Status

from layout import Answer

TOLERANCE = 1e-6
"""HiGHS's default for integrality and the absolute gap, above those for rows and
bounds (1e-7); SciPy has no means to change them."""
COARSEST = 1e-4
"""A point that breaks the problem by more proves nothing."""


class Claim(NamedTuple):
    """What an answer means where no point is held."""

    status: Status
    reason: Reason


OTHER = Claim(Status.UNKNOWN, Reason.OTHER)

CLAIMS: Dict[int, Claim] = {
    0: OTHER,  # not set
    1: OTHER,  # load error
    2: OTHER,  # model error, which SciPy calls infeasible
    3: OTHER,  # presolve error
    4: Claim(Status.UNKNOWN, Reason.NUMERICAL),  # solve error
    5: Claim(Status.UNKNOWN, Reason.NUMERICAL),  # postsolve error
    6: Claim(Status.OPTIMAL, Reason.NONE),  # no rows
    7: Claim(Status.OPTIMAL, Reason.NONE),
    8: Claim(Status.INFEASIBLE, Reason.NONE),
    9: OTHER,  # unbounded or infeasible: see open_ended
    10: OTHER,  # unbounded: see open_ended
    11: OTHER,  # bound on the objective
    12: OTHER,  # target for the objective
    13: Claim(Status.UNKNOWN, Reason.TIME_LIMIT),
    14: Claim(Status.UNKNOWN, Reason.WORK_LIMIT),  # iterations
    15: Claim(Status.UNKNOWN, Reason.NUMERICAL),  # unknown
    16: Claim(Status.UNKNOWN, Reason.WORK_LIMIT),  # nodes, or solutions
    17: Claim(Status.UNKNOWN, Reason.INTERRUPTED),
    18: Claim(Status.UNKNOWN, Reason.MEMORY_LIMIT),
}
"""By HiGHS's number, which SciPy gives in its message; its own status lumps
together what must be told apart."""

_NUMBER = re.compile(r"\(HiGHS Status (\d+)")


def _number(answer: Answer) -> int:
    found = _NUMBER.search(answer["message"])
    return int(found.group(1)) if found else -1


def open_ended(answer: Answer) -> bool:
    """Whether the problem is said to be unbounded, or unbounded or infeasible."""
    return _number(answer) in (9, 10)


def conclude(milp: MILP, answer: Answer, lost: float) -> Result:
    """The claim; ``lost`` is what HiGHS may have changed in a row."""
    status, reason = CLAIMS.get(_number(answer), OTHER)
    r = Result(
        status, reason, native=answer["message"], tolerance=TOLERANCE + lost, nodes=int(answer["nodes"] or 0))
    point = _best_reading(milp, answer["x"])
    off = math.inf if point is None else milp.violation(point)
    if point is None or off > COARSEST:
        return _without_point(r, "" if point is None else f"the point held breaks the problem by {off:g}")
    best_asked = bool(milp.objective.terms.columns)
    r.values, r.objective, r.tolerance = point, milp.value(point), max(r.tolerance, off)
    if r.status is Status.INFEASIBLE:
        r.status, r.reason, r.detail = Status.FEASIBLE, Reason.NUMERICAL, "HiGHS claims that there is no point, and holds one"
        return r
    if r.status is not Status.OPTIMAL or not best_asked:
        r.status = Status.FEASIBLE
        r.reason = r.reason if best_asked else Reason.NONE
    r.bound = _bound(milp, answer, r) if best_asked else None
    return r


def without_best(milp: MILP, feasibility: Answer, lost: float) -> Result:
    """The claim about a problem without a best point, if it has points at all."""
    r = conclude(milp, feasibility, lost)
    r.bound = None
    if r.values is not None:
        r.status, r.reason, r.detail = Status.FEASIBLE, Reason.OTHER, "the objective has no bound"
    return r


def without_columns(milp: MILP) -> Result:
    """Rows without columns are statements about zero; SciPy takes no such problem."""
    status = Status.OPTIMAL if milp.objective.terms.columns else Status.FEASIBLE
    if any(row.lo > 0 or row.hi < 0 for row in milp.rows):
        return Result(Status.INFEASIBLE, native="no columns")
    return Result(status, native="no columns", values=[], objective=milp.objective.offset)


def _without_point(r: Result, why: str) -> Result:
    if r.status is Status.OPTIMAL or why:
        r.status, r.reason = Status.UNKNOWN, Reason.NUMERICAL
        r.detail = why or "an optimum without a point"
    return r


def _best_reading(milp: MILP, x: Optional[List[float]]) -> Optional[List[float]]:
    """The point with its integers made whole where that breaks the problem no
    more than leaving them as they are."""
    if x is None:
        return None
    whole = [float(round(v)) if c.integer and math.isfinite(v) else v for c, v in zip(milp.columns, x)]
    return whole if milp.violation(whole) <= milp.violation(x) else x


def _bound(milp: MILP, answer: Answer, r: Result) -> Optional[float]:
    """What HiGHS proved of the objective; of a linear program, the optimum."""
    sign = -1.0 if milp.objective.maximise else 1.0
    if answer["bound"] is not None:
        bound = sign * float(answer["bound"]) + milp.objective.offset
    elif r.status is Status.OPTIMAL:
        bound = r.objective
    else:
        return None
    if math.isnan(bound):
        return None
    # The point held is worth what it is worth: a bound behind it is rounding.
    return max(bound, r.objective) if milp.objective.maximise else min(bound, r.objective)
