"""What a solver is asked: a problem in one of three forms."""

from __future__ import annotations

import copy
import enum
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import List, Optional, Sequence, Union

from .network import Network, sigmoid
from .space import Point, Predicate, Region, Space, check_predicate, holds

Number = Union[int, float, Fraction]
"""An exact value; floats are exact too."""


class Form(enum.Enum):
    """The language a problem is written in."""

    NETWORK = 1
    """A query: a network, a space and a question."""
    MILP = 2
    """Rows and columns."""
    SMT = 3
    """An SMT-LIB 2 script."""


class Goal(enum.Enum):
    """What a query wants to know."""

    DECIDE = 1
    """Is there a violating individual?"""
    MAXIMISE = 2
    """The largest gap or margin; for a MILP or script, the best objective."""
    MINIMISE = 3
    """The smallest gap or margin."""
    MAX_K = 4
    """The largest number of bins."""
    MIN_K = 5
    """The smallest number of bins."""
    QUANTIFY = 6
    """Which share of the space is fair?"""


class Notion(enum.Enum):
    """What it means for two copies of a person to be treated differently."""

    SCORE = 1
    """The scores differ by more than epsilon."""
    LOGIT = 2
    """The logits differ by more than epsilon."""
    DECISION = 3
    """l1 > 0 >= l2."""
    DECISION_STRICT = 4
    """l1 > 0 > l2."""
    SHARE = 5
    """For a model whose score is a share: the scores, and so the logits, differ by more than epsilon."""


class Role(enum.Enum):
    """What a column or symbol stands for."""

    OTHER = 1
    INPUT = 2
    """A value of a feature that is not protected."""
    PROTECTED = 3
    """A value of a protected feature of one copy."""
    RELU = 4
    """The phase of a neuron: 1 active, 0 inactive."""
    NEURON = 5
    """The output of a neuron."""
    LOGIT = 6
    """A logit of one copy."""


@dataclass
class Relaxation:
    """Lets a feature differ between the copies by at most the tolerance."""

    feature: int
    tolerance: float


@dataclass
class Query:
    """A question about a network in terms of fairness."""

    network: Network
    space: Space
    region: Region
    notion: Notion
    goal: Goal
    epsilon: Optional[Fraction] = None
    k: int = 0
    """The number of bins that a witness of DECIDE must reach; 0 and 2: any violation."""
    relax: List[Relaxation] = field(default_factory=list)
    require: List[Predicate] = field(default_factory=list)
    """Must hold at the first copy."""
    forbid: List[Predicate] = field(default_factory=list)
    """Must not hold at the first copy."""
    near: Optional[Point] = None
    """A point that the answer should be close to."""
    exclude: List[Point] = field(default_factory=list)
    """Individuals that must not be the answer."""

    def check(self) -> None:
        """Raises ValueError that names the first fault."""
        self.network.check()
        self.space.check()
        if self.network.inputs != self.space.inputs:
            raise ValueError(f"network takes {self.network.inputs} inputs, space feeds {self.space.inputs}")
        if self.notion in (Notion.SCORE, Notion.SHARE) and not (self.epsilon is not None and 0 < self.epsilon < 1):
            raise ValueError(f"epsilon is {self.epsilon}")
        if self.notion is Notion.LOGIT and not (self.epsilon is not None and self.epsilon >= 0):
            raise ValueError(f"epsilon is {self.epsilon}")
        if self.k < 0 or self.k == 1:
            raise ValueError(f"k is {self.k}; 2 or more asks for a discriminant individual")
        n = len(self.space.features)
        for r in self.relax:
            if not 0 <= r.feature < n or self.space.features[r.feature].is_protected or not r.tolerance >= 0:
                raise ValueError(f"relaxation of feature {r.feature} by {r.tolerance}")
        for p in self.require + self.forbid:
            check_predicate(p, self.space)
        for x in self.exclude + ([self.near] if self.near is not None else []):
            if len(x) != n:
                raise ValueError(f"point has {len(x)} entries for {n} features")

    def is_witness(self, one: Sequence[float], two: Sequence[float]) -> bool:
        """Whether two copies are a witness of the query, in float64; the host decides exactly.
        The copies must agree in all free features. The query must have no relaxations and
        a k of at most 2."""
        space, network = self.space, self.network
        if not (space.allowed(one) and space.allowed(two) and all(holds(p, one) for p in self.require)):
            return False
        if any(holds(p, one) for p in self.forbid) or any(all(one[i] == x[i] for i in space.free) for x in self.exclude):
            return False
        l1, l2 = (network.logit(space.inputs_of(x)) for x in (one, two))
        if self.notion in (Notion.DECISION, Notion.DECISION_STRICT):
            return l1 > 0 > l2 or l1 > 0 == l2 and self.notion is Notion.DECISION
        if self.notion is Notion.SCORE:
            l1, l2 = sigmoid(l1), sigmoid(l2)
        return l1 - l2 > float(self.epsilon or 0)


