"""A strategy written for version 1.0, with the names of that version. It must run
unchanged."""

from __future__ import annotations

from typing import List

import hyfair
import hyfair.serve
from hyfair.draw import generator
from hyfair import Description, Move, Session, Space, StartOptions, Strategy, Trial


class Minimal(Strategy):
    """What --strategy minimal selects."""

    def describe(self) -> Description:
        return Description(name="minimal", version="1.0.0", summary="random individuals and neighbours of the best")

    def start(self, space: Space, options: StartOptions) -> Session:
        return Search(space, options)


class Search(Session):
    """One search. Every random choice comes from the seed."""

    def __init__(self, space: Space, options: StartOptions) -> None:
        self.space, self.region = space, options.region
        self.rng = generator(options.seed)
        self.best = Trial(0, hyfair.TrialStatus.OUTSIDE)
        self.moves = 0

    def next(self, told: List[Trial], want: int) -> List[Move]:
        for trial in told:
            if (trial.k, trial.min_entropy) > (self.best.k, self.best.min_entropy):
                self.best = trial
        return [self.propose() for _ in range(want)]

    def propose(self) -> Move:
        self.moves += 1
        if self.best.k > 0 and self.moves % 2:
            point = self.space.neighbour(self.rng, self.best.point, self.region)
        else:
            point = self.space.random(self.rng, self.region)
        return Move(id=self.moves, point=point, round=self.moves - 1)


if __name__ == "__main__":
    hyfair.serve.strategy(Minimal())
