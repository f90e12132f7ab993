"""Building blocks for the tests of a plugin: the host's side of a search, and of a
question to a solver, without a host. ``hyfair plugin test`` tests much more, over the
wire."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import Any, Callable, Dict, List, Optional, Sequence

from . import draw, errors, option
from .describe import Description, Scale
from .evaluate import Evaluator
from .model import Model, same
from .network import Head, Layer, Network
from .problem import MILP, Column, Form, Goal, Objective, Problem, Row, Terms
from .solver import Result, SolveOptions, Solver, Status
from .space import Condition, Feature, Input, Interval, Kind, Point, Region, Space
from .strategy import Move, MoveKind, StartOptions, Strategy, Trial, TrialStatus


class IllegalMove(AssertionError):
    """A move, or a result of ``Session.next``, that a host refuses. It makes a test fail."""


MOST_CHAINS = 4096
"""The largest number of chains of a run."""


@dataclass
class Study:
    """What ``search`` gives a strategy: a space, a network, rows and a region."""

    space: Space
    network: Network
    epsilon: Fraction = Fraction(1, 20)
    rows: List[Point] = field(default_factory=list)
    region: Optional[Region] = None
    """None: the whole space."""


def tiny() -> Study:
    """A study with a feature of each kind, two protected features with eight
    counterfactuals, a constraint, twenty rows, and a network that discriminates."""
    space = Space([
        Feature("age", Kind.INTEGER, 18, 80, protected=[20.0, 40.0, 60.0, 75.0], inputs=[Input(0, 0.02, -1)]),
        Feature("hours", Kind.INTEGER, 1, 60, inputs=[Input(1, 0.05, -1.5)]),
        Feature("job", Kind.CATEGORICAL, 0, 3, ["clerk", "farmer", "nurse", "teacher"], inputs=[
            Input(2 + i, table=[float(i == v) for v in range(4)]) for i in range(4)]),
        Feature("rate", Kind.REAL, -1, 1, inputs=[Input(6)]),
        Feature("sex", Kind.CATEGORICAL, 0, 1, ["f", "m"], [0.0, 1.0], inputs=[Input(7)]),
        Feature("group", Kind.CATEGORICAL, 0, 0, ["all"]),
    ], 8, [[Condition(1, Interval(50, 60)), Condition(2, categories=[1])]])
    rng = draw.generator(3)
    sizes = [8, 6, 4, 1]
    network = Network([
        Layer(f"layer {i}", n, m, [2 * draw.normal(rng) for _ in range(n * m)], [draw.normal(rng) for _ in range(m)], m > 1)
        for i, (n, m) in enumerate(zip(sizes, sizes[1:]))], Head.SIGMOID)
    return Study(space, network, rows=[space.random(rng, space.whole()) for _ in range(20)])


def search(
    strategy: Strategy, moves: int = 100, seed: int = 1, chains: int = 0, want: int = 1, options: Optional[Dict[str, str]] = None,
    study: Optional[Study] = None, answer: Callable[[Trial], Trial] = lambda trial: trial,
) -> List[Trial]:
    """Plays the host until the strategy has made that many moves or is finished, and
    returns all trials. ``IllegalMove`` says which rule a move breaks. Each call asks for
    ``want`` moves, and with enough chains trials lag behind by as many calls as the
    description says. There is no solver. ``answer`` may change the trials that the
    strategy gets, for example into refusals."""
    study, d = study or tiny(), strategy.describe()
    space, region = study.space, study.region or study.space.whole()
    space.check()
    study.network.check()
    host = Evaluator(study.network, space, region, study.epsilon, plain=True)
    session = strategy.start(space, StartOptions(
        seed, region, study.epsilon, [list(row) for row in study.rows] if d.needs_rows else [], study.network if d.needs_network else None,
        option.complete(d.name, d.options, options or {}), chains))
    lag = d.lag if chains >= (d.lag + 1) * want else 0
    out: List[Trial] = []
    waiting: List[List[Trial]] = []
    rules = _Rules(space, region)
    while len(out) < moves:
        due = max(0, len(waiting) - lag)
        told, waiting = [trial for trials in waiting[:due] for trial in trials], waiting[due:]
        try:
            made = session.next(told, want)
        except errors.Finished:
            break
        rules.admit(made, want, session.evaluations())
        waiting.append([answer(trial(host, d, space, m)) for m in made])
        out += waiting[-1]
    session.close()
    return out


class _Rules:
    """Checks a session's moves as a host does: order, ids, rounds and points."""

    def __init__(self, space: Space, region: Region) -> None:
        self.space, self.region = space, region
        self.last: Optional[int] = None
        self.rounds: Dict[int, int] = {}
        self.evaluations = 0

    def admit(self, made: Sequence[Move], want: int, evaluations: int) -> None:
        """Checks the moves of a call and records them."""
        if not isinstance(made, (list, tuple)) or not 1 <= len(made) <= want:
            what = f"{len(made)} moves" if isinstance(made, (list, tuple)) else repr(made)
            raise IllegalMove(f"{what} where a list of 1 to {want} moves was wanted; a session that is finished raises Finished")
        if evaluations < self.evaluations:
            raise IllegalMove(f"{evaluations} evaluations after {self.evaluations}")
        self.evaluations = evaluations
        for m in made:
            wrong = self.wrong(m)
            if wrong:
                raise IllegalMove(f"move {m.id}: {wrong}")
            self.last, self.rounds[m.chain] = m.id, m.round

    def wrong(self, m: Move) -> str:
        """Which rule the move breaks; empty for none."""
        features, point = self.space.features, m.point
        if not all(isinstance(v, Integral) and abs(v) < 1 << 63 for v in (m.id, m.round, m.chain)):
            return f"its id, round and chain are {m.id!r}, {m.round!r} and {m.chain!r}, and not all whole numbers"
        if self.last is not None and m.id <= self.last:
            return f"it comes after move {self.last}"
        if not 0 <= m.chain < MOST_CHAINS:
            return f"its chain is {m.chain}, outside 0 to {MOST_CHAINS - 1}"
        if m.round < self.rounds.get(m.chain, 0):
            return f"its round {m.round} is below {self.rounds.get(m.chain, 0)}; the rounds of a chain start at 0 and never fall"
        if not isinstance(m.kind, MoveKind):
            return f"its kind is {m.kind!r}"
        if len(point) != len(features):
            return f"it has {len(point)} entries for {len(features)} features"
        if not all(math.isfinite(v) for v in point):
            return f"{list(point)} has an entry that is no finite number"
        if m.kind is MoveKind.POINT and not self.space.contains(point, self.region):
            return f"{list(point)} is no individual of the region that the constraints allow"
        return ""


