"""The inputs of a network as named features.

A point is a list with one float per feature, in the space's order: an integer, a
category's index or a real number. An individual is a point whose protected
entries are ignored.
"""

from __future__ import annotations

import enum
import itertools
import math
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Iterator, List, Optional, Sequence, Tuple

from .draw import below

Point = List[float]

MAX_INPUTS = 1 << 16
MAX_COMBINATIONS = 1 << 20
MAX_DRAWS = 10_000
"""How often ``Space.random`` draws before it raises ValueError."""


class Kind(enum.Enum):
    """Which values a feature takes."""

    INTEGER = 1
    """Every integer from lo to hi."""
    CATEGORICAL = 2
    """The indices of the categories."""
    REAL = 3
    """Every real number from lo to hi."""


@dataclass
class Interval:
    """A closed interval; its ends may be infinite."""

    lo: float
    hi: float

    def contains(self, value: float) -> bool:
        return self.lo <= value <= self.hi


@dataclass
class Input:
    """Maps a feature's value v to one network input: table[v - lo] with a table,
    else scale * v + offset."""

    index: int
    scale: float = 1.0
    offset: float = 0.0
    table: Optional[Sequence[float]] = None


@dataclass
class Feature:
    """One named input of the model."""

    name: str
    kind: Kind
    lo: float
    hi: float
    """The domain, inclusive; 0 and len(categories)-1 for a categorical feature."""
    categories: Sequence[str] = ()
    protected: Sequence[float] = ()
    """The values that the copies take, increasing; empty for a feature that is not
    protected."""
    inputs: Sequence[Input] = ()

    @property
    def is_protected(self) -> bool:
        """Whether the feature varies between counterfactuals."""
        return bool(self.protected)

    @property
    def discrete(self) -> bool:
        """Whether it takes finitely many values."""
        return self.kind is not Kind.REAL

    def contains(self, value: float) -> bool:
        """Whether the value is in the domain."""
        return self.lo <= value <= self.hi and (not self.discrete or value == math.trunc(value))

    def slope(self, slopes: Sequence[float]) -> float:
        """The derivative along the feature of a function with these slopes by network
        input (see ``Network.gradient``). An input with a table has no derivative and
        adds 0: see ``promise``."""
        total = 0.0
        for m in self.inputs:
            if m.table is None:
                total += m.scale * slopes[m.index]
        return total

    def promise(self, slopes: Sequence[float], start: float, end: float) -> float:
        """By how much a function with these slopes by network input grows, to first
        order, if the feature changes from one value to another."""
        total = 0.0
        for m in self.inputs:
            change = m.scale * (end - start) if m.table is None else m.table[int(end - self.lo)] - m.table[int(start - self.lo)]
            total += change * slopes[m.index]
        return total

    def input(self, m: Input, v: float) -> float:
        """The network input that ``m``, one of ``inputs``, makes of the value."""
        return m.scale * v + m.offset if m.table is None else m.table[int(v - self.lo)]

    def _check(self) -> None:
        if not (math.isfinite(self.lo) and math.isfinite(self.hi) and self.lo <= self.hi):
            raise ValueError(f"domain {self.lo} to {self.hi}")
        if self.kind is Kind.INTEGER:
            if self.lo % 1 or self.hi % 1 or max(abs(self.lo), abs(self.hi)) > 1 << 52:
                raise ValueError(f"integer domain {self.lo} to {self.hi}")
        if self.kind is Kind.CATEGORICAL:
            if not self.categories or self.lo != 0 or self.hi != len(self.categories) - 1:
                raise ValueError(f"domain {self.lo} to {self.hi} does not match {len(self.categories)} categories")
            if "" in self.categories or len(set(self.categories)) < len(self.categories):
                raise ValueError("a category has no name or appears twice")
        for i, v in enumerate(self.protected):
            if not math.isfinite(v) or (i > 0 and v <= self.protected[i - 1]):
                raise ValueError("protected values are not finite and strictly increasing")
            if self.kind is Kind.INTEGER and v % 1 or self.kind is Kind.CATEGORICAL and not self.contains(v):
                raise ValueError(f"protected value {v}")
        for m in self.inputs:
            if m.table is None:
                if not (math.isfinite(m.scale) and math.isfinite(m.offset)):
                    raise ValueError(f"network input {m.index}: the map is not finite")
            elif not self.discrete or len(m.table) != self.hi - self.lo + 1 or not all(map(math.isfinite, m.table)):
                raise ValueError(f"network input {m.index}: the table does not fit the domain")
            elif not all(map(self.contains, self.protected)):
                raise ValueError(f"network input {m.index}: a protected value is outside the table")


