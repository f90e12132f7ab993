"""The largest logit gap of boosted trees, proved: hyfair's bnb, MILP rows and Veritas.

    bench_trees.py HYFAIR DATA WORK [SECONDS]

trains XGBoost on Adult in DATA and asks each of them, for SECONDS (60), for sex alone and for
sex and race. Veritas has no pairs of copies: it maximises the sum of one copy's trees and the
other's negated ones, for each ordered pair of protected values in turn, and goes on to the next
one once a pair cannot exceed what was found. Its features are real numbers, so that its bound may
be about people between two whole numbers. "helped" has the trees left out that compare no protected
feature, which cancel exactly; hyfair finds these by itself. Nobody is asked on more than one thread.
"""
import itertools
import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import xgboost as xgb

COLUMNS = ("age workclass fnlwgt education education-num marital-status occupation relationship "
           "race sex capital-gain capital-loss hours-per-week native-country label").split()
try:
    import veritas
except ImportError:
    veritas = None


def adult(data):
    read = lambda name, skip: pd.read_csv(os.path.join(data, "adult", name), names=COLUMNS, skipinitialspace=True, skiprows=skip)
    rows = pd.concat([read("adult.data", 0), read("adult.test", 1)])
    rows = rows[~(rows == "?").any(axis=1)].drop(columns="fnlwgt")
    rows["label"] = rows.label.str.strip(".")
    return rows


def codes(rows):
    x = rows.drop(columns="label").copy()
    for c in x.columns:
        if not pd.api.types.is_numeric_dtype(x[c]):
            x[c] = pd.Categorical(x[c], categories=sorted(x[c].unique())).codes
    return x


def by_hyfair(hyfair, study, protected, solver, seconds):
    begin = time.time()
    run = subprocess.run([hyfair, "certify", study, "--solver", solver, "--notion", "logit", "--maximize", "--protected", ",".join(protected),
                          "--timeout", f"{seconds}s", "--threads", "1", "--json", "--journal", study + ".db"], capture_output=True, text=True)
    took = time.time() - begin
    if not run.stdout:
        return None, None, took, run.stderr.strip()
    out = json.loads(run.stdout)
    return out.get("gap"), out.get("bound"), took, ""


def by_veritas(trees, x, protected, seconds, helped):
    begin = time.time()
    if helped:
        mine = {list(x.columns).index(p) for p in protected}
        some = veritas.AddTree(1, trees.get_type())
        for k in range(len(trees)):
            one = veritas.AddTree(1, trees.get_type())
            one.add_tree(trees[k])
            if mine & set(one.get_splits()):
                some.add_tree(trees[k])
        trees = some
    columns = [list(x.columns).index(p) for p in protected]
    values = list(itertools.product(*[sorted(x[p].unique()) for p in protected]))
    copies = [trees.prune({c: veritas.Interval.constant(float(v)) for c, v in zip(columns, z)}) for z in values]
    best, bound, proved = 0.0, 0.0, True
    for one, two in itertools.permutations(range(len(copies)), 2):
        config = veritas.Config(veritas.HeuristicType.MAX_OUTPUT)
        config.stop_when_optimal = True
        config.ignore_state_when_worse_than = best
        search = config.get_search(copies[one].concat_negated(copies[two]))
        top = float("inf")
        while True:
            left = seconds - (time.time() - begin)
            reason = search.step_for(max(0.05, min(left, 1)), 100)
            top = search.current_bounds().top_of_open
            if search.num_solutions() > 0:
                best = max(best, search.get_solution(0).output)
            if search.is_optimal() or search.num_open() == 0 or top <= best or reason == veritas.StopReason.NO_MORE_OPEN:
                top = best
                break
            if left <= 0:
                proved = False
                break
        bound = max(bound, top)
    return best, bound if proved else float("inf"), time.time() - begin, "" if proved else "open"


def main():
    hyfair, data, work = sys.argv[1:4]
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 60
    os.makedirs(work, exist_ok=True)
    rows = adult(data)
    x, y = codes(rows), (rows.label == ">50K").astype(int)
    table = os.path.join(work, "adult.csv")
    rows.to_csv(table, index=False)
    print(f"{'model':12} {'protected':12} {'by':16} {'gap':>10} {'bound':>10} {'seconds':>8}", flush=True)
    for count, depth in [(12, 6), (100, 6)]:
        model = xgb.XGBClassifier(n_estimators=count, max_depth=depth, n_jobs=1, random_state=0).fit(x.values.astype(np.float32), y)
        file, study = os.path.join(work, f"{count}x{depth}.json"), os.path.join(work, f"{count}x{depth}.yaml")
        model.save_model(file)
        subprocess.run([hyfair, "init", table, file, "--label", "label", "--protected", "sex,race", "--force", "--out", study], check=True, capture_output=True)
        trees = veritas and veritas.get_addtree(model, silent=True)
        for protected in [["sex"], ["sex", "race"]]:
            ways = [(s, lambda s=s: by_hyfair(hyfair, study, protected, s, seconds)) for s in ("bnb", "highs")]
            if veritas:
                ways += [(n, lambda h=h: by_veritas(trees, x, protected, seconds, h)) for n, h in (("veritas", False), ("veritas, helped", True))]
            for name, ask in ways:
                gap, bound, took, fault = ask()
                number = lambda v: "–" if v is None else f"{v:.6f}"
                print(f"{f'{count} x {depth}':12} {', '.join(protected):12} {name:16} {number(gap):>10} {number(bound):>10} {took:8.1f} {fault}", flush=True)
    if not veritas:
        print("Veritas is missing: scripts/setup.sh veritas")


if __name__ == "__main__":
    main()
