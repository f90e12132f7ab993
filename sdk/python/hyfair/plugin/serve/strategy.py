"""The service of a strategy."""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, Optional, Tuple

import grpc

from .. import errors, option
from .._pb.strategy.v1 import strategy_pb2
from .._wire import read, write
from ..describe import Description
from ..space import Point
from ..strategy import Move, Session, Strategy, Trial, TrialStatus
from . import status
from .services import Described, expect, on_end


class StrategyService:
    """Answers the host's calls with an implementation. Each session occupies one of
    the server's threads."""

    def __init__(self, impl: Strategy) -> None:
        self._impl = impl
        self._described = Described(impl.describe)

    def describe(self, _: strategy_pb2.DescribeRequest) -> strategy_pb2.DescribeResponse:
        return strategy_pb2.DescribeResponse(description=write.strategy_description(self._described.get()))

    def session(
        self, requests: Iterator[strategy_pb2.SessionRequest], context: grpc.ServicerContext,
    ) -> Iterator[strategy_pb2.SessionResponse]:
        """One search, from its start to the end of the host's messages."""
        try:
            session = self._start(requests, context)
        except BaseException as e:
            code, text = status.of(e)
            context.abort(code, text)
        failure = None
        try:
            yield strategy_pb2.SessionResponse(started=strategy_pb2.Started())
            for m in _until_gone(requests):
                yield strategy_pb2.SessionResponse(moves=_ask(self._described.get(), session, m))
        except GeneratorExit:
            raise  # the host has ended in the middle of an answer
        except BaseException as e:
            failure = status.of(e)
        finally:
            failure = _close(session) or failure
        if failure is not None:
            context.abort(*failure)

    def _start(self, requests: Iterator[strategy_pb2.SessionRequest], context: grpc.ServicerContext) -> Session:
        d = self._described.get()
        rows: List[Point] = []
        try:
            m = next(requests)
            if m.WhichOneof("message") != "start":
                raise ValueError("a session begins with a start")
            space, options = read.start(m.start)
            options.options = option.complete(d.name, d.options, options.options)
            for m in requests:
                kind = m.WhichOneof("message")
                if kind == "start_done":
                    break
                if kind != "rows":
                    raise ValueError("a session's start is followed by rows or start_done")
                rows += read.rows(m.rows, len(space.features))
            else:
                raise errors.Cancelled("the session ended before its start was done")
            if d.needs_network and options.network is None:
                raise ValueError(f"{d.name} needs the model, which the host does not send")
        except (ValueError, StopIteration) as e:
            raise errors.InvalidProblem(str(e)) from e
        options.rows = rows
        on_end(context, options.cancel.set)
        return expect(self._impl.start(space, options), Session, "start")


def _until_gone(requests: Iterator[strategy_pb2.SessionRequest]) -> Iterator[strategy_pb2.SessionRequest]:
    """The requests, until they end or the host does."""
    try:
        yield from requests
    except grpc.RpcError:
        raise errors.Cancelled("the host has given the session up") from None


def _lacking(d: Description, t: Trial) -> str:
    """Which requested value an evaluated trial lacks: an older host does not know the
    request."""
    if t.status is not TrialStatus.EVALUATED:
        return ""
    return ("scores" if d.needs_scores and not t.scores else "bins" if d.needs_bins and not t.bins
            else "extreme pair" if d.needs_pair and not (t.highest and t.lowest) else "")


def _ask(d: Description, session: Session, m: strategy_pb2.SessionRequest) -> strategy_pb2.Moves:
    if m.WhichOneof("message") != "next" or m.next.want < 1:
        raise errors.InvalidProblem("a session expects next with want >= 1")
    try:
        told = read.trials(m.next.told)
    except ValueError as e:
        raise errors.InvalidProblem(str(e)) from e
    for what in filter(None, (_lacking(d, t) for t in told)):
        raise errors.Incompatible(
            f"{d.name} needs the {what} of an individual's counterfactuals, which this host does not send: use a newer hyfair")
    try:
        moves: Any = session.next(told, m.next.want)
    except errors.Finished:
        return strategy_pb2.Moves(finished=True, evaluations=session.evaluations())
    if not moves or not isinstance(moves, (list, tuple)) or not isinstance(moves[0], Move):
        raise TypeError("next returned no list of moves; when the search is over it raises hyfair.plugin.Finished")
    answer = write.moves(moves)
    answer.evaluations = session.evaluations()
    return answer


def _close(session: Session) -> Optional[Tuple[grpc.StatusCode, str]]:
    """Closes the session. Returns the status of the exception that it raised, or None."""
    try:
        session.close()
    except BaseException as e:
        return status.of(e)
    finally:
        sys.stderr.flush()
    return None
