"""Writes what fairlearn and AIF360 say of the groups of studies/loan, metrics.json beside this file, from the folder of the
sources:

    hyfair audit studies/loan --threshold 0.7 --rules none --out people.csv
    python host/internal/answer/audit/testdata/metrics.py people.csv

A row's weight is 1 + its number modulo 5. "low" has the label 0 as the favourable one. Frozen with fairlearn 0.15.0,
aif360 0.6.1, scikit-learn 1.9.1, numpy 2.4.6, pandas 3.1.1."""
import json
import pathlib
import sys

import pandas as pd
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import ClassificationMetric
from fairlearn import metrics

people = pd.read_csv(sys.argv[1]).sort_values("index")
people = people[people["skipped"].isna()]
approved = pd.read_csv("studies/loan/applicants.csv")["approved"]
people["approved"] = approved[people["index"]].to_numpy()
people["decision"] = (people["positive"] == "yes").astype(int)
people["weight"] = 1 + people["index"] % 5
RATES = {"selection": metrics.selection_rate, "true_positive": metrics.true_positive_rate, "false_positive": metrics.false_positive_rate}


def precision(y_true, y_pred, sample_weight=None):
    """scikit-learn's precision, by the name that MetricFrame passes weights by."""
    from sklearn.metrics import precision_score

    return precision_score(y_true, y_pred, sample_weight=sample_weight)


def fairlearn(truth, decision, groups, weight):
    params = {"sensitive_features": groups}
    named = {**RATES, "precision": precision}
    of = {} if weight is None else {"sample_params": {name: {"sample_weight": weight} for name in named}}
    frame = metrics.MetricFrame(metrics=named, y_true=truth, y_pred=decision, **params, **of)
    more = {} if weight is None else {"sample_weight": weight}
    return {
        "groups": {(k if isinstance(k, str) else ", ".join(k)): {n: float(v) for n, v in row.items()} for k, row in frame.by_group.iterrows()},
        "impact_ratio": float(metrics.demographic_parity_ratio(truth, decision, **params, **more)),
        "difference": float(metrics.demographic_parity_difference(truth, decision, **params, **more)),
        "equal_opportunity_difference": float(metrics.equal_opportunity_difference(truth, decision, **params, **more)),
        "equalized_odds_difference": float(metrics.equalized_odds_difference(truth, decision, **params, **more)),
    }


def aif360(name, favourable, weighted):
    """Every pair of groups of a column: the ratio and differences of the one against the other."""
    out = {}
    codes = sorted(people[name].unique())
    frame = pd.DataFrame({"group": people[name].map(codes.index), "label": people["approved"], "weight": people["weight"] if weighted else 1})
    for a in codes:
        for b in codes:
            if a == b:
                continue
            kind = dict(favorable_label=favourable, unfavorable_label=1 - favourable, protected_attribute_names=["group"], instance_weights_name="weight")
            truth = BinaryLabelDataset(df=frame, label_names=["label"], **kind)
            decided = BinaryLabelDataset(df=frame.assign(label=people["decision"]), label_names=["label"], **kind)
            of = ClassificationMetric(truth, decided, unprivileged_groups=[{"group": codes.index(a)}], privileged_groups=[{"group": codes.index(b)}])
            out[a + " / " + b] = {
                "disparate_impact": of.disparate_impact(),
                "statistical_parity_difference": of.statistical_parity_difference(),
                "equal_opportunity_difference": of.equal_opportunity_difference(),
            }
    return out


out = {}
for side, favourable in [("high", 1), ("low", 0)]:
    truth, decision = (people["approved"] == favourable).astype(int), (people["decision"] == favourable).astype(int)
    for weighted in [False, True]:
        weight = people["weight"] if weighted else None
        out[side + (" weighted" if weighted else "")] = {
            "fairlearn": {
                "sex": fairlearn(truth, decision, people["sex"], weight),
                "origin": fairlearn(truth, decision, people["origin"], weight),
                "sex × origin": fairlearn(truth, decision, people[["sex", "origin"]], weight),
            },
            "aif360": {name: aif360(name, favourable, weighted) for name in ["sex", "origin"]},
        }
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
