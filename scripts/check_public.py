#!/usr/bin/env python3
"""Checks the inputs of the studies of the public networks against the networks' own scores.

    KERAS_BACKEND=jax .deps/models/bin/python scripts/check_public.py bin/hyfair $HYFAIR_DATA

The rows are read here as the loaders read them that were published with the networks
(github.com/sumonbis/Fairify, utils/verif_utils.py), with pandas and scikit-learn, and scored by Keras. Then
hyfair inspect --scores holds its own reading against that, and keeps what it finds beside each study. The
shipped example is scored with numpy, as docs/user/loan.md says that its network sees the rows.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.preprocessing import LabelEncoder

ADULT = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
         "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"]


def labels(frame, columns):
    for name in columns:
        frame[name] = LabelEncoder().fit_transform(frame[name])


def adult(data):
    files = [pd.read_csv(f"{data}/adult/adult.test", names=ADULT, skiprows=1, skipinitialspace=True, na_values="?"),
             pd.read_csv(f"{data}/adult/adult.data", names=ADULT, skipinitialspace=True, na_values="?")]
    frame = pd.concat(files, ignore_index=True).dropna().drop(columns=["fnlwgt", "income"])
    labels(frame, ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"])
    for name in ["capital-gain", "capital-loss"]:
        frame[name] = pd.cut(frame[name], 20, labels=False)
    return frame.to_numpy(float)


def bank(data):
    frame = pd.read_csv(f"{data}/bank/bank-additional.csv", sep=";", na_values="unknown").dropna()
    frame = frame[["age", "job", "marital", "education", "default", "housing", "loan", "contact", "month", "day_of_week", "duration",
                   "emp.var.rate", "campaign", "pdays", "previous", "poutcome"]].copy()
    frame["age"] = (frame["age"] >= 25).astype(int)
    labels(frame, ["job", "marital", "education", "default", "housing", "loan", "contact", "month", "day_of_week", "poutcome"])
    return frame.astype(float).round().to_numpy()


def loan(folder):
    frame = pd.read_csv(f"{folder}/applicants.csv")

    def one_hot(name, order):
        return np.stack([(frame[name] == value).to_numpy(float) for value in order], axis=1)

    def number(name, centre, unit):
        return ((frame[name] - centre) / unit).to_numpy()[:, None]

    x = np.concatenate([
        number("income", 5.5, 1), number("credit_rating", 5.5, 1), number("debt_ratio", 2, 1), number("years_employed", 20, 16),
        number("loan_amount", 10.5, 2), one_hot("purpose", ["car", "education", "home", "business"]),
        one_hot("housing", ["own", "rent", "family"]), (frame["sex"] == "male").to_numpy(float)[:, None],
        number("age", 45, 16), one_hot("origin", ["north", "south", "east"])], axis=1)
    with open(f"{folder}/network.json") as file:
        network = json.load(file)
    for layer in network["layers"]:
        x = x @ np.array(layer["weights"]).T + np.array(layer["bias"])
        if layer.get("activation") == "relu":
            x = np.maximum(x, 0)
    return 1 / (1 + np.exp(-x[:, 0]))


def check(hyfair, data, study, scores, *model):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        np.savetxt(file, scores, header="score", comments="")
        file.flush()
        out = subprocess.run([hyfair, "inspect", study, *model, "--data", data, "--scores", file.name, "--json"], stdout=subprocess.PIPE, check=True)
    found = json.loads(out.stdout)["scores"]
    print(study, *model, f"{found['rows']} rows, {found['differ']} differ, worst {found['worst']:.2g}")
    return found["differ"] == 0


def main():
    import keras
    hyfair, data = sys.argv[1:]
    good = check(hyfair, data, "studies/loan", loan("studies/loan"))
    for name, x, networks, studies in [("adult", adult(data), [f"AC-{i}" for i in range(1, 13)], ["adult"]),
                                       ("bank", bank(data), [f"BM-{i}" for i in range(1, 9)], ["bank", "bank-ages"])]:
        for network in networks:
            model = keras.models.load_model(f"{data}/{name}/models/{network}.h5", compile=False)
            rows = x.reshape(len(x), *[1] * (len(model.input_shape) - 2), -1)  # some were saved with a dimension more
            scores = model.predict(rows, batch_size=4096, verbose=0).reshape(len(x), -1)[:, -1]
            for study in studies:
                good = check(hyfair, data, f"studies/{study}.yaml", scores, "--model", network) and good
    return 0 if good else 1


if __name__ == "__main__":
    os.environ.setdefault("KERAS_BACKEND", "jax")
    sys.exit(main())
