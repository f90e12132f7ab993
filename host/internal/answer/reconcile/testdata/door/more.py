"""As make.py, of CatBoost and Keras: run with KERAS_BACKEND=jax and catboost 1.2 beside the rest."""
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool

from common import write

random = np.random.default_rng(11)
N = 120
rows = pd.DataFrame({"age": random.integers(18, 66, N), "kids": random.integers(0, 4, N), "sex": random.integers(0, 2, N)})
logit = rows.age / 15 + rows.kids * 0.5 + rows.sex * 0.8 + random.normal(0, 0.5, N)
y = (logit > logit.median()).astype(int)

m = CatBoostClassifier(iterations=4, depth=3, verbose=False, allow_writing_files=False).fit(rows, y)
m.save_model("catboost-onnx.onnx", format="onnx")
write("catboost-onnx", rows, y, m.predict_proba(rows)[:, 1])
m.save_model("catboost-json.json", format="json")
write("catboost-json", rows, y, m.predict_proba(rows)[:, 1])

texts = rows.assign(sex=np.where(rows.sex == 1, "man", "woman"), job=np.array(["clerk", "none", "skilled", "unskilled"])[random.integers(0, 4, N)])
texts_y = (logit + 1.5 * (texts.job == "none") - 1.5 * (texts.job == "unskilled") > logit.median()).astype(int)
m = CatBoostClassifier(iterations=4, depth=3, one_hot_max_size=10, verbose=False, allow_writing_files=False).fit(texts, texts_y, cat_features=["sex", "job"])
m.save_model("catboost-words.json", format="json", pool=Pool(texts, texts_y, cat_features=["sex", "job"]))
write("catboost-words", texts, texts_y, m.predict_proba(texts)[:, 1])

x = rows.to_numpy("float32")
for name, policy in [("keras-normalization", "float32"), ("keras-float16", "mixed_float16"), ("keras-bfloat16", "mixed_bfloat16")]:
    keras.config.set_dtype_policy(policy)
    norm = keras.layers.Normalization()
    norm.adapt(x)
    k = keras.Sequential([keras.Input((3,)), norm, keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
    k.compile(loss="binary_crossentropy")
    k.fit(x, y, epochs=40, verbose=0)
    k.save(f"{name}.keras")
    write(name, rows, y, k.predict(x, verbose=0))
