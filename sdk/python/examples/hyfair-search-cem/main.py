"""The cross-entropy method on the lattice of individuals, as a strategy.

It draws from a distribution over the individuals and, after every generation,
moves it towards the elite: the draws that reached the most bins. With several
chains, several such populations (islands) search side by side, each with its
own distribution.

R. Y. Rubinstein, "The cross-entropy method for combinatorial and continuous
optimization", Methodology and Computing in Applied Probability 1 (1999).
"""

from __future__ import annotations

from typing import Dict, List

from hyfair.plugin import (
    Description, Move, Option, Preset, Session, Space, StartOptions, Strategy, Trial, TrialStatus,
    draw, option, serve)

from cem import Island, Settings, Value

OPTIONS = [
    Option("population", "32", "draws of a generation"),
    Option("elite", "0.125", "share of a generation that the distribution moves towards"),
    Option("rate", "0.5", "how far it moves, from 0 to 1"),
    Option("explore", "0.05", "probability with which a feature is drawn from its whole range instead"),
    Option("patience", "10", "generations without a better individual before an island starts afresh"),
]


class CrossEntropy(Strategy):
    """What --strategy cem selects."""

    def describe(self) -> Description:
        return Description(
            name="cem", version="1.0.0", summary="cross-entropy method: a distribution moved towards the best draws",
            options=OPTIONS, lag=1,
            presets=[Preset("cem", "populations of 32"), Preset("cem-wide", "more draws, slower to settle", {"population": "256", "rate": "0.3"})])

    def start(self, space: Space, options: StartOptions) -> Session:
        return Search(space, options, settings(options.options))


def settings(options: Dict[str, str]) -> Settings:
    """The options as numbers within sensible limits."""
    given = option.read(OPTIONS, options)
    return Settings(
        population=given.int("population", 4, 1 << 16), elite=given.float("elite", 0.01, 1), rate=given.float("rate", 0.01, 1),
        explore=given.float("explore", 0, 1), patience=given.int("patience", 1, 1 << 16))


class Search(Session):
    """Islands that take turns to draw; each trial goes back to the island that drew
    it, however late it arrives."""

    def __init__(self, space: Space, options: StartOptions, s: Settings) -> None:
        rng = draw.generator(options.seed)
        count = max(1, options.chains // s.population)
        self.islands = [
            Island(space, options.region, s, draw.generator(draw.below(rng, 1 << 53))) for _ in range(count)
        ]
        self.waiting: Dict[int, Island] = {}  # by the move's id
        self.moves = 0

    def next(self, told: List[Trial], want: int) -> List[Move]:
        for trial in told:
            self.waiting.pop(trial.id).learn(trial.point, value(trial))
        return [self.propose() for _ in range(want)]

    def propose(self) -> Move:
        chain, round_ = self.moves % len(self.islands), self.moves // len(self.islands)
        island = self.islands[chain]
        self.moves += 1
        self.waiting[self.moves] = island
        return Move(id=self.moves, point=island.draw(), round=round_, chain=chain)


def value(trial: Trial) -> Value:
    """What the search maximises: the bins reached, then how evenly, then the gap.
    Entropies come from counts and are the same everywhere; the gap is computed in
    floating point, so only its first digits count."""
    if trial.status is not TrialStatus.EVALUATED:
        return (0, 0.0, 0.0, 0)
    return (trial.k, trial.shannon, trial.min_entropy, int(trial.gap * 1e6))


if __name__ == "__main__":
    serve.strategy(CrossEntropy())
