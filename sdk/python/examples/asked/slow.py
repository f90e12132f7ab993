"""A stand-in for TabPFN and other models that take long for a call: a small network that waits.

With the package tabpfn and its weights, ``TabPFNClassifier().fit(X, y)`` takes its place.
"""

import time

from applicants import applicants, encode
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

import hyfair

X, y = applicants()
network = make_pipeline(encode(), MLPClassifier([4], max_iter=100, random_state=1)).fit(X, y)


def scores(rows):
    time.sleep(0.05)
    return network.predict_proba(rows)


audit = hyfair.Study(scores, X, y=y, protected=["sex"], threshold=0.5).audit(groups=False)
print(audit.by_group[["group", "people", "positive", "flips"]])
