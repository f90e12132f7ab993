"""The plugin's side of the process that SciPy runs in (worker.py).

It sends a task and waits for the answer, and ends the process where it may wait
no longer: a running solve hears nothing.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from typing import IO, List, Optional, Union, cast

from hyfair import Cancel, Incompatible, Reason

from layout import Answer, Task

LOOK = 0.02
"""Seconds between two looks at the call's end and the process's memory."""


class Process:
    """One task at a time. The process is started when it is first needed, and
    again after it was ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Optional[subprocess.Popen[bytes]] = None

    def warm(self) -> None:
        """Starts the process, which takes some tenths of a second to load SciPy."""
        with self._lock:
            self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
            self._process = subprocess.Popen([sys.executable, worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self._process

    def ask(self, task: Task, cancel: Cancel, memory: Optional[int]) -> Union[Answer, Reason]:
        """The answer to a task, or the reason why there is none. Raises
        Incompatible where SciPy does not load."""
        with self._lock:
            process = self._started()
            answers: List[Union[Answer, str]] = []
            exchange = threading.Thread(target=_exchange, args=(process, task, answers), daemon=True)
            exchange.start()
            reason = None
            while exchange.is_alive() and reason is None:
                exchange.join(LOOK)
                if cancel.is_set():
                    reason = Reason.INTERRUPTED
                elif memory is not None and resident(process.pid) > memory:
                    reason = Reason.MEMORY_LIMIT
            if answers and isinstance(answers[0], str):
                raise Incompatible(answers[0])
            if answers and isinstance(answers[0], dict):  # it came, if only just
                return answers[0]
            process.kill()
            code = process.wait()
            if reason is None:
                raise RuntimeError(f"SciPy's process ended in the middle of a solve (exit code {code})")
            return reason


def _exchange(process: subprocess.Popen[bytes], task: Task, answers: List[Union[Answer, str]]) -> None:
    try:
        pickle.dump(task, cast(IO[bytes], process.stdin))
        cast(IO[bytes], process.stdin).flush()
        answers.append(pickle.load(cast(IO[bytes], process.stdout)))
    except (OSError, EOFError, pickle.UnpicklingError, ValueError):
        pass  # the process ended


def resident(pid: int) -> int:
    """The process's memory in bytes; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
