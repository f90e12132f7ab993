"""What a solver of the MILP form needs around its library::

    NUMBERS = milp.Range("SCIP", smallest=1e-9, entry=1e15, cost=1e20)

    def solve(self, problem, options):
        return milp.answer(problem.milp, options, self.run, tolerance=1e-6, numbers=NUMBERS)

    def run(self, m, options, watch):  # builds the library's model and runs it once
        ...
        return milp.Outcome(*CLAIMS[status], point=x, bound=bound, nodes=nodes)

``answer`` refuses coefficients that the library would change, asks a second time if
the objective may be unbounded, and accepts the library's claims only as far as its
points support them. Values are floats.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Tuple, Union

from .errors import Unsupported
from .problem import MILP, Objective, Terms
from .solver import Progress, Reason, Result, SolveOptions, Status

COARSEST = 1e-4
"""A point that violates the problem by more proves nothing."""


@dataclass
class Range:
    """The coefficients that a library accepts."""

    solver: str
    """The library's name in messages."""
    smallest: float = 0.0
    """The library ignores entries of the matrix up to this size."""
    entry: float = math.inf
    """The library refuses or misreads entries of the matrix of this size or more."""
    cost: float = math.inf
    """The library refuses or misreads coefficients of the objective of this size or more."""

    def lost(self, m: MILP) -> float:
        """Bounds how far the library changes a row by ignoring coefficients. Raises
        Unsupported if there is no bound, or if the library refuses a coefficient."""
        worst = 0.0
        for i, row in enumerate(m.rows):
            effect = 0.0
            for c, a in zip(row.terms.columns, row.terms.coefs):
                if abs(a) >= self.entry:
                    raise Unsupported(f"row {i} ({row.name}) has the coefficient {a:g} at column {c}; "
                                      f"{self.solver} takes only absolute values below {self.entry:g}")
                if 0 < abs(a) <= self.smallest:
                    effect += abs(a) * max(abs(m.columns[c].lo), abs(m.columns[c].hi))
            if math.isinf(effect):
                raise Unsupported(f"row {i} ({row.name}) has a coefficient of at most {self.smallest:g} at a column "
                                  f"without bounds; {self.solver} would leave it out")
            worst = max(worst, effect)
        for c, a in zip(m.objective.terms.columns, m.objective.terms.coefs):
            if abs(a) >= self.cost:
                raise Unsupported(f"the objective has the coefficient {a:g} at column {c}; "
                                  f"{self.solver} takes only absolute values below {self.cost:g}")
        return worst


@dataclass
class Outcome:
    """The outcome of one run of a library."""

    status: Status
    reason: Reason = Reason.NONE
    native: str = ""
    point: Optional[Sequence[float]] = None
    """The point held, in column order."""
    bound: Optional[float] = None
    """The proved bound of the objective, with its offset."""
    nodes: int = 0
    open_ended: bool = False
    """The library says that the problem is unbounded or infeasible."""


class Watch:
    """Remembers the best point of a running solve, reports progress, and says when to
    stop. For the library's callbacks."""

    def __init__(self, m: MILP, options: SolveOptions) -> None:
        self._milp, self._options, self._began = m, options, time.monotonic()
        self.best: Optional[List[float]] = None
        self._wants_best = bool(m.objective.terms.columns)

    def found(self, point: Sequence[float], nodes: int = 0, bound: Optional[float] = None) -> None:
        """Reports a new incumbent of the library, and a bound that it has proved."""
        x = _best_reading(self._milp, point)
        new = self._milp.violation(x) <= COARSEST and self._improves(x)
        if new:
            self.best = x
        if bound is not None and (not self._wants_best or not math.isfinite(bound)):
            bound = None
        if new or bound is not None:
            self._options.progress(Progress(
                x if new else None, self._milp.value(x) if new else 0.0, bound, nodes, time.monotonic() - self._began))

    def _improves(self, x: Sequence[float]) -> bool:
        if self.best is None or not self._wants_best:
            return self.best is None
        return _better(self._milp, self._milp.value(x), self._milp.value(self.best))

    @property
    def stop(self) -> Optional[Reason]:
        """Why the library should stop now: None if it should continue, ``Reason.NONE`` if
        the question is answered."""
        if self._options.cancel.is_set():
            return Reason.INTERRUPTED
        if self._options.time_limit is not None and time.monotonic() - self._began >= self._options.time_limit:
            return Reason.TIME_LIMIT
        if self.best is not None and (not self._wants_best or self._reaches(self.best)):
            return Reason.NONE
        return None

    def _reaches(self, x: Sequence[float]) -> bool:
        target = self._options.target
        return target is not None and not _better(self._milp, target, self._milp.value(x))


