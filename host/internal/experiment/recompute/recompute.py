"""Recomputes a table of compare or ablate from its tidy rows: recompute.py RUNS.csv TABLE.json.

Prints a line for each number that differs, and last how many were compared.
"""

import json
import sys
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

runs = pd.read_csv(sys.argv[1], dtype={"set.p": str})
table = json.load(open(sys.argv[2]))
ablation = "cells" in table
rows = table["cells" if ablation else "rows"]
runs = runs[runs.status == "done"] if ablation else runs[runs.status != "missing"]
budget = pd.to_timedelta(table["budget"]).total_seconds() if table["budget"].endswith("s") else None
EXACT = stats.PermutationMethod(n_resamples=np.inf)
compared = 0


def same(what, got, want):
    global compared
    compared += 1
    if got is None or not abs(got - want) <= 1e-9 * max(1, abs(want)):
        print(f"{what}: the table has {got}, the rows come to {want}")


def at(study, model, arm):
    return runs[(runs.study == study) & (runs.model == model) & (runs.arm == arm)]


def worth(measure, of):
    """Numbers that order runs, larger being better."""
    if measure[:2] in ("T.", "N.") or measure == "PAR-2":
        return (-of[measure]).fillna(-np.inf if ablation else -budget).tolist()
    return of[measure].fillna(0).tolist()


def amount(measure, of):
    """What runs count in means over the arms of a grid."""
    if measure in ("T.target", "N.target"):
        return of[measure].fillna(2 * of[measure[0] + ".spent"])
    return of[measure].fillna(2 * budget if measure == "T.1st" else 0)


def mann_whitney(x, y):
    if len(set(x + y)) == 1:
        return 1.0
    ranks = stats.rankdata(x + y).tolist()
    method = "exact" if len(set(ranks)) == len(ranks) else EXACT
    return stats.mannwhitneyu(ranks[: len(x)], ranks[len(x) :], method=method).pvalue


def wilcoxon(d):
    d = np.array([v for v in d if v != 0])
    if len(d) == 0:
        return 1.0
    return stats.wilcoxon(d, method="exact" if len(set(abs(d))) == len(d) else EXACT).pvalue


def holm(p):
    steps = sorted(p)
    return [max(min(1, q * (len(p) - i)) for i, q in enumerate(steps) if q <= v) for v in p]


def a12(x, y):
    return float(np.mean([(a > b) + (a == b) / 2 for a in x for b in y]))


# Expected running times, and times to answers.
for r in rows:
    of = at(r["study"], r["model"], r["arm"])
    name = f"{r['model']}, {r['arm']}"
    if not ablation:
        par2 = of["T.1st"].fillna(of["T.proof"]).fillna(2 * budget)
        same(f"PAR-2 of {name}", r["over_runs"]["PAR-2"]["mean"], par2.mean())
        continue
    for unit in "TN":
        if unit + ".spent" in of and of[unit + ".target"].notna().any():
            spent = of[unit + ".target"].fillna(of[unit + ".spent"]).sum()
            same(f"{unit}.ert of {name}", r[unit + ".ert"], spent / of[unit + ".target"].notna().sum())

# Tests against the control, or of all pairs.
arms = list(dict.fromkeys(r["arm"] for r in rows))
networks = list(dict.fromkeys((r["study"], r["model"]) for r in rows))
control = table.get("control")
pairs = [p for p in combinations(arms, 2) if control is None or control in p]
for overall in table["overall"]:
    measure = overall["measure"]
    values = {n: {a: worth(measure, at(*n, a)) for a in arms} for n in networks}
    for n in networks:
        p = [mann_whitney(values[n][a], values[n][b]) for a, b in pairs]
        for pair, one, corrected in zip(pairs, p, holm(p)):
            for arm, other in (pair, pair[::-1]):
                cell = next(r for r in rows if (r["study"], r["model"], r["arm"]) == (*n, arm))
                cell = cell[measure] if measure in cell and isinstance(cell[measure], dict) else cell["over_runs"][measure]
                against = next(a for a in cell["against"] if a["arm"] == other)
                same(f"p of {measure}, {arm} against {other} on {n}", against["p"], one)
                same(f"corrected p of {measure}, {arm} against {other} on {n}", against["p_holm"], corrected)
                same(f"A12 of {measure}, {arm} against {other} on {n}", against["a12"], a12(values[n][arm], values[n][other]))
    p = [wilcoxon([a12(v[a], v[b]) - a12(v[b], v[a]) for v in values.values()]) for a, b in pairs]
    for (a, b), one, corrected in zip(pairs, p, holm(p)):
        pair = next(q for q in overall["pairs"] if (q["arm"], q["other"]) == (a, b))
        same(f"p of {measure}, {a} against {b} over networks", pair["p"], one)
        same(f"corrected p of {measure}, {a} against {b} over networks", pair["p_holm"], corrected)
    k, n = len(arms), len(networks)
    if control is not None:
        want = stats.norm.ppf(1 - 0.05 / (2 * (k - 1))) * np.sqrt(k * (k + 1) / (6 * n))
        same(f"critical difference of {measure}", overall["critical_difference"], want)

# Effects of grids' keys, by the linear model of the arms' means.
for e in table.get("effects", []):
    keys = [f["keys"][0] for f in e["factors"] if len(f["keys"]) == 1]
    column = {k: k if k in runs else "set." + k for k in keys}
    of = runs[runs.arm.str.startswith(e["grid"] + " ")].copy()
    of["y"] = amount(e["measure"], of)
    cells = of.groupby(["study", "model", "arm", *column.values()]).y.agg(["mean", "count", "var"]).reset_index()
    freedom = (cells["count"] - 1).sum()
    variance = ((cells["count"] - 1) * cells["var"].fillna(0)).sum() / freedom
    means = cells.groupby(list(column.values()))["mean"].mean().reset_index()
    grand = means["mean"].mean()
    total = ((means["mean"] - grand) ** 2).sum()
    for f in e["factors"]:
        on = [column[k] for k in f["keys"]]
        name = f"{e['measure']} by {' × '.join(f['keys'])} of {e['grid']}"
        part = means.groupby(on)["mean"].transform("mean")
        if len(on) == 1:
            rest = grand
        else:
            rest = sum(means.groupby(c)["mean"].transform("mean") for c in on) - grand
        same(f"share of {name}", f["share"], ((part - rest) ** 2).sum() / total)
        for level in f["levels"]:
            here = cells[np.logical_and.reduce([cells[c].astype(str) == v for c, v in zip(on, level["values"])])]
            half = stats.t.ppf(0.975, freedom) * np.sqrt(variance * (1 / here["count"]).sum()) / len(here)
            mean = here["mean"].mean()
            same(f"mean of {name}, {level['values']}", level["mean"], mean)
            same(f"interval of {name}, {level['values']}", level["mean_ci"][0], mean - half)
            same(f"interval of {name}, {level['values']}", level["mean_ci"][1], mean + half)

print(compared)
