"""Makes the files of trees in this folder, and what the libraries compute of them.

    pip install xgboost lightgbm scikit-learn skl2onnx onnx onnxruntime numpy
    python make.py

expected.json has for each file the rows asked about and the raw sums (margins) that
the library itself computes, as float32 or float64 numbers in full. classes.json has the shares that
ONNX Runtime gives of each of three classes, missing.json rows with values that are missing (null).
"""
import json
import os
import sys

import lightgbm as lgb
import numpy as np
import onnx
import onnx.reference
import onnxruntime
import xgboost as xgb
from skl2onnx import to_onnx
from sklearn import ensemble, tree

here = os.path.dirname(os.path.abspath(__file__))
out = sys.argv[1] if len(sys.argv) > 1 else here
rng = np.random.default_rng(7)
n = 400
X = np.column_stack([
    rng.integers(17, 90, n), rng.integers(0, 5, n), rng.integers(0, 2, n),
    np.round(rng.normal(0, 1, n), 2), rng.integers(0, 7, n),
]).astype(float)
z = 0.05 * (X[:, 0] - 50) + 2 * np.isin(X[:, 1], [1, 3]) + X[:, 2] * (X[:, 3] > 0) - 3 * np.isin(X[:, 4], [2, 5])
y = (z + rng.normal(0, 0.5, n) > 0.4).astype(int)
probe = np.vstack([X[:60], X[:20] + 0.5 * (rng.random((20, 5)) < 0.3)])
expected = {}


def note(name, margins, rows=probe, width=32):
    expected[name] = {"rows": rows.tolist(), "margins": [float(v) for v in margins], "width": width}


def xgboost(name, params, rounds=6, kinds=None, **more):
    d = xgb.DMatrix(X, label=y, feature_types=kinds, enable_categorical=kinds is not None, **more)
    b = xgb.train({"max_depth": 3, "eta": 0.3, **params}, d, rounds)
    for ending in ["json", "ubj"]:
        b.save_model(os.path.join(out, name + "." + ending))
    rows = probe
    if kinds:
        rows = X[:80]
    edges = []
    for tree in b.get_dump(dump_format="json"):
        def walk(node):
            if "leaf" in node:
                return
            if isinstance(node["split_condition"], (int, float)):
                for v in [node["split_condition"], np.nextafter(np.float64(np.float32(node["split_condition"])), -np.inf),
                          np.nextafter(np.float32(node["split_condition"]), np.float32(-np.inf))]:
                    row = list(X[len(edges) % n])
                    row[int(node["split"][1:])] = float(v)
                    edges.append(row)
            for c in node["children"]:
                walk(c)
        walk(json.loads(tree))
    if not kinds:
        rows = np.vstack([rows, edges])
    margins = b.predict(xgb.DMatrix(rows, feature_types=kinds, enable_categorical=kinds is not None), output_margin=True)
    note(name, margins, rows)


xgboost("xgb-logistic", {"objective": "binary:logistic"})
xgboost("xgb-base", {"objective": "binary:logistic", "base_score": 0.3, "tree_method": "exact"}, rounds=3)
xgboost("xgb-raw", {"objective": "binary:logitraw"}, rounds=2)
xgboost("xgb-regression", {"objective": "reg:squarederror"}, rounds=2)
xgboost("xgb-dart", {"objective": "binary:logistic", "booster": "dart", "rate_drop": 0.5, "one_drop": 1, "seed": 3})
xgboost("xgb-categories", {"objective": "binary:logistic", "max_cat_to_onehot": 1}, rounds=3, kinds=["q", "c", "c", "q", "c"])


def lightgbm(name, params, rounds=5, **more):
    d = lgb.Dataset(X, label=y, free_raw_data=False, **more)
    b = lgb.train({"num_leaves": 8, "min_data_in_leaf": 5, "verbose": -1, "deterministic": True, "num_threads": 1, **params}, d, rounds)
    b.save_model(os.path.join(out, name + ".txt"))
    rows = np.vstack([probe, X[100:160], -X[:20], [[0, 9, 0, 1e-36, -0.5], [17.5, 99, 1, -1e-36, 2.9]]])
    trees = rounds if params.get("boosting") == "rf" else 1  # predict() takes the mean, which raw_score does not
    note(name, b.predict(rows, raw_score=True) / trees * params.get("sigmoid", 1), rows, 64)


lightgbm("lgb-binary", {"objective": "binary"})
lightgbm("lgb-categories", {"objective": "binary", "max_cat_to_onehot": 1, "cat_smooth": 1, "min_data_per_group": 5}, categorical_feature=[1, 4])
lightgbm("lgb-zero", {"objective": "binary", "zero_as_missing": True})
lightgbm("lgb-forest", {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}, rounds=3)
lightgbm("lgb-slope", {"objective": "binary", "sigmoid": 2.0}, rounds=2)
lightgbm("lgb-dart", {"objective": "binary", "boosting": "dart", "drop_rate": 0.9, "drop_seed": 3})
lightgbm("lgb-regression", {"objective": "regression"}, rounds=2)

