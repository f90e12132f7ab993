"""CatBoost: numbers and one-hot categories, from the library's own JSON."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from . import ModelNotReadable
from .core import Copy, Tree, Trees
from .features import Growing, counted, matched, number
from .inputs import Column, Input, Table


class _Split(NamedTuple):
    """A comparison. It is true above the border and in the set; a missing input is below the border if ``missing``."""

    input: int
    border: float = 0.0
    missing: int = 0
    among: Tuple[float, ...] = ()


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    copy, content = _loaded(estimator, columns)
    names = list(estimator.feature_names_)
    if names != [str(i) for i in range(len(names))]:
        matched(copy.library, names, columns)
    counted(copy.library, copy.model.inputs, columns)
    codes = _codes(content)
    inputs: List[Input] = []
    hashes = {one["value"]: one["hash"] for one in content["features_info"].get("cat_features_hash", [])}
    for i, column in enumerate(columns):
        if i not in codes:
            inputs.append(number(copy.library, column))
            continue
        ways = [[codes[i].get(_signed(hashes[text]), -1.0) for text in texts] for texts in _texts(column)]
        inputs.append(Table(column.name, max(ways, key=max)))  # the way that the model knows
    return replace(copy, inputs=inputs)


def model(estimator: Any) -> Copy:
    """Read the model proper: a copy without inputs. Its inputs are numbers."""
    copy, content = _loaded(estimator, ())
    if _codes(content):
        raise ModelNotReadable(f"{copy.library}: categories behind another step are not read: "
                               "give CatBoostClassifier the frame itself, or encode them as numbers")
    return copy


def scores(estimator: Any, frame: Any) -> Any:
    """The scores of a frame's rows by a CatBoost, which has no predict_proba."""
    return estimator.predict(frame, prediction_type="Probability")[:, 1]


def _loaded(estimator: Any, columns: Sequence[Column]) -> Tuple[Copy, Dict[str, Any]]:
    import catboost

    library, kind = f"CatBoost {catboost.__version__}", type(estimator).__name__
    if not estimator.is_fitted():
        raise ModelNotReadable(f"{kind} is not fitted: call fit first")
    loss = str(estimator.get_all_params().get("loss_function"))
    if loss not in ("Logloss", "CrossEntropy"):
        raise ModelNotReadable(f"{library}: the loss {loss} gives no probability of one class of two: "
                               "train with loss_function=\"Logloss\", one class against the rest")
    content = _json(estimator, library, columns)
    info = content["features_info"]
    for key in "text_features", "embedding_features":
        if info.get(key):
            raise ModelNotReadable(f"{library}: {key} are not read: leave those columns out")
    floats = {f["feature_index"]: f for f in info.get("float_features", [])}
    cats = {f["feature_index"]: f["flat_feature_index"] for f in info.get("categorical_features", [])}
    codes = _codes(content)

    def compared(split: Dict[str, Any]) -> _Split:
        if split["split_type"] == "FloatFeature":
            feature = floats[split["float_feature_index"]]
            return _Split(feature["flat_feature_index"], split["border"], int(feature["nan_value_treatment"] != "AsTrue"))
        if split["split_type"] == "OneHotFeature":
            at = cats[split["cat_feature_index"]]
            return _Split(at, among=(codes[at][split["value"]],))
        raise ModelNotReadable(f"{library}: the model replaces categories by statistics of the labels ({split['split_type']}): "
                               "train with one_hot_max_size=255 or encode categories as numbers")

    scale, bias = content["scale_and_bias"]
    trees = [_tree(t, compared, float(scale)) for t in content.get("oblivious_trees") or content.get("trees") or ()]
    classes = list(getattr(estimator, "classes_", ()))
    threshold = estimator.get_probability_threshold() if hasattr(estimator, "get_probability_threshold") else None
    return Copy(
        Trees(len(floats) + len(cats), "logit", float(bias[0]), trees, single=True),
        (), library, positive=classes[1] if len(classes) == 2 else 1,
        threshold=None if threshold is None or threshold == 0.5 else float(threshold)), content


def _json(estimator: Any, library: str, columns: Sequence[Column]) -> Dict[str, Any]:
    """The model as the library saves it, with the hashes of the columns' categories."""
    import catboost

    pool = None
    cats = estimator.get_cat_feature_indices()
    if cats and len(columns) > max(cats):
        for i in cats:
            if columns[i].missing or not len(columns[i].values):
                raise ModelNotReadable(f"{library}: the column {columns[i].name} of categories "
                                       f"{'may be missing' if columns[i].missing else 'has no list of values'}, which the library refuses: "
                                       "make what is missing a category of its own")
        texts = {i: sum(_texts(columns[i]), []) for i in cats}
        cells = [[texts[i][r % len(texts[i])] if i in texts else 0 for i in range(len(columns))] for r in range(max(map(len, texts.values())))]
        pool = catboost.Pool(cells, cat_features=cats, feature_names=list(estimator.feature_names_))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        estimator.save_model(path, format="json", pool=pool)
        with open(path, encoding="utf-8") as file:
            content: Dict[str, Any] = json.load(file)
    return content


def _texts(column: Column) -> List[List[str]]:
    """The texts that the library hashes for a column's categories. Truth values are 0 and 1 in a
    column of their own kind and True and False among other objects."""
    texts = [[str(v) for v in column.values]]
    if all(t in ("True", "False") for t in texts[0]):
        texts.append([str(int(t == "True")) for t in texts[0]])
    return texts


def _codes(content: Mapping[str, Any]) -> Dict[int, Dict[int, float]]:
    """For each input of categories, a number for each hash that a split compares with. Others get -1."""
    return {f["flat_feature_index"]: {h: float(i) for i, h in enumerate(f.get("values", []))}
            for f in content["features_info"].get("categorical_features", [])}


def _signed(hashed: int) -> int:
    return hashed - (1 << 32) if hashed >> 31 else hashed


def _tree(tree: Dict[str, Any], compared: Callable[[Dict[str, Any]], _Split], weight: float) -> Tree:
    grown = Growing()

    def node(split: _Split, false: Callable[[], int], true: Callable[[], int]) -> int:
        left, right = (true, false) if split.among else (false, true)
        return grown.node(split.input, split.border, left, right, split.missing, split.among)

    def nested(part: Dict[str, Any]) -> int:
        if "split" not in part:
            return grown.leaf(part["value"])
        return node(compared(part["split"]), lambda: nested(part["left"]), lambda: nested(part["right"]))

    def oblivious(depth: int, leaf: int) -> int:
        # Bit i of a leaf's number says whether split i is true.
        if depth < 0:
            return grown.leaf(tree["leaf_values"][leaf])
        return node(splits[depth], lambda: oblivious(depth - 1, leaf), lambda: oblivious(depth - 1, leaf | 1 << depth))

    if "leaf_values" in tree:
        splits = [compared(s) for s in tree.get("splits") or ()]
        oblivious(len(splits) - 1, 0)
    else:
        nested(tree)
    return grown.tree(weight)
