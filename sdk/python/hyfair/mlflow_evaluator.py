"""An evaluator of MLflow: ``mlflow.evaluate(…, evaluators="hyfair", evaluator_config={…})``.

MLflow finds it by the package's entry point ``mlflow.model_evaluator``. The configuration has
the arguments of ``hyfair.Study`` besides the model, its rows and labels, and for each question
to ask beside ``audit`` the arguments of that method: ``{"protected": ["sex"], "certify":
{"timeout": "60s"}}``.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, Dict

from mlflow.models.evaluation.base import EvaluationResult, ModelEvaluator
from mlflow.tracking import MlflowClient

from .exceptions import ModelNotReadable
from .results import Audit, Quantified, Result, Verdict
from .study import Study

_QUESTIONS = ("audit", "certify", "quantify", "search", "explain", "report")


class Evaluator(ModelEvaluator):  # type: ignore[misc, unused-ignore]
    """Logs the numbers of an audit as metrics, and each answer as a page and as JSON."""

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Dict[str, Any], **more: Any) -> bool:
        return model_type == "classifier"

    def evaluate(  # pyright: ignore[reportIncompatibleMethodOverride] -- MLflow says what it returns, but for its type
        self, *, model_type: str, dataset: Any, run_id: str, evaluator_config: Dict[str, Any], model: Any = None, **more: Any,
    ) -> EvaluationResult:
        config = dict(evaluator_config)
        asked = {"audit": {}, **{name: config.pop(name) or {} for name in _QUESTIONS if name in config}}
        estimator = model.get_raw_model() if hasattr(model, "get_raw_model") else None
        if estimator is None:
            raise ModelNotReadable("the model of MLflow has no estimator of its library: want one that mlflow.sklearn, mlflow.xgboost or the like logged")
        rows: Any = dataset.features_data
        if not hasattr(rows, "columns"):
            config.setdefault("columns", list(dataset.feature_names))
        study = Study(estimator, rows, y=dataset.labels_data, **config)
        client, metrics = MlflowClient(), {}
        with tempfile.TemporaryDirectory(prefix="hyfair-") as folder:
            for name, arguments in asked.items():
                answer: Result = getattr(study, name)(**arguments)
                metrics.update(_metrics(answer))
                for kind in (".html", ".json"):
                    client.log_artifact(run_id, str(answer.save(Path(folder, name + kind))), "hyfair")
            client.log_artifacts(run_id, str(study.save(Path(folder, "study"))), "hyfair/study")
        for key, value in metrics.items():
            client.log_metric(run_id, key, value)
        made: Any = EvaluationResult
        result: EvaluationResult = made(metrics=metrics, artifacts={})
        return result


def _metrics(answer: Result) -> Dict[str, float]:
    """The numbers of an answer by which runs are compared."""
    found: Dict[str, Any] = {}
    if isinstance(answer, Audit):
        found = {"flips": answer.overall["flips"]}
        found.update({f"impact_ratio/{of}": value for of, value in answer.ratio().items()})
        found.update({f"difference/{of}": value for of, value in answer.difference().items()})
    elif isinstance(answer, Verdict):
        found = {"fair": answer.fair}
    elif isinstance(answer, Quantified) and answer.interval is not None:
        found = {"unfair_share/at_least": answer.interval.lo, "unfair_share/at_most": answer.interval.hi}
    # MLflow takes letters, digits and some signs.
    return {"hyfair/" + re.sub(r"[^\w./ -]+", "x", key): float(value) for key, value in found.items() if value is not None}