@dataclass
class Terms:
    """A sum of coefs[i] * column columns[i]. No column appears twice."""

    columns: Sequence[int] = ()
    coefs: Sequence[float] = ()

    def value(self, values: Sequence[float]) -> float:
        """The sum at the values of all columns, correctly rounded."""
        return math.fsum(a * values[c] for c, a in zip(self.columns, self.coefs))

    def _check(self, width: int) -> None:
        if len(self.columns) != len(self.coefs):
            raise ValueError(f"{len(self.columns)} columns with {len(self.coefs)} coefficients")
        if self.columns and not (0 <= min(self.columns) and max(self.columns) < width):
            raise ValueError(f"a column outside 0 to {width - 1}")
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("a column appears twice")
        if not all(map(math.isfinite, self.coefs)):
            raise ValueError("a coefficient is not finite")


@dataclass
class Column:
    """A variable."""

    name: str = ""
    lo: float = 0.0
    """May be -inf."""
    hi: float = math.inf
    integer: bool = False
    role: Role = Role.OTHER
    priority: int = 0
    """Rank for branching: higher first; 0: no preference."""


@dataclass
class Row:
    """lo <= terms <= hi."""

    name: str = ""
    lo: float = -math.inf
    hi: float = math.inf
    terms: Terms = field(default_factory=Terms)


@dataclass
class Objective:
    """terms + offset; without terms, any feasible point is an answer."""

    maximise: bool = False
    offset: float = 0.0
    terms: Terms = field(default_factory=Terms)


@dataclass
class Set:
    """A special ordered set of type 1: at most one of its columns is not zero."""

    name: str
    columns: Sequence[int]


@dataclass
class MILP:
    """A mixed-integer linear program with exact coefficients."""

    columns: List[Column]
    rows: List[Row] = field(default_factory=list)
    objective: Objective = field(default_factory=Objective)
    start: Optional[Sequence[float]] = None
    """A start value for each column, or NaN for none."""
    sets: List[Set] = field(default_factory=list)
    """Only for a solver whose description says that it supports them."""

    def check(self) -> None:
        """Raises ValueError that names the first fault."""
        n = len(self.columns)
        for i, c in enumerate(self.columns):
            if not c.lo <= c.hi or c.lo == math.inf or c.hi == -math.inf:
                raise ValueError(f"column {i} ({c.name}): bounds {c.lo} to {c.hi}")
        for i, r in enumerate(self.rows):
            if not r.lo <= r.hi or r.lo == math.inf or r.hi == -math.inf:
                raise ValueError(f"row {i} ({r.name}): sides {r.lo} to {r.hi}")
            try:
                r.terms._check(n)
            except ValueError as e:
                raise ValueError(f"row {i} ({r.name}): {e}") from None
        for s in self.sets:
            Terms(s.columns, [1.0] * len(s.columns))._check(n)
        if not math.isfinite(self.objective.offset):
            raise ValueError(f"objective offset {self.objective.offset}")
        self.objective.terms._check(n)
        if self.start is not None and len(self.start) != n:
            raise ValueError(f"{len(self.start)} start values for {n} columns")

    def value(self, values: Sequence[float]) -> float:
        """The objective at the values."""
        return self.objective.terms.value(values) + self.objective.offset

    def violation(self, values: Sequence[float]) -> float:
        """The largest amount by which the values violate a bound, a row, a set or
        integrality: 0 for a feasible point, infinite for NaN."""
        if any(math.isnan(v) for v in values):
            return math.inf
        worst = 0.0
        for c, v in zip(self.columns, values):
            worst = max(worst, c.lo - v, v - c.hi)
            if c.integer and math.isfinite(v):
                worst = max(worst, abs(v - round(v)))
        for r in self.rows:
            v = r.terms.value(values)
            worst = max(worst, r.lo - v, v - r.hi)
        for s in self.sets:
            sizes = sorted((abs(values[c]) for c in s.columns), reverse=True)
            worst = max(worst, sizes[1] if len(sizes) > 1 else 0.0)
        return worst


