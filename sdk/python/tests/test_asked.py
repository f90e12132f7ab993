"""Models that are asked and not read, compared with the program: unittest's, as test_study.py is.

$HYFAIR is the program. sdk/python/pythontest starts them.
"""

import glob
import math
import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "asked"
if not all(map(find_spec, ("narwhals", "pandas", "grpc"))) or not os.environ.get("HYFAIR"):
    raise unittest.SkipTest("needs narwhals, pandas, grpcio and $HYFAIR: go test ./sdk/python/pythontest runs it")

import numpy as np
import pandas as pd

import hyfair
from estimators import Points, install

install()


def people(n=24):
    return pd.DataFrame({
        "age": [20 + i % 7 for i in range(n)],
        "sex": [("male", "female")[i % 2] for i in range(n)],
        "income": [0.5 + i / 3 for i in range(n)],
    })


def study(ask=None, X=None, **given):
    return hyfair.Study(ask or Points().predict_proba, people() if X is None else X, **{"protected": ["sex"], "threshold": 0.5, **given})


def later(trouble, calls=3):
    """A model that gets into trouble in one of its later calls, after those that try it."""
    asked = []

    def scores(frame):
        asked.append(len(frame))
        return trouble(frame) if len(asked) >= calls else Points().predict_proba(frame)

    return scores


def cells(frame):
    """The rows of a frame of polars or pyarrow."""
    return frame.to_pylist() if hasattr(frame, "to_pylist") else frame.to_dicts()


def same(answer):
    """The answer without what says how the model was reached, what that cost, and when."""
    if isinstance(answer, dict):
        return {k: same(v) for k, v in answer.items() if k not in HOW and not k.startswith("T.")}
    return [same(v) for v in answer] if isinstance(answer, list) else answer


HOW = {"seconds", "run", "journal", "model", "observed", "input_check"}