def sklearn(name, model):
    """Asks ONNX Runtime, which gives scores: shares of class 1, less a half, or logits."""
    rows = X.astype(np.float32)
    model.fit(rows, y)
    classifier = hasattr(model, "predict_proba")
    file = to_onnx(model, rows[:1], target_opset={"": 15, "ai.onnx.ml": 3}, options={"zipmap": False} if classifier else None)
    with open(os.path.join(out, name + ".onnx"), "wb") as f:
        f.write(file.SerializeToString())
    got = onnxruntime.InferenceSession(file.SerializeToString()).run(None, {"X": rows[:100]})
    if classifier:
        p = got[1][:, 1].astype(float)
        values = np.log(p / (1 - p)) if "boosting" in name else p - 0.5
    else:
        values = got[0].ravel()
    note(name, values, rows[:100].astype(float), 0)


sklearn("sklearn-forest", ensemble.RandomForestClassifier(5, max_depth=4, random_state=1))
sklearn("sklearn-extra", ensemble.ExtraTreesClassifier(5, max_depth=4, random_state=1))
sklearn("sklearn-boosting", ensemble.GradientBoostingClassifier(n_estimators=5, max_depth=3, random_state=1))
sklearn("sklearn-tree", tree.DecisionTreeClassifier(max_depth=3, random_state=1))
sklearn("sklearn-regression", ensemble.GradientBoostingRegressor(n_estimators=4, max_depth=3, random_state=1))
sklearn("sklearn-forest-regression", ensemble.RandomForestRegressor(4, max_depth=3, random_state=1))


def version5(name, transform, modes):
    """Writes the trees of a file once more, as ai.onnx.ml 5 has them, with these comparisons in turn,
    and asks ONNX Runtime, which leaves post_transform out: it gives sums."""
    old = onnx.load(os.path.join(out, name + ".onnx")).graph.node
    a = {x.name: onnx.helper.get_attribute_value(x) for x in next(v for v in old if v.op_type.startswith("TreeEnsemble")).attribute}
    kind = "target" if "target_weights" in a else "class"
    ids = list(zip(a["nodes_treeids"], a["nodes_nodeids"]))
    leaf = {k: i for i, k in enumerate(zip(a[kind + "_treeids"], a[kind + "_nodeids"]))}
    inner = {k: i for i, k in enumerate(k for k, m in zip(ids, a["nodes_modes"]) if m != b"LEAF")}
    at = {k: i for i, k in enumerate(ids)}
    new = {k: [] for k in ["nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs", "nodes_falseleafs"]}
    splits, comparisons = [], []
    for k, i in inner.items():
        mode = modes[i % len(modes)]
        sides = ["true", "false"] if mode < 2 else ["false", "true"]
        for side, was in zip(sides, ["true", "false"]):
            child = (k[0], a[f"nodes_{was}nodeids"][at[k]])
            new[f"nodes_{side}leafs"].append(int(child in leaf))
            new[f"nodes_{side}nodeids"].append(leaf.get(child, inner.get(child)))
        new["nodes_featureids"].append(a["nodes_featureids"][at[k]])
        splits.append(a["nodes_values"][at[k]])
        comparisons.append(mode)
    tensor = lambda n, t, v: onnx.helper.make_tensor(n, t, [len(v)], v)
    node = onnx.helper.make_node(
        "TreeEnsemble", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=1, aggregate_function=1, post_transform=transform,
        tree_roots=[inner[k] for k in inner if k[1] == 0], leaf_targetids=[0] * len(leaf),
        nodes_modes=tensor("m", onnx.TensorProto.UINT8, comparisons), nodes_splits=tensor("s", onnx.TensorProto.FLOAT, splits),
        leaf_weights=tensor("w", onnx.TensorProto.FLOAT, a[kind + "_weights"]), **new)
    value = lambda n, w: onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [None, w])
    file = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [value("X", 5)], [value("Y", 1)]),
                                  opset_imports=[onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid("ai.onnx.ml", 5)], ir_version=10)
    onnx.checker.check_model(file)
    onnx.save(file, os.path.join(out, name + "-5.onnx"))
    # On the borders, too, where comparisons differ.
    rows = np.vstack([X[:100], [[*X[i % n][:f], v, *X[i % n][f + 1:]] for i, (f, v) in enumerate(zip(new["nodes_featureids"], splits))]])
    got = onnxruntime.InferenceSession(file.SerializeToString()).run(None, {"X": rows.astype(np.float32)})[0].ravel().astype(float)
    reference = onnx.reference.ReferenceEvaluator(file).run(None, {"X": rows.astype(np.float32)})[0].ravel()
    assert np.allclose(got, reference, atol=1e-6)
    note(name + "-5", got, rows.astype(np.float32).astype(float), 0)