@dataclass
class Symbol:
    """A declared constant of a script."""

    name: str
    sort: str
    """Int, Real or Bool."""
    role: Role = Role.OTHER


@dataclass
class Script:
    """Declarations and assertions in SMT-LIB 2, without check-sat or get-model."""

    text: str
    symbols: List[Symbol]
    """The constants whose values make up an answer, in order."""
    objective: str = ""
    """Name of the Real or Int symbol to optimise; empty: feasibility."""
    maximise: bool = False

    def check(self) -> None:
        """Checks the symbols, and that there is text. The solver parses the text."""
        if not self.text.strip():
            raise ValueError("empty SMT-LIB script")
        for y in self.symbols:
            if not y.name or y.sort not in ("Int", "Real", "Bool"):
                raise ValueError(f"symbol {y.name!r} of sort {y.sort!r}")


@dataclass
class Problem:
    """What a solver gets: exactly one of the three forms is set."""

    name: str = ""
    """Identifies the problem in logs; carries no meaning."""
    network: Optional[Query] = None
    milp: Optional[MILP] = None
    smt: Optional[Script] = None

    @property
    def form(self) -> Form:
        if self.network is not None:
            return Form.NETWORK
        return Form.MILP if self.milp is not None else Form.SMT

    @property
    def goal(self) -> Goal:
        """The query's goal. A MILP or script has MAXIMISE with an objective, else DECIDE."""
        if self.network is not None:
            return self.network.goal
        if self.milp is not None:
            return Goal.MAXIMISE if self.milp.objective.terms.columns else Goal.DECIDE
        return Goal.MAXIMISE if self.smt is not None and self.smt.objective else Goal.DECIDE

    def check(self) -> None:
        """Raises ValueError that names the first fault."""
        forms = [f for f in (self.network, self.milp, self.smt) if f is not None]
        if len(forms) != 1:
            raise ValueError(f"problem has {len(forms)} forms set; want exactly one")
        forms[0].check()


@dataclass
class ColumnBound:
    """Gives a column new bounds."""

    column: int
    lo: float
    hi: float


@dataclass
class Delta:
    """Changes a loaded problem before a solve. Its parts apply in this order."""

    pop: int = 0
    """Discards that many levels and all their changes."""
    push: int = 0
    """Opens that many levels."""
    column_bounds: List[ColumnBound] = field(default_factory=list)
    rows: List[Row] = field(default_factory=list)
    """Rows to add."""
    objective: Optional[Objective] = None
    """Replaces the objective."""
    start: Optional[Sequence[float]] = None
    """Replaces the start values."""
    assertions: str = ""
    """SMT-LIB 2 text to add."""


class Stack:
    """A MILP or script under deltas."""

    def __init__(self, problem: Problem) -> None:
        self._levels = [problem]

    def apply(self, delta: Delta) -> Problem:
        """Changes the problem and returns the changed problem. On a ValueError nothing
        has changed."""
        if delta.pop < 0 or delta.push < 0 or delta.pop >= len(self._levels):
            raise ValueError(f"pop {delta.pop} and push {delta.push} at depth {len(self._levels) - 1}")
        levels = self._levels[: len(self._levels) - delta.pop]
        levels += [levels[-1]] * delta.push
        top = _changed(levels[-1], delta)
        top.check()
        self._levels = levels[:-1] + [top]
        return top


def _changed(problem: Problem, delta: Delta) -> Problem:
    """The problem after the delta; unchanged parts are shared."""
    about_milp = bool(delta.column_bounds or delta.rows) or delta.objective is not None or delta.start is not None
    if about_milp and problem.milp is None:
        raise ValueError(f"delta changes rows or columns of a problem in the {problem.form.name} form")
    if delta.assertions and problem.smt is None:
        raise ValueError(f"delta asserts into a problem in the {problem.form.name} form")
    if problem.smt is not None:
        return replace(problem, smt=replace(problem.smt, text=problem.smt.text + delta.assertions))
    if problem.milp is None or not about_milp:
        return problem
    milp = copy.copy(problem.milp)
    milp.columns = list(milp.columns)
    for b in delta.column_bounds:
        if not 0 <= b.column < len(milp.columns):
            raise ValueError(f"delta bounds column {b.column} of {len(milp.columns)}")
        milp.columns[b.column] = replace(milp.columns[b.column], lo=b.lo, hi=b.hi)
    milp.rows = milp.rows + delta.rows
    if delta.objective is not None:
        milp.objective = delta.objective
    if delta.start is not None:
        milp.start = delta.start
    return replace(problem, milp=milp)
