"""Trains models of one library on the raw files of Adult and Bank.

python public.py LIBRARY ADULT BANK prints a JSON list of them, in the current folder, with the accuracy that the
library has on all rows.
"""
import json
import sys

import pandas as pd

library, adult, bank = sys.argv[1:]
NAMES = ("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
         "capital-loss hours-per-week native-country income").split()
made = []


def note(name, file, accuracy, chances, scores=None):
    """chances are what the library says of class 1, of which the area under the ROC curve is made."""
    ranks, ones = pd.Series(chances, dtype="float64").rank().to_numpy(), y.to_numpy() == 1
    auc = (ranks[ones].sum() - ones.sum() * (ones.sum() + 1) / 2) / (ones.sum() * (~ones).sum())
    made.append({"name": name, "model": file, "accuracy": 100 * float(accuracy), "auc": float(auc), "columns": ",".join(NAMES) if data == "adult" else ""})
    if scores is not None:
        pd.DataFrame(scores).to_csv(file + ".scores.csv", index=False)
        made[-1]["scores"] = file + ".scores.csv"


for data in "adult", "bank":
    if data == "adult":
        rows = pd.read_csv(adult, names=NAMES, skipinitialspace=True)
        X, y = rows.drop(columns=["income", "fnlwgt"]), (rows.income == ">50K").astype(int)
    else:
        rows = pd.read_csv(bank, sep=";")
        X, y = rows.drop(columns="y"), (rows.y == "yes").astype(int)
    numbers = list(X.select_dtypes("number"))
    words = [c for c in X if c not in numbers]
    D = pd.get_dummies(X)
    array = D.to_numpy(dtype="float32")
    gaps = X.replace("?", None).astype({c: "category" for c in words})
    if library == "sklearn":
        from skl2onnx import convert_sklearn
        from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
        from sklearn.compose import ColumnTransformer
        from sklearn.neural_network import MLPClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        def save(model, file, types):
            with open(file, "wb") as f:
                f.write(convert_sklearn(model, initial_types=types, options={"zipmap": False}).SerializeToString())

        columns = ColumnTransformer([("n", StandardScaler(), numbers), ("w", OneHotEncoder(), words)])
        model = make_pipeline(columns, MLPClassifier((16, 8), max_iter=5, random_state=0)).fit(X, y)
        kind = {"i": Int64TensorType, "f": FloatTensorType}
        save(model, data + ".onnx", [(c, kind.get(X[c].dtype.kind, StringTensorType)([None, 1])) for c in X])
        note(data, data + ".onnx", model.score(X, y), model.predict_proba(X)[:, 1])
        # Scaled outside, on a part of the rows, as is common: the owner's scores tell how.
        Z = D.astype(float)
        Z[numbers] = StandardScaler().fit(X[numbers][: len(X) * 4 // 5]).transform(X[numbers])
        model = MLPClassifier((16, 8), max_iter=5, random_state=0).fit(Z.to_numpy(), y)
        save(model, data + "-scaled.onnx", [("x", FloatTensorType([None, Z.shape[1]]))])
        note(data + " scaled outside", data + "-scaled.onnx", model.score(Z.to_numpy(), y), model.predict_proba(Z.to_numpy())[:, 1], model.predict_proba(Z.to_numpy()))
    if library == "xgboost":
        from xgboost import XGBClassifier

        D.columns = [c.translate(str.maketrans("", "", "[]<")) for c in D]
        for name, values in ("data frame", D), ("array", array), ("missing", gaps):
            model = XGBClassifier(n_estimators=15, max_depth=4, enable_categorical=True).fit(values, y)
            file = f"{data}-{len(made)}.json"
            model.save_model(file)
            note(f"{data} {name}", file, model.score(values, y), model.predict_proba(values)[:, 1])
    if library == "lightgbm":
        from lightgbm import LGBMClassifier

        for name, values in ("one-hot", D), ("categories", X.astype({c: "category" for c in words})), ("missing", gaps):
            model = LGBMClassifier(n_estimators=15, verbose=-1).fit(values, y)
            file = f"{data}-{len(made)}.txt"
            model.booster_.save_model(file)
            note(f"{data} {name}", file, model.score(values, y), model.predict_proba(values)[:, 1])
    if library == "keras":
        import keras
        from keras import layers

        keras.utils.set_random_seed(0)
        normal = layers.Normalization()
        normal.adapt(array)
        model = keras.Sequential([layers.Input((array.shape[1],)), normal, layers.Dense(16, activation="relu"), layers.Dense(1, activation="sigmoid")])
        model.compile("adam", "binary_crossentropy")
        model.fit(array[:8000], y.to_numpy(dtype="float32")[:8000], epochs=15, batch_size=128, verbose=0)
        model.save(data + ".keras")
        chances = model.predict(array, verbose=0)[:, 0]
        note(data, data + ".keras", ((chances > 0.5) == (y == 1)).mean(), chances)
    if library == "torch":
        import torch
        from torch import nn

        torch.manual_seed(0)
        values, labels = torch.tensor(array), torch.tensor(y.to_numpy(dtype="float32"))[:, None]
        model = nn.Sequential(nn.BatchNorm1d(array.shape[1]), nn.Linear(array.shape[1], 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(100):
            optimizer.zero_grad()
            nn.functional.binary_cross_entropy(model(values), labels).backward()
            optimizer.step()
        model.eval()
        torch.onnx.export(model, (values[:1],), data + ".onnx", dynamo=True, verbose=False)
        note(data, data + ".onnx", ((model(values) > 0.5) == (labels > 0.5)).float().mean(), model(values).detach().numpy()[:, 0])
print(json.dumps(made))
