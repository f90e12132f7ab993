"""Readers of scikit-learn's models.

A sum of trees stays a sum of trees, and a linear model or a perceptron a network. What
surrounds one of them, such as a threshold or a sigmoid that calibrates it, is folded into it.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib import import_module
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

from . import _READERS, ModelNotReadable
from .core import Copy, Core, Layer, Network, Tree, Trees
from .inputs import Column, Input, plain
from .sklearn_steps import Flow, _line, _name, _nothing, _numpy, table

# The largest border of a file, for the infinite ones of splits on missing values.
_LARGEST = 1.7976931348623157e308
# The code of a category that goes where missing ones go; those of HistGradientBoosting end at 255.
_OTHER = 256.0


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    """Read a fitted classifier of two classes, or a Pipeline that ends in one.

    Raises ModelNotReadable, naming the part that cannot be read and what to do.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _require_fitted(estimator)
        return _model(estimator, Flow.start(estimator, columns))


def _model(estimator: Any, flow: Flow, raw: bool = False) -> Copy:
    """Read the estimator of the flow's data.

    The copy's score is the probability of the second class. raw: instead the copy's sum is
    what a calibration is given, the decision function or, without one, that probability.
    """
    for kind in type(estimator).__mro__:
        root = kind.__module__.partition(".")[0]
        if root == "sklearn" and kind.__name__ in _MODELS:
            _require_two_classes(estimator)
            return _MODELS[kind.__name__](estimator, flow, raw)
        if root == "imblearn" and kind.__name__ == "Pipeline":
            return _pipeline(estimator, flow, raw)
        if root != "sklearn" and root in _READERS:
            return _foreign(estimator, flow, raw, _READERS[root])
    if not hasattr(estimator, "classes_") and hasattr(estimator, "predict"):
        raise ModelNotReadable(f"{_name(estimator)} is no classifier: hyfair.Study wants one of two classes")
    why = _WHY.get(type(estimator).__name__, f"read are {', '.join(sorted(_MODELS))}")
    raise ModelNotReadable(f"{_name(estimator)} is no model that hyfair reads: {why}", asked=True)


def _foreign(estimator: Any, flow: Flow, raw: bool, library: str) -> Copy:
    """A model of another library after steps of scikit-learn."""
    if raw:
        _refuse_sigmoid(estimator)
    _require_two_classes(estimator)
    model: Any = import_module(f"{__package__}.{library}").model(estimator)
    copy = model if isinstance(model, Copy) else Copy(model, (), "")
    # XGBoost takes the zeros that a sparse matrix leaves out for missing values.
    gap = 0.0 if library == "xgboost_" and hasattr(flow.data, "tocsc") else copy.missing
    return replace(copy, inputs=flow.inputs(), library=f"{_version()}, {copy.library}", missing=gap)


def _copy(estimator: Any, flow: Flow, model: Core, inputs: Sequence[Input] = ()) -> Copy:
    inputs = inputs or flow.inputs()
    rows = flow.absent_rows()
    if rows:
        ask = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.decision_function
        try:
            ask(_rows_of(flow.data, rows))
        except ValueError as err:
            raise ModelNotReadable(
                f"{_name(estimator)} takes no missing values: {_line(err)}; put a SimpleImputer before it, "
                f"or declare domains without missing cells") from err
    return Copy(model, inputs, _version(), plain(estimator.classes_[1]))


