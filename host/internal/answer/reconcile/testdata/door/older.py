"""Makes models with the versions that lenders still run, each set in an environment of its own: older.py NAME, of

  1.7  xgboost==1.7.6 lightgbm==3.3.5 scikit-learn==1.2.2 skl2onnx==1.15.0 onnx==1.14.1 protobuf==3.20.3 numpy==1.24.4 pandas==1.5.3
  2.0  xgboost==2.0.3 lightgbm==4.1.0 scikit-learn==1.3.2 skl2onnx==1.16.0 onnx==1.15.0 numpy==1.26.4 pandas==2.1.4
  2.1  xgboost==2.1.4 lightgbm==4.5.0 scikit-learn==1.4.2 skl2onnx==1.17.0 onnx==1.16.2 protobuf==4.25.8 numpy==1.26.4 pandas==2.2.3
  3.0  xgboost==3.0.5 lightgbm==4.6.0 scikit-learn==1.6.1 skl2onnx==1.18.0 onnxmltools==1.16.0 onnx==1.17.0 protobuf==4.25.8 numpy==2.1.3 pandas==2.2.3
  3.1  xgboost==3.1.1 lightgbm==4.6.0 scikit-learn==1.7.2 numpy==2.1.3 pandas==2.2.3
"""
import importlib
import re
import sys

import joblib
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn import ensemble, impute, linear_model, neural_network, preprocessing
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from common import N, NUMBERS, WORDS, applicants, numbered, write

assert xgboost.__version__.startswith(sys.argv[1]), xgboost.__version__
rows, y = applicants()
numbers = numbered(rows).astype({"job": int})
coded = rows.astype({name: "category" for name in WORDS})
XGB = {"n_estimators": 4, "max_depth": 3, "tree_method": "hist"}
LGB = {"n_estimators": 4, "max_depth": 3, "num_leaves": 7, "min_child_samples": 5, "min_data_per_group": 5, "cat_smooth": 1, "verbose": -1}


def xgb(name, x, given=rows, kind="json", truth=y, kinds=xgboost.XGBClassifier, fit={}, label="paid", values=("no", "yes"), **more):
    m = kinds(**{**XGB, **more}).fit(x, truth, **fit)
    m.save_model(f"{name}.{kind}")
    scores = m.predict(x) if kinds is xgboost.XGBRegressor else m.predict_proba(x)[:, 1]
    write(name, given, truth, scores, label, values)


def lgb(name, x, given=rows, truth=y, kinds=lightgbm.LGBMClassifier, fit={}, label="paid", values=("no", "yes"), **more):
    m = kinds(**{**LGB, **more}).fit(x, truth, **fit)
    m.booster_.save_model(f"{name}.txt")
    scores = m.predict(x) if kinds is lightgbm.LGBMRegressor else m.predict_proba(x)[:, 1]
    write(name, given, truth, scores, label, values)


def onnx(name, m, x, given=rows, truth=y, types=None, label="paid", values=("no", "yes"), save=None):
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    m.fit(x, truth)
    if types is None:
        types = [("input", FloatTensorType([None, x.shape[1]]))] if isinstance(x, np.ndarray) else [
            (c, (FloatTensorType if c in NUMBERS else StringTensorType)([None, 1])) for c in x]
    proba = hasattr(m, "predict_proba")
    made = convert_sklearn(m, initial_types=types, options={"zipmap": False} if proba else None, target_opset=15)
    open(f"{name}.onnx", "wb").write(made.SerializeToString())
    write(name, given, truth, m.predict_proba(x)[:, 1] if proba else m.predict(x), label, values)


def encoded(words, numeric=None):
    return ColumnTransformer([("numbers", numeric or preprocessing.StandardScaler(), NUMBERS), ("words", words, WORDS)])


