"""Studies in Python, compared with the program: unittest's, so that any environment with data frames runs them.

$HYFAIR is the program. sdk/python/pythontest starts them.
"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if not all(map(find_spec, ("narwhals", "pandas"))) or not os.environ.get("HYFAIR"):
    raise unittest.SkipTest("needs narwhals, pandas and $HYFAIR: go test ./sdk/python/pythontest runs it")

import numpy as np
import pandas as pd

import hyfair
from hyfair import engine
from hyfair.frames import Frame

from estimators import Deep, Linear, install

install()


def people(n=60):
    return pd.DataFrame({
        "age": [20 + i % 7 for i in range(n)],
        "sex": [("male", "female")[i % 2] for i in range(n)],
        "income": [0.5 + i / 8 for i in range(n)],
    })


def lender(**more):
    return Linear(-1.0, age=0.03, sex={"male": 0.8, "female": 0.0, "other": 0.3}, income=0.1, **more)


LABELS = ["yes" if i % 3 else "no" for i in range(60)]


def study(model=None, X=None, **given):
    return hyfair.Study(model or lender(), people() if X is None else X, **{"protected": ["sex"], "threshold": 0.55, **given})


class Answers(unittest.TestCase):
    """One study, all questions."""

    @classmethod
    def setUpClass(cls):
        cls.study = study(y=LABELS)

    def test_audit(self):
        audit = self.study.audit(max_unfair=0.01, epsilon="0.5")
        frame = audit.by_group
        self.assertEqual(list(frame["group"]), ["female", "male"])
        proba = lender().predict_proba(people())[:, 1]
        for group, rate in zip(frame["group"], frame["selection_rate"]):
            self.assertEqual(rate, np.mean(proba[people().sex == group] > 0.55))
        rates = list(frame["selection_rate"])
        self.assertEqual(audit.difference(), {"sex": rates[1] - rates[0]})
        self.assertAlmostEqual(audit.ratio()["sex"], rates[0] / rates[1])
        self.assertEqual(audit.overall["people"], 60)
        worst, rows = audit.people, audit.rows
        self.assertEqual([list(worst.columns)[:3], len(worst), len(rows)], [list(people()), 10, 60])
        self.assertTrue(np.allclose(rows["score"], proba) and rows[list(people())].equals(people()))
        self.assertEqual(set(rows["high.sex"]), {"male"})
        self.assertTrue(rows.loc[worst.index, list(worst)].equals(worst))
        self.assertIs(audit.check(), audit)
        with self.assertRaisesRegex(hyfair.CheckFailed, "max-unfair"):
            self.study.audit(max_unfair=0.01).check()
        with self.assertRaisesRegex(hyfair.StudyError, "no bound to check"):
            self.study.audit().check()

    def test_certify(self):
        verdict = self.study.certify()
        self.assertIs(verdict.fair, False)
        self.assertEqual(list(verdict.pair.columns), ["age", "sex", "income", "score"])
        self.assertEqual(set(verdict.pair["sex"]), {"male", "female"})
        # The two people are scored by the model itself as hyfair says.
        self.assertTrue(np.allclose(lender().predict_proba(verdict.pair)[:, 1], verdict.pair["score"], atol=1e-12))
        with self.assertRaises(hyfair.CheckFailed):
            verdict.check()
        self.assertIs(self.study.certify(epsilon="0.5").fair, True)
        each = study(protected=["sex", "age"]).certify(protected="each")
        self.assertEqual([q.verdict for q in each.questions], ["fair", "unfair"])
        self.assertEqual([q.protected for q in each.questions], [["age"], ["sex"]])

    def test_quantify_and_search(self):
        self.assertLess(self.study.quantify(epsilon="0.5").interval.hi, 1e-9)
        self.assertEqual(self.study.quantify(groups=True).attributes[0].name, "sex")
        found = self.study.search(budget="200it", solver="none")
        self.assertEqual(found.worst["score"].max() - found.worst["score"].min(), found.best.gap)
        near = self.study.search(budget="200it", solver="none", near="0.1")
        self.assertEqual([near.near, near.near_rows], ["0.1", 60])
        self.assertIn("independent", self.study.quantify(population="independent").population)

    def test_shows_itself(self):
        audit = self.study.audit()
        page = audit._repr_html_()
        self.assertIn("<main", page)
        self.assertNotIn("<script", page)
        self.assertEqual(re.findall(r":root|(?:^|[\s}])body \{", page), [])
        self.assertIn("60", str(audit))
        self.assertEqual(json.loads(audit.to_json()), audit.to_dict())
        self.assertIn("<svg", audit.plot()._repr_html_())
        self.assertIn("sex: female, male (the texts in the rows)", repr(self.study))
        self.assertIn("60 rows and 10,000 made-up people", self.study._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            for end in ("html", "txt", "json"):
                self.assertTrue(audit.save(Path(folder) / f"a.{end}").stat().st_size)

    def test_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            made = study(y=LABELS)
            temporary = made.folder
            made.save(Path(folder) / "lender")
            self.assertFalse(temporary.exists())
            with self.assertRaisesRegex(hyfair.StudyError, "not empty"):
                self.study.save(folder)
            loaded = hyfair.load(Path(folder) / "lender")
            # In the file's folder, as a shell would: the same command, the same JSON but for times.
            for command, flags in (("audit", {"groups": True}), ("certify", {})):
                said = loaded.command(command, **flags).split()[1:]
                out = subprocess.run([engine.program(), *said, "--json"], capture_output=True, check=True, text=True)
                got = loaded._ask(getattr(hyfair.results, {"audit": "Audit", "certify": "Verdict"}[command]), command, flags)
                self.assertEqual(timeless(json.loads(out.stdout)), timeless(got.to_dict()))
            self.assertTrue(got.to_dict()["input_check"]["checked"])
            study(where={"sex": "male"}).save(Path(folder) / "men")
            men = hyfair.load(Path(folder) / "men")
            self.assertEqual([men.audit().overall["people"], men.audit(where={}).overall["people"]], [30, 60])
            with self.assertRaisesRegex(hyfair.StudyError, "is a file"):
                hyfair.load(Path(folder) / "lender" / "study.yaml").save(Path(folder) / "other")
            self.assertEqual(timeless(made.audit().to_dict()), timeless(loaded.audit().to_dict()))

    def test_an_interrupt_gives_what_is_known(self):
        # The program is asked to stop as soon as it has begun; what it knew by then is the answer.
        deep = long()
        show, began = engine._Line.show, threading.Event()

        def stop(line, text):
            if text and not began.is_set():
                began.set()
                signal.raise_signal(signal.SIGINT)

        engine._Line.show = stop
        try:
            result = deep.quantify(samples=0)
        finally:
            engine._Line.show = show
        self.assertTrue(result.interrupted)
        self.assertGreater(result.interval.hi - result.interval.lo, 0)
        self.assertEqual(subprocess.run(["pgrep", "-f", str(deep.folder)], capture_output=True).stdout, b"")


    def test_sigterm_leaves_nothing(self):
        code = """
