"""Trains small models with the libraries that are installed and exports them in the
usual ways. Writes them to a folder, and to standard output, as JSON, what each library
says of 10,000 rows: libraries.py FOLDER [LIBRARY]...

The files in models were made by
    libraries.py models --rows 20 --only NAME... >models/cases.json
"""

import argparse
import json
import os
import pathlib
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "jax")
warnings.simplefilter("ignore")

import numpy as np

arguments = argparse.ArgumentParser()
arguments.add_argument("folder", type=pathlib.Path)
arguments.add_argument("libraries", nargs="*")
arguments.add_argument("--rows", type=int, default=10_000)
arguments.add_argument("--only", action="append")
options = arguments.parse_args()
folder, wanted = options.folder, options.libraries
ROWS = 10_000
random = np.random.default_rng(1)
X = (random.normal(size=(ROWS, 6)) * [1, 3, 0.5, 10, 1, 2] + [0, 1, -2, 40, 0, 5]).astype(np.float32)
y = (X[:, 0] + 0.3 * X[:, 1] * X[:, 2] + 0.1 * X[:, 3] > 3.5).astype(int)
three = np.digitize(X[:, 0] + 0.1 * X[:, 3], [3, 5])
few = slice(0, 1500)
tables, cases, versions = {"X": X.tolist()}, [], {}


def case(name, file, rows, scores=None, output=None, kind="score", klass=None, refused=None, columns=None):
    """scores are probabilities, logits, or with kind "class" whether the class wins."""
    if options.only and name not in options.only:
        for one in folder.glob(file + "*"):
            one.unlink()
        return
    cases.append({
        "name": name, "file": file, "rows": rows, "scores": None if scores is None else [float(s) for s in np.ravel(scores)[:options.rows]],
        "output": output or "", "kind": kind, "class": klass, "refused": refused or "", "columns": columns or [],
    })


def ort(file, feed, output):
    import onnxruntime
    session = onnxruntime.InferenceSession(str(folder / file), providers=["CPUExecutionProvider"])
    (got,) = session.run([output], feed)
    if isinstance(got, list):  # of ZipMap
        got = np.array([list(row.values()) for row in got])
    return np.asarray(got)


