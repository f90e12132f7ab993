"""Converts messages into the package's types, and refuses malformed ones: enums that
are unspecified or unknown, numbers that are not finite, indices out of range, lists
that do not match. The functions raise ValueError, and Unsupported for a model of a
family that is not known here."""

from __future__ import annotations

import math
import re
from enum import Enum
from fractions import Fraction
from typing import Dict, Iterable, List, Optional, Type, TypeVar

from .. import errors, network, problem, solver, space, strategy
from .._pb.model.v1 import model_pb2
from .._pb.problem.v1 import network_pb2, number_pb2, problem_pb2, space_pb2
from .._pb.solver.v1 import solver_pb2
from .._pb.strategy.v1 import strategy_pb2
from ..space import Point

E = TypeVar("E", bound=Enum)

MAX_FRACTION = 1 << 16
MAX_LEVELS = 1 << 10
_FRACTION = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?")


def enum_of(kind: Type[E], value: int) -> E:
    try:
        return kind(value)
    except ValueError:
        what = "unspecified" if value == 0 else f"{value}, which is unknown"
        raise ValueError(f"{kind.__name__.lower()} is {what}") from None


def finite(values: Iterable[float], what: str) -> List[float]:
    out = list(values)
    if not all(map(math.isfinite, out)):
        raise ValueError(f"{what}: an entry is not finite")
    return out


def number(m: number_pb2.Number) -> problem.Number:
    kind = m.WhichOneof("value")
    if kind == "float":
        return finite([m.float], "number")[0]
    if kind != "fraction":
        raise ValueError("number without a value")
    if len(m.fraction) > MAX_FRACTION or not _FRACTION.fullmatch(m.fraction):
        raise ValueError(f"{m.fraction[:40]!r} is not a fraction such as -22/7")
    top, _, bottom = m.fraction.partition("/")
    return Fraction(int(top), int(bottom or "1"))


def _network(m: network_pb2.Network) -> network.Network:
    layers = [
        network.Layer(y.name, getattr(y, "in"), y.out, list(y.weights), list(y.bias), y.relu)
        for y in m.layers
    ]
    return network.Network(layers, enum_of(network.Head, m.head), m.precision)


def _space(m: space_pb2.Space) -> space.Space:
    return space.Space([_feature(f) for f in m.features], m.inputs, [predicate(p) for p in m.forbidden])


def _feature(m: space_pb2.Feature) -> space.Feature:
    maps = [
        space.Input(i.index, i.scale, i.offset, list(i.table.values) if i.HasField("table") else None)
        for i in m.inputs
    ]
    return space.Feature(
        m.name, enum_of(space.Kind, m.kind), m.lo, m.hi, list(m.categories), list(m.protected), maps)


def predicate(m: space_pb2.Predicate) -> space.Predicate:
    return [_condition(c) for c in m.conditions]


def _condition(m: space_pb2.Condition) -> space.Condition:
    kind = m.WhichOneof("restriction")
    if kind == "interval":
        return space.Condition(m.feature, space.Interval(m.interval.lo, m.interval.hi))
    if kind == "set":
        return space.Condition(m.feature, categories=list(m.set.indices))
    raise ValueError("a condition without a restriction")


def _region(m: space_pb2.Region, s: space.Space) -> space.Region:
    n = len(s.features)
    if len(m.box) != n or len(m.values) != n:
        raise ValueError(f"region has {len(m.box)} intervals and {len(m.values)} value lists for {n} features")
    out = space.Region([], [])
    for f, interval, values in zip(s.features, m.box, m.values):
        if math.isnan(interval.lo) or math.isnan(interval.hi):
            raise ValueError(f"region at {f.name!r}: bound is NaN")
        if f.is_protected != bool(values.values):
            raise ValueError(f"region gives {f.name!r} {len(values.values)} protected values")
        out.box.append(space.Interval(interval.lo, interval.hi))
        out.values.append(finite(values.values, f"region at {f.name!r}"))
    return out


def start(m: strategy_pb2.Start) -> "tuple[space.Space, strategy.StartOptions]":
    if not m.HasField("space"):
        raise ValueError("start without a space")
    s = _space(m.space)
    s.check()
    options = strategy.StartOptions(
        seed=m.seed, region=_region(m.region, s) if m.HasField("region") else s.whole(),
        options=dict(m.options), chains=m.chains)
    if m.chains < 0:
        raise ValueError(f"{m.chains} chains")
    if m.HasField("epsilon"):
        options.epsilon = Fraction(number(m.epsilon))
    _known(m)
    if m.HasField("network"):
        options.network = _network(m.network)
        options.network.check()
        if options.network.inputs != s.inputs:
            raise ValueError(f"network takes {options.network.inputs} inputs, space feeds {s.inputs}")
    return s, options


def rows(m: strategy_pb2.RowChunk, features: int) -> List[Point]:
    values = finite(m.values, "rows")
    if m.width != features or len(values) % m.width:
        raise ValueError(f"{len(values)} values in rows of {m.width} for {features} features")
    return [values[i:i + m.width] for i in range(0, len(values), m.width)]


