"""A MILP as the plain lists that SciPy takes."""

from __future__ import annotations

import math
from typing import Any, Dict, List

from hyfair import MILP, Unsupported

Task = Dict[str, Any]
Answer = Dict[str, Any]

SMALLEST = 1e-9
"""HiGHS leaves out matrix entries of at most that size."""
LARGEST = 1e15
"""It refuses matrix entries from here on,"""
LARGEST_COST = 1e20
"""and takes costs and bounds from here on for infinite."""


def effect_of_dropping(milp: MILP) -> float:
    """Bounds what HiGHS changes in a row by leaving out entries too small for it.
    Raises Unsupported where that has no bound, or where it refuses an entry."""
    worst = 0.0
    for i, row in enumerate(milp.rows):
        effect = 0.0
        for c, a in zip(row.terms.columns, row.terms.coefs):
            if abs(a) >= LARGEST:
                raise Unsupported(f"row {i} ({row.name}) has the coefficient {a:g} at column {c}; "
                                  f"HiGHS takes none from {LARGEST:g} on")
            if 0 < abs(a) <= SMALLEST:
                effect += abs(a) * max(abs(milp.columns[c].lo), abs(milp.columns[c].hi))
        if math.isinf(effect):
            raise Unsupported(f"row {i} ({row.name}) has a coefficient of at most {SMALLEST:g} at a column "
                              "without bounds; HiGHS would leave it out")
        worst = max(worst, effect)
    for c, a in zip(milp.objective.terms.columns, milp.objective.terms.coefs):
        if abs(a) >= LARGEST_COST:
            raise Unsupported(f"the objective has the coefficient {a:g} at column {c}; "
                              f"HiGHS takes none from {LARGEST_COST:g} on")
    return worst


def task(milp: MILP) -> Task:
    """SciPy always minimises; rows are in compressed form."""
    sign = -1.0 if milp.objective.maximise else 1.0
    cost = [0.0] * len(milp.columns)
    for c, a in zip(milp.objective.terms.columns, milp.objective.terms.coefs):
        cost[c] = sign * a
    starts: List[int] = [0]
    indices: List[int] = []
    data: List[float] = []
    for row in milp.rows:
        indices += row.terms.columns
        data += row.terms.coefs
        starts.append(len(indices))
    return {
        "c": cost,
        "integrality": [int(c.integer) for c in milp.columns],
        "lo": [c.lo for c in milp.columns], "hi": [c.hi for c in milp.columns],
        "starts": starts, "indices": indices, "data": data,
        "row_lo": [r.lo for r in milp.rows], "row_hi": [r.hi for r in milp.rows],
    }
