"""SciPy's mixed-integer solver, which is a HiGHS inside, as a solver plugin.

What ``scipy.optimize.milp`` does not offer, this solver cannot do: it takes no
start values, seed, threads, branching priorities or special ordered sets,
reports no progress, and cannot be interrupted. So it runs in a process of its
own (worker.py), which is ended where the host cancels; what it held is lost then.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import threading
import time
from typing import Union

import hyfair
from hyfair import (
    MILP, Description, Exactness, Form, Goal, Library, Option, Problem, Reason, Result, Service, SolveOptions, Solver,
    Status)

import claim
import layout
from process import Process


class SciPy(Solver):
    """What --solver scipy selects."""

    def __init__(self) -> None:
        self._process = Process()
        threading.Thread(target=self._process.warm, daemon=True).start()

    def describe(self) -> Description:
        return Description(
            name="scipy", version="1.0.0", summary="SciPy's milp: HiGHS, without the means to steer it",
            serves=[Service(Form.MILP, Goal.DECIDE), Service(Form.MILP, Goal.MAXIMISE)],
            exactness=Exactness.NUMERICAL, libraries=[library()],
            options=[Option("presolve", "on", "on or off")])

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        began = time.monotonic()
        milp = problem.milp
        assert milp is not None  # the form asked for is one that is served
        presolve = {"on": True, "off": False}.get(options.options["presolve"])
        if presolve is None:
            raise hyfair.InvalidOption(f"presolve={options.options['presolve']}: want on or off")
        result = self._answer(milp, options, presolve, began)
        result.elapsed = time.monotonic() - began
        return result

    def _answer(self, milp: MILP, options: SolveOptions, presolve: bool, began: float) -> Result:
        lost = layout.effect_of_dropping(milp)
        if not milp.columns:
            return claim.without_columns(milp)
        task = layout.task(milp)
        task["options"] = {
            "presolve": presolve, "mip_rel_gap": options.gap, "node_limit": options.work_limit, "disp": False}
        answer = self._run(task, options, began)
        if isinstance(answer, Reason):
            return Result(Status.UNKNOWN, answer, native="ended", detail="SciPy tells nothing of a solve that was ended")
        if claim.open_ended(answer):
            # Infeasible, or without a best point: a question without an objective tells which.
            task["c"] = [0.0] * len(milp.columns)
            second = self._run(task, options, began)
            if isinstance(second, Reason):
                return Result(Status.UNKNOWN, second, native=answer["message"])
            return claim.without_best(milp, second, lost)
        return claim.conclude(milp, answer, lost)

    def _run(self, task: layout.Task, options: SolveOptions, began: float) -> Union[layout.Answer, Reason]:
        if options.time_limit is not None:
            left = options.time_limit - (time.monotonic() - began)
            if left <= 0:
                return Reason.TIME_LIMIT
            task["options"]["time_limit"] = left
        return self._process.ask(task, options.cancel, options.memory)


def library() -> Library:
    """What is installed, without loading it."""
    spec = importlib.util.find_spec("scipy")
    if spec is None:
        return Library("SciPy", False, hint=f"{sys.executable} -m pip install 'scipy>=1.9'")
    return Library("SciPy", True, importlib.metadata.version("scipy"), spec.origin or "")


if __name__ == "__main__":
    hyfair.serve.solver(SciPy())
