"""The evaluator of MLflow, asked by MLflow. `make test-wheels` runs this."""

import importlib.util
import os
import pathlib
import tempfile
import unittest


@unittest.skipUnless(importlib.util.find_spec("mlflow"), "MLflow is not installed here: make test-wheels has it")
class Evaluates(unittest.TestCase):
    def test_logs_metrics_and_pages(self):
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        import mlflow
        import pandas as pd
        from mlflow.models.evaluation.evaluator_registry import _model_evaluation_registry as registry
        from sklearn.linear_model import LogisticRegression

        import hyfair
        from hyfair.mlflow_evaluator import Evaluator

        registry.register("hyfair", Evaluator)  # the entry point of the installed package does this
        x = pd.DataFrame({"age": [20 + i % 40 for i in range(200)], "sex": [i % 2 for i in range(200)]})
        y = (x["age"] + 8 * x["sex"] > 42).astype(int)
        with tempfile.TemporaryDirectory() as folder:
            mlflow.set_tracking_uri(pathlib.Path(folder, "runs").as_uri())
            with mlflow.start_run() as run:
                model = mlflow.sklearn.log_model(LogisticRegression(max_iter=1000).fit(x, y), name="model", serialization_format="cloudpickle")
                found = mlflow.models.evaluate(
                    model.model_uri, x.assign(y=y), targets="y", model_type="classifier", evaluators="hyfair",
                    evaluator_config={"protected": ["sex"], "threshold": 0.5, "certify": {}, "quantify": {"epsilon": "0.3"}})
                logged = [a.path for a in mlflow.MlflowClient().list_artifacts(run.info.run_id, "hyfair")]
            self.assertEqual(logged, [f"hyfair/{name}" for name in (
                "audit.html", "audit.json", "certify.html", "certify.json", "quantify.html", "quantify.json", "study")])
            self.assertEqual(mlflow.get_run(run.info.run_id).data.metrics, found.metrics)
        audit = hyfair.Study(LogisticRegression(max_iter=1000).fit(x, y), x, protected=["sex"], threshold=0.5).audit()
        self.assertEqual(found.metrics["hyfair/flips"], audit.overall["flips"])
        self.assertEqual(found.metrics["hyfair/impact_ratio/sex"], audit.ratio()["sex"])
        self.assertEqual(found.metrics["hyfair/fair"], 0)
        self.assertLessEqual(found.metrics["hyfair/unfair_share/at_least"], found.metrics["hyfair/unfair_share/at_most"])


if __name__ == "__main__":
    unittest.main()