@dataclass
class Condition:
    """Restricts one feature: to the categories in ``categories`` if that is set, else
    to ``interval``."""

    feature: int
    interval: Interval = field(default_factory=lambda: Interval(-math.inf, math.inf))
    categories: Optional[Sequence[int]] = None

    def holds(self, value: float) -> bool:
        """Whether the feature's value satisfies it."""
        if self.categories is None:
            return self.interval.contains(value)
        return value in self.categories


Predicate = List[Condition]
"""A conjunction of conditions; the empty one always holds."""


def holds(predicate: Predicate, point: Sequence[float]) -> bool:
    """Whether every condition holds at the point."""
    return all(c.holds(point[c.feature]) for c in predicate)


@dataclass
class Region:
    """A part of a space. Both lists have one entry per feature."""

    box: List[Interval]
    """The intervals of features that are not protected; others are ignored."""
    values: List[Sequence[float]]
    """The values of protected features; empty for others."""


@dataclass
class Space:
    """The set of points under study. Read-only."""

    features: List[Feature]
    inputs: int
    """Number of network inputs; each is fed by exactly one feature."""
    forbidden: List[Predicate] = field(default_factory=list)
    """A point at which all conditions of one of these hold is not in the space."""

    @cached_property
    def free(self) -> List[int]:
        """The indices of the features that are not protected: what a strategy chooses."""
        return [i for i, f in enumerate(self.features) if not f.is_protected]

    @cached_property
    def protected(self) -> List[int]:
        """The indices of the protected features."""
        return [i for i, f in enumerate(self.features) if f.is_protected]

    def whole(self) -> Region:
        """The region that is the entire space."""
        return Region([Interval(f.lo, f.hi) for f in self.features], [f.protected for f in self.features])

    def range(self, feature: int, region: Region) -> Tuple[float, float]:
        """The least and the largest value of a feature in its domain and the
        region; for a discrete feature both are whole numbers. An empty range has
        its least value above its largest."""
        f, box = self.features[feature], region.box[feature]
        lo, hi = max(f.lo, box.lo), min(f.hi, box.hi)
        if f.discrete and lo <= hi:
            return float(math.ceil(lo)), float(math.floor(hi))
        return lo, hi

    def clip(self, point: Sequence[float], region: Region) -> Point:
        """The nearest point inside the region's box, rounded for discrete features;
        protected entries become their first value. It ignores the constraints."""
        out = []
        for i, f in enumerate(self.features):
            if f.is_protected:
                out.append(region.values[i][0])
                continue
            lo, hi = self.range(i, region)
            v = min(max(point[i], lo), hi)
            out.append(min(max(float(math.floor(v + 0.5)), lo), hi) if f.discrete else v)
        return out

    def allowed(self, point: Sequence[float]) -> bool:
        """Whether no constraint forbids the point, protected entries included."""
        return not any(holds(p, point) for p in self.forbidden)

    def contains(self, point: Sequence[float], region: Region) -> bool:
        """Whether the individual is in the region and has a counterfactual there
        that the constraints allow: what a ``Move`` of kind POINT must be."""
        for i in self.free:
            if not (self.features[i].contains(point[i]) and region.box[i].contains(point[i])):
                return False
        return not self.forbidden or next(self._allowed(point, region, self._mentioned()), None) is not None

    def counterfactuals(self, point: Sequence[float], region: Region) -> List[Point]:
        """The individual with every combination of protected values that the
        region has and the constraints allow."""
        return list(self._allowed(point, region, self.protected))

    def _mentioned(self) -> List[int]:
        """The protected features that constraints mention."""
        said = {c.feature for p in self.forbidden for c in p}
        return [i for i in self.protected if i in said]

    def _allowed(self, point: Sequence[float], region: Region, vary: Sequence[int]) -> Iterator[Point]:
        full = list(point)
        for combination in itertools.product(*(region.values[i] for i in vary)):
            for i, v in zip(vary, combination):
                full[i] = v
            if self.allowed(full):
                yield list(full)

    def random(self, rng: Random, region: Region) -> Point:
        """An individual of the region, uniformly among those that have counterfactuals.
        Raises ValueError if none is found in MAX_DRAWS draws."""
        for _ in range(MAX_DRAWS):
            point = [
                region.values[i][0] if f.is_protected else self._draw(rng, i, region)
                for i, f in enumerate(self.features)
            ]
            if self.contains(point, region):
                return point
        raise ValueError(f"no individual that the constraints allow was found in {MAX_DRAWS} draws")

    def neighbour(self, rng: Random, point: Sequence[float], region: Region) -> Point:
        """The individual with one feature changed to another value of its range, drawn
        uniformly. If the constraints forbid many draws in a row, or there is no other
        value, it returns a random individual."""
        wide = [i for i in self.free if self.range(i, region)[0] < self.range(i, region)[1]]
        for _ in range(MAX_DRAWS if wide else 0):
            out, i = list(point), wide[below(rng, len(wide))]
            out[i] = self._draw(rng, i, region, but=point[i])
            if self.contains(out, region):
                return out
        return self.random(rng, region)

    def _draw(self, rng: Random, feature: int, region: Region, but: Optional[float] = None) -> float:
        """A value of the feature's range, uniformly, other than ``but``."""
        lo, hi = self.range(feature, region)
        if not self.features[feature].discrete:
            u = rng.random()
            return min(max(lo * (1 - u) + hi * u, lo), hi)
        skip = but is not None and lo <= but <= hi
        v = lo + below(rng, int(hi - lo) + (0 if skip else 1))
        return v + 1 if skip and but is not None and v >= but else v

    def inputs_of(self, point: Sequence[float]) -> List[float]:
        """The network's inputs at the point."""
        out = [0.0] * self.inputs
        for f, v in zip(self.features, point):
            for m in f.inputs:
                out[m.index] = f.input(m, v)
        return out

    def check(self) -> None:
        """Raises ValueError that names the first fault. Spaces that a plugin gets have
        been checked."""
        if not self.features:
            raise ValueError("space has no features")
        names = [f.name for f in self.features]
        if "" in names or len(set(names)) < len(names):
            raise ValueError("a feature has no name or appears twice")
        for f in self.features:
            try:
                f._check()
            except ValueError as e:
                raise ValueError(f"feature {f.name!r}: {e}") from None
        fed = [m.index for f in self.features for m in f.inputs]
        if not 0 <= self.inputs <= MAX_INPUTS or sorted(fed) != list(range(self.inputs)):
            raise ValueError(f"{self.inputs} network inputs are not each fed by one feature")
        for p in self.forbidden:
            if not p:
                raise ValueError("a constraint without conditions would forbid everything")
            check_predicate(p, self)
        if math.prod(len(f.protected) for f in self.features if f.is_protected) > MAX_COMBINATIONS:
            raise ValueError(f"more than {MAX_COMBINATIONS} protected combinations")


def check_predicate(predicate: Predicate, space: Space) -> None:
    """Raises ValueError if the predicate does not fit the space."""
    for c in predicate:
        if not 0 <= c.feature < len(space.features):
            raise ValueError(f"a condition on feature {c.feature} of {len(space.features)}")
        f = space.features[c.feature]
        if c.categories is None:
            if math.isnan(c.interval.lo) or math.isnan(c.interval.hi):
                raise ValueError(f"a condition on {f.name!r}: bound is NaN")
        elif f.kind is not Kind.CATEGORICAL or not all(0 <= v < len(f.categories) for v in c.categories):
            raise ValueError(f"a condition on {f.name!r}: no such categories")
