"""Marabou as a solver plugin: it is asked about the network itself, in floating point.

Marabou knows real inputs and linear rows, and no whole numbers, categories or
sigmoids. So each question to it allows more than was asked: two copies of the network
over a box, with all real values in it and a linear condition that every violation
meets. Where it answers unsat, the box has no violation. Where it finds a point, the
nearest people are evaluated, and else the box is cut in two, down to a few pairs of
people, who are evaluated one by one.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Dict, List, Optional, Tuple

import hyfair
from hyfair import (
    Description, Exactness, Feature, Form, Goal, Head, Incompatible, Interval, Layer, Library, Notion, Option, Problem,
    Query, Reason, Result, Service, SolveOptions, Solver, Status, Unsupported, Witness, option, sigmoid)

TOLERANCE = 1e-6
"""Of the simplex method inside."""
THINNEST = 1e-6
"""An interval of real values, relative to its size, that is cut no further."""
FEW = 512
"""Pairs of people that are evaluated one by one."""

Box = List[Interval]
"""For each feature of the first copy and of the second; free ones are the same in both."""


class Marabou(Solver):
    """What --solver marabou selects."""

    def describe(self) -> Description:
        return Description(
            name="marabou", version="1.0.0", summary="ReLU networks with Marabou (simplex and splits, floating point)",
            serves=[Service(Form.NETWORK, Goal.DECIDE)], exactness=Exactness.NUMERICAL,
            libraries=[Library.of_package("maraboupy", "scripts/setup.sh solvers", "Marabou")],
            options=[Option("milp", "off", "tighten bounds with linear programs first: on or off")])

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        assert problem.network is not None  # the form asked for is one that is served
        q = problem.network
        if q.relax or q.require or q.forbid or q.exclude or q.k > 2:
            raise Unsupported("relaxations, predicates, exclusions and k > 2")
        tighten = option.word(options.options, "milp", ["on", "off"]) == "on"
        try:
            from maraboupy import MarabouCore
        except ImportError as e:
            raise Incompatible(f"{e}: scripts/setup.sh solvers brings Marabou") from e
        native = MarabouCore.Options()
        native._verbosity, native._numWorkers = 0, max(1, options.threads)
        native._milpTightening = "lp" if tighten else "none"
        return Search(MarabouCore, native, q).run(options)


class Search:
    """Branch and bound over boxes of pairs of people."""

    def __init__(self, core: Any, native: Any, q: Query) -> None:
        self.core, self.native, self.q, self.space = core, native, q, q.space
        self.nodes, self._logits = 0, {}  # type: int, Dict[Tuple[float, ...], float]

    def run(self, options: SolveOptions) -> Result:
        open_boxes, left_over = [self._whole()], False
        while open_boxes:
            if options.cancel.is_set():
                return self._result(Status.UNKNOWN, Reason.INTERRUPTED)
            if options.work_limit is not None and self.nodes >= options.work_limit:
                return self._result(Status.UNKNOWN, Reason.WORK_LIMIT)
            box = open_boxes.pop()
            at, pairs = self._widest(box), self._pairs(box)
            if pairs is None and at is not None:
                found = self._ask(box)
                if found is None:
                    continue
                open_boxes += self._halves(box, at, found[at])
                pairs = [found]
            elif pairs is None:  # real values that are cut no further
                left_over, pairs = True, [[b.lo for b in box]]
            n = len(self.space.features)
            for pair in pairs:
                if self._violates(pair):
                    return self._result(Status.FEASIBLE, witness=Witness(pair[:n], pair[n:]))
        return self._result(Status.UNKNOWN, Reason.INCOMPLETE) if left_over else self._result(Status.INFEASIBLE)

    def _result(self, status: Status, reason: Reason = Reason.NONE, witness: Optional[Witness] = None) -> Result:
        return Result(status, reason, native=status.name.lower(), nodes=self.nodes, tolerance=TOLERANCE, witness=witness)

    # Boxes.

    def _whole(self) -> Box:
        out = []
        for i, f in enumerate(self.space.features):
            values = self.q.region.values[i]
            out.append(Interval(min(values), max(values)) if f.is_protected and values
                       else Interval(1, 0) if f.is_protected else Interval(*self.space.range(i, self.q.region)))
        return 2 * out

    def _values(self, slot: int, box: Box) -> List[float]:
        """The values that a slot may take; of many, or real ones, the ends."""
        i, b = slot % len(self.space.features), box[slot]
        f = self.space.features[i]
        if f.is_protected:
            return [v for v in self.q.region.values[i] if b.contains(v)]
        if b.lo > b.hi:
            return []
        if f.discrete and (b.hi - b.lo <= FEW or any(m.table is not None for m in f.inputs)):
            return [b.lo + k for k in range(int(b.hi - b.lo) + 1)]
        return [b.lo, b.hi]

    def _pairs(self, box: Box) -> Optional[List[List[float]]]:
        """All pairs of people in the box, where they are few."""
        n = len(self.space.features)
        slots = [self._values(slot, box) for slot in range(2 * n)]
        many = [not f.discrete and not f.is_protected and b.lo < b.hi for f, b in zip(self.space.features, box)]
        free = [slots[i] if i < n or self.space.features[i - n].is_protected else [0.0] for i in range(2 * n)]
        if any(many) or math.prod(map(len, free)) > FEW:
            return None
        return [[p[i] if i < n or self.space.features[i - n].is_protected else p[i - n] for i in range(2 * n)]
                for p in itertools.product(*free)]

    def _widest(self, box: Box) -> Optional[int]:
        """The slot to cut, by the share that is left of its domain; None where none can be."""
        widest, most = None, 0.0
        n = len(self.space.features)
        for slot, b in enumerate(box):
            f = self.space.features[slot % n]
            if slot >= n and not f.is_protected or b.lo == b.hi or len(self._values(slot, box)) < 2:
                continue
            share = (b.hi - b.lo) / max(f.hi - f.lo, b.hi - b.lo)
            if share > most and (f.discrete or b.hi - b.lo > THINNEST * max(1.0, abs(b.lo), abs(b.hi))):
                widest, most = slot, share
        return widest

    def _halves(self, box: Box, at: int, v: float) -> List[Box]:
        """The box cut at a slot, the half that holds the value last."""
        n, b = len(self.space.features), box[at]
        f, values = self.space.features[at % n], self._values(at, box)
        if f.discrete and len(values) > 2 or f.is_protected:
            ends = values[len(values) // 2 - 1], values[len(values) // 2]
        elif f.discrete:
            middle = float(math.floor((b.lo + b.hi) / 2))
            ends = middle, middle + 1
        else:
            ends = ((b.lo + b.hi) / 2,) * 2
        out = []
        for half in (Interval(b.lo, ends[0]), Interval(ends[1], b.hi)):
            new = list(box)
            new[at] = half
            if not f.is_protected:
                new[at % n + n] = half
            out.append(new)
        return out[::-1] if v <= ends[0] else out

    # Questions.

    def _ask(self, box: Box) -> Optional[List[float]]:
        """People near the point that Marabou finds in the box; None where it finds none."""
        self.nodes += 1
        query = Builder(self.core)
        copies = [self._copy(query, box, c) for c in range(2)]
        logits = [self._logit(query, inputs) for inputs in copies]
        self._condition(query, logits)
        answer, values, _ = self.core.solve(query.done(), self.native)
        if answer == "unsat":
            return None
        n = len(self.space.features)
        return [self._nearest(slot, box, copies[slot // n], values) for slot in range(2 * n)]

    def _copy(self, query: Builder, box: Box, copy: int) -> List[int]:
        """The inputs of one copy; those of free features are shared with the first."""
        n = len(self.space.features)
        inputs = [0] * self.space.inputs
        for i, f in enumerate(self.space.features):
            slot = i + copy * n
            made = []
            for m in f.inputs:
                values = [table_or_line(f, m, v) for v in self._values(slot, box)]
                key = (m.index, copy if f.is_protected else 0)
                inputs[m.index] = query.variable(min(values), max(values), key)
                made.append(inputs[m.index])
            lines = [m for m in f.inputs if m.table is None and m.scale != 0]
            for m in lines[1:]:  # the same value behind all of them
                first = lines[0]
                query.row("EQ", [(first.scale, inputs[m.index]), (-m.scale, inputs[first.index])],
                          m.offset * first.scale - first.offset * m.scale)
            tables = [m for m in f.inputs if m.table is not None]
            sums = {math.fsum(table_or_line(f, m, v) for m in tables) for v in self._values(slot, box)} if tables else set()
            if len(sums) == 1:  # one-hot, or the like
                query.row("EQ", [(1.0, inputs[m.index]) for m in tables], sums.pop())
        return inputs

    def _logit(self, query: Builder, inputs: List[int]) -> List[Tuple[float, int]]:
        """The network over these inputs, and its logit as a sum."""
        values = inputs
        for layer in self.q.network.layers:
            values = query.layer(layer, values)
        return [(1.0, values[1]), (-1.0, values[0])] if self.q.network.head is Head.SOFTMAX else [(1.0, values[0])]

    def _condition(self, query: Builder, logits: List[List[Tuple[float, int]]]) -> None:
        """What every violation meets."""
        first, second = logits
        if self.q.notion in (Notion.DECISION, Notion.DECISION_STRICT):
            query.row("GE", first, 0.0)
            query.row("LE", second, 0.0)
            return
        least = float(self.q.epsilon or 0)
        if self.q.notion is Notion.SCORE:  # where the sigmoid is steepest
            least = 4 * math.atanh(least)
        query.row("GE", first + [(-a, v) for a, v in second], least - TOLERANCE)

    def _nearest(self, slot: int, box: Box, inputs: List[int], found: Dict[int, float]) -> float:
        """The value of a slot that is nearest to what was found; without that, one in the middle."""
        f, b, values = self.space.features[slot % len(self.space.features)], box[slot], self._values(slot, box)
        if not found or not f.inputs:
            return values[len(values) // 2] if f.discrete else (b.lo + b.hi) / 2
        lines = [m for m in f.inputs if m.table is None and m.scale != 0]
        if lines and not f.is_protected:
            v = min(max((found[inputs[lines[0].index]] - lines[0].offset) / lines[0].scale, b.lo), b.hi)
            return float(round(v)) if f.discrete else v
        return min(values, key=lambda v: sum(abs(table_or_line(f, m, v) - found[inputs[m.index]]) for m in f.inputs))

    def _violates(self, pair: List[float]) -> bool:
        n = len(self.space.features)
        copies = pair[:n], pair[n:]
        if not all(self.space.allowed(c) for c in copies):
            return False
        if len(self._logits) > 1000 * FEW:
            self._logits.clear()
        for c in map(tuple, copies):
            if c not in self._logits:
                self._logits[c] = self.q.network.logit(self.space.inputs_of(c))
        one, two = (self._logits[tuple(c)] for c in copies)
        if self.q.notion is Notion.DECISION:
            return one > 0 >= two
        if self.q.notion is Notion.DECISION_STRICT:
            return one > 0 > two
        if self.q.notion is Notion.LOGIT:
            return one - two > float(self.q.epsilon or 0)
        return sigmoid(one) - sigmoid(two) > float(self.q.epsilon or 0)


def table_or_line(f: Feature, m: hyfair.Input, v: float) -> float:
    """A network input at a feature's value."""
    return m.scale * v + m.offset if m.table is None else m.table[int(v - f.lo)]


