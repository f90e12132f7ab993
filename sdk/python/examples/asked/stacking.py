"""A model of the scores of two others."""

from applicants import applicants, encode
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import hyfair

X, y = applicants()
parts = [("forest", RandomForestClassifier(10, max_depth=4, random_state=1)), ("line", LogisticRegression())]
model = make_pipeline(encode(), StackingClassifier(parts, cv=3)).fit(X, y)
audit = hyfair.Study(model, X, y=y, protected=["sex"]).audit(groups=False)
print(audit.by_group[["group", "people", "positive", "flips"]])
