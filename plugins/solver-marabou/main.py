"""Marabou as a solver plugin: it works on the network itself, in floating point.

Marabou supports real inputs and linear rows, but no integers, categories or sigmoids.
So each query to it is a relaxation: two copies of the network over a box, with all real
values in it, and a linear condition that every violation meets. If it answers unsat, the
box has no violation. If it finds a point, the nearest pair of copies is evaluated; if
that is not a witness, the box is split. Boxes with few pairs are enumerated.
"""

from __future__ import annotations

import itertools
import math
import os
import tempfile
from typing import Any, Dict, List, Optional, Tuple, Union

from hyfair.plugin import (
    Description, Exactness, Form, Goal, Head, Incompatible, Interval, Library, Network, Notion, Option, Problem,
    Query, Reason, Result, Service, SolveOptions, Solver, Status, Unsupported, Witness, option, serve)

TOLERANCE = 1e-6
"""The tolerance of Marabou's simplex method."""
THINNEST = 1e-6
"""Width of an interval of real values, relative to their size, below which it is not split."""
FEW = 512
"""The largest number of pairs of copies that are enumerated."""
SETTINGS = ["Marabou", "--version", "--mcmc-beta", "inf"]
"""Settings that only Marabou's command line has; they hold until the process ends. By
default its local search takes every step that does not raise the cost. So it may walk on
a plateau forever and ignore its time limit; with this setting it takes only steps that
lower the cost.
"""

Slot = Tuple[int, Tuple[int, ...]]
"""A feature and the copies that share its value: both for a free feature, one for a protected one."""
Box = List[Interval]
"""An interval per slot."""
Pair = Tuple[List[float], List[float]]
Value = Union[int, float]
"""One of Marabou's variables (int), or a constant (float). A variable with equal bounds becomes a
constant: with such inputs Marabou has called queries unsat that have a point
(NeuralNetworkVerification/Marabou#568).
"""
Sum = List[Tuple[float, Value]]
"""Coefficients and values."""

OPTIONS = [Option("milp", "off", "tighten bounds with linear programs first: on or off")]


class Marabou(Solver):
    """The solver of --solver marabou."""

    def describe(self) -> Description:
        return Description(
            name="marabou", version="1.0.0", summary="ReLU networks with Marabou (simplex and splits, floating point)",
            serves=[Service(Form.NETWORK, Goal.DECIDE)], exactness=Exactness.NUMERICAL,
            libraries=[Library.of_package("maraboupy", "scripts/setup.sh solvers", "Marabou")],
            options=OPTIONS)

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.network is not None  # only this form is served
        q = problem.network
        if q.relax or q.k > 2:
            raise Unsupported("the query has relaxed features or k > 2; Marabou supports neither")
        tighten = option.read(OPTIONS, options.options).choice("milp", "on", "off") == "on"
        try:
            from maraboupy import MarabouCore
        except ImportError as e:
            raise Incompatible(f"{e}: run scripts/setup.sh solvers to install Marabou") from e
        os.chdir(tempfile.gettempdir())  # Marabou leaves a file there when it fails
        native = MarabouCore.Options()
        native._verbosity, native._numWorkers = 0, max(1, options.threads)
        native._milpTightening = "lp" if tighten else "none"
        MarabouCore.maraboupyMain([*SETTINGS, "--seed", str(options.seed % 2**31)])
        return Search(MarabouCore, native, q).run(options)


