#!/usr/bin/env python3
"""Paired benchmark: numpy in float32 on one thread against BenchmarkEvaluate of host/internal/crosscheck.

    scripts/bench_numpy.py [--rounds 5] [--seconds 1] [--hyfair bin/hyfair] [MODEL ...]

MODELs are AC-1, AC-4, AC-7 and AC-8 of studies/adult.yaml (the first three unless named), whose files lie
under $HYFAIR_DATA; without it the network of studies/loan is measured. Both sides run in turns, so that what else the machine does
hits both.

The numpy side evaluates individuals in chunks: what the copies of a person share of the first layer is
computed once, or not, whichever is faster, as is the size of the chunks; this is tried out first. Two
rates are taken: of the logits alone, and of what hyfair does as well: scores, gap and k (k by floats
alone, where hyfair's is exact). Weights are random numbers of the right shapes: numpy's time does not
depend on them, hyfair's does, and it has the real ones.
"""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is loaded

import argparse
import json
import re
import statistics
import subprocess
import sys
import time

import numpy as np

EPSILON = 0.05


class Network:
    """A dense ReLU network with made-up weights, evaluated for all copies of many people."""

    def __init__(self, inputs, units, protected, copies, chunk, shared):
        draw = np.random.default_rng(1)
        self.chunk, self.copies, self.shared = chunk, copies, shared
        sizes = [inputs, *units]
        self.weights = [draw.standard_normal((a, b), dtype=np.float32) / np.float32(a**0.5) for a, b in zip(sizes, sizes[1:])]
        self.biases = [draw.standard_normal(b, dtype=np.float32) for b in units]
        self.people = draw.integers(0, 20, (chunk, inputs - protected)).astype(np.float32)
        self.variants = draw.integers(0, 20, (copies, protected)).astype(np.float32)
        self.points = np.empty((chunk, copies, inputs), np.float32)
        self.values = [np.empty((chunk * copies, b), np.float32) for b in units]
        p = np.arange(1, round(1 / EPSILON)) * EPSILON
        self.edges = np.log(p / (1 - p)).astype(np.float32)
        self.offsets = self.variants @ self.weights[0][inputs - protected:]

    def logits(self):
        first = self.values[0]
        own = self.people.shape[1]
        if self.shared:
            base = self.people @ self.weights[0][:own]
            base += self.biases[0]
            grid = first.reshape(self.chunk, self.copies, -1)
            np.add(base[:, None, :], self.offsets[None], out=grid)
        else:
            self.points[:, :, :own] = self.people[:, None, :]
            self.points[:, :, own:] = self.variants[None]
            np.matmul(self.points.reshape(len(first), -1), self.weights[0], out=first)
            first += self.biases[0]
        for weights, bias, values, out in zip(self.weights[1:], self.biases[1:], self.values, self.values[1:]):
            np.maximum(values, 0, out=values)
            np.matmul(values, weights, out=out)
            out += bias
        return self.values[-1].reshape(self.chunk, self.copies)

    def outcomes(self):
        logits = self.logits()
        low, high = logits.min(1), logits.max(1)
        gap = 1 / (1 + np.exp(-high)) - 1 / (1 + np.exp(-low))
        bins = np.searchsorted(self.edges, logits, side="right")
        bits = np.bitwise_or.reduce(np.left_shift(1, bins), axis=1)
        return gap, np.bitwise_count(bits) if hasattr(np, "bitwise_count") else bits


def rate(call, chunk, seconds):
    """Individuals a second of the fastest of several runs that take so long together."""
    best, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(4):
            call()
        best = max(best, 4 * chunk / (time.perf_counter() - begin))
    return best


def fastest(shape):
    """The network in the chunks, and with or without the shared first layer, that suit numpy best."""
    tried = [Network(*shape, chunk, shared) for chunk in (4, 8, 16, 32, 64, 128, 256) for shared in (True, False)]
    return max(tried, key=lambda n: rate(n.logits, n.chunk, 0.15))


def run(arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench_numpy: {' '.join(arguments)} failed\n{done.stdout}")
    return done.stdout


def go_rate(name, seconds):
    """Individuals a second of BenchmarkEvaluate on one network."""
    package = "./host/internal/crosscheck"
    text = run(["go", "test", "-run", "^$", "-bench", f"^BenchmarkEvaluate$/^{name}$", "-benchtime", f"{seconds}s", package])
    found = re.search(r"([0-9.e+]+) individuals/s", text)
    if not found:
        sys.exit(f"bench_numpy: BenchmarkEvaluate has no {name}\n{text}")
    return float(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", default=["AC-1", "AC-4", "AC-7"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--hyfair", default="bin/hyfair")
    options = parser.parse_args()
    root = os.environ.get("HYFAIR_DATA")
    if root:
        subjects = [(f"adult.yaml$/^{m}", ["studies/adult.yaml", "--model", m, "--data", root]) for m in options.models]
    else:
        print("HYFAIR_DATA is not set: the network of studies/loan in place of the public ones")
        subjects = [("loan", ["studies/loan"])]
    print(f"individuals a second on one core, the fastest run of each of {options.rounds} rounds, medians; numpy {np.__version__}")
    print(f"{'model':14}{'numpy logits':>14}{'with k, gap':>14}{'hyfair':>14}{'ratio':>9}{'with k, gap':>13}")
    for name, study in subjects:
        about = json.loads(run([options.hyfair, "inspect", *study, "--json"]))
        protected = sum(len(f["inputs"]) for f in about["features"] if f["name"] in about["protected"])
        units = [l["units"] for l in about["layers"][:-1]] + [1]  # a softmax of two is one logit
        net = fastest((about["inputs"], units, protected, about["K"]))
        rounds = []
        for _ in range(options.rounds):
            rounds.append((
                rate(net.logits, net.chunk, options.seconds),
                rate(net.outcomes, net.chunk, options.seconds),
                go_rate(name, options.seconds),
            ))
        logits, outcomes, ours = (statistics.median(column) for column in zip(*rounds))
        against = [statistics.median(r[2] / r[i] for r in rounds) for i in (0, 1)]
        print(f"{about['model']:14}{logits:14,.0f}{outcomes:14,.0f}{ours:14,.0f}{against[0]:8.1f}×{against[1]:12.1f}×", flush=True)


if __name__ == "__main__":
    main()