def trial(host: Evaluator, d: Description, space: Space, m: Move) -> Trial:
    """The host's answer to a move, in a run without a solver."""
    if m.kind is MoveKind.SEED_FROM:
        return Trial(m.id, TrialStatus.NO_SOLVER)
    x = [0.0 if f.is_protected else v for f, v in zip(space.features, m.point)]
    (o,) = host.evaluate([x])
    t = Trial(m.id, TrialStatus.EVALUATED, x, o.k, o.gap, o.violates, o.shannon, o.min_entropy)
    if d.needs_scores or d.needs_bins:
        ((scores, bins),) = host.copies([x])
        t.scores, t.bins = scores if d.needs_scores else [], bins if d.needs_bins else []
    if d.needs_pair:
        t.highest, t.lowest = host.point(x, o.highest), host.point(x, o.lowest)
    return t


class IllegalClaim(AssertionError):
    """A result that a host refuses, or that its own point refutes. It makes a test fail."""


ROUNDING = 1e-9
"""By how much a point may violate a problem, in addition to the result's tolerance."""


def knapsack(capacity: float = 14, least: float = 0) -> Problem:
    """Which of four things to take, with weights 5, 7, 4 and 3 and a total weight from
    least to capacity. The optimum is 21, all things except the first; the relaxation's is
    22. ``knapsack(2, 1)`` is infeasible."""
    every = range(4)
    return Problem("knapsack", milp=MILP(
        [Column(f"thing {i}", 0, 1, integer=True) for i in every], [Row("weight", least, capacity, Terms(every, [5, 7, 4, 3]))],
        Objective(True, 0, Terms(every, [8, 11, 6, 4]))))


