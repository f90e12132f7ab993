"""Converts the package's types into messages."""

from __future__ import annotations

import os
import sys
from enum import Enum
from fractions import Fraction
from typing import Any, Iterable, Optional, Sequence

from .. import describe, problem, solver, strategy
from .._pb.plugin.v1 import description_pb2
from .._pb.problem.v1 import number_pb2
from .._pb.solver.v1 import solver_pb2
from .._pb.strategy.v1 import strategy_pb2


def _code(e: Enum) -> Any:
    """The wire's number of an enum's value; the number's type exists only in stubs."""
    return e.value


def _description(d: describe.Description) -> description_pb2.Description:
    return description_pb2.Description(
        name=d.name, version=d.version, summary=d.summary,
        options=[description_pb2.Option(name=o.name, default=o.default, help=o.help) for o in d.options],
        libraries=[
            description_pb2.Library(
                name=y.name, found=y.found, version=y.version, path=y.path, hint=y.hint, problem=y.problem)
            for y in d.libraries
        ],
        interpreter=description_pb2.Interpreter(
            version=sys.version, path=os.path.realpath(sys.executable),
            folders=[os.path.abspath(f) for f in sys.path if os.path.isdir(f)]))


def strategy_description(d: describe.Description) -> description_pb2.Description:
    m = _description(d)
    m.strategy.CopyFrom(description_pb2.StrategyTraits(
        presets=[description_pb2.Preset(name=p.name, summary=p.summary, options=p.options) for p in d.presets],
        needs_network=d.needs_network, needs_rows=d.needs_rows, lag=d.lag,
        needs_scores=d.needs_scores, needs_bins=d.needs_bins, needs_pair=d.needs_pair))
    return m


def solver_description(d: describe.Description) -> description_pb2.Description:
    m = _description(d)
    m.solver.CopyFrom(description_pb2.SolverTraits(exactness=_code(d.exactness), concurrent=d.concurrent, sets=d.sets))
    for s in d.serves:
        m.solver.serves.add(form=_code(s.form), goal=_code(s.goal))
    return m


def model_description(d: describe.Description) -> description_pb2.Description:
    m = _description(d)
    m.model.CopyFrom(description_pb2.ModelTraits(
        features=d.features, scale=_code(d.scale), identity=d.identity, batch=d.batch))
    return m


def moves(list_: Iterable[strategy.Move]) -> strategy_pb2.Moves:
    out = strategy_pb2.Moves()
    add = out.moves.add
    for m in list_:
        add(id=m.id, round=m.round, chain=m.chain, kind=_code(m.kind), point=m.point)
    return out


def _number(v: problem.Number) -> number_pb2.Number:
    if not isinstance(v, (int, Fraction)):
        return number_pb2.Number(float=float(v))
    f = Fraction(v)
    text = str(f.numerator) if f.denominator == 1 else f"{f.numerator}/{f.denominator}"
    return number_pb2.Number(fraction=text)


def _values(values: Optional[Sequence[problem.Number]]) -> Optional[number_pb2.Values]:
    return None if values is None else number_pb2.Values(numbers=[_number(v) for v in values])


def progress(p: solver.Progress) -> solver_pb2.Progress:
    return solver_pb2.Progress(
        values=_values(p.values), objective=p.objective, bound=p.bound, nodes=p.nodes,
        elapsed_nanos=int(p.elapsed * 1e9), settled=p.settled)


def result(r: solver.Result) -> solver_pb2.Result:
    m = solver_pb2.Result(
        status=_code(r.status), reason=_code(r.reason) + 1,  # the wire's 0 is illegal
        native=r.native, detail=r.detail, values=_values(r.values), objective=r.objective,
        bound=r.bound, tolerance=r.tolerance, nodes=r.nodes, elapsed_nanos=int(r.elapsed * 1e9))
    if r.witness is not None:
        m.witness.copy1.values.extend(r.witness.copy1)
        m.witness.copy2.values.extend(r.witness.copy2)
    return m
