# Explains points with the Python package lime, for comparison with hyfair's own. Features and layers are Go's.
import json
import sys

import numpy
from lime import lime_tabular

job = json.load(sys.stdin)
training = numpy.array(job["training"], dtype=float)
INTEGER, CATEGORICAL = 1, 2  # kinds of features
layers = [(numpy.array(l["Weights"]).reshape(l["Out"], l["In"]), numpy.array(l["Bias"]), l["ReLU"]) for l in job["layers"]]


def scores(points):
    """The network's, for both classes."""
    inputs = numpy.zeros((len(points), job["inputs"]))
    for index, feature in enumerate(job["features"]):
        values = points[:, index]
        if feature["Kind"] == INTEGER:
            values = numpy.floor(values + 0.5)
        for to in feature["Inputs"]:
            if to["Table"] is None:
                inputs[:, to["Index"]] = to["Scale"] * values + to["Offset"]
            else:
                # The package gives 0 for a bin of a single value, inside the table or not.
                table = numpy.array(to["Table"])
                inputs[:, to["Index"]] = table[numpy.clip(values - feature["Lo"], 0, len(table) - 1).astype(int)]
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
    categorical_features=[index for index, feature in enumerate(job["features"]) if feature["Kind"] == CATEGORICAL],
    random_state=job["seed"],
)
out = {"weights": [], "r2": [], "scores": []}
for point in job["points"]:
    x = explainer.explain_instance(numpy.array(point, dtype=float), scores, num_features=training.shape[1], num_samples=job["samples"])
    weights = [0.0] * training.shape[1]
    for feature, weight in x.as_map()[1]:
        weights[feature] = float(weight)
    out["weights"].append(weights)
    out["r2"].append(float(x.score))
    out["scores"].append(float(x.predict_proba[1]))
json.dump(out, sys.stdout)
