"""LightGBM: the library's own text, which hyfair reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, List, Literal, Optional, Sequence, Tuple

from . import ModelNotReadable
from .core import Copy
from .features import coded, counted, matched, number
from .inputs import Column, Input


@dataclass(frozen=True)
class Ensemble:
    """A model of LightGBM as the text that ``save_model`` writes."""

    text: str
    output: Literal["score", "logit", "share"] = "score"

    @property
    def inputs(self) -> int:
        return int(_line(self.text, "max_feature_idx")) + 1

    def reordered(self, order: Sequence[int]) -> "Ensemble":
        if list(order) == list(range(self.inputs)):
            return self
        at = {str(old): str(new) for new, old in enumerate(order)}

        def words(key: str, change: Callable[[List[str]], List[str]], text: str) -> str:
            return re.sub(f"(?m)^{key}=(.*)$", lambda m: f"{key}=" + " ".join(change(m[1].split())), text)

        def selected(old: List[str]) -> List[str]:
            return [old[i] for i in order]

        text = re.sub("(?m)^max_feature_idx=.*$", f"max_feature_idx={len(order) - 1}", self.text)
        text = words("feature_names", selected, text)
        text = words("feature_infos", selected, text)
        text = words("split_feature", lambda old: [at[i] for i in old], text)
        # Sizes of the trees' texts, which the library can do without, and lists of categories,
        # which stand in the order of the inputs.
        text = re.sub("(?m)^(tree_sizes=.*|monotone_constraints=.*)\n", "", text)
        return replace(self, text=re.sub("(?m)^pandas_categorical:.*$", "pandas_categorical:null", text))

    def file(self) -> Tuple[str, bytes]:
        return "model.txt", self.text.encode()


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    copy = model(estimator)
    text: str = copy.model.text  # type: ignore[attr-defined]
    names = _line(text, "feature_names").split()
    counted(copy.library, copy.model.inputs, columns)
    if names[:1] != ["Column_0"]:  # blanks become underscores
        matched(copy.library, names, [replace(c, name=re.sub(r"\s", "_", c.name)) for c in columns])
    lists: List[List[Any]] = json.loads(_line(text, "pandas_categorical", ":") or "null") or []
    kinds = [c for c in columns if c.kind == "category"]
    if len(kinds) != len(lists):  # truth values are numbers unless the column is categorical
        kinds = [c for c in kinds if not all(str(v) in ("True", "False") for v in c.values)]
    if len(kinds) != len(lists):
        raise ModelNotReadable(
            f"{copy.library} was fitted to {len(lists)} columns of the kind category and the frame has {len(kinds)}: "
            "give X the kinds of columns that the model was fitted to")
    coding = dict(zip([c.name for c in kinds], lists))
    inputs: List[Input] = [
        coded(copy.library, c, coding[c.name], unknown=float("nan")) if c.name in coding else number(copy.library, c) for c in columns]
    return replace(copy, inputs=inputs)


def model(estimator: Any) -> Copy:
    """Read the model proper: a copy without inputs."""
    import lightgbm

    library = f"LightGBM {lightgbm.__version__}"
    kind = type(estimator).__name__
    positive: Any = 1
    if isinstance(estimator, lightgbm.Booster):
        booster = estimator
    elif isinstance(estimator, lightgbm.LGBMClassifier):
        if not getattr(estimator, "fitted_", False):
            raise ModelNotReadable(f"{kind} is not fitted: call fit first")
        booster = estimator.booster_
        if len(estimator.classes_) == 2:
            positive = estimator.classes_[1]
    else:
        raise ModelNotReadable(f"{library}: {kind} gives no probability of a class: want an LGBMClassifier or a Booster with objective=\"binary\"")
    text = booster.model_to_string()  # up to the best iteration, as predict
    if _line(text, "num_class") != "1":
        raise ModelNotReadable(f"{library}: the model has {_line(text, 'num_class')} classes, and hyfair.Study reads models of two: train one class against the rest; "
                               "about the file that booster_.save_model writes, hyfair audit answers (class: any)")
    objective = _line(text, "objective")
    if objective.split()[:1] not in (["binary"], ["cross_entropy"]):
        raise ModelNotReadable(f"{library}: the objective {objective or 'of your own'} gives no probability of a class: train with objective=\"binary\"")
    if re.search("(?m)^is_linear=1$", text):
        raise ModelNotReadable(f"{library}: leaves with linear models are no sum of constants: train with linear_tree=False")
    return Copy(Ensemble(text), (), library, positive=positive)


def scores(booster: Any, frame: Any) -> Any:
    """The scores of a frame's rows by a Booster, which has no predict_proba."""
    return booster.predict(frame)


def _line(text: str, key: str, mark: str = "=") -> str:
    found: Optional[re.Match[str]] = re.search(f"(?m)^{key}{mark}(.*)$", text)
    return found[1] if found else ""
