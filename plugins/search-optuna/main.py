"""Optuna as a strategy: one of its samplers chooses the individuals, by ask and tell.

T. Akiba, S. Sano, T. Yanase, T. Ohta and M. Koyama, "Optuna: a next-generation
hyperparameter optimization framework", KDD 2019. A feature that is not protected is a
parameter: a whole number is an IntDistribution, a category a CategoricalDistribution, a
real number a FloatDistribution over its range, scaled to 0 to 1. The objective is k, and
for equal k the sum of the bins' entropy and the gap.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List

from hyfair.plugin import (
    Description, Incompatible, Kind, Library, Move, Option, Point, Preset, Session, Space, StartOptions, Strategy, Trial,
    TrialStatus, draw, option, serve)

OPTIONS = [
    Option("sampler", "tpe", "Optuna's sampler: tpe, cmaes, nsga2 or random; cmaes draws categories at random"),
    Option("startup", "10", "individuals drawn at random before tpe and cmaes begin, 0 to 1000000"),
    Option("population", "50", "individuals per generation of nsga2, 2 to 1000000"),
]
HINT = "scripts/setup.sh solvers"
TRIES = 10
"""How many of the sampler's points may break a constraint before a random one is drawn."""
MOST_MOVES = 16
"""Moves per call: until a sampler learns the last values, its proposals are little
better than random."""
WORST = 0.0
"""The value of an individual without a k; k is at least 1."""
MOST = 64.0
"""More than the bins' entropy in bits plus the gap can be, so that k comes first."""


class Optuna(Strategy):
    """The strategy of --strategy optuna."""

    def describe(self) -> Description:
        return Description(
            name="optuna", version="1.0.0", summary="one of Optuna's samplers: TPE, CMA-ES, NSGA-II or random", options=OPTIONS,
            libraries=[Library.of_package("optuna", HINT, "Optuna"), Library.of_package("cmaes", HINT)],
            presets=[
                Preset("optuna", "tree-structured Parzen estimators"),
                Preset("optuna+cmaes", "CMA-ES", {"sampler": "cmaes"}),
                Preset("optuna+nsga2", "the genetic algorithm NSGA-II", {"sampler": "nsga2"}),
                Preset("optuna+random", "at random", {"sampler": "random"}),
            ])

    def start(self, space: Space, options: StartOptions) -> Session:
        given = option.read(OPTIONS, options.options)
        name = given.choice("sampler", "tpe", "cmaes", "nsga2", "random")
        startup, population = given.int("startup", 0, 10**6), given.int("population", 2, 10**6)
        try:
            import optuna
        except ImportError as e:
            raise Incompatible(f"{e}: run {HINT} to install Optuna") from e
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        seed, samplers = options.seed % (1 << 32), optuna.samplers
        sampler: Any
        if name == "tpe":
            sampler = samplers.TPESampler(seed=seed, n_startup_trials=startup)
        elif name == "cmaes":
            sampler = samplers.CmaEsSampler(
                seed=seed, n_startup_trials=startup, independent_sampler=samplers.RandomSampler(seed=seed), warn_independent_sampling=False)
        elif name == "nsga2":
            sampler = samplers.NSGAIISampler(seed=seed, population_size=population)
        else:
            sampler = samplers.RandomSampler(seed=seed)
        return Search(optuna, sampler, space, options)


class Search(Session):
    """A study of Optuna's, in memory."""

    def __init__(self, optuna: Any, sampler: Any, space: Space, options: StartOptions) -> None:
        self.space, self.region, self.rng = space, options.region, draw.generator(options.seed)
        self.ranges = {i: space.range(i, options.region) for i in space.free}
        self.parameters = {space.features[i].name: self.parameter(optuna.distributions, i) for i in space.free}
        self.study = optuna.create_study(direction="maximize", sampler=sampler)
        self.asked: Dict[int, Any] = {}  # Optuna's trials, by the move's id
        self.moves = 0

    def parameter(self, distributions: Any, i: int) -> Any:
        """Optuna's distribution for a feature."""
        kind, (lo, hi) = self.space.features[i].kind, self.ranges[i]
        if kind is Kind.CATEGORICAL:
            return distributions.CategoricalDistribution([v for v in range(int(lo), int(hi) + 1)])
        return distributions.IntDistribution(int(lo), int(hi)) if kind is Kind.INTEGER else distributions.FloatDistribution(0.0, 1.0)

    def next(self, told: List[Trial], want: int) -> List[Move]:
        for trial in told:
            asked = self.asked.pop(trial.id)
            self.study.tell(asked, value(trial) if trial.status is TrialStatus.EVALUATED else WORST)
        return [self.propose() for _ in range(min(want, MOST_MOVES))]

    def propose(self) -> Move:
        """A move to the sampler's next individual that the constraints allow."""
        for _ in range(TRIES):
            asked = self.study.ask(self.parameters)
            point = self.point(asked.params)
            if self.space.contains(point, self.region):
                break
            self.study.tell(asked, WORST)
        else:
            point = self.space.random(self.rng, self.region)
            self.study.enqueue_trial(self.values(point))
            asked = self.study.ask(self.parameters)
        self.moves += 1
        self.asked[self.moves] = asked
        return Move(id=self.moves, point=point, round=self.moves - 1)

    def point(self, values: Dict[str, Any]) -> Point:
        """The individual for values of Optuna's parameters."""
        out = [0.0] * len(self.space.features)
        for i, (lo, hi) in self.ranges.items():
            f = self.space.features[i]
            u = values[f.name]
            out[i] = float(u) if f.discrete else min(max(lo * (1 - u) + hi * u, lo), hi)
        return self.space.clip(out, self.region)

    def values(self, point: Point) -> Dict[str, Any]:
        """The values of Optuna's parameters for an individual."""
        out: Dict[str, Any] = {}
        for i, (lo, hi) in self.ranges.items():
            f, v = self.space.features[i], point[i]
            out[f.name] = int(v) if f.discrete else 0.0 if lo == hi else min(max((v / 2 - lo / 2) / (hi / 2 - lo / 2), 0.0), 1.0)
        return out


def value(trial: Trial) -> float:
    """The objective. Most individuals of a network have one bin, and only the gap guides
    the search among them. It is rounded, because only its first digits are the same on
    every machine."""
    gap = round(trial.gap, 6) if math.isfinite(trial.gap) else 0.0
    return trial.k + (trial.shannon + gap) / MOST


if __name__ == "__main__":
    serve.strategy(Optuna())