def sklearn():
    import pandas
    import skl2onnx
    import sklearn
    from skl2onnx import convert_sklearn, to_onnx
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder, PolynomialFeatures, RobustScaler, StandardScaler
    from sklearn.svm import SVC

    versions["scikit-learn"], versions["skl2onnx"] = sklearn.__version__, skl2onnx.__version__

    def export(name, model, target=y, output=None, klass=None, kind="score", refused=None, column=1, **more):
        model.fit(X[few], target[few])
        file = name + ".onnx"
        (folder / file).write_bytes(to_onnx(model, X[:1], **more).SerializeToString())
        if refused:
            return case(name, file, None, output=output, klass=klass, refused=refused)
        got = ort(file, {"X": X}, output or ("probabilities" if more.get("options", {}).get("zipmap") is False else "output_probability") if kind != "logit" else "variable")
        if kind == "score" and got.ndim == 2 and got.shape[1] > 1:
            got = got[:, column]
        if kind == "class":
            got = got.argmax(axis=1) == klass
        case(name, file, "X", got, output, kind, klass)

    mlp = lambda *hidden, **more: MLPClassifier(hidden or (8, 4), max_iter=40, random_state=0, **more)
    plain = {"options": {"zipmap": False}}
    export("mlp", mlp())
    export("mlp-plain", mlp(), **plain)
    export("mlp-other-class", mlp(), klass=0, column=0)
    export("mlp-of-text", mlp(), np.where(y > 0, "yes", "no"))
    export("logistic", LogisticRegression())
    export("logistic-plain", LogisticRegression(), output="probabilities", **plain)
    export("logistic-raw", LogisticRegression(), refused="raw_scores", options={"raw_scores": True, "zipmap": False})
    export("logistic-label", LogisticRegression(), output="output_label", refused="the predicted class")
    export("sgd", SGDClassifier(loss="log_loss", random_state=0))
    for scaler in StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler():
        export("mlp-" + type(scaler).__name__, make_pipeline(scaler, mlp()))
    export("logistic-imputed", make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()))
    export("logistic-filled", make_pipeline(SimpleImputer(missing_values=-9.0), LogisticRegression()), refused="SimpleImputer(missing_values=numpy.nan)")
    export("mlp-tanh", mlp(activation="tanh"), refused="train with ReLUs")
    export("mlp-logistic", mlp(activation="logistic"), refused="train with ReLUs")
    export("mlp-normalized", make_pipeline(Normalizer(), mlp()), refused="not piecewise linear")
    export("mlp-polynomial", make_pipeline(PolynomialFeatures(2), mlp()), refused="this operator is not read")
    export("mlp-three", mlp(), three, refused="the model has 3 classes")
    export("mlp-three-1", mlp(), three, klass=1, kind="class")
    export("logistic-three-2", LogisticRegression(), three, klass=2, kind="class")
    export("regression", LinearRegression(), X[:, 0] * 2 + X[:, 3], kind="logit")
    export("mlp-regression", MLPRegressor(hidden_layer_sizes=(6,), max_iter=40, random_state=0), X[:, 0] * 2, kind="logit")
    export("svc", SVC(), refused="support vector machine")
    for opset in 9, 11, 13, 15, 18, 21:
        export(f"pipeline-opset-{opset}", make_pipeline(StandardScaler(), mlp()), target_opset={"": opset, "ai.onnx.ml": 1 if opset < 13 else 3})

    helper = {"__name__": "helper"}
    exec((pathlib.Path(__file__).parent.parent / "helper" / "sklearn.py").read_text(), helper)
    for name, model in {"mlp": mlp(), "logistic": LogisticRegression(), "scaled": make_pipeline(StandardScaler(), mlp()), "centred": make_pipeline(StandardScaler(with_std=False), StandardScaler(with_mean=False), LogisticRegression())}.items():
        model.fit(X[few], y[few])
        helper["export"](model, folder / f"helper-{name}.json")
        case(f"helper-{name}", f"helper-{name}.json", "X", model.predict_proba(X)[:, 1])
    (folder / "model.joblib").write_bytes(__import__("pickle").dumps(model))
    case("joblib", "model.joblib", None, refused="hyfair export-helper sklearn")

    people = pandas.DataFrame({
        "age": random.integers(17, 90, ROWS), "hours": random.normal(40, 10, ROWS).astype(np.float32),
        "work": random.choice(["private", "public", "none"], ROWS), "sex": random.choice(["F", "M"], ROWS),
    })
    paid = (people.age + 10 * (people.work == "private") + 5 * (people.sex == "M") + people.hours > 95).to_numpy().astype(int)
    tables["people"] = people.values.tolist()
    types = [("age", Int64TensorType([None, 1])), ("hours", FloatTensorType([None, 1])), ("work", StringTensorType([None, 1])), ("sex", StringTensorType([None, 1]))]
    feed = {name: people[[name]].to_numpy().astype({"age": np.int64, "hours": np.float32}.get(name, object)) for name in people}
    for name, encoder, scaler in ("one-hot", OneHotEncoder(handle_unknown="ignore"), StandardScaler()), ("ordinal", OrdinalEncoder(), "passthrough"):
        for kind, last in ("mlp", mlp()), ("logistic", LogisticRegression()):
            pipe = make_pipeline(ColumnTransformer([("numbers", scaler, ["age", "hours"]), ("words", encoder, ["work", "sex"])]), last)
            pipe.fit(people[few], paid[few])
            file = f"columns-{name}-{kind}.onnx"
            (folder / file).write_bytes(convert_sklearn(pipe, initial_types=types, options={"zipmap": False}).SerializeToString())
            case(file[:-5], file, "people", ort(file, feed, "probabilities")[:, 1], columns=list(people.columns))