def model_rows(m: model_pb2.ScoreRequest, features: int) -> List[Point]:
    """The rows of a call; ``features`` are those that the description names, 0 for any."""
    if m.width < 1 or features not in (0, m.width) or not m.values or len(m.values) % m.width:
        raise ValueError(f"{len(m.values)} values in rows of {m.width}, for a model of {features or 'all'} features")
    values = finite(m.values, "rows")
    return [values[i:i + m.width] for i in range(0, len(values), m.width)]


_TRIALS: Dict[int, strategy.TrialStatus] = {s.value: s for s in strategy.TrialStatus}


def trials(told: Iterable[strategy_pb2.Trial]) -> List[strategy.Trial]:
    out = []
    for m in told:
        status = _TRIALS.get(m.status) or enum_of(strategy.TrialStatus, m.status)
        t = strategy.Trial(m.id, status, list(m.point), m.k, m.gap, m.violates, m.shannon, m.min_entropy)
        if not math.isfinite(t.gap + t.shannon + t.min_entropy):
            raise ValueError(f"gap {t.gap}, entropies {t.shannon} and {t.min_entropy}")
        if not all(map(math.isfinite, t.point)):
            raise ValueError("an entry of a trial's point is not finite")
        if m.scores or m.bins or m.highest:
            t.scores, t.bins = finite(m.scores, "a trial's scores"), list(m.bins)
            t.highest, t.lowest = finite(m.highest, "a trial's pair"), finite(m.lowest, "a trial's pair")
        out.append(t)
    return out


def _problem(m: problem_pb2.Problem) -> problem.Problem:
    kind = m.WhichOneof("form")
    p = problem.Problem(m.name)
    if kind == "network":
        p.network = _query(m.network)
    elif kind == "milp":
        p.milp = _milp(m.milp)
    elif kind == "smt":
        p.smt = problem.Script(
            m.smt.text, [problem.Symbol(y.name, y.sort, enum_of(problem.Role, y.role)) for y in m.smt.symbols],
            m.smt.objective, m.smt.maximise)
    else:
        raise ValueError("problem without a form")
    return p


def checked_problem(m: problem_pb2.Problem) -> problem.Problem:
    p = _problem(m)
    p.check()
    return p


def _known(m: "problem_pb2.Query | strategy_pb2.Start") -> None:
    if m.HasField("other"):
        raise errors.Unsupported(f"models of the family {m.other.family!r} are not known here")


def _query(m: problem_pb2.Query) -> problem.Query:
    _known(m)
    if not (m.HasField("network") and m.HasField("space")):
        raise ValueError("query without a network or a space")
    s = _space(m.space)
    return problem.Query(
        network=_network(m.network), space=s,
        region=_region(m.region, s) if m.HasField("region") else s.whole(),
        notion=enum_of(problem.Notion, m.notion), goal=enum_of(problem.Goal, m.goal),
        epsilon=Fraction(number(m.epsilon)) if m.HasField("epsilon") else None, k=m.k,
        relax=[problem.Relaxation(r.feature, r.tolerance) for r in m.relax],
        require=[predicate(p) for p in m.require], forbid=[predicate(p) for p in m.forbid],
        near=finite(m.near.values, "near") if m.HasField("near") else None,
        exclude=[finite(x.values, "exclude") for x in m.exclude])


def _milp(m: problem_pb2.Milp) -> problem.MILP:
    if not m.HasField("objective"):
        raise ValueError("no objective")
    columns = [
        problem.Column(c.name, c.lo, c.hi, c.integer, enum_of(problem.Role, c.role), c.priority)
        for c in m.columns
    ]
    return problem.MILP(
        columns, [_row(r) for r in m.rows], _objective(m.objective),
        list(m.start.values) if m.HasField("start") else None,
        [problem.Set(s.name, list(s.columns)) for s in m.sets])


def _row(m: problem_pb2.Row) -> problem.Row:
    return problem.Row(m.name, m.lo, m.hi, problem.Terms(list(m.columns), list(m.coefs)))


def _objective(m: problem_pb2.Objective) -> problem.Objective:
    return problem.Objective(m.maximise, m.offset, problem.Terms(list(m.columns), list(m.coefs)))


def delta(m: problem_pb2.Delta) -> problem.Delta:
    if m.pop < 0 or m.push < 0 or m.push > MAX_LEVELS:
        raise ValueError(f"pop {m.pop} and push {m.push}")
    return problem.Delta(
        m.pop, m.push, [problem.ColumnBound(b.column, b.lo, b.hi) for b in m.column_bounds],
        [_row(r) for r in m.rows], _objective(m.objective) if m.HasField("objective") else None,
        list(m.start.values) if m.HasField("start") else None, getattr(m, "assert"))


def solve_options(m: solver_pb2.SolveOptions) -> solver.SolveOptions:
    limits = (m.threads, m.memory, m.time_limit_nanos, m.work_limit)
    if min(limits) < 0 or not m.gap >= 0:
        raise ValueError(f"threads, memory, time limit, work limit {limits} and gap {m.gap}: none may be negative")
    target: Optional[float] = m.target if m.HasField("target") else None
    if target is not None and math.isnan(target):
        raise ValueError("target is NaN")
    return solver.SolveOptions(
        seed=m.seed, threads=m.threads or 1, memory=m.memory or None,
        time_limit=m.time_limit_nanos / 1e9 if m.time_limit_nanos else None,
        work_limit=m.work_limit or None, gap=m.gap, target=target, options=dict(m.options))
