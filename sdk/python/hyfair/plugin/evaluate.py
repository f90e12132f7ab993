"""k, the gap and the entropies of many individuals at once, for strategies that
evaluate by themselves.

Logits are computed in floating point: for all points and counterfactuals together
with numpy, otherwise one by one. The conclusions are exact: no logit is further from
the exact one than ``Evaluator.error``; if a logit is that near to a bin's edge, or a
gap to epsilon, it is evaluated again in rational arithmetic
(docs/developer/decisions/0010 of hyfair; sdk/evaluate does the same in Go).

How far a computed logit can be from the exact one: a neuron sums n products and a
bias, in whatever order and with or without fused multiply-adds, so each term
passes through at most n + 1 roundings (Higham, Accuracy and Stability of Numerical
Algorithms, 2nd ed., section 3.1). If input i has an error of at most e_i, the neuron's
error is at most gamma(n + 1) (|b| + sum |w_i v_i|) + sum |w_i| e_i, plus the least
normal number for each product, in case the library flushes smaller numbers to zero.
ReLU adds nothing. The bound uses the largest values in the region.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections import Counter
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, Callable, List, NamedTuple, Sequence, Tuple, TypeVar

from .network import Head, Layer, Network, sigmoid
from .space import Point, Region, Space

numpy: Any = None
T = TypeVar("T")


def _found() -> bool:
    """Imports numpy, which is slow, if it is installed."""
    global numpy
    try:
        import numpy as found
    except ImportError:
        return False
    numpy = found
    return True


ENTROPY_BITS = 36
MOST_EDGES = 1 << 12
"""The largest number of edges of bins that are stored. If epsilon makes more, each bin is
computed from a score."""
ROUNDING = 2.0 ** -48
BLOCK = 1 << 18
"""The most numbers that go through a layer together: few enough for the processor's caches."""


class Outcome(NamedTuple):
    """The result for one individual. If it has no counterfactuals, all fields are 0."""

    n: int
    """How many counterfactuals it has."""
    k: int
    """How many different bins their scores fall into; exact."""
    gap: float
    """The largest score minus the smallest, in float64."""
    violates: bool
    """gap > epsilon; exact."""
    shannon: float
    """Like ``Trial.shannon``; the same on every machine."""
    min_entropy: float
    highest: int
    """The combination with the largest score, for ``Evaluator.point``. Among scores
    that rounding cannot distinguish it may be any, and differ between machines."""
    lowest: int


