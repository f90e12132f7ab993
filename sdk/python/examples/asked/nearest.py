"""The share of approvals among the 15 nearest applicants."""

from applicants import applicants, encode
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import hyfair

X, y = applicants()
model = make_pipeline(encode(), KNeighborsClassifier(15)).fit(X, y)
found = hyfair.Study(model, X, y=y, protected=["sex"]).search(budget="300it")
print(found.worst)