class Builder:
    """A question in Marabou's terms."""

    def __init__(self, core: Any) -> None:
        self.core, self.query = core, core.InputQuery()
        self.bounds: List[Tuple[float, float]] = []
        self.rows: List[Tuple[str, List[Tuple[float, int]], float]] = []
        self.relus: List[Tuple[int, int]] = []
        self.known: Dict[Any, int] = {}

    def variable(self, lo: float = -math.inf, hi: float = math.inf, key: Any = None) -> int:
        """A new variable, or the one already made under the key."""
        if key in self.known:
            return self.known[key]
        self.bounds.append((lo, hi))
        if key is not None:
            self.known[key] = len(self.bounds) - 1
        return len(self.bounds) - 1

    def row(self, kind: str, terms: List[Tuple[float, int]], side: float) -> None:
        self.rows.append((kind, terms, side))

    def layer(self, layer: Layer, values: List[int]) -> List[int]:
        """The outputs of a layer."""
        out = []
        for j in range(layer.outputs):
            before = self.variable()
            weights = layer.weights[j * layer.inputs:(j + 1) * layer.inputs]
            self.row("EQ", [(w, v) for w, v in zip(weights, values) if w] + [(-1.0, before)], -layer.bias[j])
            out.append(before)
            if layer.relu:
                out[-1] = self.variable(0.0)
                self.relus.append((before, out[-1]))
        return out

    def done(self) -> Any:
        self.query.setNumberOfVariables(len(self.bounds))
        for v, (lo, hi) in enumerate(self.bounds):
            if lo > -math.inf:
                self.query.setLowerBound(v, lo)
            if hi < math.inf:
                self.query.setUpperBound(v, hi)
        for k, v in enumerate(self.known.values()):
            self.query.markInputVariable(v, k)
        for kind, terms, side in self.rows:
            equation = self.core.Equation(getattr(self.core.Equation.EquationType, kind))
            for a, v in terms:
                equation.addAddend(a, v)
            equation.setScalar(side)
            self.query.addEquation(equation)
        for before, after in self.relus:
            self.core.addReluConstraint(self.query, before, after)
        return self.query


if __name__ == "__main__":
    hyfair.serve.solver(Marabou(), apart=True)