class Search:
    """Branch and bound over boxes of pairs of copies."""

    def __init__(self, core: Any, native: Any, q: Query) -> None:
        self.core, self.native, self.q = core, native, q
        self.slots: List[Slot] = []
        for i, f in enumerate(q.space.features):
            self.slots += [(i, (0,)), (i, (1,))] if f.is_protected else [(i, (0, 1))]
        self.nodes = 0

    def run(self, options: SolveOptions) -> Result:
        open_boxes, left_over = [self._whole()], False
        while open_boxes:
            if options.cancel.is_set():
                return self._result(Status.UNKNOWN, Reason.INTERRUPTED)
            if options.work_limit is not None and self.nodes >= options.work_limit:
                return self._result(Status.UNKNOWN, Reason.WORK_LIMIT)
            box = open_boxes.pop()
            points, at = self._few(box), self._widest(box)
            if points is None and at is not None:
                found = self._ask(box)
                if found is None:
                    continue
                open_boxes += self._halves(box, at, found[at])
                points = [found]
            elif points is None:  # real values in an interval too small to split
                left_over, points = True, [[b.lo for b in box]]
            for point in points:
                pair = self._pair(point)
                if self.q.is_witness(*pair):
                    return self._result(Status.FEASIBLE, witness=Witness(*pair))
        return self._result(Status.UNKNOWN, Reason.INCOMPLETE) if left_over else self._result(Status.INFEASIBLE)

    def _result(self, status: Status, reason: Reason = Reason.NONE, witness: Optional[Witness] = None) -> Result:
        return Result(status, reason, native=status.name.lower(), nodes=self.nodes, tolerance=TOLERANCE, witness=witness)

    # Boxes: their points, and how they are split.

    def _whole(self) -> Box:
        out = []
        for i, _ in self.slots:
            values = self.q.region.values[i]
            out.append(Interval(min(values), max(values)) if values else Interval(*self.q.space.range(i, self.q.region)))
        return out

    def _values(self, slot: Slot, b: Interval) -> List[float]:
        """The values that a slot may take; only the ends if they are many, or real."""
        f = self.q.space.features[slot[0]]
        if f.is_protected:
            return [v for v in self.q.region.values[slot[0]] if b.contains(v)]
        if f.discrete and (b.hi - b.lo <= FEW or any(m.table is not None for m in f.inputs)):
            return [b.lo + k for k in range(int(b.hi - b.lo) + 1)]
        return [b.lo, b.hi] if b.lo <= b.hi else []

    def _few(self, box: Box) -> Optional[List[List[float]]]:
        """All points of the box if they are few, else None."""
        lists = [self._values(slot, b) for slot, b in zip(self.slots, box)]
        real = any(b.lo < b.hi and not self.q.space.features[i].discrete for (i, _), b in zip(self.slots, box))
        return None if real or math.prod(map(len, lists)) > FEW else [list(p) for p in itertools.product(*lists)]

    def _widest(self, box: Box) -> Optional[int]:
        """The slot to split: the one with the largest share of its domain left; None if none can be split."""
        widest, most = None, 0.0
        for k, ((i, _), b) in enumerate(zip(self.slots, box)):
            f, width = self.q.space.features[i], b.hi - b.lo
            thin = 0.0 if f.discrete else THINNEST * max(1.0, abs(b.lo), abs(b.hi))
            if width > thin and width / max(f.hi - f.lo, width) > most:
                widest, most = k, width / max(f.hi - f.lo, width)
        return widest

    def _halves(self, box: Box, at: int, v: float) -> List[Box]:
        """The two halves of the box at a slot, the one that contains the value last."""
        b, f, values = box[at], self.q.space.features[self.slots[at][0]], self._values(self.slots[at], box[at])
        if not f.discrete and not f.is_protected:
            ends = ((b.lo + b.hi) / 2,) * 2
        elif len(values) > 2 or f.is_protected:
            ends = values[len(values) // 2 - 1], values[len(values) // 2]
        else:
            ends = float(math.floor((b.lo + b.hi) / 2)), float(math.floor((b.lo + b.hi) / 2)) + 1
        out = [box[:at] + [half] + box[at + 1:] for half in (Interval(b.lo, ends[0]), Interval(ends[1], b.hi))]
        return out[::-1] if v <= ends[0] else out

    # Queries to Marabou about a box.

    def _ask(self, box: Box) -> Optional[List[float]]:
        """The box's point nearest to Marabou's, its middle if Marabou gives none; None if the box has no violation."""
        self.nodes += 1
        query = Builder(self.core)
        inputs: List[List[Value]] = [[0.0] * self.q.space.inputs for _ in range(2)]
        for slot, b in zip(self.slots, box):
            self._feature(query, slot, self._values(slot, b), inputs)
        one, two = ([(1.0, v) for v in query.network(self.q.network, copy)] for copy in inputs)
        if self.q.network.head is Head.SOFTMAX:
            one, two = ([(-1.0, copy[0][1]), copy[1]] for copy in (one, two))
        self._condition(query, one, two)
        if query.impossible:
            return None
        if query.variables == 0:
            return self._middle(box)
        answer, found, _ = self.core.solve(query.query, self.native)
        return None if answer == "unsat" else [
            self._nearest(slot, b, inputs[slot[1][0]], found) for slot, b in zip(self.slots, box)]

    def _middle(self, box: Box) -> List[float]:
        """A point of the box."""
        return [self._nearest(slot, b, [], {}) for slot, b in zip(self.slots, box)]

    def _feature(self, query: Builder, slot: Slot, values: List[float], inputs: List[List[Value]]) -> None:
        """Adds the network inputs that a slot feeds, and the rows that link them."""
        f = self.q.space.features[slot[0]]
        reached = [[f.input(m, v) for m in f.inputs] for v in values]
        made = [query.value(min(r), max(r)) for r in zip(*reached)]
        for copy in slot[1]:
            for m, v in zip(f.inputs, made):
                inputs[copy][m.index] = v
        if any(m.table is not None for m in f.inputs):
            sums = {math.fsum(r) for r in reached}
            if len(sums) == 1:  # one-hot or similar
                query.row("EQ", [(1.0, v) for v in made], sums.pop())
        elif made:  # all inputs have the same value
            first = f.inputs[0]
            for m, v in zip(f.inputs[1:], made[1:]):
                query.row("EQ", [(first.scale, v), (-m.scale, made[0])], m.offset * first.scale - first.offset * m.scale)

    def _condition(self, query: Builder, one: Sum, two: Sum) -> None:
        """Adds a condition that every violation meets."""
        if self.q.notion in (Notion.DECISION, Notion.DECISION_STRICT):
            query.row("GE", one, 0.0)
            query.row("LE", two, 0.0)
            return
        least = float(self.q.epsilon or 0)
        if self.q.notion is Notion.SCORE:  # the least logit gap with this score gap, where the sigmoid is steepest
            least = 4 * math.atanh(least)
        query.row("GE", one + [(-a, v) for a, v in two], least - TOLERANCE)

    def _nearest(self, slot: Slot, b: Interval, inputs: List[Value], found: Dict[int, float]) -> float:
        """The value of a slot nearest to what was found; the middle one if nothing was."""
        f, values = self.q.space.features[slot[0]], self._values(slot, b)
        if not found or not f.inputs:
            return values[len(values) // 2]

        def at(k: int) -> float:
            v = inputs[k]
            return v if isinstance(v, float) else found[v]
        m = f.inputs[0]
        if not f.is_protected and m.table is None and m.scale != 0:
            v = min(max((at(m.index) - m.offset) / m.scale, b.lo), b.hi)
            return float(round(v)) if f.discrete else v
        return min(values, key=lambda v: sum(abs(f.input(m, v) - at(m.index)) for m in f.inputs))

    # Pairs of copies.

    def _pair(self, point: List[float]) -> Pair:
        pair = [0.0] * len(self.q.space.features), [0.0] * len(self.q.space.features)
        for (i, copies), v in zip(self.slots, point):
            for copy in copies:
                pair[copy][i] = v
        return pair


class Builder:
    """Builds a query for Marabou."""

    def __init__(self, core: Any) -> None:
        self.core, self.query, self.variables = core, core.InputQuery(), 0
        self.impossible = False  # set if a row of constants does not hold

    def value(self, lo: float, hi: float) -> Value:
        """A new variable, or a constant if only one value is left."""
        return float(lo) if lo == hi else self.variable(lo, hi)

    def variable(self, lo: float = -math.inf, hi: float = math.inf) -> int:
        """A new variable."""
        self.variables += 1
        self.query.setNumberOfVariables(self.variables)
        if lo > -math.inf:
            self.query.setLowerBound(self.variables - 1, lo)
        if hi < math.inf:
            self.query.setUpperBound(self.variables - 1, hi)
        return self.variables - 1

    def row(self, kind: str, terms: Sum, side: float) -> None:
        """Adds a row: a sum that is equal to (EQ), at least (GE) or at most (LE) its side."""
        constants = [a * v for a, v in terms if isinstance(v, float)]
        side, terms = math.fsum([side] + [-c for c in constants]), [(a, v) for a, v in terms if not isinstance(v, float)]
        if not terms:  # rows that link a feature's inputs (EQ) hold by construction
            slack = TOLERANCE * max([1.0] + [abs(c) for c in constants])
            self.impossible |= kind == "GE" and side > slack or kind == "LE" and side < -slack
            return
        equation = self.core.Equation(getattr(self.core.Equation.EquationType, kind))
        for a, v in terms:
            equation.addAddend(a, v)
        equation.setScalar(side)
        self.query.addEquation(equation)

    def network(self, network: Network, values: List[Value]) -> List[Value]:
        """Adds a network over these inputs, and returns its outputs."""
        for layer in network.layers:
            after: List[Value] = []
            for j, bias in enumerate(layer.bias):
                weights = layer.weights[j * layer.inputs:(j + 1) * layer.inputs]
                terms = [(w, v) for w, v in zip(weights, values) if w]
                if all(isinstance(v, float) for _, v in terms):
                    y = math.fsum([bias] + [w * v for w, v in terms])
                    after.append(max(y, 0.0) if layer.relu else y)
                    continue
                before = self.variable()
                self.row("EQ", terms + [(-1.0, before)], -bias)
                if layer.relu:
                    after.append(self.variable(0.0))
                    self.core.addReluConstraint(self.query, before, after[-1])
                else:
                    after.append(before)
            values = after
        return values


if __name__ == "__main__":
    serve.solver(Marabou(), apart=True)
