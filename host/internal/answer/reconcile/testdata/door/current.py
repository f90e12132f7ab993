"""Makes what lenders' data brings: gaps, codes with zeros in front, zeros that are left out, data frames of mixed
kinds. Run with the versions of make.py."""
import lightgbm
import numpy as np
import scipy.sparse
import xgboost
from skl2onnx import to_onnx
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from common import N, NUMBERS, WORDS, applicants, numbered, write

rows, y = applicants()
numbers = numbered(rows)
gaps = rows.astype({name: "category" for name in WORDS})
gaps.loc[::7, "job"] = np.nan
LGB = {"n_estimators": 4, "num_leaves": 7, "min_child_samples": 5, "min_data_per_group": 5, "cat_smooth": 1, "verbose": -1}


def xgb(name, x, given, **more):
    m = xgboost.XGBClassifier(n_estimators=4, max_depth=3, **more).fit(x, y)
    m.save_model(f"{name}.json")
    write(name, given, y, m.predict_proba(x)[:, 1])


def lgb(name, x, given):
    m = lightgbm.LGBMClassifier(**LGB).fit(x, y)
    m.booster_.save_model(f"{name}.txt")
    write(name, given, y, m.predict_proba(x)[:, 1])


def frame(name, m, x, given=rows, truth=y, **more):
    """A pipeline, exported as its data frame is."""
    m.fit(x, truth)
    open(f"{name}.onnx", "wb").write(to_onnx(m, x[:1], options={"zipmap": False}).SerializeToString())
    write(name, given, truth, m.predict_proba(x)[:, 1], **more)


def encoded(words, numbers=NUMBERS):
    return ColumnTransformer([("numbers", StandardScaler(), numbers), ("words", words, WORDS)])


dummies = scipy.sparse.csr_matrix(scipy.sparse.hstack([rows[NUMBERS].to_numpy(float), OneHotEncoder().fit_transform(rows[WORDS])]))
xgb("xgb-sparse", dummies, rows)
xgb("xgb-category-gaps", gaps, gaps, enable_categorical=True)
lgb("lgb-category-gaps", gaps, gaps)
zips = rows.assign(zip=[f"{i * 7 % 5:05d}" for i in range(N)])
lgb("lgb-zips", zips.astype({name: "category" for name in [*WORDS, "zip"]}), zips)
own = lightgbm.train({"objective": lambda p, data: (1 / (1 + np.exp(-p)) - data.get_label(), np.ones(len(p))), "num_leaves": 7, "verbose": -1}, lightgbm.Dataset(numbers, label=y), 4)
own.save_model("lgb-own-objective.txt")
write("lgb-own-objective", numbers, y, 1 / (1 + np.exp(-own.predict(numbers))))
frame("sklearn-doubles", make_pipeline(encoded(OneHotEncoder(sparse_output=False)), LogisticRegression()), rows.astype({name: float for name in NUMBERS}))
frame("sklearn-mixed", make_pipeline(ColumnTransformer([("words", OneHotEncoder(sparse_output=False), WORDS)], remainder="passthrough"), LogisticRegression(max_iter=3000)), rows)
frame("sklearn-whole-categories", make_pipeline(ColumnTransformer([("numbers", StandardScaler(), NUMBERS[:3]), ("months", OneHotEncoder(), ["months"]), ("words", OneHotEncoder(), WORDS)]), LogisticRegression()), rows)
order = OrdinalEncoder(categories=[["none", "unskilled", "skilled", "clerk"], ["rent", "own"], ["woman", "man"]])
frame("sklearn-own-order", make_pipeline(encoded(order), MLPClassifier((4,), max_iter=300, random_state=1)), rows)
frame("sklearn-three-classes", make_pipeline(encoded(OneHotEncoder(sparse_output=False)), LogisticRegression()), rows, truth=(rows.age // 24).clip(0, 2).astype(int).to_numpy(), label="grade", values=("a", "b", "c"))
lacking = numbers.astype(float)
lacking.loc[::6, "age"] = np.nan
x = lacking.to_numpy("float32")
forest = RandomForestClassifier(6, max_depth=3, random_state=2).fit(x, y)
open("sklearn-forest-gaps.onnx", "wb").write(to_onnx(forest, x[:1], options={"zipmap": False}).SerializeToString())
write("sklearn-forest-gaps", lacking.astype({"age": "Int64", "months": int, "amount": int, "job": int, "housing": int, "sex": int}), y, forest.predict_proba(x)[:, 1])
