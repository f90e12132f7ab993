"""Five boosted models, each with a calibration of its own, and their mean."""

from applicants import applicants, encode
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import make_pipeline

import hyfair

X, y = applicants()
model = make_pipeline(encode(), CalibratedClassifierCV(GradientBoostingClassifier(n_estimators=10))).fit(X, y)
audit = hyfair.Study(model, X, y=y, protected=["sex"]).audit(groups=False)
print(audit.by_group[["group", "people", "positive", "flips"]])
