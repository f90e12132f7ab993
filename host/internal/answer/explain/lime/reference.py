# Explains points with the Python package lime, for comparison with hyfair's own.
# One JSON object comes on standard input, one goes to standard output.
import sys

sys.path[:] = [p for p in sys.path if p]  # no modules from the current folder

import json
from importlib.metadata import version

import numpy
from lime import lime_tabular

job = json.load(sys.stdin)
training = numpy.array(job["training"], dtype=float)
layers = [(numpy.array(l["weights"]).reshape(l["out"], l["in"]), numpy.array(l["bias"]), l["relu"]) for l in job["layers"]]


def scores(points):
    """The network's, for both classes."""
    inputs = numpy.zeros((len(points), job["inputs"]))
    for feature in job["features"]:
        values = points[:, feature["index"]]
        if feature["integer"]:
            values = numpy.floor(values + 0.5)
        for to in feature["to"]:
            if to["table"] is None:
                inputs[:, to["index"]] = to["scale"] * values + to["offset"]
            else:
                # The package gives 0 for a bin of a single value, inside the table or not.
                table = numpy.array(to["table"])
                inputs[:, to["index"]] = table[numpy.clip(values - feature["lo"], 0, len(table) - 1).astype(int)]
    for weights, bias, relu in layers:
        inputs = inputs @ weights.T + bias
        if relu:
            inputs = numpy.maximum(inputs, 0)
    logits = inputs[:, 1] - inputs[:, 0] if inputs.shape[1] == 2 else inputs[:, 0]
    score = 0.5 * (1 + numpy.tanh(logits / 2))
    return numpy.stack([1 - score, score], axis=1)


explainer = lime_tabular.LimeTabularExplainer(
    training,
    mode="classification",
    categorical_features=[f["index"] for f in job["features"] if f["categorical"]],
    random_state=job["seed"],
)
out = {"version": version("lime"), "weights": [], "r2": [], "scores": []}
for point in job["points"]:
    x = explainer.explain_instance(numpy.array(point, dtype=float), scores, num_features=training.shape[1], num_samples=job["samples"])
    weights = [0.0] * training.shape[1]
    for feature, weight in x.as_map()[1]:
        weights[feature] = float(weight)
    out["weights"].append(weights)
    out["r2"].append(float(x.score))
    out["scores"].append(float(x.predict_proba[1]))
json.dump(out, sys.stdout)
