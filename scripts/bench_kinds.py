"""The largest gap of scores, proved, of four kinds of models: by bnb, and by MILP rows.

    bench_kinds.py HYFAIR DATA WORK [SECONDS]

trains what the literature compares fairness by (logistic regression, a decision tree, a forest of 50 trees of unlimited depth,
a network of 64-32-16-8-4-2 neurons) by scikit-learn on Adult and Bank in DATA, and on German Credit; hyfair
init drafts the studies. Each is asked by each solver for SECONDS (20), on one thread.
"""
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import bench_trees

KINDS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "forest-50": lambda: RandomForestClassifier(50, random_state=0),
    "network": lambda: make_pipeline(StandardScaler(), MLPClassifier((64, 32, 16, 8, 4, 2), max_iter=30, random_state=0)),
}


def bank(data):
    rows = pd.read_csv(os.path.join(data, "bank", "bank-additional.csv"), sep=";")
    return rows.rename(columns={"y": "label"}).rename(columns=lambda c: c.replace(".", "_"))


def main():
    hyfair, data, work = sys.argv[1:4]
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    os.makedirs(work, exist_ok=True)
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    print(f"{'data':8} {'model':10} {'accuracy':>8} {'protected':10} {'by':6} {'gap':>10} {'bound':>10} {'seconds':>8}", flush=True)
    for name, rows, yes, protected in [("adult", bench_trees.adult(data), ">50K", "sex"), ("bank", bank(data), "yes", "marital"), ("german", bench_trees.german(work), "good", "sex")]:
        x, y = bench_trees.codes(rows).astype(np.float32).to_numpy(), (rows.label == yes).astype(int)
        table = os.path.join(work, f"kinds-{name}.csv")
        rows.to_csv(table, index=False)
        for kind, make in KINDS.items():
            model = make().fit(x, y)
            file, study = os.path.join(work, f"{name}-{kind}.onnx"), os.path.join(work, f"{name}-{kind}.yaml")
            with open(file, "wb") as f:
                f.write(to_onnx(model, x[:1], options={"zipmap": False}).SerializeToString())
            subprocess.run([hyfair, "init", table, file, "--label", "label", "--protected", protected, "--force", "--out", study], check=True, capture_output=True)
            for solver in ("bnb", "highs"):
                gap, bound, took, fault = bench_trees.by_hyfair(hyfair, study, [protected], solver, seconds, "score")
                number = lambda v: "–" if v is None else f"{v:.6f}"
                print(f"{name:8} {kind:10} {model.score(x, y):8.4f} {protected:10} {solver:6} {number(gap):>10} {number(bound):>10} {took:8.1f} {fault}", flush=True)


if __name__ == "__main__":
    main()