version5("sklearn-regression", 0, [0])
version5("sklearn-forest-regression", 0, [0, 1, 2, 3])  # equal inputs go another way by < and ≥
version5("sklearn-boosting", 2, [0, 3])
with open(os.path.join(out, "expected.json"), "w") as f:
    json.dump(expected, f, separators=(",", ":"))


def classes(name, model):
    rows = X.astype(np.float32)
    model.fit(rows, np.array(["high", "low", "middle"])[np.digitize(z, [-1, 1])])
    file = to_onnx(model, rows[:1], target_opset={"": 15, "ai.onnx.ml": 3}, options={"zipmap": False}).SerializeToString()
    with open(os.path.join(out, name + ".onnx"), "wb") as f:
        f.write(file)
    return {"rows": rows[:60].astype(float).tolist(), "shares": onnxruntime.InferenceSession(file).run(None, {"X": rows[:60]})[1].astype(float).tolist()}


with open(os.path.join(out, "classes.json"), "w") as f:
    json.dump({
        "sklearn-classes": classes("sklearn-classes", ensemble.RandomForestClassifier(5, max_depth=3, random_state=1)),
        "sklearn-classes-tree": classes("sklearn-classes-tree", tree.DecisionTreeClassifier(max_depth=3, random_state=1)),
        "sklearn-classes-boosting": classes("sklearn-classes-boosting", ensemble.GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=1)),
    }, f, separators=(",", ":"))

# Missing values: a fifth of all, in training too.
gaps = np.where(np.random.default_rng(8).random(X.shape) < 0.2, np.nan, X)
gaps[:, 3] = np.round(gaps[:, 3])  # whole numbers all
missing = {}


def lacking(name, margins, rows, width):
    missing[name] = {"rows": [[None if np.isnan(v) else v for v in row] for row in rows.tolist()], "margins": [float(v) for v in margins], "width": width}


for name, kinds in {"xgb-missing": None, "xgb-missing-categories": ["q", "c", "c", "q", "c"]}.items():
    d = xgb.DMatrix(gaps, label=y, feature_types=kinds, enable_categorical=kinds is not None)
    b = xgb.train({"objective": "binary:logistic", "max_depth": 4, "eta": 0.5, "max_cat_to_onehot": 1}, d, 5)
    b.save_model(os.path.join(out, name + ".json"))
    lacking(name, b.predict(d, output_margin=True), gaps, 32)
for name, params in {"lgb-missing": {}, "lgb-missing-categories": {"categorical_feature": [1, 4], "max_cat_to_onehot": 1, "cat_smooth": 1, "min_data_per_group": 5},
                     "lgb-missing-zero": {"zero_as_missing": True}, "lgb-missing-none": {"use_missing": False}}.items():
    d = lgb.Dataset(gaps, label=y, params=params, free_raw_data=False)
    b = lgb.train({"objective": "binary", "num_leaves": 8, "min_data_in_leaf": 5, "verbose": -1, "deterministic": True, "num_threads": 1, **params}, d, 5)
    b.save_model(os.path.join(out, name + ".txt"))
    lacking(name, b.predict(gaps, raw_score=True), gaps, 64)
for name, model in {"sklearn-missing": ensemble.RandomForestClassifier(5, max_depth=5, random_state=1), "sklearn-missing-tree": tree.DecisionTreeClassifier(max_depth=5, random_state=1)}.items():
    rows = gaps.astype(np.float32)
    model.fit(rows, y)
    file = to_onnx(model, rows[:1], target_opset={"": 15, "ai.onnx.ml": 3}, options={"zipmap": False})
    # skl2onnx 1.20 leaves out where forests and trees send missing values.
    for node in file.graph.node:
        for a in node.attribute:
            if a.name == "nodes_missing_value_tracks_true":
                a.ints[:] = np.concatenate([t.tree_.missing_go_to_left for t in getattr(model, "estimators_", [model])]).tolist()
    file = file.SerializeToString()
    with open(os.path.join(out, name + ".onnx"), "wb") as f:
        f.write(file)
    got = onnxruntime.InferenceSession(file).run(None, {"X": rows})[1][:, 1].astype(float)
    assert np.allclose(got, model.predict_proba(rows)[:, 1], atol=1e-6)
    lacking(name, got - 0.5, rows.astype(float), 0)
with open(os.path.join(out, "missing.json"), "w") as f:
    json.dump(missing, f, separators=(",", ":"))