floats = rows.astype({name: float for name in NUMBERS})
gaps = floats.copy()
gaps.loc[::9, "income"] = np.nan
salary = (rows.income * 12 + rows.age * 100 + np.random.default_rng(5).normal(0, 900, N)).round(2)
three = (rows.age // 24 + (rows.sex == "man")).clip(0, 2).astype(int)
match sys.argv[1]:
    case "1.7":
        xgb("xgb17-numbers", numbers, numbers, base_score=0.3)
        xgb("xgb17-categories", coded, enable_categorical=True)
        xgb("xgb17-regression", numbers, numbers, truth=salary, kinds=xgboost.XGBRegressor, label="salary", values=())
        lgb("lgb33-categories", coded)
        lgb("lgb33-forest", numbers, numbers, boosting_type="rf", subsample=0.7, subsample_freq=1)
        lgb("lgb33-gaps", gaps.assign(**{w: numbers[w] for w in WORDS}), gaps.assign(**{w: numbers[w] for w in WORDS}))
        onnx("sk12-extra-trees", ensemble.ExtraTreesClassifier(3, max_depth=3, random_state=1), numbers.to_numpy(np.float32).astype(float), numbers)
        onnx("sk12-hist-boosting", ensemble.HistGradientBoostingClassifier(max_iter=4, max_depth=3), numbers.to_numpy(np.float32).astype(float), numbers)
        m = make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False)), linear_model.LogisticRegression()).fit(floats, y)
        joblib.dump(m, "sk12-joblib.joblib")
        write("sk12-joblib", rows, y, m.predict_proba(floats)[:, 1])
    case "2.0":
        xgb("xgb20-partitions", coded, kind="ubj", enable_categorical=True, max_cat_to_onehot=1)
        xgb("xgb20-linear", numbers, numbers, booster="gblinear", tree_method=None)
        dummies = pd.get_dummies(rows)
        xgb("xgb20-dummies", dummies)
        xgb("xgb20-dart", numbers, numbers, kind="ubj", booster="dart", rate_drop=0.3)
        lgb("lgb41-linear-trees", numbers, numbers, linear_tree=True)
        lgb("lgb41-zero-start", numbers, numbers, boost_from_average=False, label="default", values=("1", "2"))
        lgb("lgb41-whole-categories", rows.assign(job=coded.job.cat.codes.astype("category"), housing=numbers.housing, sex=coded.sex), rows.assign(job=numbers.job, housing=numbers.housing))
        onnx("sk13-drop-first", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False, drop="first")), linear_model.LogisticRegression()), floats)
        onnx("sk13-infrequent", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False, min_frequency=28, handle_unknown="infrequent_if_exist")), linear_model.LogisticRegression()), floats)
        onnx("sk13-power", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False), preprocessing.PowerTransformer()), linear_model.LogisticRegression()), floats)
        onnx("sk13-bins", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False), preprocessing.KBinsDiscretizer(4, encode="onehot-dense")), linear_model.LogisticRegression()), floats)
    case "2.1":
        lacking = numbers.copy()
        lacking.loc[::7, "income"] = -999
        xgb("xgb21-missing-999", lacking, lacking, missing=-999)
        xgb("xgb21-three-classes", numbers, numbers, truth=three, label="grade", values=("low", "mid", "top"))
        truths = rows.assign(housing=rows.housing == "own", sex=rows.sex == "man").drop(columns="job")
        xgb("xgb21-truth-values", truths, truths)
        xgb("xgb21-early", numbers, numbers, n_estimators=30, early_stopping_rounds=2, learning_rate=1, fit={"eval_set": [(numbers[:60], 1 - y[:60])], "verbose": False})
        lgb("lgb45-regression", coded, truth=salary, kinds=lightgbm.LGBMRegressor, label="salary", values=())
        lgb("lgb45-tweedie", numbers, numbers, truth=salary, kinds=lightgbm.LGBMRegressor, objective="tweedie", label="salary", values=())
        numeric = make_pipeline(impute.SimpleImputer(strategy="median"), preprocessing.MinMaxScaler())
        onnx("sk14-imputer", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False), numeric), neural_network.MLPClassifier((4,), max_iter=400, random_state=1)), gaps, gaps)
        unseen = rows.copy()
        unseen.loc[[5, 50], "job"] = "student"
        m = make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False, handle_unknown="ignore", categories=[["clerk", "none", "skilled", "unskilled"], ["own", "rent"], ["man", "woman"]]), preprocessing.RobustScaler()), linear_model.LogisticRegression())
        onnx("sk14-unseen", m, unseen.astype({name: float for name in NUMBERS}), unseen)
        onnx("sk14-forest-words", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False)), ensemble.RandomForestClassifier(3, max_depth=3, random_state=1)), floats)
    case "3.0":
        decimals = numbers.assign(income=rows.income / 1000, rate=np.random.default_rng(3).integers(1, 99, N) / 10)
        xgb("xgb30-decimals", decimals, decimals, n_estimators=8, max_depth=4)
        xgb("xgb30-categories", coded, enable_categorical=True, kind="ubj")
        xgb("xgb30-gamma", numbers, numbers, truth=salary, kinds=xgboost.XGBRegressor, objective="reg:gamma", label="salary", values=())
        signs = rows.rename(columns={"income": "Income (EUR/month)", "amount": "Loan amount, total", "job": "Occupation: last"})
        lgb("lgb46-signs", signs.astype({"Occupation: last": "category", "housing": "category", "sex": "category"}).rename(columns=lambda c: re.sub("[^A-Za-z0-9_]+", "", c)), signs)
        onnx("sk16-calibrated", CalibratedClassifierCV(linear_model.LogisticRegression(max_iter=2000), cv=2), numbers.to_numpy(np.float32).astype(float), numbers)
        onnx("sk16-forest-regression", ensemble.RandomForestRegressor(3, max_depth=3, random_state=1), numbers.to_numpy(np.float32).astype(float), numbers, truth=salary, label="salary", values=())
        onnx("sk16-ridge", make_pipeline(encoded(preprocessing.OneHotEncoder(sparse_output=False)), linear_model.Ridge()), floats, truth=salary, label="salary", values=())
        onnxmltools = importlib.import_module("onnxmltools")
        x, types = numbers.to_numpy("float32"), [("input", onnxmltools.convert.common.data_types.FloatTensorType([None, 7]))]
        for name, m, convert in [("mltools-lightgbm", lightgbm.LGBMClassifier(**LGB), lambda m: onnxmltools.convert_lightgbm(m, initial_types=types, zipmap=False, target_opset=15)),
                                 ("mltools-xgboost", xgboost.XGBClassifier(**XGB), lambda m: onnxmltools.convert_xgboost(m, initial_types=types, target_opset=15))]:
            open(f"{name}.onnx", "wb").write(convert(m.fit(x, y)).SerializeToString())
            write(name, numbers, y, m.predict_proba(x)[:, 1])
    case "3.1":
        xgb("xgb31-categories", coded, enable_categorical=True, max_cat_to_onehot=2)
        xgb("xgb31-base-list", numbers, numbers, truth=salary, kinds=xgboost.XGBRegressor, objective="reg:absoluteerror", label="salary", values=())