import sys, test_study
test_study.engine._Line.show = lambda line, text: text and print("began", flush=True)
test_study.long().quantify(samples=0)
"""
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent,
                                       env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder})
            self.assertEqual(process.stdout.readline(), "began\n")
            process.terminate()
            process.communicate()
            self.assertEqual([process.returncode, os.listdir(folder)], [-signal.SIGTERM, []])
            self.assertEqual(subprocess.run(["pgrep", "-f", folder], capture_output=True).stdout, b"")

    def test_times(self):
        for given, want in ((5, "5s"), (0.25, "0.25s"), (timedelta(minutes=1), "60s"), ("1m30s", "1m30s"), (0, "0s")):
            self.assertEqual(self.study._arguments("certify", {"timeout": given})[2:], ["--timeout", want])
        self.assertEqual(self.study._arguments("search", {"budget": "20it"})[3], "20it")
        for wrong in ("soon", "5", -1, True, math.nan, "20it"):
            with self.assertRaisesRegex(hyfair.StudyError, "timeout=.*: want seconds, such as 60, or a time such as '60s'"):
                self.study.certify(timeout=wrong)


def long():
    """A study whose shares take long to prove."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"x{i}": rng.integers(-9, 10, size=50) for i in range(12)})
    X["sex"] = ["male", "female"] * 25
    return study(Deep(), X, notion="decision")


def timeless(answer):
    """The answer without times and names of runs."""
    if isinstance(answer, dict):
        return {k: timeless(v) for k, v in answer.items() if k not in ("seconds", "run", "journal")}
    return [timeless(v) for v in answer] if isinstance(answer, list) else answer


