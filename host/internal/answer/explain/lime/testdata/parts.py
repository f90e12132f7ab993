# Answers, with the parts of the Python package lime that no random numbers go into:
# the distribution it finds in training rows, and its explanations of samples drawn by
# somebody else.
import json
import sys

import numpy
from lime import lime_tabular

job = json.load(sys.stdin)
training = numpy.array(job["training"], dtype=float)
explainer = lime_tabular.LimeTabularExplainer(training, mode="regression", categorical_features=job["categorical"], random_state=0)
columns = []
for feature in range(training.shape[1]):
    column = {
        "places": [float(v) for v in explainer.feature_values[feature]],
        "shares": [float(v) for v in explainer.feature_frequencies[feature]],
    }
    if feature not in job["categorical"]:
        place = [int(v) for v in explainer.feature_values[feature]]
        for key, found in (
            ("low", explainer.discretizer.mins),
            ("high", explainer.discretizer.maxs),
            ("mean", explainer.discretizer.means),
            ("sd", explainer.discretizer.stds),
        ):
            column[key] = [float(found[feature][p]) for p in place]
        column["of"] = [int(v) for v in explainer.discretizer.lambdas[feature](training[:, feature])]
    columns.append(column)

same = numpy.array(job["same"], dtype=float)
distances = numpy.sqrt(((same - same[0]) ** 2).sum(axis=1))
fits = []
for features in range(1, same.shape[1] + 1):
    for selection in ("auto", "forward_selection", "highest_weights", "none"):
        intercept, weights, r2, local = explainer.base.explain_instance_with_data(
            same, numpy.array(job["scores"], dtype=float)[:, None], distances, 0, features, feature_selection=selection
        )
        all_weights = [0.0] * same.shape[1]
        for feature, weight in weights:
            all_weights[int(feature)] = float(weight)
        fits.append({"features": features, "selection": selection, "weights": all_weights, "intercept": float(intercept), "r2": float(r2), "local": float(local[0])})
json.dump({"columns": columns, "kernel": [float(v) for v in explainer.base.kernel_fn(distances)], "fits": fits}, sys.stdout)
