"""Makes the Keras models of this folder, a Normalization of each input and one of all inputs, each saved in both ways,
and Keras' scores of x.csv. Run with KERAS_BACKEND=jax."""
import keras
import numpy as np

x = np.random.default_rng(0).normal(3, 2, (50, 3)).astype("float32")
np.savetxt("x.csv", x[:5], delimiter=",", header="a,b,c", comments="")
for name, axis in [("all", None), ("each", -1)]:
    norm = keras.layers.Normalization(axis=axis)
    norm.adapt(x)
    model = keras.Sequential([keras.Input((3,)), norm, keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
    model.save(f"{name}.keras")
    model.save(f"{name}.h5")
    np.savetxt(f"{name}.csv", model.predict(x[:5], verbose=0), header="p", comments="")
