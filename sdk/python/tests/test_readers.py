"""Each case of wheels_cases.py is read as it is, or refused."""

from __future__ import annotations

import os
import unittest
import warnings

# Threads only wait for each other on so few rows.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from wheels import hold, lacking
from wheels_cases import CASES


class Readers(unittest.TestCase):
    def test_cases(self) -> None:
        missing = sorted({m for m in map(lacking, CASES) if m})
        tried = [case for case in CASES if not lacking(case)]
        for case in tried:
            with self.subTest(library=case.library, estimator=case.estimator, steps=case.steps), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                hold(case, drawn=300)
        if missing:
            self.skipTest(f"SKIPPED {len(CASES) - len(tried)} of {len(CASES)} cases: {'; '.join(missing)}")


if __name__ == "__main__":
    unittest.main()
