"""A solver that behaves as the name of the problem says."""

import os
import time
from fractions import Fraction

from hyfair.plugin import (
    Description, Exactness, Form, Goal, Incompatible, Incremental, InvalidOption, InvalidProblem, Loaded, Progress,
    Reason, Result, Service, Status, Unsupported, Witness, serve)

ERRORS = {e.__name__: e for e in (
    Unsupported, InvalidProblem, InvalidOption, Incompatible)}


class Odd(Incremental):
    def describe(self):
        return Description(
            name="odd", exactness=Exactness.EXACT, serves=[
                Service(Form.MILP, Goal.MAXIMISE), Service(Form.MILP, Goal.DECIDE), Service(Form.NETWORK, Goal.DECIDE),
                Service(Form.SMT, Goal.DECIDE)])

    def solve(self, problem, options):
        if options.seed == 13:  # for a host that is about to die
            while True:
                pass
        if problem.name in ERRORS:
            raise ERRORS[problem.name]("of my own")
        if problem.name == "raise":
            return 1 // 0
        if problem.name == "nothing":
            return None
        if problem.name == "deaf":
            time.sleep(60)
        if problem.name == "die":
            os._exit(3)
        if problem.name == "patient":
            held = [3.0] * len(problem.milp.columns)
            while not options.cancel.wait(0.01):
                options.progress(Progress(held, 9.0, 33.0, 1))
                options.progress(Progress(None, 0.0, None, 2))
            return Result(Status.FEASIBLE, Reason.INTERRUPTED, values=held, objective=9.0, bound=33.0)
        if problem.name == "exact":
            values = [Fraction(-22, 7), 10**30 + 1, -5, 0.1, Fraction(4, 2)]
            return Result(Status.OPTIMAL, values=values, objective=1.5, nodes=7, elapsed=0.25, native="ok", detail="fine")
        if problem.name == "options":
            said = (options.seed, options.threads, options.memory, options.time_limit, options.work_limit, options.gap,
                    options.target)
            return Result(Status.UNKNOWN, Reason.OTHER, detail=repr(said))
        if problem.form is Form.NETWORK:
            q = problem.network
            x = [i.lo for i in q.region.box]
            copies = q.space.counterfactuals(x, q.region)
            scores = [q.network.score(q.space.inputs_of(c)) for c in copies]
            return Result(Status.FEASIBLE, witness=Witness(copies[0], copies[-1]), detail=repr((q.epsilon, scores, q.notion.name)))
        if problem.form is Form.SMT:
            return Result(Status.FEASIBLE, values=[1] * len(problem.smt.symbols), native=problem.smt.text)
        return Result(Status.INFEASIBLE)

    def load(self, problem):
        return Held()


class Held(Loaded):
    def __init__(self):
        self.asked = 0

    def solve(self, delta, options):
        self.asked += 1
        return Result(Status.INFEASIBLE, native=f"held, {self.asked} asked, {len(delta.rows)} rows")


if __name__ == "__main__":
    serve.solver(Odd())
