"""Makes rows as spreadsheets and exports of databases write them, each read by a model of its own. Run with the
versions of make.py."""
import numpy as np
import pandas as pd
import xgboost
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from common import N, applicants, keep, numbered

rows, y = applicants()
labelled = rows.assign(paid=np.where(y == 1, "yes", "no"))


def pipeline(name, x=None):
    """A pipeline of scikit-learn that knows its columns."""
    x = rows if x is None else x
    words = [c for c in x if not pd.api.types.is_numeric_dtype(x[c])]
    numbers = [c for c in x if c not in words]
    m = make_pipeline(ColumnTransformer([("numbers", StandardScaler(), numbers), ("words", OneHotEncoder(sparse_output=False), words)]), LogisticRegression()).fit(x.astype({n: float for n in numbers}), y)
    made = convert_sklearn(m, initial_types=[(c, (StringTensorType if c in words else FloatTensorType)([None, 1])) for c in x], options={"zipmap": False})
    open(f"{name}.onnx", "wb").write(made.SerializeToString())
    keep(name, m.predict_proba(x)[:, 1])


def trees(name, x, kind="json"):
    """Trees of XGBoost."""
    m = xgboost.XGBClassifier(n_estimators=4, max_depth=3).fit(x, y)
    m.save_model(f"{name}.{kind}")
    keep(name, m.predict_proba(x)[:, 1])


def sheet(name, text, encoding="utf-8"):
    open(f"{name}.data.csv", "w", encoding=encoding, newline="").write(text)


pipeline("sheet-decimal-commas")
sheet("sheet-decimal-commas", labelled.to_csv(index=False, sep=";", decimal=",").replace("\n", "\r\n"))
pipeline("sheet-separator-line")
sheet("sheet-separator-line", "sep=;\r\n" + labelled.to_csv(index=False, sep=";", decimal=",").replace("\n", "\r\n"), "utf-8-sig")
pipeline("sheet-utf16")
sheet("sheet-utf16", labelled.to_csv(index=False, sep="\t"), "utf-16")
pipeline("sheet-thousands")
sheet("sheet-thousands", labelled.assign(income=rows.income.map("{:,.2f}".format), amount=rows.amount.map("{:,}".format)).to_csv(index=False))
pipeline("sheet-german-thousands")
german = str.maketrans(",.", ".,")
sheet("sheet-german-thousands", labelled.assign(income=rows.income.map(lambda v: f"{v:,.2f}".translate(german)), amount=rows.amount.map(lambda v: f"{v:,}".translate(german))).to_csv(index=False, sep=";"))
pipeline("sheet-currency")
sheet("sheet-currency", labelled.assign(income=rows.income.map("${:,.2f}".format), amount=rows.amount.map("${:,}".format)).to_csv(index=False))
pipeline("sheet-percent", rows.assign(rate=rows.months / 10))
sheet("sheet-percent", labelled.assign(rate=(rows.months / 10).map("{:.1f}%".format)).to_csv(index=False))
pipeline("sheet-quoted")
sheet("sheet-quoted", labelled.astype(str).to_csv(index=False, quoting=1))
pipeline("sheet-padded")
sheet("sheet-padded", labelled.astype({"age": str, "amount": str}).map(lambda v: f"{v:<8}" if isinstance(v, str) else v).rename(columns=lambda c: c + " ").to_csv(index=False))
truths = rows.assign(owner=rows.housing == "own").drop(columns="housing")
trees("sheet-truth-values", truths.assign(job=truths.job.astype("category").cat.codes, sex=(truths.sex == "woman")).astype(float))
sheet("sheet-truth-values", labelled.assign(owner=(rows.housing == "own").map({True: "TRUE", False: "FALSE"})).drop(columns="housing").assign(job=rows.job.astype("category").cat.codes, sex=rows.sex, paid=labelled.paid)[["age", "income", "amount", "months", "job", "sex", "owner", "paid"]].to_csv(index=False))
days = pd.to_datetime("2019-03-01") + pd.to_timedelta(rows.age * 11 + rows.months, unit="D")
since = rows.assign(opened=(days - days.min()).dt.days)
for name, form in [("sheet-dates", "%Y-%m-%d"), ("sheet-german-dates", "%d.%m.%Y"), ("sheet-times", "%Y-%m-%d %H:%M:%S")]:
    pipeline(name, since)
    sheet(name, labelled.assign(opened=days.dt.strftime(form)).to_csv(index=False))
pipeline("sheet-more-columns")
sheet("sheet-more-columns", labelled.assign(customer=[f"K-{i:05d}" for i in range(N)], branch="Main St.", note="").to_csv())
pipeline("sheet-column-missing")
sheet("sheet-column-missing", labelled.drop(columns="months").to_csv(index=False))
numbers = numbered(rows)
trees("sheet-column-missing-trees", numbers)
sheet("sheet-column-missing-trees", numbers.assign(paid=labelled.paid).drop(columns="months").to_csv(index=False))
pipeline("sheet-same-names")
sheet("sheet-same-names", labelled.assign(again=rows.income.round(-2)).to_csv(index=False).replace("again", "income", 1))
pipeline("sheet-latin1")
sheet("sheet-latin1", labelled.assign(city="Köln").to_csv(index=False), "latin-1")
pipeline("sheet-no-header")
sheet("sheet-no-header", labelled.to_csv(index=False, header=False))
pipeline("sheet-total-row")
sheet("sheet-total-row", labelled.to_csv(index=False) + f",{rows.income.sum():.2f},{rows.amount.sum()},,,,,\n")
pipeline("sheet-title")
sheet("sheet-title", f"Loans of 2024{',' * 7}\n{',' * 7}\n" + labelled.to_csv(index=False))
pipeline("sheet-delimiters-at-ends")
sheet("sheet-delimiters-at-ends", labelled.to_csv(index=False).replace("\n", ",\n"))
pipeline("sheet-units")
sheet("sheet-units", labelled.assign(months=rows.months.map("{} months".format)).to_csv(index=False))