class Frames(unittest.TestCase):
    """Kinds of frames, and what is drafted from their columns."""

    def test_every_kind_gives_the_same_study(self):
        want = None
        X = people()
        kinds = {"pandas": lambda: X}
        if find_spec("polars"):
            import polars
            kinds["polars"] = lambda: polars.from_pandas(X) if find_spec("pyarrow") else polars.DataFrame(X.to_dict("list"))
            kinds["lazy"] = lambda: kinds["polars"]().lazy()
        if find_spec("pyarrow"):
            import pyarrow
            kinds["pyarrow"] = lambda: pyarrow.table(X.to_dict("list"))
        if find_spec("duckdb") and find_spec("pyarrow"):
            import duckdb
            kinds["duckdb"] = lambda: duckdb.from_df(X)
        kinds["nullable"] = lambda: X.astype({"age": "Int64", "sex": "string", "income": "Float64"})
        kinds["categorical"] = lambda: X.astype({"sex": "category"})
        for kind, made in kinds.items():
            with self.subTest(kind):
                one = study(X=made(), y=LABELS)
                files = {f: (one.folder / f).read_text() for f in ("study.yaml", "rows.csv", "model.json")}
                want = want or files
                self.assertEqual(files, want)
                frame = one.audit().by_group
                self.assertEqual(list(frame["group"]), ["female", "male"])
                if kind in ("pandas", "polars"):
                    self.assertEqual(type(frame).__module__.split(".")[0], kind)

    def test_arrays(self):
        X = np.column_stack([np.arange(20, 60), np.linspace(0, 1, 40), np.arange(40) % 2])
        one = hyfair.Study(Linear(-1, age=0.02, income=0.3, sex=0.5), X, columns=["age", "income", "sex"], protected=["sex"])
        self.assertIn("age: {integer: 20..59", (one.folder / "study.yaml").read_text())
        self.assertIs(one.certify().fair, False)

    def test_domains(self):
        cases = [
            ([1, 2, 5], None, "integer", (1, 2, 3, 4, 5)),
            ([1.0, 4.0, 2.0], None, "integer", (1.0, 2.0, 3.0, 4.0)),
            ([0.5, 1.0], None, "real", ()),
            ([True, False], None, "category", (False, True)),
            (["b", "a"], None, "category", ("a", "b")),
            ([0, 20_000], None, "integer", ()),
            ([1, 2], (0, 3), "integer", (0, 1, 2, 3)),
            ([1, 2**53], None, "real", ()),
            ([1, 2], range(0, 3), "integer", (0, 1, 2)),
            ([1, 2], [2, 1, 3], "category", (2, 1, 3)),
            ([1, 2], (0.5, 3), "real", ()),
            (["b", "a"], ["b", "a", "c"], "category", ("b", "a", "c")),
            (pd.Categorical(["b", "a"], categories=["z", "b", "a"]), None, "category", ("z", "b", "a")),
            (pd.array([1, None, 3], dtype="Int64"), None, "integer", (1, 2, 3)),
            ([1.0, math.nan], None, "integer", (1.0,)),
            (pd.Series([True, None], dtype="object"), None, "category", (False, True)),
        ]
        for cells, given, kind, values in cases:
            with self.subTest(cells=cells, given=given):
                column, _ = Frame(pd.DataFrame({"x": cells})).column("x", given)
                self.assertEqual((column.kind, tuple(column.values)), (kind, values))
                self.assertEqual(column.missing, bool(pd.isna(pd.Series(cells)).any()))

    def test_made_up_rows_have_the_types_of_the_frame(self):
        frame = Frame(pd.DataFrame({
            "a": pd.Categorical(["b", "a"], categories=["z", "b", "a"]), "b": pd.array([1, None], dtype="Int64"),
            "c": [0.5, 1.0], "d": [True, False], "e": pd.array(["x", None], dtype="string"), "f": np.array([1, 2], dtype="int8"),
        }))
        drawn = frame.made_up([frame.column(n)[0] for n in "abcdef"], 500, 1).to_native()
        self.assertEqual(list(drawn.dtypes), list(frame.for_model().dtypes))
        self.assertEqual(set(drawn["a"]), {"z", "b", "a"})
        self.assertEqual((drawn["b"].isna().any(), drawn["e"].isna().any(), drawn["f"].isna().any()), (True, True, False))

    def test_missing_values(self):
        X = people()
        X["sex"] = X["sex"].where(X.index % 5 > 0, None)
        X["age"] = X["age"].where(X.index % 7 > 0)
        one = study(Missing(-1.0, age=0.03, sex={"male": 0.8, "female": 0.0, None: 0.4}, income=0.1), X)
        text = (one.folder / "study.yaml").read_text()
        self.assertIn("sex: {categories: [female, male, missing]", text)
        self.assertIn("age: a missing value counts as 23, as the model's own steps fill it", one.guesses)
        self.assertIn("sex: a missing value is the category missing", one.guesses)
        self.assertEqual(one.audit().summary.people, 60)

    def test_the_question(self):
        one = study(
            domains={"age": (18, 30), "sex": ["male", "female", "other"]}, constraints={"young": {"age": (None, 19), "sex": "other"}},
            where={"age": (20, 25)}, epsilon=0.1, notion="score", favourable="no", weights=[1.0] * 60, y=pd.Series(LABELS, name="paid"),
            threshold={"sex": {"male": 0.6, "female": 0.5, "other": 0.5}})
        text = (one.folder / "study.yaml").read_text()
        for want in ("age: {integer: 18..30", 'young: {forbid: "age=..19,sex=other"}', "epsilon: 0.1", "\"yes\": low", "weight: weight",
                     "label: {column: paid, positive: [yes]}".replace("[yes]", '["yes"]'), "threshold: {sex: {male: 0.6, female: 0.5, other: 0.5}}"):
            self.assertIn(want, text)
        self.assertIn("age=20..25", repr(one))
        self.assertEqual(one.audit().where, "age=20..25")
        bands = study(threshold={"A": 0.8, "B": 0.55, "C": 0})
        self.assertIs(bands.certify().fair, False)
        scores = lender().predict_proba(people())[:, 1]
        self.assertAlmostEqual(study(threshold={"A": 0.6, "B": 0}).audit().overall["selection_rate"], np.mean(scores >= 0.6))
        # A question may have another threshold.
        by_sex = {"sex": {"male": 0.7, "female": 0.5}}
        self.assertEqual(study().audit(threshold=by_sex).overall, study(threshold=by_sex).audit().overall)
        self.assertEqual(study().audit(threshold={"A": 0.6, "B": 0}).overall, study(threshold={"A": 0.6, "B": 0}).audit().overall)

    def test_values_of_categories(self):
        # As users have them, whatever they are as text; the program would take 0 for the first.
        X = people().assign(
            sex=["male", " fe,male "] * 30, own=[True, False, False] * 20, grade=[2, 3, 4, 0, 1, 3] * 10, code=["0", "", "1|2"] * 20)
        X["score"] = X.pop("income")
        model = Linear(-1.0, age=0.03, sex={"male": 0.8, " fe,male ": 0.0}, own={True: 0.5, False: 0.0},
                       grade=dict(zip([4, 3, 2, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5])), code={"0": 0.1, "": 0.2, "1|2": 0.3}, score=0.1)
        one = study(model, X, protected={"sex": None, "own": None, "code": ["", "1|2"]}, domains={"grade": [4, 3, 2, 1, 0]},
                    threshold={"own": {True: 0.6, False: 0.7}})
        for where in ({"sex": " fe,male "}, {"own": True}, {"grade": 3}, {"grade": [0, 1]}, {"code": "1|2"}, {"code": ""}, {"age": range(21, 24)}):
            (name, value), = where.items()
            want = X[name].isin(value if isinstance(value, (list, range)) else [value]).sum()
            self.assertEqual(one.audit(where=where, groups=False).overall["people"], want, where)
        for wrong in (dict(where={"grade": 5}), dict(protected={"grade": [5]}), dict(constraints={"c": {"grade": 5}}),
                      dict(threshold={"grade": {5: 0.3}}, protected=["grade"])):
            with self.assertRaisesRegex(hyfair.StudyError, "'grade' has no value 5: it has 4, 3, 2, 1, 0"):
                study(model, X, domains={"grade": [4, 3, 2, 1, 0]}, **wrong)
        pair = one.certify().pair
        self.assertEqual(list(pair.dtypes[list(X)]), list(X.dtypes))
        self.assertTrue(np.allclose(model.predict_proba(pair)[:, 1], pair["score_"], atol=1e-12))