def torch():
    import onnx
    import torch
    from torch import nn

    versions["torch"], versions["onnx"] = torch.__version__, onnx.__version__
    torch.manual_seed(0)
    rows = torch.from_numpy(X)

    class Wide(nn.Module):
        def __init__(self):
            super().__init__()
            self.deep = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 5), nn.ReLU())
            self.last = nn.Linear(11, 1)

        def forward(self, x):
            return torch.sigmoid(self.last(torch.cat([self.deep(x), x], dim=1)))

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.last = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 1)

        def forward(self, x):
            h = torch.relu(self.first(x))
            h = torch.relu(h + self.second(h))
            return torch.sigmoid(self.last(h)).squeeze(-1)

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.from_numpy(X.mean(axis=0)))
            self.register_buffer("deviation", torch.from_numpy(X.std(axis=0)))
            self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))

        def forward(self, x):
            return torch.softmax(self.net((x - self.mean) / self.deviation), dim=1)

    class Extremes(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.last = nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(8, 1)

        def forward(self, x):
            a, b = self.a(x), self.b(x)
            h = torch.cat([torch.maximum(a, b), torch.minimum(a, torch.abs(b))], dim=1)
            return torch.sigmoid(self.last(h))

    def dense(*between, out=1, end=nn.Sigmoid):
        layers, width = [], 6
        for k, activation in enumerate(between):
            layers += [nn.Linear(width, 8 - 2 * k), *activation()]
            width = 8 - 2 * k
        return nn.Sequential(*layers, nn.Linear(width, out), *([end()] if end else []))

    relu = lambda: [nn.ReLU()]
    models = {
        "mlp": (dense(relu, relu), {}),
        "logits": (dense(relu, end=None), {"kind": "logit"}),
        "two-logits": (dense(relu, out=2, end=None), {"kind": "logit"}),
        "softmax": (dense(relu, out=2, end=lambda: nn.Softmax(dim=1)), {"kind": "second"}),
        "batch-norm": (dense(lambda: [nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5)], lambda: [nn.ReLU(), nn.BatchNorm1d(6)]), {}),
        "leaky": (dense(lambda: [nn.LeakyReLU(0.2)], lambda: [nn.ReLU6()]), {}),
        "prelu": (dense(lambda: [nn.PReLU()], lambda: [nn.Hardtanh()]), {}),
        "flattened": (nn.Sequential(nn.Flatten(), dense(relu, relu)), {}),
        "wide": (Wide(), {}), "residual": (Residual(), {}), "scaled": (Scaled(), {"kind": "second"}), "extremes": (Extremes(), {}),
        "tanh": (dense(lambda: [nn.Tanh()]), {"refused": "train with ReLUs"}),
        "gelu": (dense(lambda: [nn.GELU()]), {"refused": "piecewise linear"}),
        "layer-norm": (dense(lambda: [nn.LayerNorm(8), nn.ReLU()]), {"refused": "train with torch.nn.BatchNorm1d"}),
    }
    for name, (model, how) in models.items():
        with torch.no_grad():  # statistics that are not 0 and 1
            model.train()
            model(rows[:500])
        model.eval()
        for way, more in {"old": {"dynamo": False}, "old-opset-9": {"dynamo": False, "opset_version": 9}, "old-opset-11": {"dynamo": False, "opset_version": 11}, "old-opset-17": {"dynamo": False, "opset_version": 17}, "dynamo-opset-18": {"dynamo": True, "opset_version": 18}, "dynamo-opset-23": {"dynamo": True, "opset_version": 23}, "dynamo": {"dynamo": True}, "dynamo-beside": {"dynamo": True, "external_data": True}}.items():
            if way not in ("old", "dynamo") and name not in ("mlp", "batch-norm", "leaky"):
                continue
            file = f"torch-{name}-{way}.onnx"
            if more["dynamo"]:
                more = {"external_data": False, "dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},), "verbose": False} | more
            else:
                more = {"dynamic_axes": {"x": {0: "n"}}} | more
            hush = os.dup(1), os.dup(2)
            with open(os.devnull, "w") as null:
                os.dup2(null.fileno(), 1), os.dup2(null.fileno(), 2)
                try:
                    torch.onnx.export(model, (rows[:3],), str(folder / file), input_names=["x"], output_names=["y"], **more)
                finally:
                    sys.stdout.flush(), os.dup2(hush[0], 1), os.dup2(hush[1], 2)
            label = f"torch-{name}-{way}"
            if "refused" in how:
                case(label, file, None, refused=how["refused"])
                continue
            if options.only and more["dynamo"]:  # without the places of the source that made it
                made = onnx.load(folder / file)
                for node in made.graph.node:
                    del node.metadata_props[:]
                onnx.save(made, folder / file)
            got = ort(file, {"x": X}, "y")
            with torch.no_grad():
                assert np.allclose(got, model(rows).numpy(), atol=1e-5)
            if how.get("kind") == "second":
                got = got[:, 1]
            elif how.get("kind") == "logit" and got.shape[1] == 2:
                got = got[:, 1].astype(np.float64) - got[:, 0]
            case(label, file, "X", got, kind="logit" if how.get("kind") == "logit" else "score")
    made = onnx.load(folder / "torch-mlp-old.onnx") if (folder / "torch-mlp-old.onnx").exists() else None
    if made:
        onnx.save_model(made, folder / "torch-beside.onnx", save_as_external_data=True, location="torch-beside.onnx.data", size_threshold=0)
        case("torch-beside", "torch-beside.onnx", "X", ort("torch-beside.onnx", {"x": X}, "y"))
    torch.save(models["mlp"][0].state_dict(), folder / "torch-state.pt")
    case("torch-state", "torch-state.pt", None, refused="torch.onnx.export")


def keras():
    import keras
    from keras import layers

    versions["keras"] = keras.__version__

    def export(name, model, kind="score", refused=None, h5=False):
        for v in model.weights:
            if v.path.split("/")[-2].startswith("normalization"):
                continue  # what it was adapted to
            v.assign(random.normal(size=v.shape).astype(np.float32) * 0.5 if "variance" not in v.path else random.uniform(0.5, 2, v.shape).astype(np.float32))
        for file in [name + ".keras"] + [name + ".h5"] * h5:
            model.save(folder / file)
            if refused:
                case("keras-" + file, file, None, refused=refused)
                continue
            got = np.asarray(model.predict(X, batch_size=ROWS, verbose=0))
            if kind == "second":
                got = got[:, 1]
            case("keras-" + file, file, "X", got, kind="logit" if kind == "logit" else "score")

    relu = lambda units: layers.Dense(units, activation="relu")
    sigmoid = lambda: layers.Dense(1, activation="sigmoid")
    seq = lambda *more: keras.Sequential([layers.Input((6,)), *more])
    export("mlp", seq(relu(8), relu(4), sigmoid()), h5=True)
    export("many", seq(*[relu(4) for _ in range(12)], sigmoid()))
    export("dropout", seq(relu(8), layers.Dropout(0.5), layers.GaussianNoise(0.1), sigmoid()))
    export("softmax", seq(relu(8), layers.Dense(2, activation="softmax")), kind="second")
    export("logit", seq(relu(8), layers.Dense(1)), kind="logit")
    export("batch-norm", seq(layers.Dense(8), layers.BatchNormalization(), layers.ReLU(), relu(4), layers.BatchNormalization(scale=False), sigmoid()))
    export("leaky", seq(layers.Dense(8), layers.LeakyReLU(negative_slope=0.2), layers.Dense(5, activation="leaky_relu"), layers.Dense(4), layers.ReLU(max_value=6), layers.Dense(4, activation="relu6"), sigmoid()))
    normal = layers.Normalization()
    normal.adapt(X)
    export("normalized", seq(normal, relu(8), sigmoid()))
    export("rescaled", seq(layers.Rescaling(0.1, offset=-1), relu(8), sigmoid()))
    inputs = layers.Input((6,), name="people")
    hidden = relu(8)(inputs)
    export("functional", keras.Model(inputs, sigmoid()(relu(4)(hidden))))
    hidden2 = relu(8)(hidden)
    export("branches", keras.Model(inputs, sigmoid()(layers.Concatenate()([layers.Add()([hidden, hidden2]), inputs]))))
    export("tanh", seq(layers.Dense(8, activation="tanh"), sigmoid()), refused="activation \"tanh\"")
    export("lstm", keras.Sequential([layers.Input((3, 2)), layers.LSTM(4), sigmoid()]), refused="LSTM is not supported")


def tensorflow():
    os.environ["KERAS_BACKEND"], os.environ["TF_CPP_MIN_LOG_LEVEL"] = "tensorflow", "3"
    hush = os.dup(1)
    os.dup2(2, 1)  # what it prints on the way
    try:
        import keras
        import tensorflow
        import tf2onnx
        from keras import layers

        versions.update({"tensorflow": tensorflow.__version__, "tf2onnx": tf2onnx.__version__, "keras": keras.__version__})
        relu = lambda units: layers.Dense(units, activation="relu")
        sigmoid = lambda: layers.Dense(1, activation="sigmoid")
        seq = lambda *more: keras.Sequential([layers.Input((6,)), *more])
        inputs = layers.Input((6,))  # no Normalization: tf2onnx 1.17 makes inputs of its means
        hidden = relu(8)(inputs)
        models = {
            "mlp": (seq(relu(8), relu(4), sigmoid()), {}),
            "softmax": (seq(relu(8), layers.Dropout(0.5), layers.Dense(2, activation="softmax")), {"kind": "second"}),
            "logit": (seq(relu(8), layers.Dense(1)), {"kind": "logit"}),
            "batch-norm": (seq(layers.Dense(8), layers.BatchNormalization(), layers.ReLU(), relu(4), layers.BatchNormalization(), sigmoid()), {}),
            "leaky": (seq(layers.Dense(8), layers.LeakyReLU(negative_slope=0.2), layers.Dense(4, activation="relu6"), sigmoid()), {}),
            "branches": (keras.Model(inputs, sigmoid()(layers.Concatenate()([layers.Add()([hidden, relu(8)(hidden)]), inputs]))), {}),
            "tanh": (seq(layers.Dense(8, activation="tanh"), sigmoid()), {"refused": "train with ReLUs"}),
        }
        for name, (model, how) in models.items():
            for v in model.weights:
                v.assign(random.normal(size=v.shape).astype(np.float32) * 0.5 if "variance" not in v.path else random.uniform(0.5, 2, v.shape).astype(np.float32))
            signature = [tensorflow.TensorSpec((None, 6), "float32", name="x")]
            ways = {f"opset-{n}": lambda path, n=n: tf2onnx.convert.from_function(tensorflow.function(lambda x: model(x, training=False), signature), signature, opset=n, output_path=path) for n in (9, 13, 18)}
            ways["exported"] = lambda path: model.export(path, format="onnx", verbose=False)
            for way, save in ways.items():
                file = f"tf-{name}-{way}.onnx"
                save(str(folder / file))
                if "refused" in how:
                    case(file[:-5], file, None, refused=how["refused"])
                    continue
                import onnxruntime
                session = onnxruntime.InferenceSession(str(folder / file), providers=["CPUExecutionProvider"])
                (got,) = session.run(None, {session.get_inputs()[0].name: X})
                assert np.allclose(got, np.asarray(model(X, training=False)), atol=1e-4)
                case(file[:-5], file, "X", got[:, 1] if how.get("kind") == "second" else got, kind="logit" if how.get("kind") == "logit" else "score")
    finally:
        sys.stdout.flush()
        os.dup2(hush, 1)


for library in wanted or ["sklearn", "torch", "keras"]:
    try:
        globals()[library]()
    except ImportError as missing:
        versions[library] = f"not here: {missing}"
tables = {name: rows[:options.rows] for name, rows in tables.items()}
json.dump({"versions": versions, "tables": tables, "cases": cases}, sys.stdout)