Run = Callable[[MILP, SolveOptions, Watch], Outcome]


def answer(m: MILP, options: SolveOptions, run: Run, tolerance: float, numbers: Range) -> Result:
    """The claim about a problem. ``tolerance`` is the library's."""
    tolerance += numbers.lost(m)
    # Rows without terms compare zero with their sides; few libraries accept them.
    if any(row.lo > 0 or row.hi < 0 for row in m.rows if not row.terms.columns):
        return Result(Status.INFEASIBLE, native="empty row")
    if not m.columns:
        return Result(Status.FEASIBLE, native="no columns", values=[], objective=m.objective.offset)
    m = dataclasses.replace(m, rows=[row for row in m.rows if row.terms.columns])
    began = time.monotonic()
    watch = Watch(m, options)
    outcome = run(m, options, watch)
    if not outcome.open_ended:
        return conclude(m, outcome, tolerance, options, watch.best)
    if not m.objective.terms.columns:  # without an objective, nothing is unbounded
        return conclude(m, dataclasses.replace(outcome, status=Status.INFEASIBLE, reason=Reason.NONE), tolerance)
    # Infeasible or unbounded: the problem without its objective tells which.
    plain = dataclasses.replace(m, objective=Objective())
    left = None if options.time_limit is None else max(1e-3, options.time_limit - (time.monotonic() - began))
    second = dataclasses.replace(options, time_limit=left, target=None, progress=lambda p: None)
    r = conclude(m, run(plain, second, Watch(plain, second)), tolerance)
    r.bound, r.nodes = None, r.nodes + outcome.nodes
    if r.values is not None:
        r.status, r.reason, r.detail = Status.FEASIBLE, Reason.OTHER, "the objective has no bound"
    return r


def conclude(m: MILP, outcome: Outcome, tolerance: float, options: Optional[SolveOptions] = None,
             known: Optional[Sequence[float]] = None) -> Result:
    """The claim that an outcome and the best known point support: "infeasible" with a
    feasible point becomes ``FEASIBLE``, ``NUMERICAL``, and "optimal" without a point
    ``UNKNOWN``. With a tolerance above COARSEST only points count."""
    best_asked = bool(m.objective.terms.columns)
    if tolerance > COARSEST:  # nothing but points counts
        native = f"{outcome.native}, with a tolerance of {tolerance:g}"
        if outcome.status in (Status.OPTIMAL, Status.INFEASIBLE):
            outcome = Outcome(Status.UNKNOWN, Reason.NUMERICAL, native, outcome.point, None, outcome.nodes)
        outcome, tolerance = dataclasses.replace(outcome, bound=None), 0.0
    r = Result(outcome.status, outcome.reason, native=outcome.native, tolerance=tolerance, nodes=outcome.nodes)
    point = None if outcome.point is None else _best_reading(m, outcome.point)
    off = math.inf if point is None else m.violation(point)
    if known is not None and (point is None or off > COARSEST or best_asked and _better(m, m.value(known), m.value(point))):
        if r.status is Status.OPTIMAL and point is not None and _apart(m.value(known), m.value(point), tolerance):
            r.status, r.reason, r.detail = Status.FEASIBLE, Reason.NUMERICAL, "an optimum is claimed, and a better point is known"
        point, off = list(known), m.violation(known)
    if point is None or off > COARSEST:
        if r.status is Status.OPTIMAL or r.status is Status.FEASIBLE or point is not None and r.status is not Status.INFEASIBLE:
            r.status, r.reason = Status.UNKNOWN, r.reason if r.reason is not Reason.NONE else Reason.NUMERICAL
            r.detail = "no point is held" if point is None else f"the point held breaks the problem by {off:g}"
        return r
    r.values, r.objective, r.tolerance = point, m.value(point), max(tolerance, off)
    if r.status is Status.INFEASIBLE:
        r.status, r.reason, r.detail = Status.FEASIBLE, Reason.NUMERICAL, "it is claimed that there is no point, and one is held"
        return r
    if not best_asked:
        r.status, r.reason = Status.FEASIBLE, Reason.NONE
        return r
    if r.status is not Status.OPTIMAL:
        r.status = Status.FEASIBLE
        target = None if options is None else options.target
        if target is not None and not _better(m, target, r.objective):
            r.reason = Reason.NONE
    bound = r.objective if outcome.bound is None and r.status is Status.OPTIMAL else outcome.bound
    if bound is None or math.isnan(bound) or r.reason is Reason.NUMERICAL:
        return r
    if _better(m, r.objective, bound) and _apart(r.objective, bound, tolerance):
        r.status, r.reason, r.detail = Status.FEASIBLE, Reason.NUMERICAL, f"the bound {bound:g} contradicts the point held"
        return r
    # The point has its objective, so a bound that excludes it is off by rounding.
    r.bound = max(bound, r.objective) if m.objective.maximise else min(bound, r.objective)
    return r