class Evaluator:
    """Evaluates individuals of one network, space, region and epsilon. A session must
    count every individual that it evaluates (``Session.evaluations``). With ``plain`` it
    does not use numpy, even if that is installed."""

    def __init__(self, network: Network, space: Space, region: Region, epsilon: Fraction, plain: bool = False) -> None:
        if not 0 < epsilon <= 1:
            raise ValueError(f"epsilon {epsilon} is no difference of scores")
        self._space, self._region, self._epsilon = space, region, epsilon
        self._layers = _fold(network)
        self.combinations = list(itertools.product(*(region.values[i] for i in space.protected)))
        """The protected values of each combination, in the order of the space's
        protected features; numbered in this order."""
        self.error = _bound(self._layers, space, region)
        """No computed logit is further from the exact one. If it is infinite, exact logits
        are computed and rounded, within what ROUNDING and _tolerance allow for."""
        self._error = 0.0 if math.isinf(self.error) else self.error
        self._bins = -(-epsilon.denominator // epsilon.numerator)
        self._tabled = self._bins <= MOST_EDGES
        # The values from which a computed logit is surely, and possibly, on or above each edge.
        self._surely: List[float] = []
        self._possibly: List[float] = []
        for j in range(1, self._bins if self._tabled else 0):
            above = j * epsilon.numerator
            edge = math.log(above / (epsilon.denominator - above))
            slack = ROUNDING * (1 + abs(edge))  # allows for logarithms far worse than any in use
            self._surely.append(math.nextafter(edge + slack + self._error, math.inf))
            self._possibly.append(math.nextafter(edge - slack - self._error, -math.inf))
        self._logs = [0] + [_log2(n) for n in range(1, len(self.combinations) + 1)]
        self._sums = [_round(n * log, 58 - ENTROPY_BITS) for n, log in enumerate(self._logs)]
        self._logs = [_round(log, 58 - ENTROPY_BITS) for log in self._logs]
        # Each combination's part of the first layer.
        first = self._layers[0]
        self._parts = [first.part(space, space.protected, self.point([0.0] * len(space.features), c)) for c in range(len(self.combinations))]
        self._arrays: Any = _Arrays(self) if not plain and self.error < math.inf and _found() else None

    def point(self, x: Sequence[float], combination: int) -> Point:
        """The individual with the values of a protected combination."""
        out = list(x)
        for i, v in zip(self._space.protected, self.combinations[combination]):
            out[i] = v
        return out

    def evaluate(self, points: Sequence[Sequence[float]]) -> List[Outcome]:
        """The outcomes of individuals, in order. An individual outside the region has no
        counterfactuals."""
        if self._arrays is not None:
            return self._arrays.evaluate(points)  # type: ignore[no-any-return]
        return [self._one(x) for x in points]

    def copies(self, points: Sequence[Sequence[float]]) -> List[Tuple[List[float], List[int]]]:
        """For each individual, in order, the scores of its counterfactuals, in float64, and
        their bins, which are exact, like ``Trial.scores`` and ``bins``."""
        if self._arrays is not None:
            return self._arrays.copies(points)  # type: ignore[no-any-return]
        return [([sigmoid(l) for l in logits], self._bin(x, allowed, logits)) for x in points for allowed, logits in [self._logits(x)]]

    def _one(self, x: Sequence[float]) -> Outcome:
        allowed, logits = self._logits(x)
        return self._settle(x, allowed, logits) if allowed else NOBODY

    def _logits(self, x: Sequence[float]) -> Tuple[List[int], List[float]]:
        """The combinations that the individual has, and their logits."""
        s = self._space
        if len(x) != len(s.features) or not s.contains(x, self._region):
            return [], []
        allowed = [c for c in range(len(self.combinations)) if not s.forbidden or s.allowed(self.point(x, c))]
        if math.isinf(self.error):
            return allowed, [float(min(max(self._exact(x, c), -FAR), FAR)) for c in allowed]
        first = self._layers[0]
        shared = [a + b for a, b in zip(first.part(s, s.free, x), first.bias)]
        logits = []
        for c in allowed:
            values = [max(a + b, 0.0) if first.relu else a + b for a, b in zip(shared, self._parts[c])]
            for layer in self._layers[1:]:
                values = layer.layer.apply(values)
            logits.append(values[0])
        return allowed, logits

    def _bin(self, x: Sequence[float], allowed: Sequence[int], logits: Sequence[float]) -> List[int]:
        out = []
        for c, l in zip(allowed, logits):
            bin, most = self._between(l)
            exact = self._exact(x, c) if bin < most else None
            while exact is not None and bin < most:
                half = (bin + most + 1) // 2
                bin, most = (half, most) if at_least(exact, half * self._epsilon) else (bin, half - 1)
            out.append(bin)
        return out

    def _between(self, logit: float) -> Tuple[int, int]:
        """The least and the greatest bin that the exact score may lie in."""
        if self._tabled:
            return bisect_right(self._surely, logit), bisect_right(self._possibly, logit)
        last, off = self._bins - 1, self._error / 4 + 2.0 ** -44  # as in _tolerance
        if off >= 1:
            return 0, last
        p, each = sigmoid(logit), float(self._epsilon)
        return max(0, int((p - off) / each * (1 - ROUNDING))), min(last, int((p + off) / each * (1 + ROUNDING)))

    def _settle(self, x: Sequence[float], allowed: Sequence[int], logits: Sequence[float]) -> Outcome:
        """The outcome, from the computed logits if they decide it, else from exact logits."""
        counts = Counter(self._bin(x, allowed, logits))
        high, low = max(range(len(logits)), key=logits.__getitem__), min(range(len(logits)), key=logits.__getitem__)
        gap, slack = sigmoid(logits[high]) - sigmoid(logits[low]), 4 * self._error
        if abs(gap - float(self._epsilon)) > _tolerance(self._error):
            violates = gap > self._epsilon
        else:
            largest = max(self._exact(x, c) for c, l in zip(allowed, logits) if l + slack >= logits[high])
            smallest = min(self._exact(x, c) for c, l in zip(allowed, logits) if l - slack <= logits[low])
            violates = gap_exceeds(largest, smallest, self._epsilon)
        n, total = len(logits), sum(self._sums[m] for m in counts.values())
        return Outcome(
            n, len(counts), gap, violates, (self._sums[n] - total) / (n * (1 << ENTROPY_BITS)),
            (self._logs[n] - self._logs[max(counts.values())]) / (1 << ENTROPY_BITS), allowed[high], allowed[low])

    def _exact(self, x: Sequence[float], c: int) -> Fraction:
        """The exact logit of a counterfactual."""
        values = [Fraction(0)] * self._space.inputs
        for f, v in zip(self._space.features, self.point(x, c)):
            for m in f.inputs:
                values[m.index] = Fraction(m.scale) * Fraction(v) + Fraction(m.offset) if m.table is None else Fraction(m.table[int(v - f.lo)])
        numbers, bits = _whole(values)
        for y in self._layers:
            rows, bias, more = y.exact
            numbers = [sum(map(mul, row, numbers)) + (b << bits) for row, b in zip(rows, bias)]
            if y.relu:
                numbers = [max(v, 0) for v in numbers]
            bits += more
        return Fraction(numbers[0], 1 << bits)


def _whole(values: Sequence[Fraction]) -> Tuple[List[int], int]:
    """Binary fractions as multiples of 2 ** -bits, and bits: sums of integers need no common
    divisors, the main cost of sums of fractions."""
    bits = max(v.denominator.bit_length() for v in values)
    return [v.numerator << (bits - v.denominator.bit_length()) for v in values], bits - 1


FAR = Fraction(10 ** 300)
NOBODY = Outcome(0, 0, 0.0, False, 0.0, 0.0, 0, 0)


class _Layer:
    """A layer; for a softmax the last layer is the difference of its two outputs."""

    def __init__(self, layer: Layer, difference: bool) -> None:
        self.extra = 1 if difference else 0  # roundings already in the weights
        weights, bias, n = list(layer.weights), list(layer.bias), layer.inputs
        if difference:
            weights, bias = [b - a for a, b in zip(weights[:n], weights[n:])], [bias[1] - bias[0]]
        self.weights, self.bias, self.inputs, self.relu, self._of = weights, bias, n, layer.relu, layer
        self.layer = Layer(layer.name, n, len(bias), weights, bias, layer.relu)

    @cached_property
    def exact(self) -> Tuple[List[List[int]], List[int], int]:
        """The weights of each neuron, and the biases, as multiples of 2 ** -bits, and bits."""
        y, n = self._of, self.inputs
        numbers, bits = _whole([Fraction(v) for v in (*y.weights, *y.bias)])
        rows, bias = [numbers[j * n:(j + 1) * n] for j in range(y.outputs)], numbers[n * y.outputs:]
        if self.extra:
            return [[b - a for a, b in zip(*rows)]], [bias[1] - bias[0]], bits
        return rows, bias, bits

    def part(self, space: Space, features: Sequence[int], x: Sequence[float]) -> List[float]:
        """The features' part of the first layer's neurons, without the bias."""
        out, n = [0.0] * len(self.bias), self.inputs
        for i in features:
            f = space.features[i]
            for m in f.inputs:
                v = f.input(m, x[i])
                out = [a + w * v for a, w in zip(out, self.weights[m.index::n])]
        return out


def _fold(network: Network) -> List[_Layer]:
    last = len(network.layers) - 1
    return [_Layer(y, i == last and network.head is Head.SOFTMAX) for i, y in enumerate(network.layers)]


def _bound(layers: Sequence[_Layer], space: Space, region: Region) -> float:
    """The error bound that the module describes; infinite if the arithmetic could overflow."""
    largest, off = [0.0] * space.inputs, [0.0] * space.inputs
    for i, f in enumerate(space.features):
        values = list(region.values[i]) if f.is_protected else list(space.range(i, region))
        for m in f.inputs:
            if m.table is not None:
                largest[m.index] = max(map(abs, m.table))
                continue
            size = abs(m.scale) * max(map(abs, values)) + abs(m.offset)
            off[m.index] = 0.0 if m.scale == 1 and m.offset == 0 else size * 2.0 ** -51 + 1e-300
            largest[m.index] = size + off[m.index]
    for y in layers:
        n, factor = y.inputs, (y.inputs + y.extra + 4) * 2.0 ** -52
        sizes, errors = [], []
        for j, b in enumerate(y.bias):
            row = [abs(w) for w in y.weights[j * n:(j + 1) * n]]
            magnitude = abs(b) + sum(w * v for w, v in zip(row, largest))
            carried = sum(w * e for w, e in zip(row, off))
            errors.append((factor * magnitude + (1 + factor) * carried + (n + 4) * 1e-300) * (1 + 2.0 ** -50))
            sizes.append(magnitude + errors[-1])
        if not max(sizes) < 1e300:
            return math.inf
        largest, off = sizes, errors
    return off[0]


def _tolerance(error: float) -> float:
    """How far a computed gap may be from the exact one: the sigmoid's slope is at most
    1/4, at both ends; the rest allows for exponentials far worse than any in use."""
    return error / 2 + 2.0 ** -44


class _Arrays:
    """Evaluates many individuals together, with numpy."""

    def __init__(self, e: Evaluator) -> None:
        self.e = e
        space, region, first = e._space, e._region, e._layers[0]
        ranges = [space.range(i, region) for i in space.free]
        self.lo, self.hi = numpy.array([lo for lo, _ in ranges]), numpy.array([hi for _, hi in ranges])
        self.somewhere = numpy.array([space.features[i].lo for i in space.free])
        self.whole = numpy.array([space.features[i].discrete for i in space.free])
        self.shared = numpy.array([m.index for i in space.free for m in space.features[i].inputs], dtype=int)
        self.layers = [(numpy.array(y.weights, dtype=float).reshape(-1, y.inputs).T.copy(), numpy.array(y.bias, dtype=float), y.relu) for y in e._layers]
        self.first = self.layers[0][0][self.shared]
        self.parts = numpy.array(e._parts).reshape(len(e.combinations), len(first.bias))
        self.surely, self.possibly = numpy.array(e._surely), numpy.array(e._possibly)
        self.sums, self.logs = numpy.array(e._sums, dtype=numpy.int64), numpy.array(e._logs, dtype=numpy.int64)
        # Each constraint's conditions on the individual, and the combinations that its other conditions match.
        self.rules = [(
            [c for c in p if not space.features[c.feature].is_protected],
            numpy.array([all(c.holds(e.point([0.0] * len(space.features), z)[c.feature]) for c in p if space.features[c.feature].is_protected)
                         for z in range(len(e.combinations))], dtype=bool),
        ) for p in space.forbidden]
        width = max(w.shape[1] for w, _, _ in self.layers)
        self.rows = max(1, BLOCK // (len(e.combinations) * width + (e._bins if e._tabled else 0)))

    def evaluate(self, points: Sequence[Sequence[float]]) -> List[Outcome]:
        return self.each(points, self.outcomes if self.e._tabled else self.settled, NOBODY)

    def copies(self, points: Sequence[Sequence[float]]) -> List[Tuple[List[float], List[int]]]:
        return self.each(points, self.details, ([], []))

    def each(self, points: Sequence[Sequence[float]], block: Callable[[Sequence[Sequence[float]]], List[T]], nobody: T) -> List[T]:
        """Calls ``block`` on a few points at a time and joins its results. The result of a
        point of a wrong length is the value ``nobody``."""
        width = len(self.e._space.features)
        known = [x for x in points if len(x) == width]
        answers = iter([a for i in range(0, len(known), self.rows) for a in block(known[i:i + self.rows])])
        return [next(answers) if len(x) == width else nobody for x in points]

    def known(self, points: Sequence[Sequence[float]]) -> Tuple[Any, Any]:
        """Which combinations each point has, and the logits with every one."""
        e, space = self.e, self.e._space
        xs = numpy.array(points, dtype=float)
        free = xs[:, space.free]
        with numpy.errstate(invalid="ignore"):
            inside = ((free >= self.lo) & (free <= self.hi) & (~self.whole | (free == numpy.floor(free)))).all(axis=1)
        xs[:, space.free] = numpy.where(inside[:, None], free, self.somewhere)
        allowed = numpy.repeat(inside[:, None], len(e.combinations), axis=1)
        for conditions, combinations in self.rules:
            here = numpy.ones(len(xs), dtype=bool)
            for c in conditions:
                v = xs[:, c.feature]
                here &= (v >= c.interval.lo) & (v <= c.interval.hi) if c.categories is None else numpy.isin(v, list(c.categories))
            allowed &= ~(here[:, None] & combinations)
        return allowed, self.logits(xs)

    def settled(self, points: Sequence[Sequence[float]]) -> List[Outcome]:
        return [
            self.e._settle(x, columns, ls[columns].tolist()) if columns else NOBODY
            for x, here, ls in zip(points, *self.known(points)) for columns in [numpy.nonzero(here)[0].tolist()]]

    def details(self, points: Sequence[Sequence[float]]) -> List[Tuple[List[float], List[int]]]:
        e, (allowed, logits) = self.e, self.known(points)
        with numpy.errstate(over="ignore"):
            scores = 1 / (1 + numpy.exp(-logits))
        bins = numpy.searchsorted(self.surely, logits, side="right")
        doubt = allowed & (bins != numpy.searchsorted(self.possibly, logits, side="right")) if e._tabled else allowed
        for i, c in numpy.argwhere(doubt).tolist():
            (bins[i, c],) = e._bin(points[i], [c], [float(logits[i, c])])
        return [(s[here].tolist(), b[here].tolist()) for here, s, b in zip(allowed, scores, bins)]

    def outcomes(self, points: Sequence[Sequence[float]]) -> List[Outcome]:
        e, (allowed, logits) = self.e, self.known(points)
        n = allowed.sum(axis=1)
        bins = numpy.searchsorted(self.surely, logits, side="right")
        doubt = ((bins != numpy.searchsorted(self.possibly, logits, side="right")) & allowed).any(axis=1)
        every = numpy.arange(len(points))
        at = bins + every[:, None] * e._bins
        counts = numpy.bincount(at[allowed], minlength=len(points) * e._bins).reshape(len(points), e._bins)
        most, least = numpy.where(allowed, logits, -math.inf), numpy.where(allowed, logits, math.inf)
        high, low = most.argmax(axis=1), least.argmin(axis=1)
        with numpy.errstate(over="ignore", invalid="ignore"):
            gap = 1 / (1 + numpy.exp(-most[every, high])) - 1 / (1 + numpy.exp(-least[every, low]))
            doubt |= ~(abs(gap - float(e._epsilon)) > _tolerance(e.error))
            unit = float(1 << ENTROPY_BITS)
            shannon = (self.sums[n] - self.sums[counts].sum(axis=1)) / (n.astype(float) * unit)
            least_entropy = (self.logs[n] - self.logs[counts.max(axis=1)]) / unit
        k, violates = (counts > 0).sum(axis=1), gap > float(e._epsilon)
        out = [
            Outcome(*o) if o[0] else NOBODY for o in zip(
                n.tolist(), k.tolist(), gap.tolist(), violates.tolist(), shannon.tolist(), least_entropy.tolist(), high.tolist(), low.tolist())]
        for i in numpy.nonzero(doubt & (n > 0))[0].tolist():
            columns = numpy.nonzero(allowed[i])[0].tolist()
            out[i] = e._settle(points[i], columns, logits[i, columns].tolist())
        return out

    def logits(self, xs: Any) -> Any:
        """The logits of each point, with every combination."""
        space = self.e._space
        inputs = []
        for i in space.free:
            f = space.features[i]
            for m in f.inputs:
                v = xs[:, i]
                inputs.append(m.scale * v + m.offset if m.table is None else numpy.array(m.table)[(v - f.lo).astype(int)])
        values = numpy.array(inputs).T.reshape(len(xs), len(inputs)) @ self.first + self.layers[0][1]
        values = (values[:, None, :] + self.parts).reshape(len(xs) * len(self.parts), -1)
        for i, (weights, bias, relu) in enumerate(self.layers):
            if i > 0:
                values = values @ weights
                values += bias
            if relu:
                numpy.maximum(values, 0, out=values)
        return values.reshape(len(xs), len(self.parts))


# In exact arithmetic. e^l is irrational for every rational l except 0 (Lindemann and
# Weierstrass), so 1/2 is the only rational score, 0 is the only rational difference of
# two scores, and tighter and tighter enclosures decide every comparison.


def at_least(logit: Fraction, score: Fraction) -> bool:
    """Whether sigmoid(logit) >= score."""
    if score <= 0 or score >= 1:
        return score <= 0
    if logit == 0 or score == Fraction(1, 2):
        return logit >= 0 if score == Fraction(1, 2) else score < Fraction(1, 2)
    digits = 30
    while True:
        lo, hi = _logit(score, digits)
        if not lo <= logit <= hi:
            return logit > hi
        digits *= 2


def gap_exceeds(a: Fraction, b: Fraction, epsilon: Fraction) -> bool:
    """Whether sigmoid(a) - sigmoid(b) > epsilon > 0."""
    half = Fraction(1, 2)
    if a <= b or epsilon >= 1:
        return False
    if a == 0:
        return not at_least(b, half - epsilon)
    if b == 0:
        return at_least(a, half + epsilon)
    digits = 30
    while True:
        lo, hi = _score(b, digits)
        surely, possibly = at_least(a, epsilon + hi), at_least(a, epsilon + lo)
        if surely == possibly:
            return surely
        digits *= 2


def _enclose(f: Callable[[Context, Decimal], Decimal], v: Fraction, digits: int) -> Tuple[Fraction, Fraction]:
    """Encloses an increasing function at v. Decimal rounds logarithms and exponentials
    correctly, to less than one unit in the last digit."""
    ends = []
    for rounding, sign in ((ROUND_FLOOR, -1), (ROUND_CEILING, 1)):
        c = Context(digits, rounding)
        value = Fraction(f(c, c.divide(Decimal(v.numerator), Decimal(v.denominator))))
        ends.append(value + sign * abs(value) / 10 ** (digits - 1))
    return ends[0], ends[1]


def _logit(score: Fraction, digits: int) -> Tuple[Fraction, Fraction]:
    """Encloses ln(score / (1 - score)), 0 < score < 1."""
    return _enclose(Context.ln, score / (1 - score), digits)


def _score(logit: Fraction, digits: int) -> Tuple[Fraction, Fraction]:
    """Encloses sigmoid(logit)."""
    size = -abs(logit)
    if size < -2 * digits:  # the score is below 10^-digits/2: a wide enclosure will do
        lo, hi = Fraction(0), Fraction(1, 10 ** (digits // 2))
    else:
        lo, hi = _enclose(Context.exp, size, digits)
    lo, hi = lo / (1 + lo), hi / (1 + hi)
    return (lo, hi) if logit < 0 else (1 - hi, 1 - lo)


def _log2(n: int) -> int:
    """log2 n in units of 2^-58, as sdk/evaluate computes it: a digit is 1 if the square
    of the mantissa is at least 2."""
    shift = 64 - n.bit_length()
    mantissa, log = n << shift, 63 - shift
    for _ in range(58):
        log, square = log << 1, mantissa * mantissa
        if square >> 127:
            log, mantissa = log | 1, square >> 64
        else:
            mantissa = square >> 63
    return log


def _round(v: int, bits: int) -> int:
    return (v + (1 << (bits - 1))) >> bits
