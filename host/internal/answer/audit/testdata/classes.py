"""Writes a logistic regression of three classes, its rows, and how many of them scikit-learn puts into which class with the
other sex: m.onnx, rows.csv and moves.json, in the folder that is named."""
import json
import sys

import numpy as np
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(7)
n = 3000
x = np.column_stack([rng.integers(20, 70, n), rng.integers(5, 100, n), rng.integers(0, 2, n)]).astype(np.float32)
y = np.digitize(x[:, 1] / 20 + 1.2 * x[:, 2] - x[:, 0] / 25 + rng.normal(0, 1, n), [0.5, 2.5])
model = LogisticRegression(max_iter=2000).fit(x, y)
other = x.copy()
other[:, 2] = 1 - x[:, 2]
moves = np.zeros((3, 3), int)
np.add.at(moves, (model.predict(x), model.predict(other)), 1)
folder = sys.argv[1]
with open(folder + "/m.onnx", "wb") as f:
    f.write(to_onnx(model, x[:1], options={"zipmap": False}).SerializeToString())
np.savetxt(folder + "/rows.csv", x, fmt="%d", delimiter=",", header="age,income,sex", comments="")
with open(folder + "/moves.json", "w") as f:
    json.dump(moves.tolist(), f)