def _apart(a: float, b: float, tolerance: float) -> bool:
    """Whether two objectives differ by more than tolerances explain."""
    return abs(a - b) > 10 * tolerance * max(1.0, abs(a), abs(b))


def _better(m: MILP, a: float, b: float) -> bool:
    return a > b if m.objective.maximise else a < b


def _best_reading(m: MILP, x: Sequence[float]) -> List[float]:
    """The point with its integers rounded, unless that violates the problem more than
    the unrounded point does."""
    whole = [float(round(v)) if c.integer and math.isfinite(v) else float(v) for c, v in zip(m.columns, x)]
    return whole if m.violation(whole) <= m.violation(x) else list(x)


def write_mps(m: MILP, path: Union[str, os.PathLike[str]]) -> None:
    """Writes the problem as free MPS, for a library or a program that reads files. Column
    i is called c{i}, row i r{i}; the upper side of a row with two sides is r{i}u. All
    bounds are written, as readers' defaults differ, and numbers are read back exactly.
    The format cannot hold a start or priorities."""
    m.check()
    sides: List[Tuple[str, str, float, Terms]] = [("obj", "N", -m.objective.offset, m.objective.terms)]
    for i, r in enumerate(m.rows):
        if r.lo == r.hi:
            sides.append((f"r{i}", "E", r.lo, r.terms))
            continue
        if r.lo > -math.inf:
            sides.append((f"r{i}", "G", r.lo, r.terms))
        if r.hi < math.inf:
            sides.append((f"r{i}u" if r.lo > -math.inf else f"r{i}", "L", r.hi, r.terms))
    entries: List[List[str]] = [[] for _ in m.columns]
    for name, _, _, terms in sides:
        for c, a in zip(terms.columns, terms.coefs):
            entries[c].append(f"    c{c} {name} {float(a)!r}")
    with open(path, "w", encoding="ascii") as f:
        def put(*lines: str) -> None:
            f.write("\n".join(lines) + "\n")

        put("NAME hyfair", *(["OBJSENSE", "    MAX"] if m.objective.maximise else []), "ROWS")
        put(*(f" {kind} {name}" for name, kind, _, _ in sides), "COLUMNS")
        for i, column in enumerate(m.columns):
            put(*([f"    m{i} 'MARKER' 'INTORG'"] if column.integer else []), *(entries[i] or [f"    c{i} obj 0"]),
                *([f"    n{i} 'MARKER' 'INTEND'"] if column.integer else []))
        put("RHS", *(f"    rhs {name} {float(side)!r}" for name, _, side, _ in sides if side), "BOUNDS")
        for i, column in enumerate(m.columns):
            put(f" LO bnd c{i} {float(column.lo)!r}" if column.lo > -math.inf else f" MI bnd c{i}",
                f" UP bnd c{i} {float(column.hi)!r}" if column.hi < math.inf else f" PL bnd c{i}")
        if m.sets:
            put("SOS")
        for i, s in enumerate(m.sets):
            put(f" S1 s{i}", *(f"    c{c} {k + 1}" for k, c in enumerate(s.columns)))
        put("ENDATA")