def _rows_of(data: Any, rows: List[int]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data.tocsr()[rows] if hasattr(data, "tocsr") else data[rows]


def _linear(estimator: Any, flow: Flow, raw: bool) -> Copy:
    name = type(estimator).__name__
    if not raw:
        if not hasattr(estimator, "predict_proba"):
            loss = f" with loss={estimator.loss!r}" if hasattr(estimator, "loss") else ""
            raise ModelNotReadable(
                f"{name}{loss} gives no probabilities: put it into CalibratedClassifierCV(ensemble=False), or use LogisticRegression")
        if name == "SGDClassifier" and estimator.loss not in ("log_loss", "log"):
            raise ModelNotReadable(
                f"SGDClassifier with loss={estimator.loss!r} has no sigmoid of a sum: train it with loss='log_loss'")
    coefficients = estimator.coef_.toarray() if hasattr(estimator.coef_, "toarray") else estimator.coef_
    weights = [float(w) for w in coefficients.ravel()]
    bias = float(_numpy().ravel(estimator.intercept_)[0])
    # The softmax of -z and z is the sigmoid of 2z.
    times = 2.0 if getattr(estimator, "multi_class", "") == "multinomial" and not raw else 1.0
    return _copy(estimator, flow, Network([Layer([[times * w for w in weights]], [times * bias])]))


def _perceptron(estimator: Any, flow: Flow, raw: bool) -> Copy:
    if raw:
        _refuse_sigmoid(estimator)
    if estimator.activation not in ("relu", "identity"):
        raise ModelNotReadable(
            f"MLPClassifier with activation={estimator.activation!r} is not piecewise linear: train it with activation='relu'")
    relu = estimator.activation == "relu"
    layers = [Layer(w.T.tolist(), b.tolist(), relu) for w, b in zip(estimator.coefs_, estimator.intercepts_)]
    layers[-1] = replace(layers[-1], relu=False)
    return _copy(estimator, flow, Network(layers))


def _tree(tree: Any, weight: float, values: Any) -> Tree:
    """A tree of scikit-learn with these values of its nodes."""
    np = _numpy()
    leaf = tree.children_left < 0
    missing = getattr(tree, "missing_go_to_left", None)
    return Tree(
        input=np.where(leaf, -1, tree.feature).tolist(),
        border=np.where(leaf, 0.0, np.clip(tree.threshold, -_LARGEST, _LARGEST)).tolist(),
        left=tree.children_left.tolist(),
        right=tree.children_right.tolist(),
        value=np.where(leaf, values, 0.0).tolist(),
        missing=() if missing is None else np.where(leaf, 0, missing).tolist(),
        weight=weight,
    )


def _shares(tree: Any) -> Any:
    """The second class's share of each node. Before scikit-learn 1.3 nodes hold counts."""
    counts = tree.value[:, 0, :]
    totals = counts.sum(axis=1)
    totals[abs(totals - 1) < 1e-9] = 1.0
    return counts[:, 1] / totals


def _forest(estimator: Any, flow: Flow, raw: bool) -> Copy:
    trees = getattr(estimator, "estimators_", [estimator])
    weight = 1.0 / len(trees)
    sums = [_tree(t.tree_, weight, _shares(t.tree_)) for t in trees]
    return _copy(estimator, flow, Trees(len(flow.signals), "share", trees=sums, single=True))


def _gradient_boosting(estimator: Any, flow: Flow, raw: bool) -> Copy:
    init = estimator.init_
    if not isinstance(init, str) and type(init).__name__ != "DummyClassifier":
        raise ModelNotReadable(
            f"GradientBoostingClassifier with init={type(init).__name__} begins with another model: leave init out")
    # The probability is the sigmoid of twice the sum of an exponential loss.
    times = 2.0 if estimator.loss == "exponential" and not raw else 1.0
    base = float(estimator._raw_predict_init(_numpy().zeros((1, estimator.n_features_in_))).ravel()[0])
    rate = times * estimator.learning_rate
    trees = [_tree(t.tree_, rate, t.tree_.value[:, 0, 0]) for t in estimator.estimators_[:, 0]]
    return _copy(estimator, flow, Trees(len(flow.signals), "logit", times * base, trees, single=True))


def _hist_gradient_boosting(estimator: Any, flow: Flow, raw: bool) -> Copy:
    inner = flow
    if getattr(estimator, "_preprocessor", None) is not None:  # Encodes categories, and puts them first.
        inner = flow.through(estimator._preprocessor)
        categorical = list(estimator._is_categorical_remapped)
    else:
        categorical = [False] * len(flow.signals) if estimator.is_categorical_ is None else list(estimator.is_categorical_)
    inputs = inner.inputs()
    known, place = estimator._bin_mapper.make_known_categories_bitsets()
    for i, is_set in enumerate(categorical):
        if not is_set:
            continue
        entries, column = inner.values(i), inner.column(i)
        if entries is None:
            raise ModelNotReadable(
                f"column {column.name!r} is a category of {type(estimator).__name__}: declare its values as its domain")
        # A category that is missing, negative or was not seen goes where missing values go.
        seen = _members(known[place[i]])
        inputs[i] = table(column, [float(int(e)) if e >= 0 and int(e) in seen else _OTHER for e in entries])
    trees = [_hist_tree(p) for (p,) in estimator._predictors]
    base = float(_numpy().ravel(estimator._baseline_prediction)[0])
    return _copy(estimator, flow, Trees(len(inputs), "logit", base, trees), inputs)


def _hist_tree(predictor: Any) -> Tree:
    np, nodes, sets = _numpy(), predictor.nodes, predictor.raw_left_cat_bitsets
    leaf, of_set = nodes["is_leaf"] == 1, nodes["is_categorical"] == 1
    among: List[Sequence[float]] = [()] * len(nodes)
    for i in np.flatnonzero(of_set & ~leaf):
        among[i] = _members(sets[nodes[i]["bitset_idx"]]) + [_OTHER] * int(nodes[i]["missing_go_to_left"])
    # With an empty set nothing goes left: no number is below the border.
    border = np.where(of_set, -_LARGEST, np.clip(nodes["num_threshold"], -_LARGEST, _LARGEST))
    return Tree(
        input=np.where(leaf, -1, nodes["feature_idx"].astype(int)).tolist(),
        border=np.where(leaf, 0.0, border).tolist(),
        left=np.where(leaf, -1, nodes["left"].astype(int)).tolist(),
        right=np.where(leaf, -1, nodes["right"].astype(int)).tolist(),
        value=np.where(leaf, nodes["value"], 0.0).tolist(),
        missing=np.where(leaf, 0, nodes["missing_go_to_left"]).tolist(),
        among=among,
    )


def _members(bits: Iterable[Any]) -> List[float]:
    """The numbers in a set of 256 bits, in words of 32."""
    return [float(32 * k + b) for k, word in enumerate(bits) for b in range(32) if int(word) >> b & 1]


def _adaboost(estimator: Any, flow: Flow, raw: bool) -> Copy:
    if getattr(estimator, "algorithm", "SAMME") == "SAMME.R":
        raise ModelNotReadable(
            "AdaBoostClassifier with algorithm='SAMME.R' adds logarithms of probabilities: train it with algorithm='SAMME'")
    members = estimator.estimators_
    for member in members:
        if type(member).__name__ not in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
            raise ModelNotReadable(f"AdaBoostClassifier of {_name(member)} is not read: it adds votes of trees only")
    if any(m.tree_.value.shape[2] != 2 for m in members):
        raise ModelNotReadable("AdaBoostClassifier has a member that knows one class only: train it with more rows")
    np, weights = _numpy(), estimator.estimator_weights_[: len(members)]
    votes = [np.where(m.tree_.value[:, 0, 1] > m.tree_.value[:, 0, 0], 1.0, -1.0) for m in members]
    # Versions before 1.3 count a vote once, later ones for and against.
    data = _matrix(flow.data)
    sums: Any = sum(w * np.where(m.predict(data) == estimator.classes_[1], 1.0, -1.0) for m, w in zip(members, weights))
    at = int(abs(sums).argmax())
    times = round(float(estimator.decision_function(data)[at] / sums[at] * weights.sum()))
    trees = [_tree(m.tree_, times * w / weights.sum(), v) for m, w, v in zip(members, weights.tolist(), votes)]
    return _copy(estimator, flow, Trees(len(flow.signals), "logit", trees=trees, single=True))


def _bagging(estimator: Any, flow: Flow, raw: bool) -> Copy:
    parts = []
    for member, features in zip(estimator.estimators_, estimator.estimators_features_):
        parts.append((1.0 / len(estimator.estimators_), _model(member, flow.select(features))))
    return _mean(estimator, flow, parts)


def _voting(estimator: Any, flow: Flow, raw: bool) -> Copy:
    if estimator.voting != "soft":
        raise ModelNotReadable("VotingClassifier with voting='hard' gives votes and no probabilities: use voting='soft'")
    given = [1] * len(estimator.estimators) if estimator.weights is None else estimator.weights
    kept = [w for (_, e), w in zip(estimator.estimators, given) if not isinstance(e, str)]
    parts = [(float(w) / float(sum(kept)), _model(e, flow)) for e, w in zip(estimator.estimators_, kept) if w]
    return _mean(estimator, flow, parts)


def _mean(estimator: Any, flow: Flow, parts: List[Tuple[float, Copy]]) -> Copy:
    """The weighted sum of shares."""
    inputs: Dict[str, int] = {}
    every: List[Input] = []
    trees: List[Tree] = []
    base = 0.0
    for weight, copy in parts:
        model = copy.model
        if len(parts) == 1:
            return _whole(estimator, copy)
        if not isinstance(model, Trees) or model.sum != "share":
            raise ModelNotReadable(
                f"{type(estimator).__name__} is the mean of the sigmoids of several models, which is no sum of logits: "
                f"use one of them alone, or forests, whose shares add up")
        for one in copy.inputs:
            if inputs.setdefault(repr(one), len(every)) == len(every):
                every.append(one)
        places = [inputs[repr(one)] for one in copy.inputs]
        for t in model.trees:
            trees.append(replace(t, weight=weight * t.weight, input=[i if i < 0 else places[i] for i in t.input]))
        base += weight * model.base
    return _copy(estimator, flow, Trees(len(every), "share", base, trees, single=True), every)


def _calibrated(estimator: Any, flow: Flow, raw: bool) -> Copy:
    if raw:
        _refuse_sigmoid(estimator)
    copies = estimator.calibrated_classifiers_
    if len(copies) > 1:
        raise ModelNotReadable(
            f"CalibratedClassifierCV is the mean of {len(copies)} models, each with a sigmoid of its own, which is no sum of logits: "
            f"train it with ensemble=False", asked=True)
    (one,) = copies
    calibrator = (one.calibrators if hasattr(one, "calibrators") else [one.calibrator])[0]
    copy = _model(one.estimator, flow, raw=True)
    kind = type(calibrator).__name__
    if kind == "_SigmoidCalibration":
        model = _stretched(copy.model, -float(calibrator.a_), -float(calibrator.b_))
    elif kind == "_TemperatureScaling" and hasattr(one.estimator, "decision_function"):
        # The softmax of -z and z, each times beta, is the sigmoid of 2·beta·z.
        model = _stretched(copy.model, 2 * float(calibrator.beta_), 0.0)
    elif isinstance(copy.model, Trees) and len(copy.model.trees) == 1 and hasattr(calibrator, "X_thresholds_"):
        tree = copy.model.trees[0]
        sums = [copy.model.base + tree.weight * v for v in tree.value]
        values = [float(v) if i < 0 else 0.0 for i, v in zip(tree.input, calibrator.predict(sums))]
        model = replace(copy.model, sum="share", base=0.0, trees=[replace(tree, value=values, weight=1.0)])
    else:
        inner = _name(getattr(one.estimator, "estimator", one.estimator))
        raise ModelNotReadable(
            f"CalibratedClassifierCV with method={estimator.method!r} bends the sum of {inner} in many places, "
            f"which is no sum again: train it with method='sigmoid'" + _border(_inside(flow.whole, estimator), one, calibrator))
    return replace(_whole(estimator, copy), model=model)


def _inside(whole: Any, estimator: Any) -> str:
    """Python for the model in a calibration, after the steps before it; empty if more than steps surround it."""
    if whole is estimator:
        return "model.calibrated_classifiers_[0].estimator"
    if type(whole).__module__ == "sklearn.pipeline" and whole.steps[-1][1] is estimator:
        return "make_pipeline(*model[:-1], model[-1].calibrated_classifiers_[0].estimator)"
    return ""


def _border(inside: str, one: Any, calibrator: Any) -> str:
    """The threshold of the model inside that decides as an isotonic calibration at 0.5, which is monotone."""
    np, scores = _numpy(), getattr(calibrator, "y_thresholds_", None)
    if not inside or not hasattr(one.estimator, "predict_proba") or scores is None or not scores[0] <= 0.5 < scores[-1]:
        return ""
    i = int(np.searchsorted(scores, 0.5, side="right"))  # the first knot above 0.5
    left, right = calibrator.X_thresholds_[i - 1 : i + 1]
    # Just above a knot of 0.5, where rows may lie.
    at = left + (right - left) * max(1e-9, (0.5 - scores[i - 1]) / (scores[i] - scores[i - 1]))
    if hasattr(one.estimator, "decision_function"):
        at = 1 / (1 + np.exp(-at))
    return f", or ask about decisions alone: hyfair.Study({inside}, …, threshold={at:.15g}), since the bends keep the order"


def _whole(estimator: Any, copy: Copy) -> Copy:
    """A member's copy as that of the estimator, whose predict knows no threshold of its members."""
    return replace(copy, positive=plain(estimator.classes_[1]), threshold=None, at=False)


def _stretched(model: Core, times: float, plus: float) -> Core:
    """The model whose logit is the sum of the given one times a number, plus another."""
    if isinstance(model, Network):
        last = model.layers[-1]
        weights, bias = [[times * w for w in row] for row in last.weights], [times * b + plus for b in last.bias]
        return replace(model, layers=[*model.layers[:-1], replace(last, weights=weights, bias=bias)])
    assert isinstance(model, Trees)
    trees = [replace(t, weight=times * t.weight) for t in model.trees]
    return replace(model, sum="logit", base=times * model.base + plus, trees=trees)


def _threshold(estimator: Any, flow: Flow, raw: bool) -> Copy:
    inner = getattr(estimator, "estimator_", estimator.estimator)
    copy = _model(inner, flow, raw)
    border = getattr(estimator, "best_threshold_", None)
    if border is None:
        border = estimator.threshold
    by_score = estimator.response_method != "decision_function" and hasattr(inner, "predict_proba")
    if border == "auto":
        border = 0.5 if by_score else 0.0
    if not by_score:
        if border != 0:
            raise ModelNotReadable(
                f"{type(estimator).__name__} compares decision_function with {border}: train it with response_method='predict_proba'")
        border = 0.5
    scorer = getattr(estimator, "_curve_scorer", None)
    label = scorer._get_pos_label() if scorer is not None else estimator.pos_label
    if label is not None and label == estimator.classes_[0]:
        copy = replace(copy, model=_opposite(copy.model), positive=plain(label),
                       notes=[*copy.notes, f"the score is the probability of the class {plain(label)!r}, the one of the threshold"])
    return replace(copy, threshold=float(border), at=True)


def _opposite(model: Core) -> Core:
    """The model whose score is that of the first class."""
    if isinstance(model, Trees) and model.sum == "share":
        return replace(model, base=1 - model.base, trees=[replace(t, weight=-t.weight) for t in model.trees])
    if not isinstance(model, (Trees, Network)):
        raise ModelNotReadable("a threshold for the first class is not read after a model of this library: swap the classes of y")
    return _stretched(model, -1.0, 0.0)


def _pipeline(estimator: Any, flow: Flow, raw: bool) -> Copy:
    steps = [step for _, step in estimator.steps if not _nothing(step) and not hasattr(step, "fit_resample")]
    if len(steps) == 2 and type(steps[0]).__name__ == "BinningProcess":
        from .optbinning_ import binned

        return binned(steps[0], steps[1], flow.columns)
    for step in steps[:-2]:
        flow = flow.through(step)
    for step in steps[-2:-1]:
        if type(step).__name__ in _PROJECTIONS:
            return _projected(step, steps[-1], flow, raw)
        flow = flow.through(step)
    return _model(steps[-1], flow, raw)


_PROJECTIONS = ("IncrementalPCA", "PCA", "TruncatedSVD")


def _projected(step: Any, estimator: Any, flow: Flow, raw: bool) -> Copy:
    """A linear projection just before a network, which becomes its first layer."""
    np = _numpy()
    weights, mean = step.components_, getattr(step, "mean_", None)
    if getattr(step, "whiten", False):
        weights = weights / np.sqrt(step.explained_variance_)[:, None]
    bias = np.zeros(len(weights)) if mean is None else -weights @ mean
    inputs = flow.inputs()
    copy = _model(estimator, replace(flow, data=step.transform(flow.data), fixed=inputs), raw)
    model = copy.model
    if not isinstance(model, Network):
        raise ModelNotReadable(
            f"{_name(step)} mixes columns, which hyfair reads before linear models and networks only: "
            f"leave it out before {_name(estimator)}")
    return replace(copy, model=replace(model, layers=[Layer(weights.tolist(), bias.tolist()), *model.layers]))


def _within(name: str) -> "_Reader":
    """A wrapper that passes rows on to the estimator in an attribute."""
    return lambda estimator, flow, raw: _model(getattr(estimator, name), flow, raw)


def _only(estimator: Any, flow: Flow, raw: bool) -> Copy:
    return _whole(estimator, _model(estimator.estimators_[0], flow, raw))


_Reader = Callable[[Any, Flow, bool], Copy]

_MODELS: Dict[str, _Reader] = {
    "AdaBoostClassifier": _adaboost,
    "BaggingClassifier": _bagging,
    "CalibratedClassifierCV": _calibrated,
    "DecisionTreeClassifier": _forest,
    "ExtraTreesClassifier": _forest,
    "ExtraTreeClassifier": _forest,
    "FixedThresholdClassifier": _threshold,
    "FrozenEstimator": _within("estimator"),
    "GradientBoostingClassifier": _gradient_boosting,
    "GridSearchCV": _within("best_estimator_"),
    "HalvingGridSearchCV": _within("best_estimator_"),
    "HalvingRandomSearchCV": _within("best_estimator_"),
    "HistGradientBoostingClassifier": _hist_gradient_boosting,
    "LinearDiscriminantAnalysis": _linear,
    "LinearSVC": _linear,
    "LogisticRegression": _linear,
    "MLPClassifier": _perceptron,
    "OneVsRestClassifier": _only,
    "Perceptron": _linear,
    "Pipeline": _pipeline,
    "RandomForestClassifier": _forest,
    "RandomizedSearchCV": _within("best_estimator_"),
    "RidgeClassifier": _linear,
    "SGDClassifier": _linear,
    "TunedThresholdClassifierCV": _threshold,
    "VotingClassifier": _voting,
}

_KERNELS = "its decision is a sum of kernels; use LogisticRegression, or LinearSVC in CalibratedClassifierCV(ensemble=False)"
_NEIGHBOURS = "it asks for the nearest rows; use a forest or boosted trees"
_BAYES = "its logit is no sum of single comparisons or products; use LogisticRegression or boosted trees"
_WHY = {
    "StackingClassifier": "its last model sees the scores of others, which is no sum of logits or shares; use one of its models",
    "SVC": _KERNELS, "NuSVC": _KERNELS, "GaussianProcessClassifier": _KERNELS,
    "KNeighborsClassifier": _NEIGHBOURS, "RadiusNeighborsClassifier": _NEIGHBOURS, "NearestCentroid": _NEIGHBOURS,
    "LabelPropagation": _NEIGHBOURS, "LabelSpreading": _NEIGHBOURS,
    "GaussianNB": _BAYES, "BernoulliNB": _BAYES, "MultinomialNB": _BAYES, "ComplementNB": _BAYES, "CategoricalNB": _BAYES,
    "QuadraticDiscriminantAnalysis": "its logit is quadratic; use LinearDiscriminantAnalysis or LogisticRegression",
    "DummyClassifier": "it does not look at its inputs, so it treats all people alike",
}


def _require_fitted(estimator: Any) -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(estimator)
    except NotFittedError as err:
        raise ModelNotReadable(f"{_name(estimator)} is not fitted: call fit before it is read") from err
    except TypeError:  # Not an estimator with fit; its reader says what it is.
        pass


def _require_two_classes(estimator: Any) -> None:
    classes = getattr(estimator, "classes_", None)
    if isinstance(classes, list):
        raise ModelNotReadable(
            f"{_name(estimator)} has {len(classes)} outputs: hyfair reads models of one output with two classes")
    if classes is not None and len(classes) != 2:
        raise ModelNotReadable(
            f"{_name(estimator)} has {len(classes)} classes: hyfair.Study reads models of two; "
            f"train it for one class against the others")


def _refuse_sigmoid(estimator: Any) -> None:
    raise ModelNotReadable(
        f"the calibration of {_name(estimator)} is a sigmoid of its probabilities, a sigmoid of a sigmoid, which is no logit: "
        f"calibrate a model with a decision_function, or leave the calibration out")


def _version() -> str:
    import sklearn

    return f"scikit-learn {sklearn.__version__}"


def _matrix(data: Any) -> Any:
    return data.tocsr() if hasattr(data, "tocsr") else _numpy().nan_to_num(_numpy().asarray(data, dtype=float))
