"""Makes the CatBoost files in this folder, and the raw values that CatBoost computes of them.

    pip install catboost pandas
    python make_catboost.py

catboost.json has for each file the inputs of rows (null: missing) and CatBoost's own raw values. An input is a number, or
1 for one category of a column and 0 for others, in the order of docs/reference/formats.md.
"""
import json
import os
import sys

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, CatBoostRegressor, Pool

out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)
n = 200
numbers = pd.DataFrame({"age": rng.integers(17, 90, n), "same": np.ones(n), "kids": rng.integers(0, 5, n), "income": np.round(rng.normal(0, 1, n), 2)})
words = numbers.assign(job=rng.choice(["d", "b", "ä", "c e"], n), level=rng.integers(1, 4, n), town=rng.choice(["x", "y"], n))[["job", "age", "town", "level", "income"]]
z = 0.05 * (numbers.age - 50) + 1.5 * numbers.kids % 2 + numbers.income + 2 * (words.job == "c e") - (words.level == 2)
y = (z + rng.normal(0, 0.5, n) > 0.4).astype(int)
gaps = numbers.mask(np.column_stack([rng.random(n) < 0.2, np.zeros(n, bool), np.zeros(n, bool), rng.random(n) < 0.2]))
expected = {}


def inputs(file, rows):
    """The inputs of rows of a frame."""
    info = json.load(open(file))["features_info"]
    names = {h["hash"]: h["value"] for h in info.get("cat_features_hash", [])}
    columns = {f["flat_feature_index"]: f for f in info["float_features"] + info.get("categorical_features", [])}
    made = []
    for i, name in enumerate(rows):
        if "borders" in columns[i]:
            made.append([None if np.isnan(v) else float(v) for v in rows[name]])
        else:
            for category in sorted(names[v % 2**32] for v in columns[i].get("values", [])):
                made.append([float(str(v) == category) for v in rows[name]])
    return [list(row) for row in zip(*made)]


def make(name, kind, rows, target, cats=(), scale=None, **params):
    m = kind(iterations=5, depth=3, thread_count=1, random_seed=1, verbose=False, allow_writing_files=False, **params)
    m.fit(rows, target, cat_features=list(cats))
    if scale:
        m.set_scale_and_bias(*scale)
    file = os.path.join(out, name + ".json")
    m.save_model(file, format="json", pool=Pool(rows, target, cat_features=list(cats)) if cats else None)
    made = json.load(open(file))
    # What training says of itself is of no use here.
    made["model_info"] = {k: v for k, v in made["model_info"].items() if k in ["catboost_version_info", "class_params", "params"]}
    made["model_info"]["params"] = {"loss_function": made["model_info"]["params"]["loss_function"]}
    json.dump(made, open(file, "w"), separators=(",", ":"))
    probe = [rows.iloc[:40]]
    for f in made["features_info"]["float_features"]:
        column = rows.columns[f["flat_feature_index"]]
        for b in f["borders"][:6]:  # on borders, beside them, and where single precision rounds to them
            for v in [b, np.nextafter(np.float32(b), np.float32(9e9)), np.nextafter(b, -np.inf), b + (float(np.nextafter(np.float32(b), np.float32(9e9))) - b) / 2]:
                probe.append(rows.iloc[len(probe) % 9:][:1].assign(**{column: float(v)}))
    probe = pd.concat(probe, ignore_index=True)
    for c in cats:
        probe[c] = probe[c].astype(rows[c].dtype)
    if cats:
        probe.loc[0, "job"] = "new"
    raw = m.predict(probe, prediction_type="RawFormulaVal")
    expected[name] = {"rows": inputs(file, probe), "raw": [float(v) for v in raw]}


make("cat-numbers", CatBoostClassifier, numbers, y)
make("cat-missing", CatBoostClassifier, gaps, y)
make("cat-missing-max", CatBoostClassifier, gaps, y, nan_mode="Max", grow_policy="Depthwise")
make("cat-lossguide", CatBoostClassifier, numbers, y / 2 + 0.25, loss_function="CrossEntropy", grow_policy="Lossguide")
make("cat-regression", CatBoostRegressor, numbers, z, scale=(0.3, 0.25))
make("cat-words", CatBoostClassifier, words, y, ["job", "town", "level"], one_hot_max_size=10)
with open(os.path.join(out, "catboost.json"), "w") as f:
    json.dump(expected, f, separators=(",", ":"))
