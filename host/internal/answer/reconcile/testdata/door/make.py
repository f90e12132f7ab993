"""Makes real models, the rows that they are asked about, and the libraries' own scores, with what may go wrong between
them: categories in another order, values that stand for missing, encoders and scaling outside, odd cells. Run with the
versions in ../../../../question/modelfile/libraries/requirements.txt. door.json, written by hand, says what hyfair has
to make of each."""
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from skl2onnx import to_onnx
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from common import write

random = np.random.default_rng(7)
N = 120
base = pd.DataFrame({"age": random.integers(18, 66, N), "kids": random.integers(0, 4, N), "level": random.choice(["low", "medium", "high"], N), "sex": random.choice(["woman", "man"], N)})
logit = base.age / 15 + base.kids * 0.5 + (base.level == "high") * 1.2 + (base.sex == "man") * 0.8 + random.normal(0, 0.5, N)
y = (logit > logit.median()).astype(int)
numbers = base.assign(level=base.level.map({"low": 0, "medium": 1, "high": 2}), sex=(base.sex == "man").astype(int))
XGB = {"n_estimators": 3, "max_depth": 3, "tree_method": "hist"}
LGB = {"n_estimators": 3, "max_depth": 3, "min_child_samples": 5, "min_data_per_group": 5, "cat_smooth": 1, "verbose": -1}


def keep(name, rows, scores, save):
    save(name)
    write(name, rows, y, scores)


def xgb(name, rows, x, kind="json", **more):
    m = xgboost.XGBClassifier(**XGB, **more).fit(x, y)
    keep(name, rows, m.predict_proba(x)[:, 1], lambda n: m.save_model(f"{n}.{kind}"))


def lgb(name, rows, x, fit={}, **more):
    m = lightgbm.LGBMClassifier(**LGB, **more).fit(x, y, **fit)
    keep(name, rows, m.predict_proba(x)[:, 1], lambda n: m.booster_.save_model(f"{n}.txt"))


def onnx(name, rows, model, x, initial=None):
    model.fit(x, y)
    made = convert_sklearn(model, initial_types=initial, options={"zipmap": False}) if initial else to_onnx(model, x[:1].astype(np.float32), options={"zipmap": False})
    keep(name, rows, model.predict_proba(x)[:, 1], lambda n: open(f"{n}.onnx", "wb").write(made.SerializeToString()))


coded = base.assign(level=pd.Categorical(base.level, categories=["low", "medium", "high"]), sex=pd.Categorical(base.sex, categories=["woman", "man"]))
xgb("xgb-numbers", numbers, numbers)
xgb("xgb-ubj", numbers, numbers, "ubj")
xgb("xgb-categories", base, coded, enable_categorical=True)
xgb("xgb-missing-0", numbers, numbers, missing=0)
xgb("xgb-missing-3", numbers, numbers, missing=3)
xgb("xgb-dart", numbers, numbers, booster="dart", rate_drop=0.3)
xgb("xgb-forest", numbers, numbers, num_parallel_tree=2, subsample=0.8)
xgb("xgb-scaled-outside", numbers, pd.DataFrame(StandardScaler().fit_transform(numbers), columns=numbers.columns))
xgb("xgb-array", numbers, numbers.to_numpy())
xgb("xgb-other-order", numbers, numbers[["sex", "level", "kids", "age"]])
lgb("lgb-numbers", numbers, numbers)
lgb("lgb-categories", base, coded)
lgb("lgb-ordered", base, base.assign(level=pd.Categorical(base.level, categories=["low", "medium", "high"], ordered=True), sex=coded.sex))
lgb("lgb-codes", numbers, numbers, fit={"categorical_feature": ["level"]})
lgb("lgb-zero-missing", numbers, numbers, zero_as_missing=True)
lgb("lgb-codes-outside", base, numbers)
odd = numbers.astype({"age": object})
odd.loc[3, "age"] = "unknown"
xgb("xgb-odd-cell", odd, numbers.assign(age=pd.to_numeric(odd.age, errors="coerce")))
lgb("lgb-odd-cell", odd, numbers.assign(age=pd.to_numeric(odd.age, errors="coerce")))
TYPES = [("age", FloatTensorType([None, 1])), ("kids", FloatTensorType([None, 1])), ("level", StringTensorType([None, 1])), ("sex", StringTensorType([None, 1]))]
floats = base.astype({"age": float, "kids": float})


def encoded(encoder):
    return ColumnTransformer([("n", StandardScaler(), ["age", "kids"]), ("c", encoder, ["level", "sex"])])


onnx("sklearn-logistic", base, make_pipeline(encoded(OneHotEncoder(sparse_output=False)), LogisticRegression()), floats, TYPES)
onnx("sklearn-mlp", base, make_pipeline(encoded(OneHotEncoder(sparse_output=False, handle_unknown="ignore")), MLPClassifier((4,), max_iter=300, random_state=1)), floats, TYPES)
onnx("sklearn-ordinal", base, make_pipeline(encoded(OrdinalEncoder()), LogisticRegression()), floats, TYPES)
onnx("sklearn-forest", numbers, RandomForestClassifier(3, max_depth=3, random_state=1), numbers.to_numpy(float))
onnx("sklearn-boosting", numbers, GradientBoostingClassifier(n_estimators=3, max_depth=2), numbers.to_numpy(float))
onnx("sklearn-scaled-outside", numbers, LogisticRegression(), StandardScaler().fit_transform(numbers))
case = base.assign(sex=base.sex.str.capitalize())
m = make_pipeline(encoded(OneHotEncoder(sparse_output=False)), LogisticRegression()).fit(floats, y)
made = convert_sklearn(m, initial_types=TYPES, options={"zipmap": False})
keep("sklearn-other-case", case, m.predict_proba(floats)[:, 1], lambda n: open(f"{n}.onnx", "wb").write(made.SerializeToString()))
