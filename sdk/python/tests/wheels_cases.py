"""The estimators, of all libraries, that wheels.py compares with their copies."""

from __future__ import annotations

from typing import List

import libs_cases
import sklearn_cases
from wheels import Case

CASES: List[Case] = [*sklearn_cases.CASES, *libs_cases.CASES]
