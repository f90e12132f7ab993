"""A strategy that compares the trials that the host sends with its own evaluations."""

import json
import os

from hyfair.plugin import Description, Evaluator, Move, Option, Session, Strategy, draw, serve


class Doubt(Strategy):
    def describe(self):
        return Description(
            name="doubt", summary="for tests", needs_network=True, needs_scores=True, needs_bins=True, needs_pair=True,
            options=[Option("slopes", "[]", "the logit and slopes of the space's first combination at its least values")])

    def start(self, space, options):
        n, want = options.network, json.loads(options.options["slopes"])
        at = space.counterfactuals([f.lo for f in space.features], options.region)[0]
        logit, slopes = n.gradient(space.inputs_of(at))
        assert [logit] + slopes == want, f"{[logit] + slopes}, the host has {want}"
        return Search(space, options)


class Search(Session):
    def __init__(self, space, options):
        self.space, self.region, self.rng = space, options.region, draw.generator(options.seed)
        self.mine = Evaluator(options.network, space, options.region, options.epsilon, plain=bool(os.environ["PLAIN"]))
        self.moves = 0

    def next(self, told, want):
        points = [t.point for t in told]
        for t, o, (scores, bins) in zip(told, self.mine.evaluate(points), self.mine.copies(points)):
            assert bins == t.bins and all(abs(a - b) < 1e-9 for a, b in zip(scores, t.scores)), f"{t.point}: {scores}, {bins}"
            theirs = (t.k, t.violates, t.shannon, t.min_entropy)
            assert (o.k, o.violates, o.shannon, o.min_entropy) == theirs, f"{t.point}: {o}, the host says {theirs}"
            copies = self.space.counterfactuals(t.point, self.region)
            assert o.n == len(copies) == len(t.scores) == len(t.bins) and len(set(t.bins)) == t.k
            assert abs(o.gap - t.gap) < 1e-9 and abs(max(t.scores) - min(t.scores) - t.gap) < 1e-9
            for theirs, mine, best in ((t.highest, o.highest, max), (t.lowest, o.lowest, min)):
                for point in (theirs, self.mine.point(t.point, mine)):
                    assert abs(t.scores[copies.index(point)] - best(t.scores)) < 1e-9
        out = []
        for _ in range(want):
            self.moves += 1
            out.append(Move(self.moves, self.space.random(self.rng, self.region), self.moves - 1))
        return out


serve.strategy(Doubt())
