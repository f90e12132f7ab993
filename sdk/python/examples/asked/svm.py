"""A support vector machine, whose decision is a sum of kernels."""

from applicants import applicants, encode
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import hyfair

X, y = applicants()
model = make_pipeline(encode(), CalibratedClassifierCV(SVC(), ensemble=False)).fit(X, y)  # pyright: ignore[reportArgumentType]  # stubs say str
audit = hyfair.Study(model, X, y=y, protected=["sex"], threshold=0.5).audit(groups=False)
print(audit.by_group[["group", "people", "positive", "flips"]])
