"""Plugins that solve in a process apart, as their author would write them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import pytest

from hyfair.plugin import (
    MILP, Cancel, Column, Description, Error, Problem, Reason, SolveOptions, Solver, Status, Unsupported)
from hyfair.plugin.serve import apart

PROGRAM = textwrap.dedent("""
    import os, sys, time
    from hyfair.plugin import Description, Progress, Reason, Result, Solver, Status, Unsupported, serve

    print("printed while it is loaded")

    class Odd(Solver):
        def describe(self):
            return Description(name="odd")

        def solve(self, problem, options):
            print("printed in a call")
            if problem.name == "held":
                options.progress(Progress([1.5], 3.0, 9.0, 4))
            if problem.name == "polite":
                options.cancel.wait()
                return Result(Status.UNKNOWN, Reason.INTERRUPTED, native="polite")
            if problem.name in ("deaf", "held"):
                time.sleep(60)
            if problem.name == "die":
                os._exit(3)
            if problem.name == "raise":
                return {}["an idea"]
            if problem.name == "refuse":
                raise Unsupported("of my own")
            if problem.name == "nothing":
                return None
            said = (options.seed, options.target, options.options, options.time_limit is None)
            return Result(Status.FEASIBLE, values=[1.5], native=str(os.getpid()), detail=repr(said))

    if __name__ == "__main__":
        serve.solver(Odd(), apart=True)
""")


class Idle(Solver):
    def describe(self):
        return Description(name="odd", concurrent=True)

    def solve(self, problem, options):
        raise AssertionError("it works in the other process")


@pytest.fixture()
def solver(tmp_path, monkeypatch):
    path = tmp_path / "main.py"
    path.write_text(PROGRAM)
    monkeypatch.setattr(sys, "argv", [str(path)])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
    return apart.Apart(Idle())


def ask(solver, name="", **more):
    return solver.solve(Problem(name, milp=MILP([Column(hi=2)])), SolveOptions(**more))


def test_one_process_answers_call_after_call(solver):
    assert not solver.describe().concurrent
    first = ask(solver, seed=-7, target=2.5, options={"a": "b"})
    assert (first.status, first.values, first.detail) == (Status.FEASIBLE, [1.5], "(-7, 2.5, {'a': 'b'}, True)")
    assert ask(solver).native == first.native != str(os.getpid())


def test_faults_are_told_and_the_next_call_is_answered(solver):
    with pytest.raises(Unsupported, match="of my own"):
        ask(solver, "refuse")
    with pytest.raises(Error, match=r"the plugin raised KeyError: 'an idea' \(at main.py:\d+, in solve\)"):
        ask(solver, "raise")
    with pytest.raises(TypeError, match="NoneType"):
        ask(solver, "nothing")
    one = ask(solver).native
    r = ask(solver, "die")
    assert (r.status, r.reason, r.native) == (Status.UNKNOWN, Reason.OTHER, "crashed (exit code 3)")
    assert ask(solver).native != one


@pytest.mark.parametrize("name, native", [("polite", "polite"), ("deaf", "ended")])
def test_a_cancel(solver, name, native):
    ask(solver)
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    r = ask(solver, name, cancel=cancel)
    assert (r.status, r.reason, r.native) == (Status.UNKNOWN, Reason.INTERRUPTED, native)
    assert ask(solver).status is Status.FEASIBLE


def test_what_was_reported_is_the_result_of_a_call_that_is_ended(solver):
    ask(solver)
    seen, cancel = [], Cancel()
    r = ask(solver, "held", cancel=cancel, progress=lambda p: (seen.append(p), cancel.set()))
    assert (r.status, r.reason, r.values, r.objective, r.nodes) == (Status.FEASIBLE, Reason.INTERRUPTED, [1.5], 3.0, 4)
    assert [(p.values, p.bound) for p in seen] == [([1.5], 9.0)]


def test_limits(solver):
    assert ask(solver, "deaf", time_limit=1e-9).reason is Reason.TIME_LIMIT  # while it gets ready
    ask(solver)
    assert ask(solver, "deaf", time_limit=0.05).reason is Reason.TIME_LIMIT
    ask(solver)
    if os.path.exists("/proc/self/statm"):
        assert ask(solver, "deaf", memory=1 << 20).reason is Reason.MEMORY_LIMIT  # less than Python itself


def test_a_program_that_does_not_start(solver):
    with open(sys.argv[0], "w") as f:
        f.write("raise SystemExit(4)")
    with pytest.raises(Error, match=r"ended at its start \(exit code 4\)"):
        ask(solver)


def test_by_hand(solver):
    out = subprocess.run([sys.executable, sys.argv[0]], capture_output=True, text=True)
    assert out.returncode == 1 and "started by hyfair" in out.stderr
