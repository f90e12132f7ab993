"""What the tests of a plugin can be made of: the host's side of a search, without a
host. ``hyfair plugin test`` asks much more of a plugin, over the wire."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Callable, Dict, List, Optional

from . import draw, errors
from .describe import Description
from .evaluate import Evaluator
from .network import Head, Layer, Network
from .space import Condition, Feature, Input, Interval, Kind, Point, Region, Space
from .strategy import Move, MoveKind, StartOptions, Strategy, Trial, TrialStatus


@dataclass
class Study:
    """What is searched."""

    space: Space
    network: Network
    epsilon: Fraction = Fraction(1, 20)
    rows: List[Point] = field(default_factory=list)
    region: Optional[Region] = None
    """None: the whole space."""


def tiny() -> Study:
    """A feature of each kind, two protected ones with eight counterfactuals, a
    constraint, twenty rows, and a network that treats people differently."""
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
    """Plays the host until the strategy has made so many moves or is finished, and
    gives all trials. AssertionError says which rule a move breaks. ``want`` moves are
    asked for at a time, and trials lag behind by as many calls as the description
    says where chains are many. There is no solver. ``answer`` may change what the
    strategy is told, into a refusal for instance."""
    from .serve.services import complete_options

    study, d = study or tiny(), strategy.describe()
    space, region = study.space, study.region or study.space.whole()
    space.check()
    study.network.check()
    host = Evaluator(study.network, space, region, study.epsilon, plain=True)
    session = strategy.start(space, StartOptions(
        seed, region, study.epsilon, [list(row) for row in study.rows] if d.needs_rows else [], study.network if d.needs_network else None,
        complete_options(d, options or {}), chains))
    lag = d.lag if chains >= (d.lag + 1) * want else 0
    out: List[Trial] = []
    waiting: List[List[Trial]] = []
    rounds: Dict[int, int] = {}
    while len(out) < moves:
        due = max(0, len(waiting) - lag)
        told, waiting = [trial for trials in waiting[:due] for trial in trials], waiting[due:]
        try:
            made = session.next(told, want)
        except errors.Finished:
            break
        assert 1 <= len(made) <= want, f"{len(made)} moves where 1 to {want} were wanted; a session that is finished raises Finished"
        waiting.append([])
        for m in made:
            assert not out or m.id > out[-1].id, f"move {m.id} comes after move {out[-1].id}"
            assert m.round >= rounds.get(m.chain, 0), f"move {m.id}: its round {m.round} is below that of an earlier move of its chain"
            assert len(m.point) == len(space.features), f"move {m.id}: {len(m.point)} entries for {len(space.features)} features"
            assert space.contains(m.point, region), f"move {m.id}: {list(m.point)} is no individual of the region that the constraints allow"
            rounds[m.chain] = m.round
            out.append(answer(trial(host, d, space, m)))
            waiting[-1].append(out[-1])
    session.close()
    return out


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
