"""Finds the program hyfair and runs its commands."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

from .__main__ import bundled
from .exceptions import CommandFailed, ProgramNotFound, StudyError

USAGE, CONTRADICTION, INTERRUPTED = 2, 4, 130
"""Exit codes of docs/reference/cli.md that the package treats in its own way."""


def program() -> str:
    """The program's path: the one in the package, $HYFAIR, or ``hyfair`` on PATH."""
    if bundled().is_file():
        return str(bundled())
    named = os.environ.get("HYFAIR")
    if named:
        if Path(named).is_file():
            return named
        raise ProgramNotFound(f"$HYFAIR is {named}, which is not a file: want the path of the program hyfair")
    found = shutil.which(bundled().name)
    if found:
        return found
    raise ProgramNotFound(
        "the program hyfair is not in this package, $HYFAIR is not set, and PATH has no hyfair: install the package "
        "from a wheel, or build the program with make build and set HYFAIR to bin/hyfair")


@dataclass(frozen=True)
class Outcome:
    """What a command of the program gave.

    ``answer`` is its JSON; ``text`` and ``page`` show it to people; ``notes`` are the lines
    of standard error.
    """

    answer: Dict[str, Any]
    text: str
    page: str
    notes: Sequence[str]
    code: int


_folders: Set[str] = set()
_running: "Set[subprocess.Popen[str]]" = set()
"""What a SIGTERM must not leave behind."""


def scratch() -> str:
    """Make a temporary folder, which ``discard`` removes, and a SIGTERM that would end this process."""
    path = tempfile.mkdtemp(prefix="hyfair-")
    _folders.add(path)
    if os.name != "nt" and threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        owner = os.getpid()
        signal.signal(signal.SIGTERM, lambda *_: _terminate(owner))
    return path


def discard(path: str) -> None:
    """Remove a temporary folder."""
    shutil.rmtree(path, ignore_errors=True)
    _folders.discard(path)


@contextlib.contextmanager
def temporary() -> Iterator[Path]:
    """A temporary folder until the end of the block."""
    path = scratch()
    try:
        yield Path(path)
    finally:
        discard(path)


def _terminate(owner: int) -> None:
    """End by SIGTERM, after the programs that run and the temporary folders. A fork of this process owns neither."""
    if os.getpid() == owner:
        for process in list(_running):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            _kill(process)  # without a wait: the interrupted frame may hold its lock
        for folder in list(_folders):
            discard(folder)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)


Around = Callable[[Iterator[str]], Iterator[str]]
"""Iterates over lines, and does what the program asks for between them."""


def run(arguments: Sequence[str], page: bool = True, env: Optional[Dict[str, str]] = None, around: Around = iter) -> Outcome:
    """Run a command with --json and return its answer. ``around`` iterates over the lines of
    standard error, again after a KeyboardInterrupt.

    KeyboardInterrupt asks the program to stop; what it has found by then is the answer. If
    it has nothing, or a second KeyboardInterrupt comes, KeyboardInterrupt is raised.
    """
    with temporary() as made:
        extra = ["--json", "--progress", "json", "--text", str(made / "text")]
        if page:
            extra += ["--html", str(made / "page.html")]
        with open(made / "answer", "wb") as out:
            code, notes = _watch([program(), *arguments, *extra], out.fileno(), env, around)
        raw = (made / "answer").read_bytes()
        if not raw:
            raise _failure(code, notes)
        return Outcome(json.loads(raw), _read(made / "text"), _read(made / "page.html"), notes, code)


def _failure(code: int, notes: Sequence[str]) -> BaseException:
    """The exception for a command without an answer."""
    text = said(notes, code)
    if code == INTERRUPTED:
        return KeyboardInterrupt()
    return StudyError(text) if code == USAGE else CommandFailed(text, code)


def said(notes: Sequence[str], code: int) -> str:
    """What a command said on standard error, or else its exit code."""
    return "\n".join(re.sub(r"^hyfair: ", "", line) for line in notes) or f"hyfair ended with exit code {code}"


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _watch(command: List[str], stdout: int, env: Optional[Dict[str, str]], around: Around) -> "tuple[int, List[str]]":
    """Run to the end, show progress, and return the exit code and the lines of standard error."""
    notes: List[str] = []
    line = _Line()
    # A process group of its own: a Ctrl-C of the terminal reaches the program once, from here.
    new_group: Dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        new_group = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                               env={**os.environ, **(env or {})}, encoding="utf-8", errors="replace", **new_group)
    assert process.stderr is not None
    _running.add(process)
    asked, lines = False, around(process.stderr)
    try:
        while True:
            try:
                for text in lines:
                    if text.startswith('{"progress":'):
                        line.show(json.loads(text)["progress"])
                    else:
                        notes.append(text.rstrip("\n"))
                return process.wait(), notes
            except KeyboardInterrupt:
                if asked:
                    raise
                asked = True
                process.send_signal(getattr(signal, "CTRL_BREAK_EVENT") if os.name == "nt" else signal.SIGINT)
    finally:
        line.end()
        if process.poll() is None:
            _kill(process)
            process.wait()
        process.stderr.close()
        _running.discard(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    """End the program and its plugins at once."""
    if os.name == "nt":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


class _Line:
    """One line of progress, on a terminal or below a notebook's cell; elsewhere nothing."""

    def __init__(self) -> None:
        self._notebook = _in_notebook()
        self._shown = False
        self._handle: Any = None

    def show(self, text: str) -> None:
        if self._notebook:
            display: Any = importlib.import_module("IPython.display").display
            if self._handle is None:
                self._handle = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._handle.update({"text/plain": text}, raw=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            width = shutil.get_terminal_size().columns
            sys.stderr.write("\r\x1b[K" + text[:width - 1])
            sys.stderr.flush()
            self._shown = True

    def end(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"
