"""Runs a solver's calls in a separate process of the same program."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import Any, NoReturn, Optional, Set, Tuple

from .. import errors
from ..cancel import Cancel
from ..describe import Description
from ..problem import Problem
from ..solver import Progress, Reason, Result, SolveOptions, Solver, Status
from . import handshake
from .fault import told

GRACE = 0.2
"""Seconds that a stopped call has to return by itself; the host waits for half a second."""
LOOK = 0.02
"""Seconds between two checks of a call's limits."""
READY, PROGRESS, RESULT, ERROR, END = "ready", "progress", "result", "error", "end"


class Apart(Solver):
    """The plugin's side. It starts the process when it is first needed, and again
    after the process has ended."""

    def __init__(self, impl: Solver) -> None:
        self._impl = impl
        self._process: Optional[_Process] = None
        self._turn = threading.Lock()

    def describe(self) -> Description:
        description = self._impl.describe()
        description.concurrent = False  # there is one process
        return description

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        began = time.monotonic()
        with self._turn:
            call = _Call(problem, options, began)
            if self._process is None or self._process.ended():
                self._process = _Process()
            result = call.run(self._process)
        result.elapsed = time.monotonic() - began
        return result


class _Call:
    """One solve: the question, and the best result so far."""

    def __init__(self, problem: Problem, options: SolveOptions, began: float) -> None:
        self.problem, self.options = problem, options
        self.until = None if options.time_limit is None else began + options.time_limit
        self.held = Progress()

    def run(self, process: _Process) -> Result:
        over: Optional[float] = None
        reason = Reason.NONE
        while True:
            if process.ready and not process.asked and reason is Reason.NONE:
                self._ask(process)
            kind, body = process.hear(LOOK)
            if kind == RESULT:
                result = _result(body)
                if result.reason is Reason.INTERRUPTED and reason is not Reason.NONE:
                    result.reason = reason  # the limit that stopped it
                return result
            if kind == ERROR:
                raise body
            if kind == END and not process.asked:
                raise errors.Error(f"the process that solves ended at its start ({process.fate()})")
            if kind == END:
                return self._stopped(Reason.OTHER, f"crashed ({process.fate()})")
            if kind == PROGRESS:
                self._report(body)
            if reason is Reason.NONE:
                reason = self._limit(process)
                if reason is not Reason.NONE:
                    if not process.asked:
                        return self._stopped(reason)  # the process prepares for the next call
                    over = time.monotonic()
                    process.send(None)
            if over is not None and time.monotonic() - over > GRACE:
                process.kill()
                return self._stopped(reason)

    def _ask(self, process: _Process) -> None:
        left = None if self.until is None else max(self.until - time.monotonic(), 1e-3)
        told = dataclasses.replace(self.options, time_limit=left)
        plain = {f.name: getattr(told, f.name) for f in dataclasses.fields(told) if f.name not in ("cancel", "progress")}
        process.send((self.problem, plain))
        process.asked = True

    def _limit(self, process: _Process) -> Reason:
        if self.options.cancel.is_set():
            return Reason.INTERRUPTED
        if self.until is not None and time.monotonic() >= self.until:
            return Reason.TIME_LIMIT
        if self.options.memory is not None and process.memory() > self.options.memory:
            return Reason.MEMORY_LIMIT
        return Reason.NONE

    def _report(self, p: Progress) -> None:
        if p.values is None:
            p = dataclasses.replace(p, values=self.held.values, objective=self.held.objective)
        self.held = p
        self.options.progress(dataclasses.replace(p))

    def _stopped(self, reason: Reason, native: str = "ended") -> Result:
        """The result of a call that was killed, or that ended its process."""
        held = self.held
        result = Result(
            Status.UNKNOWN if held.values is None else Status.FEASIBLE, reason, native=native, values=held.values,
            objective=held.objective, nodes=held.nodes, detail=f"the process that solves {native}")
        if held.values is not None and self.problem.milp is not None:
            result.tolerance = self.problem.milp.violation([float(v) for v in held.values])
        return result


def _result(body: Any) -> Result:
    if not isinstance(body, Result):
        raise TypeError(f"solve returned {type(body).__name__}, not a Result")
    return body


_processes: Set[_Process] = set()


def end() -> None:
    """Ends the process before the plugin ends, so that the plugin's parent can
    account for the processor time of both."""
    for process in list(_processes):
        process.kill()


class _Process:
    """The other process, as seen from the plugin."""

    def __init__(self) -> None:
        self.ready = self.asked = False
        self._messages: queue.Queue[Tuple[str, Any]] = queue.Queue()
        started: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(started,), daemon=True).start()
        self._popen = started.get()
        _processes.add(self)

    def _listen(self, started: queue.SimpleQueue[subprocess.Popen[bytes]]) -> None:
        # This thread lives as long as the process, which Linux ends with the thread.
        popen = subprocess.Popen(
            [sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, handshake.APART: "1"})
        started.put(popen)
        try:
            while True:
                self._messages.put(pickle.load(popen.stdout))  # type: ignore[arg-type]
        except Exception:  # it ended, or was ended in the middle of a message
            self._messages.put((END, None))

    def hear(self, seconds: float) -> Tuple[str, Any]:
        """The next message, or none after ``seconds``."""
        try:
            kind, body = self._messages.get(timeout=seconds)
        except queue.Empty:
            return "", None
        self.ready = self.ready or kind == READY
        if kind in (RESULT, ERROR):
            self.asked = False
        return kind, body

    def send(self, message: object) -> None:
        """Sends a question, or None to stop it. ``hear`` reports if the process has ended."""
        try:
            pickle.dump(message, self._popen.stdin, pickle.HIGHEST_PROTOCOL)  # type: ignore[arg-type]
            self._popen.stdin.flush()  # type: ignore[union-attr]
        except OSError:
            pass

    def memory(self) -> int:
        """The memory of the process in bytes; 0 if it is unknown."""
        try:
            with open(f"/proc/{self._popen.pid}/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0

    def ended(self) -> bool:
        return self._popen.poll() is not None

    def kill(self) -> None:
        _processes.discard(self)
        self._popen.kill()
        self._popen.wait()

    def fate(self) -> str:
        code = self._popen.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def work(impl: Solver) -> NoReturn:
    """The other process's side: answers until its parent has ended."""
    out = os.fdopen(handshake.descriptor, "wb")  # type: ignore[arg-type]
    lock = threading.Lock()
    questions: queue.SimpleQueue[Tuple[Problem, SolveOptions]] = queue.SimpleQueue()
    threading.Thread(target=_watch, daemon=True).start()

    def tell(kind: str, body: object = None) -> None:
        with lock:
            pickle.dump((kind, body), out, pickle.HIGHEST_PROTOCOL)
            out.flush()

    def listen() -> None:
        cancel = Cancel()
        try:
            while True:
                message = pickle.load(sys.stdin.buffer)
                if message is None:
                    cancel.set()
                    continue
                cancel = Cancel()
                problem, options = message
                questions.put((problem, SolveOptions(
                    cancel=cancel, progress=lambda p: tell(PROGRESS, p), **options)))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    tell(READY)
    while True:
        problem, options = questions.get()
        try:
            tell(RESULT, impl.solve(problem, options))
        except errors.Error as e:
            tell(ERROR, e)
        except BaseException as e:
            tell(ERROR, errors.Error(told(e)))


def _watch() -> None:
    """Ends the process with its parent; on Linux also while a library holds the
    interpreter lock."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    while os.getppid() == handshake.parent:
        time.sleep(5 * LOOK)
    os._exit(0)