class Missing(Linear):
    """It fills a missing age with 23."""

    __module__ = "linear"

    def term(self, name, cell):
        gone = cell is None or cell != cell
        return super().term(name, (23 if name == "age" else None) if gone else cell)


class BadInput(unittest.TestCase):
    """What a new user would give: one exception each, with its remedy."""

    def test_refused(self):
        X = people()
        twice = pd.concat([X, X[["age"]]], axis=1)
        cases = [
            ("add the column to X", dict(protected=["gender"]), hyfair.StudyError),
            ("name the columns that must not matter", dict(protected=None), hyfair.StudyError),
            ("give one", dict(sensitive_features=["sex"]), hyfair.StudyError),
            ("several columns named age: rename", dict(X=twice), hyfair.StudyError),
            ("mixes types", dict(X=X.assign(age=[1, "two"] * 30)), hyfair.StudyError),
            ("no value in any row", dict(X=X.assign(age=np.nan)), hyfair.StudyError),
            ("infinite values", dict(X=X.assign(age=[1, np.inf] * 30)), hyfair.StudyError),
            ("holds dates", dict(X=X.assign(age=pd.Timestamp("2020-01-01"))), hyfair.StudyError),
            ("has no rows", dict(X=X.head(0)), hyfair.StudyError),
            ("want a data frame", dict(X={"a": 1}), hyfair.StudyError),
            ("give columns=", dict(X=X[["age", "income"]].to_numpy()), hyfair.StudyError),
            ("as X.columns = X.columns.astype", dict(X=X.rename(columns={"age": 3})), hyfair.StudyError),
            ("which is no column of X", dict(domains={"agee": (1, 2)}), hyfair.StudyError),
            ("leaves out 20, which is in the rows: widen", dict(domains={"age": (21, 90)}), hyfair.StudyError),
            ("y has 59 values, but X has 60 rows", dict(y=LABELS[1:]), hyfair.StudyError),
            ("y never is 'yes'", dict(y=[0, 1] * 30), hyfair.StudyError),
            ("y='paid' is a text", dict(y="paid"), hyfair.StudyError),
            ("weights has -1.0: want numbers from 0", dict(weights=[-1.0] * 60), hyfair.StudyError),
            ("sample_weight= mean the same: give one", dict(weights=[1.0] * 60, sample_weight=[1.0] * 60), hyfair.StudyError),
            ("weights has missing values", dict(weights=[math.nan] * 60), hyfair.StudyError),
            ('want "high" or "low"', dict(favourable="good"), hyfair.StudyError),
            ("is no model that hyfair reads", dict(model=object()), hyfair.ModelNotReadable),
            ("is a class, not a fitted model", dict(model=Linear), hyfair.ModelNotReadable),
            ("several outputs", dict(model=Several(-1, age=1)), hyfair.ModelNotReadable),
            ("want a number; look for missing", dict(model=lender(shift=math.nan)), hyfair.DisagreesWithModel),
            ("notion", dict(notion="scores"), hyfair.StudyError),
            ("has other values than the column 'age'", dict(protected=None, sensitive_features=X["age"] > 22), hyfair.StudyError),
            ("'sex' has one value in X, so nothing is compared", dict(X=X.assign(sex="male")), hyfair.StudyError),
            ("'age' has one value in X", dict(X=X.assign(age=30), protected=["age"]), hyfair.StudyError),
            ("name those that are compared", dict(protected=["income"]), hyfair.StudyError),
            ("two kinds, None and nan", dict(X=X.assign(sex=pd.Series(["male", None, np.nan] * 20, dtype=object))), hyfair.StudyError),
            ("protected= does not name it", dict(threshold={"age": {20: 0.5}}), hyfair.StudyError),
            ("want a mapping such as", dict(where=["age"]), hyfair.StudyError),
        ]
        for want, given, kind in cases:
            with self.subTest(want):
                with self.assertRaisesRegex(kind, re.escape(want)) as caught:
                    study(**given)
                self.assertIs(type(caught.exception), kind)
                self.assertNotIn("\n\n", str(caught.exception))

    def test_a_column_that_the_model_does_not_use_may_be_anything(self):
        one = study(X=people().assign(note=pd.Timestamp("2020-01-01"), id=range(60)))
        self.assertIn("left out, since the model does not use them: note, id", one.guesses)

    def test_a_model_gets_the_columns_of_its_fit(self):
        model = lender()
        model.feature_names_in_ = np.array(["income", "age"])
        model.weights = {"income": 0.1, "age": 0.03}
        model.predict_proba = lambda frame: self.assertEqual(list(frame), ["income", "age"]) or Linear.predict_proba(model, frame)
        audit = study(model).audit()
        self.assertEqual((audit.overall["flips"], len(audit.by_group)), (0.0, 2))
        model.feature_names_in_ = ["income", "years"]
        with self.assertRaisesRegex(hyfair.StudyError, "X lacks years, which the model was fitted with"):
            study(model)
        model = lender()
        model.feature_names_in_ = ["feature_0", "feature_1", "feature_2"]  # those of a model of an array
        study(model)

    def test_decisions_are_those_of_predict(self):
        model = lender()
        model.predict = lambda frame: np.where(model.predict_proba(frame)[:, 1] > 0.6, "yes", "no")
        with self.assertRaisesRegex(hyfair.StudyError, "Linear.predict decides for [0-9]+ of 60 rows otherwise than scores above 0.5 do: give threshold="):
            study(model, threshold=None)
        study(model, threshold=0.6)
        model.predict = lambda frame: np.where(model.predict_proba(frame)[:, 1] > 0.5, "yes", "no")
        study(model, threshold=None)

    def test_disagrees(self):
        with self.assertRaisesRegex(hyfair.DisagreesWithModel, "other scores for 60 of 60 rows, by up to 0.1") as caught:
            study(lender(shift=0.1))
        rows = caught.exception.rows
        self.assertEqual(list(rows.columns), ["age", "sex", "income", "model_score", "copy_score"])
        self.assertEqual(list(rows["age"]), list(people()["age"][:10]))

    def test_decisions_at_the_threshold(self):
        # A score of 0.55 in the model is 0.55 less 1e-9 in the copy: the same score, another decision.
        score = float(lender().predict_proba(people())[7, 1])
        model = lender(shift=1e-9)
        with self.assertRaisesRegex(hyfair.DisagreesWithModel, "but for rounding, and yet 1 of 60 rows get another decision") as caught:
            study(model, threshold=score + 5e-10)
        study(model, threshold=re.search(r"threshold=([0-9.]+)", str(caught.exception)).group(1))

    def test_ties_by_rounding(self):
        score = float(lender().predict_proba(people())[7, 1])
        one = study(lender(shift=1e-13), threshold=score + 5e-14)
        self.assertIn("all decisions are equal, but for 1 of the rows", repr(one))

    def test_filled(self):
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        x = people()[["age", "income"]].assign(sex=(people()["sex"] == "male").astype(int), income=lambda f: f["income"] + 0.25)
        x.loc[::7, "income"] = np.nan
        for how, filled in ((SimpleImputer(), "income: a missing value counts as "), (SimpleImputer(strategy="constant", fill_value=-3.5), "counts as -3.5")):
            model = make_pipeline(how, StandardScaler(), LogisticRegression()).fit(x, x["age"] > 23)
            one = study(model, X=x, y=None)
            self.assertIn(filled, "\n".join(one.guesses))
            self.assertEqual(one.audit().overall["people"], len(x))

    def test_no_program(self):
        before = os.environ["HYFAIR"]
        try:
            os.environ["HYFAIR"] = "/no/such/file"
            with self.assertRaisesRegex(hyfair.ProgramNotFound, "is not a file"):
                engine.program()
        finally:
            os.environ["HYFAIR"] = before

    def test_the_programs_own_sentence(self):
        with self.assertRaisesRegex(hyfair.StudyError, 'unknown flag: --budgets'):
            study().certify(budgets="3s")


class Several(Linear):
    """Its predict_proba is a list, as of a classifier of several outputs."""

    __module__ = "linear"

    def predict_proba(self, frame):
        return [super().predict_proba(frame)] * 2


class Package(unittest.TestCase):
    def test_import_is_lazy(self):
        code = "import sys, hyfair, hyfair.plugin.space; print([m for m in ('narwhals', 'pandas', 'hyfair.answers') if m in sys.modules])"
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        self.assertEqual(out.stdout, "[]\n")


if __name__ == "__main__":
    unittest.main()
