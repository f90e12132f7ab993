"""Random draws that are the same on every machine and Python.

The standard library guarantees this only for ``random.Random.random``; its other
draws may change between versions or depend on the machine's mathematics library.
``sum`` rounds differently from Python 3.12 on: use ``math.fsum``.
"""

from __future__ import annotations

from random import Random


def generator(seed: int) -> Random:
    """A generator for a session's seed. A negative seed and its absolute value give
    different generators."""
    return Random(seed % (1 << 64))


def below(rng: Random, n: int) -> int:
    """An integer from 0 to n-1, uniformly (to within 2**-53)."""
    return min(int(rng.random() * n), n - 1)


def normal(rng: Random) -> float:
    """A nearly normal number with mean 0 and variance 1: the sum of twelve uniform
    draws, so it lies between -6 and 6."""
    total = -6.0
    for _ in range(12):
        total += rng.random()
    return total
