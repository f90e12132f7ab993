"""XGBoost: the library's own JSON, which hyfair reads."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Literal, Sequence, Tuple

from . import ModelNotReadable
from .core import Copy
from .features import coded, counted, matched, number
from .inputs import Column, Input, Table


@dataclass(frozen=True)
class Ensemble:
    """A model of XGBoost as the JSON that ``save_model`` writes."""

    content: Dict[str, Any]
    output: Literal["score", "logit", "share"] = "score"

    @property
    def inputs(self) -> int:
        return int(self.content["learner"]["learner_model_param"]["num_feature"])

    def reordered(self, order: Sequence[int]) -> "Ensemble":
        if list(order) == list(range(self.inputs)):
            return self
        at = {old: new for new, old in enumerate(order)}
        content: Dict[str, Any] = json.loads(json.dumps(self.content))
        learner = content["learner"]
        learner["learner_model_param"]["num_feature"] = str(len(order))
        for key in "feature_names", "feature_types":
            learner[key] = [learner[key][i] for i in order] if learner.get(key) else []
        model = _trees(learner)
        for tree in model["trees"]:
            # Leaves have an index, too, which means nothing.
            tree["split_indices"] = [
                i if left == -1 else at[i] for i, left in zip(tree["split_indices"], tree["left_children"])]
        if model.get("cats", {}).get("enc"):
            model["cats"] = {"enc": [model["cats"]["enc"][i] for i in order], "feature_segments": [], "sorted_idx": []}
        return replace(self, content=content)

    def file(self) -> Tuple[str, bytes]:
        return "model.json", json.dumps(self.content, separators=(",", ":")).encode()


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    copy = model(estimator)
    learner = copy.model.content["learner"]  # type: ignore[attr-defined]
    matched(copy.library, learner.get("feature_names") or [], columns)
    counted(copy.library, copy.model.inputs, columns)
    kinds = learner.get("feature_types") or ["q"] * len(columns)
    lists = _categories(_trees(learner).get("cats", {}).get("enc", []))
    inputs: List[Input] = []
    notes = list(copy.notes)
    for i, column in enumerate(columns):
        if kinds[i] != "c":
            inputs.append(number(copy.library, column))
        elif i < len(lists) and lists[i]:
            inputs.append(coded(copy.library, column, lists[i]))
        elif column.kind != "category":
            inputs.append(number(copy.library, column))
        else:
            inputs.append(Table(column.name, [*map(float, range(len(column.values)))] + [math.nan] * column.missing))
            notes.append(f"the model does not store the categories of {column.name}: its codes are taken to be in the order of the column's own")
    return replace(copy, inputs=inputs, notes=notes)


def model(estimator: Any) -> Copy:
    """Read the model proper: a copy without inputs."""
    import xgboost

    library = f"XGBoost {xgboost.__version__}"
    kind = type(estimator).__name__
    missing = math.nan
    if isinstance(estimator, xgboost.Booster):
        booster = estimator
    elif isinstance(estimator, xgboost.XGBClassifier):
        try:
            booster = estimator.get_booster()
        except Exception:  # a class of scikit-learn, if that is installed
            raise ModelNotReadable(f"{kind} is not fitted: call fit first") from None
        best = getattr(estimator, "best_iteration", None) if estimator.booster != "gblinear" else None
        if best is not None:
            booster = booster[: best + 1]
        if estimator.missing is not None:
            missing = float(estimator.missing)
    else:
        raise ModelNotReadable(f"{library}: {kind} gives no probability of a class: want an XGBClassifier or a Booster with objective=\"binary:logistic\"")
    content: Dict[str, Any] = json.loads(bytes(booster.save_raw("json")))
    learner = content["learner"]
    learner["attributes"].pop("best_iteration", None)  # the rounds used were selected above
    objective, name = learner["objective"]["name"], learner["gradient_booster"]["name"]
    param = learner["learner_model_param"]
    if name not in ("gbtree", "dart"):
        raise ModelNotReadable(f"{library}: the booster {name} is no sum of trees: train with booster=\"gbtree\"")
    if int(param.get("num_class", 0)) > 1:
        raise ModelNotReadable(f"{library}: the model has {param['num_class']} classes, and hyfair.Study reads models of two: train one class against the rest; "
                               "about the file that save_model writes, hyfair audit answers (class: any)")
    if int(param.get("num_target", 1)) > 1:
        raise ModelNotReadable(f"{library}: the model has {param['num_target']} targets: train one model per target")
    if objective not in ("binary:logistic", "reg:logistic"):
        raise ModelNotReadable(f"{library}: the objective {objective} gives no probability of a class: train with objective=\"binary:logistic\"")
    return Copy(Ensemble(content), (), library, missing=None if math.isnan(missing) else missing)


def scores(booster: Any, frame: Any) -> Any:
    """The scores of a frame's rows by a Booster, which has no predict_proba."""
    import xgboost

    return booster.predict(xgboost.DMatrix(frame, enable_categorical=True))


def _trees(learner: Dict[str, Any]) -> Dict[str, Any]:
    booster = learner["gradient_booster"]
    found: Dict[str, Any] = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
    return found


def _categories(enc: Sequence[Dict[str, Any]]) -> List[List[Any]]:
    """The categories of each input; texts are stored as bytes, one after another."""
    lists = []
    for one in enc:
        if one["offsets"]:
            text, at = bytes(b & 255 for b in one["values"]), one["offsets"]
            try:
                # XGBoost 3.2 stores too few bytes of texts beyond ASCII.
                lists.append([] if not text.isascii() else [text[a:b].decode() for a, b in zip(at, at[1:])])
                continue
            except ValueError:
                pass
        lists.append(list(one["values"]) if not one["offsets"] else [])
    return lists
