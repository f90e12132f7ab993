"""Writes a scikit-learn classifier as a file that hyfair reads: export(model, "network.json"), or
python THIS.py model.joblib network.json. Written are MLPClassifier(activation="relu") and LogisticRegression
for two classes, alone or in a Pipeline after StandardScaler, whose numbers end up in the weights."""
import json, sys
import numpy as np

def export(model, path):
    *scalers, last = [step for _, step in getattr(model, "steps", [("", model)])]
    if any(type(s).__name__ != "StandardScaler" for s in scalers) or len(last.classes_) != 2 or getattr(last, "activation", "relu") != "relu":
        raise SystemExit("of two classes with ReLUs after StandardScaler only; skl2onnx.to_onnx exports more")
    weights, biases = map(list, (last.coefs_, last.intercepts_) if hasattr(last, "coefs_") else ([last.coef_.T], [last.intercept_]))
    for s in reversed(scalers):
        weights[0] = weights[0] / np.reshape(1.0 if s.scale_ is None else s.scale_, (-1, 1))
        biases[0] = biases[0] - np.broadcast_to(0.0 if s.mean_ is None else s.mean_, len(weights[0])) @ weights[0]
    layers = [{"name": f"layer {k}", "inputs": w.shape[0], "units": w.shape[1], "activation": "relu" if k < len(weights) else "linear",
               "weights": w.T.tolist(), "bias": b.tolist()} for k, (w, b) in enumerate(zip(weights, biases), 1)]
    with open(path, "w") as file:
        json.dump({"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid", "layers": layers}, file)

if __name__ == "__main__":
    import joblib
    export(joblib.load(sys.argv[1]), sys.argv[2])
