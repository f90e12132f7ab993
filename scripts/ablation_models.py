"""The six tree models of studies/ablation-trees.yaml, trained on Adult.

    ablation_models.py HYFAIR DATA WORK

writes the models to WORK, with a study that hyfair init drafts.
"""
import os
import subprocess
import sys

import lightgbm
import numpy as np
import xgboost as xgb
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

import bench_trees


def main():
    hyfair, data, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    rows = bench_trees.adult(data)
    x, y = bench_trees.codes(rows).to_numpy(np.float32), (rows.label == ">50K").astype(int)
    table = os.path.join(work, "adult.csv")
    rows.to_csv(table, index=False)
    for count in (12, 100, 300):
        xgb.XGBClassifier(n_estimators=count, max_depth=6, n_jobs=1, random_state=0).fit(x, y).save_model(os.path.join(work, f"xgboost-{count}.json"))
    for count in (30, 100):
        lightgbm.LGBMClassifier(n_estimators=count, n_jobs=1, random_state=0, verbose=-1).fit(x, y).booster_.save_model(os.path.join(work, f"lightgbm-{count}.lgb"))
    forest = RandomForestClassifier(10, max_depth=6, random_state=0).fit(x, y)
    with open(os.path.join(work, "forest-10.onnx"), "wb") as f:
        f.write(to_onnx(forest, x[:1], options={"zipmap": False}).SerializeToString())
    subprocess.run([hyfair, "init", table, os.path.join(work, "xgboost-12.json"), "--label", "label", "--protected", "sex,race", "--force",
                    "--out", os.path.join(work, "trees.yaml")], check=True, capture_output=True)


if __name__ == "__main__":
    main()