def solve(solver: Solver, problem: Problem, options: Optional[Dict[str, str]] = None, **limits: Any) -> Result:
    """Asks the solver as a host does: it checks the problem, that the solver serves its
    form and goal, and the options, and fills in defaults. ``limits`` are other fields of
    SolveOptions. ``IllegalClaim`` says what is wrong with the result: the point held
    violates the problem, or contradicts the objective or the bound."""
    problem.check()
    d = solver.describe()
    if not d.answers(problem.form, problem.goal):
        raise errors.Unsupported(f"{d.name} does not serve {problem.goal.name} of the {problem.form.name} form")
    before = copy.deepcopy(problem)
    result = solver.solve(problem, SolveOptions(options=option.complete(d.name, d.options, options or {}), **limits))
    wrong = _refuted(problem, result) if problem == before else "the problem was modified, which belongs to the host"
    if wrong:
        raise IllegalClaim(wrong)
    return result


def _refuted(problem: Problem, r: Result) -> str:
    """What is wrong with the claim; empty if no fault is found."""
    if not isinstance(r, Result) or not isinstance(r.status, Status):
        return f"solve returned {r!r}, and no Result with a Status"
    held = r.values if problem.form is not Form.NETWORK else r.witness
    if (r.status in (Status.FEASIBLE, Status.OPTIMAL)) > (held is not None):
        return f"status {r.status.name} without a point"
    if r.status is Status.INFEASIBLE and held is not None:
        return "status INFEASIBLE with a point"
    if not (math.isfinite(r.objective) and math.isfinite(r.tolerance) and r.tolerance >= 0) or r.bound is not None and math.isnan(r.bound):
        return f"its objective, tolerance and bound are {r.objective}, {r.tolerance} and {r.bound}: want finite numbers, and a tolerance of at least 0"
    if held is None:
        return ""
    if problem.milp is not None:
        return _broken(problem.milp, r)
    if problem.smt is not None and r.values is not None and len(r.values) != len(problem.smt.symbols):
        return f"{len(r.values)} values for {len(problem.smt.symbols)} symbols"
    q = problem.network
    if q is not None and r.witness is not None and q.goal is Goal.DECIDE and q.k <= 2 and not q.relax:
        if not q.is_witness(r.witness.copy1, r.witness.copy2):
            return f"{r.witness} is no answer to the question"
    return ""


def _broken(m: MILP, r: Result) -> str:
    assert r.values is not None
    if len(r.values) != len(m.columns):
        return f"{len(r.values)} values for {len(m.columns)} columns"
    x = [float(v) for v in r.values]
    off, slack = m.violation(x), r.tolerance + ROUNDING
    if off > slack:
        return f"the point {x} breaks the problem by {off:g}, and its tolerance is {r.tolerance:g}"
    value, slack = m.value(x), 10 * slack * max(1.0, abs(r.objective))
    if abs(value - r.objective) > slack:
        return f"its objective is {r.objective:g}, and that of its point {value:g}"
    beyond = 0.0 if r.bound is None or not m.objective.terms.columns else value - r.bound
    if (beyond if m.objective.maximise else -beyond) > slack:
        return f"its bound {r.bound:g} is refuted by its point, whose objective is {value:g}"
    return ""


def score(model: Model, rows: Sequence[Point]) -> List[float]:
    """Asks the model for the rows as a host does, and for each alone; returns the scores.
    ``IllegalClaim`` says what is wrong with them."""
    together = _scores(model, rows)
    alone = [v for row in rows for v in _scores(model, [row])]
    if not all(map(same, together, alone)):
        raise IllegalClaim(f"the scores are {together} together and {alone} for each row alone")
    return together


def _scores(model: Model, rows: Sequence[Point]) -> List[float]:
    d = model.describe()
    if d.features and any(len(row) != len(d.features) for row in rows):
        raise ValueError(f"the rows have {sorted({len(row) for row in rows})} values for the features {d.features}")
    out = [float(v) for v in model.score([list(row) for row in rows])]
    if len(out) != len(rows):
        raise IllegalClaim(f"{len(out)} scores for {len(rows)} rows")
    wrong = [v for v in out if not math.isfinite(v) or d.scale is Scale.SHARE and not 0 <= v <= 1]
    if wrong:
        raise IllegalClaim(f"{wrong[0]} is no score of the scale {d.scale.name}")
    return out
