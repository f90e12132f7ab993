"""One population of the cross-entropy method.

Nothing here depends on the machine: it uses uniform draws, the four operations,
square roots and correctly rounded sums, so the same seed gives the same draws anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import List, Protocol, Sequence, Set, Tuple

from hyfair.plugin import Point, Region, Space, draw

Value = Tuple[int, float, float, int]

NARROW = 64
"""A feature with at most this many values gets a probability for each."""
TRIES = 32
"""Known or forbidden draws in a row before an island accepts any draw."""


@dataclass
class Settings:
    """The values of the strategy's options, as numbers; OPTIONS in main.py explains them."""

    population: int
    elite: float
    rate: float
    explore: float
    patience: int


class Axis(Protocol):
    """The distribution of one feature."""

    def draw(self, rng: Random) -> float: ...
    def move(self, elite: Sequence[float], rate: float) -> None: ...


class Narrow:
    """A probability for each value, all equal at first."""

    def __init__(self, lo: float, hi: float) -> None:
        self.lo = lo
        self.share = [1 / (hi - lo + 1)] * int(hi - lo + 1)

    def draw(self, rng: Random) -> float:
        u = rng.random()
        for i, p in enumerate(self.share):
            u -= p
            if u < 0:
                return self.lo + i
        return self.lo + draw.below(rng, len(self.share))  # rounded shares may sum to less than 1

    def move(self, elite: Sequence[float], rate: float) -> None:
        counts = [0] * len(self.share)
        for v in elite:
            counts[int(v - self.lo)] += 1
        self.share = [(1 - rate) * p + rate * (c / len(elite)) for p, c in zip(self.share, counts)]


class Wide:
    """Nearly a normal distribution, as wide as the range at first; rounded for
    whole numbers."""

    def __init__(self, lo: float, hi: float, whole: bool) -> None:
        self.lo, self.hi, self.whole = lo, hi, whole
        self.mean, self.deviation = lo / 2 + hi / 2, hi / 2 - lo / 2

    def draw(self, rng: Random) -> float:
        v = self.mean + self.deviation * draw.normal(rng)
        if v <= self.lo:
            return self.lo
        if v >= self.hi:
            return self.hi
        return float(math.floor(v + 0.5)) if self.whole else v

    def move(self, elite: Sequence[float], rate: float) -> None:
        n = len(elite)
        mean = math.fsum(v / n for v in elite)
        # Scaled by the largest distance, so that squares stay in range.
        far = max(abs(v - mean) for v in elite)
        spread = far * math.sqrt(math.fsum(((v - mean) / far) ** 2 for v in elite) / n) if far > 0 else 0.0
        self.mean = (1 - rate) * self.mean + rate * mean
        self.deviation = (1 - rate) * self.deviation + rate * spread


class Island:
    """Draws individuals, learns their values, and after each generation moves
    its distribution."""

    def __init__(self, space: Space, region: Region, settings: Settings, rng: Random) -> None:
        self._space, self._region, self._settings, self._rng = space, region, settings, rng
        self._blank = [v[0] if v else 0.0 for v in region.values]
        self._whole = {i: axis(space, region, i) for i in space.free}
        self._best: Value = (-1, 0.0, 0.0, 0)
        self._begin()

    def _begin(self) -> None:
        self._axes = {i: axis(self._space, self._region, i) for i in self._space.free}
        self._generation: List[Tuple[Value, Point]] = []
        self._known: Set[Tuple[float, ...]] = set()
        self._best = (-1, 0.0, 0.0, 0)
        self._stale = 0

    def draw(self) -> Point:
        """An individual that the region and the constraints allow, and a new one if
        one is easily found."""
        rng, explore, constrained = self._rng, self._settings.explore, self._space.forbidden
        for _ in range(TRIES):
            point = list(self._blank)
            for i, a in self._axes.items():
                point[i] = (self._whole[i] if rng.random() < explore else a).draw(rng)
            key = tuple(point)
            if key not in self._known and (not constrained or self._space.contains(point, self._region)):
                self._known.add(key)
                return point
        return self._space.random(rng, self._region)

    def learn(self, point: Point, value: Value) -> None:
        """Records the value of a draw. Points that could not be evaluated have no
        coordinates and only count towards the generation."""
        self._generation.append((value, point))
        if len(self._generation) < self._settings.population:
            return
        s = self._settings
        # The sort is stable: of equal values the earlier draw comes first.
        ranked = sorted((g for g in self._generation if g[0][0] > 0), key=lambda g: g[0], reverse=True)
        self._generation = []
        elite = [p for _, p in ranked[: max(2, int(s.elite * s.population))]]
        better = bool(ranked) and ranked[0][0] > self._best
        self._stale = 0 if better else self._stale + 1
        if better:
            self._best = ranked[0][0]
        if self._stale >= s.patience:
            self._begin()
        elif elite:
            for i, a in self._axes.items():
                a.move([p[i] for p in elite], s.rate)


def axis(space: Space, region: Region, feature: int) -> Axis:
    """The initial distribution of a feature."""
    lo, hi = space.range(feature, region)
    if space.features[feature].discrete and hi - lo < NARROW:
        return Narrow(lo, hi)
    return Wide(lo, hi, space.features[feature].discrete)
