"""Each case of wheels_cases.py is read as it is, or refused."""

from __future__ import annotations

import os
import re
import unittest
import warnings

# Threads only wait for each other on so few rows.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hyfair.models import ModelNotReadable, read
from libs_cases import evaluate
from sklearn_cases import made, people, tree
from wheels import Case, columns_of, hold, lacking
from wheels_cases import CASES


class Readers(unittest.TestCase):
    def test_cases(self) -> None:
        missing = sorted({m for m in map(lacking, CASES) if m})
        tried = [case for case in CASES if not lacking(case)]
        for case in tried:
            with self.subTest(library=case.library, estimator=case.estimator, steps=case.steps), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                hold(case, drawn=300, evaluate=evaluate)
        if missing:
            self.skipTest(f"SKIPPED {len(CASES) - len(tried)} of {len(CASES)} cases: {'; '.join(missing)}")

    def test_isotonic(self) -> None:
        """The refusal names the threshold at which the model inside decides as the calibrated one."""
        cases = [c for c in CASES if c.refused and "isotonic" in c.estimator]
        self.assertEqual(len(cases), 2)
        if lacking(cases[0]):
            self.skipTest(lacking(cases[0]))
        from sklearn.pipeline import make_pipeline

        for case in cases:
            estimator, x = case.build()
            with self.subTest(case.estimator), self.assertRaises(ModelNotReadable) as refused:
                read(estimator, columns_of(x))
            found = re.search(r"decisions alone: hyfair\.Study\((.*), …, threshold=([0-9.]+)\)", str(refused.exception))
            assert found, refused.exception
            inside = eval(found[1], {"model": estimator, "make_pipeline": make_pipeline})
            decided = inside.predict_proba(x)[:, 1] > float(found[2])
            self.assertEqual((estimator.predict(x) == estimator.classes_[1]).tolist(), decided.tolist())
            read(inside, columns_of(x))

    @unittest.skipIf(lacking(Case("scikit-learn", "FixedThresholdClassifier", "", people, since="1.5")), "SKIPPED: no FixedThresholdClassifier")
    def test_at(self) -> None:
        """A score equal to the threshold of a threshold classifier is a yes, and so is it in the copy."""
        x, y = people(numbers=True)
        threshold = float(tree().fit(x, y).predict_proba(x)[0, 1])
        estimator = made("model_selection.FixedThresholdClassifier", estimator=tree, threshold=threshold)().fit(x, y)
        copy = read(estimator, columns_of(x))
        self.assertEqual(copy.threshold, threshold)
        self.assertEqual(copy.at, (estimator.predict(x) == "yes")[0])


if __name__ == "__main__":
    unittest.main()
