"""The service of a solver."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import Callable, Dict, Iterator, Optional, Tuple, TypeVar

import grpc

from .. import errors, option
from .._pb.solver.v1 import solver_pb2
from .._wire import read, write
from ..cancel import Cancel
from ..describe import Description
from ..problem import Problem, Stack
from ..solver import Incremental, Loaded, Progress, Result, SolveOptions, Solver
from . import status
from .services import Described, expect, on_end

PROGRESS_EVERY = 0.05
"""Least number of seconds between two progress events."""

T = TypeVar("T")
Events = Iterator[solver_pb2.SolveResponse]


class _Kept:
    """A problem under deltas. The stack holds its present state, so that the
    implementation gets checked problems; ``native`` is set if the implementation
    keeps the problem itself."""

    def __init__(self, problem: Problem, native: Optional[Loaded]) -> None:
        self.lock = threading.Lock()  # allows one call at a time, even to a concurrent solver
        self.stack = Stack(problem)
        self.native = native


class SolverService:
    """Answers the host's calls with an implementation, and keeps the loaded problems.
    Calls arrive on several threads."""

    def __init__(self, impl: Solver) -> None:
        self._impl = impl
        self._described = Described(impl.describe)
        self._turn = _Turn()
        self._lock = threading.Lock()
        self._kept: Dict[int, _Kept] = {}
        self._handles = 0
        self._calls: Dict[int, Cancel] = {}  # running, by the host's number

    def describe(self, _: solver_pb2.DescribeRequest) -> solver_pb2.DescribeResponse:
        return solver_pb2.DescribeResponse(description=write.solver_description(self._described.get()))

    def solve(self, m: solver_pb2.SolveRequest, context: grpc.ServicerContext) -> Events:
        def work(d: Description, options: SolveOptions) -> Result:
            problem = _checked(lambda: read.checked_problem(m.problem))
            _refuse_unserved(d, problem)
            return self._impl.solve(problem, options)

        return self._call(context, m.call, m.options, work)

    def load(self, m: solver_pb2.LoadRequest) -> solver_pb2.LoadResponse:
        problem = _checked(lambda: read.checked_problem(m.problem))
        native = None
        if isinstance(self._impl, Incremental):
            with self._turn.taken(self._described.get(), Cancel()):
                native = expect(self._impl.load(problem), Loaded, "load")
        with self._lock:
            self._handles += 1
            self._kept[self._handles] = _Kept(problem, native)
            return solver_pb2.LoadResponse(handle=self._handles)

    def solve_loaded(self, m: solver_pb2.SolveLoadedRequest, context: grpc.ServicerContext) -> Events:
        def work(d: Description, options: SolveOptions) -> Result:
            with self._lock:
                kept = self._kept.get(m.handle)
            if kept is None:
                raise errors.InvalidProblem(f"no problem is loaded under handle {m.handle}")
            delta = _checked(lambda: read.delta(m.delta))
            with kept.lock:
                problem = _checked(lambda: kept.stack.apply(delta))
                _refuse_unserved(d, problem)
                if kept.native is not None:
                    return kept.native.solve(delta, options)
                return self._impl.solve(problem, options)

        return self._call(context, m.call, m.options, work)

    def unload(self, m: solver_pb2.UnloadRequest) -> solver_pb2.UnloadResponse:
        with self._lock:
            kept = self._kept.pop(m.handle, None)
        if kept is not None and kept.native is not None:
            with self._turn.taken(self._described.get(), Cancel()), kept.lock:
                kept.native.close()
        return solver_pb2.UnloadResponse()

    def interrupt(self, m: solver_pb2.InterruptRequest) -> solver_pb2.InterruptResponse:
        with self._lock:
            cancel = self._calls.get(m.call)
        if cancel is not None:
            cancel.set()
        return solver_pb2.InterruptResponse()

    def _call(
        self, context: grpc.ServicerContext, number: int, m: solver_pb2.SolveOptions,
        work: Callable[[Description, SolveOptions], Result],
    ) -> Events:
        """Runs one solve in a separate thread, which ends when the implementation
        returns, and passes on its progress reports."""
        call = _Call()
        on_end(context, call.cancel.set)
        if number:
            with self._lock:
                self._calls[number] = call.cancel

        def run() -> Result:
            d = self._described.get()
            try:
                options = read.solve_options(m)
            except ValueError as e:
                raise errors.InvalidOption(str(e)) from e
            options.options = option.complete(d.name, d.options, options.options)
            options.cancel, options.progress = call.cancel, call.report
            with self._turn.taken(d, call.cancel):
                return expect(work(d, options), Result, "solve")

        threading.Thread(target=call.run, args=(run,), daemon=True).start()
        try:
            yield from call.events()
        finally:
            if number:
                with self._lock:
                    self._calls.pop(number, None)
        if call.failure is not None:
            context.abort(*call.failure)


def _checked(convert: Callable[[], T]) -> T:
    """Converts what a peer sent; a ValueError becomes InvalidProblem."""
    try:
        return convert()
    except ValueError as e:
        raise errors.InvalidProblem(str(e)) from e


def _refuse_unserved(d: Description, p: Problem) -> None:
    if not d.answers(p.form, p.goal):
        raise errors.Unsupported(f"{d.name} does not answer {p.goal.name.lower()} in the {p.form.name} form")


class _Call:
    """A running solve: its reports that are not yet sent, and how it ended."""

    def __init__(self) -> None:
        self.cancel = Cancel()
        self.failure: Optional[Tuple[grpc.StatusCode, str]] = None
        self._changed = threading.Condition()
        self._pending: Optional[Progress] = None
        self._result: Optional[solver_pb2.Result] = None
        self._done = False

    def run(self, work: Callable[[], Result]) -> None:
        try:
            self._result = write.result(work())
        except BaseException as e:
            self.failure = status.of(e)
        with self._changed:
            self._done = True
            self._changed.notify()

    def report(self, p: Progress) -> None:
        """Keeps the latest report; what it lacks is taken from the one before."""
        if p.values is not None:
            p.values = list(p.values)  # the implementation may reuse its list
        with self._changed:
            old = self._pending
            if old is not None and p.values is None:
                p.values, p.objective = old.values, old.objective
            if old is not None and p.bound is None:
                p.bound = old.bound
            self._pending = p
            self._changed.notify()

    def events(self) -> Events:
        """Progress at intervals, and the result last."""
        sent = 0.0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._done or self._pending is not None)
                self._changed.wait_for(lambda: self._done, max(0.0, sent + PROGRESS_EVERY - time.monotonic()))
                pending, self._pending, done = self._pending, None, self._done
            if pending is not None and self.failure is None:
                yield solver_pb2.SolveResponse(progress=write.progress(pending))
                sent = time.monotonic()
            if done:
                if self._result is not None:
                    yield solver_pb2.SolveResponse(result=self._result)
                return


class _Turn:
    """The turn to use an implementation that takes one call at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = False

    @contextmanager
    def taken(self, d: Description, cancel: Cancel) -> Iterator[None]:
        """Waits for the caller's turn; raises if the call is cancelled meanwhile."""
        if d.concurrent:
            yield
            return
        cancel.on_set(self._wake)
        with self._changed:
            self._changed.wait_for(lambda: not self._busy or cancel.is_set())
            if self._busy:
                cancel.raise_if_set()
            self._busy = True
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
