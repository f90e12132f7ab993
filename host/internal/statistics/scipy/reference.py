"""Answers tables on standard input, a line of JSON each, with scipy's tests."""

import json
import sys
from itertools import combinations

import numpy as np
from scipy import stats

EXACT = stats.PermutationMethod(n_resamples=np.inf)


def mann_whitney(x, y):
    if min(len(x), len(y)) == 0 or len(set(x + y)) == 1:
        return 1.0
    if len(x) + len(y) > 60:
        return stats.mannwhitneyu(x, y, method="asymptotic").pvalue
    if len(set(x + y)) == len(x + y):
        return stats.mannwhitneyu(x, y, method="exact").pvalue
    return stats.mannwhitneyu(x, y, method=EXACT).pvalue


def wilcoxon(x, y):
    d = np.array([a - b for a, b in zip(x, y) if a != b])
    if len(d) == 0:
        return 1.0
    if len(set(abs(d))) == len(d):
        return stats.wilcoxon(d, method="exact").pvalue
    return stats.wilcoxon(d, method=EXACT).pvalue


def holm(p):
    """Each step's bound by its definition (scipy has no correction after Holm)."""
    steps = sorted(p)
    return [max(min(1, q * (len(p) - i)) for i, q in enumerate(steps) if q <= v) for v in p]


def friedman(networks):
    columns = list(zip(*networks))
    if len(networks) < 2 or len(columns) < 3 or all(len(set(row)) == 1 for row in networks):
        return 0.0, 1.0
    return tuple(stats.friedmanchisquare(*columns))


for line in sys.stdin:
    table = json.loads(line)
    arms, networks = table["arms"], table["networks"]
    p = [mann_whitney(arms[i], arms[k]) for k, i in combinations(range(len(arms)), 2)]
    columns = list(zip(*networks))
    out = {
        "p": p,
        "holm": holm(p),
        "wilcoxon": [wilcoxon(columns[i], columns[k]) for k, i in combinations(range(len(columns)), 2)],
        "friedman": friedman(networks),
        "nemenyi": stats.studentized_range.ppf(0.95, len(columns), np.inf) if table["nemenyi"] else 0,
    }
    print(json.dumps(out, default=float))