class Asks(unittest.TestCase):
    def setUp(self):
        self.before = set(glob.glob(tempfile.gettempdir() + "/py*"))

    def tearDown(self):
        self.assertEqual(set(glob.glob(tempfile.gettempdir() + "/py*")), self.before, "a socket is left")

    def test_the_same_as_the_native_reading(self):
        X, y = people(), ["yes" if i % 3 else "no" for i in range(24)]
        native, asked = (hyfair.Study(m, X, y=y, protected=["sex"]) for m in (Points(), Points().predict_proba))
        self.assertIn("the model itself is asked; it gave the first 24 rows the same scores twice", repr(asked))
        for name, flags in (("audit", {}), ("search", {"budget": "60it", "seed": 3, "solver": "none"}), ("explain", {"budget": "200ev", "seed": 3, "strategy": "sa", "samples": 300, "test": 100})):
            with self.subTest(name):
                one, other = (getattr(s, name)(**flags).to_dict() for s in (native, asked))
                self.assertEqual(same(one), same(other))
        self.assertIn("bserved", str(asked.audit()))

    def test_nothing_is_proved(self):
        with self.assertRaisesRegex(hyfair.StudyError, "observed"):
            study().certify()

    def test_frames(self):
        X = people().assign(
            job=pd.Categorical(["b", "a"] * 12, categories=["z", "b", "a"]), own=[True, False] * 12, kids=pd.array([1, None, 2] * 8, dtype="Int8"))
        kinds = [X]
        if find_spec("polars") and find_spec("pyarrow"):
            import polars
            import pyarrow

            kinds += [polars.from_pandas(X), pyarrow.Table.from_pandas(X)]
        for frame in kinds:
            with self.subTest(type(frame)):
                seen = []
                study(lambda rows: seen.append(rows) or [0.5] * len(rows), frame)
                self.assertEqual({type(s) for s in seen}, {type(frame)})
                if frame is X:
                    pd.testing.assert_frame_equal(seen[0][::-1].reset_index(drop=True), seen[1])
                else:
                    self.assertEqual((seen[0].schema, cells(seen[0])[::-1]), (seen[1].schema, cells(seen[1])))
        seen = []
        A = np.array([[20, 0.5, 1], [30, 0.25, 0]], dtype="float32")
        study(lambda rows: seen.append(rows) or rows[:, 2], A, columns=["age", "income", "sex"])
        self.assertEqual({(type(s), s.dtype) for s in seen}, {(np.ndarray, np.dtype("float32"))})
        # Columns that the model was not fitted to are not handed over.
        model = Points()
        model.feature_names_in_ = ["age", "sex", "income"]
        study(model.predict_proba, people().assign(origin="north", note=pd.Timestamp("2020-01-01")))

    def test_what_a_callable_may_give(self):
        for give in (lambda f: f["sex"].map({"male": 0.0, "female": 0.5}), lambda f: [0.5 * (s == "female") for s in f["sex"]],
                     lambda f: np.stack([1 - 0.5 * (f["sex"] == "female"), 0.5 * (f["sex"] == "female")], axis=1),
                     lambda f: pd.DataFrame({"no": 1.0, "yes": 0.5 * (f["sex"] == "female")})):
            self.assertEqual(study(give, threshold=0.4).audit().overall["selection_rate"], 0.5)

    def test_trouble(self):
        cases = [
            (lambda f: [math.nan] * len(f), "score of row 0 of [0-9]+ is nan: want a probability from 0 to 1"),
            (lambda f: [0.5] * (len(f) + 1), "the model gives [0-9]+ scores for [0-9]+ rows: want one for each"),
            (lambda f: np.ones((len(f), 3)), "the model gives 3 numbers a row"),
            (lambda f: None, "the model gives None: want one probability for each row"),
            (lambda f: ["yes"] * len(f), "want one probability for each row"),
        ]
        for trouble, says in cases:
            for ask in (trouble, later(trouble)):
                with self.subTest(says), self.assertRaisesRegex(hyfair.StudyError, says):
                    study(ask).audit()
        with self.assertRaisesRegex(hyfair.DisagreesWithModel, "24 of 24 rows other scores when it is asked again") as caught:
            study(lambda f: np.arange(len(f)) / len(f))
        self.assertEqual(list(caught.exception.rows.columns), ["age", "sex", "income"])

    def test_an_exception_is_the_callables_own(self):
        with self.assertRaisesRegex(KeyError, "salary") as caught:
            study(later(lambda f: f["salary"])).audit()
        self.assertIsInstance(caught.exception.__cause__, hyfair.Error)
        self.assertIn("the model raised KeyError", str(caught.exception.__cause__))

    def test_an_interrupt_gives_what_is_known(self):
        interrupted = []

        def interrupts(frame):
            if not interrupted:
                interrupted.append(threading.current_thread())
                signal.raise_signal(signal.SIGINT)
            return Points().predict_proba(frame)

        one = study(later(interrupts, 9))
        result = one.search(budget="100000it", solver="none")
        self.assertTrue(result.interrupted)
        self.assertEqual(interrupted, [threading.main_thread()])
        self.assertEqual(subprocess.run(["pgrep", "-f", str(one.folder)], capture_output=True).stdout, b"")

    def test_refusals(self):
        one = study()
        with self.assertRaisesRegex(hyfair.StudyError, "hyfair plugin new model NAME --language python"):
            one.save("/tmp/none")
        self.assertEqual(list(one.folder.glob("model*")), [])  # it is there while a command runs
        with mock.patch.dict(sys.modules, {"hyfair.plugin.serve.attached": None}):
            with self.assertRaisesRegex(hyfair.ModelNotReadable, re.escape("pip install 'hyfair[plugin]'")):
                study()

        class Three(Points):
            classes_ = ["no", "yes", "maybe"]

        with self.assertRaisesRegex(hyfair.ModelNotReadable, "Three has 3 classes: hyfair asks models of two"):
            study(Three().predict_proba)


@unittest.skipUnless(find_spec("sklearn"), "SKIPPED: no scikit-learn")
class Estimators(unittest.TestCase):
    """Which estimators are read, which asked, and which only if the user says so."""

    def test_who_is_asked(self):
        from sklearn.ensemble import GradientBoostingClassifier, VotingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import SVC

        X = people().assign(sex=lambda f: (f["sex"] == "male").astype(int))
        y = (X["age"] + 3 * X["sex"] > 24).astype(int)
        self.assertNotIn("asked", repr(study(LogisticRegression().fit(X, y), X, threshold=None)))
        with self.assertRaisesRegex(hyfair.ModelNotReadable, "SVC gives no probabilities: put it into CalibratedClassifierCV"):
            study(SVC().fit(X, y), X)
        votes = VotingClassifier([(n, GradientBoostingClassifier(n_estimators=2, random_state=1)) for n in "ab"], voting="soft").fit(X, y)
        with self.assertRaisesRegex(hyfair.ModelNotReadable, re.escape("hyfair.Study(model.predict_proba, X, …)")):
            study(votes, X)
        self.assertIn("the model itself is asked", repr(study(votes.predict_proba, X, y=y, threshold=None)))

    def test_examples(self):
        with mock.patch.object(sys, "path", [str(EXAMPLES), *sys.path]), mock.patch("builtins.print") as said, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for path in sorted(EXAMPLES.glob("*.py")):
                if path.name == "applicants.py":
                    continue
                with self.subTest(path.name):
                    said.reset_mock()
                    runpy.run_path(str(path))
                    self.assertGreaterEqual(len(said.call_args.args[0]), 2)


if __name__ == "__main__":
    unittest.main()
