"""Makes models with Keras 2: tensorflow-cpu==2.15.1 (Keras 2.15), numpy 1.26, pandas 3.0."""
import os
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import pandas as pd
import tensorflow as tf

from common import applicants, write

keras, layers = tf.keras, tf.keras.layers
rows, y = applicants()
x = pd.get_dummies(rows, dtype=float).to_numpy("float32")
normal = (x - x.mean(0)) / x.std(0)


def fitted(x, *all):
    keras.utils.set_random_seed(4)
    m = keras.Sequential([keras.Input((x.shape[1],)), *all])
    m.compile("adam", "binary_crossentropy")
    m.fit(x, y, epochs=60, batch_size=16, verbose=0)
    return m


def kept(name, m, x, save):
    save(m)
    write(name, rows, y, m.predict(x, verbose=0)[:, -1])


m = fitted(normal, layers.Dense(6, activation="relu"), layers.BatchNormalization(), layers.Dense(1, activation="sigmoid"))
kept("keras2-h5", m, normal, lambda m: m.save("keras2-h5.h5"))
kept("keras2-weights", m, normal, lambda m: m.save_weights("keras2-weights.h5"))
served = tf.Module()
served.score = tf.function(lambda x: tf.sigmoid(tf.reduce_sum(x, 1)), input_signature=[tf.TensorSpec([None, x.shape[1]])])
tf.saved_model.save(served, "saved")
os.makedirs("keras2-saved-model", exist_ok=True)
shutil.move("saved/saved_model.pb", "keras2-saved-model/saved_model.pb")
shutil.rmtree("saved")
write("keras2-saved-model", rows, y, served.score(normal))
open("keras2-lite.tflite", "wb").write(tf.lite.TFLiteConverter.from_keras_model(m).convert())
write("keras2-lite", rows, y, m.predict(normal, verbose=0)[:, -1])
scale = layers.Normalization()
scale.adapt(x)
kept("keras2-archive", fitted(x, scale, layers.Dense(6, activation="relu"), layers.Dense(1, activation="sigmoid")), x, lambda m: m.save("keras2-archive.keras"))
keras.utils.set_random_seed(7)  # of which a wrong arrangement fits the labels better than the right one
m = keras.Sequential([keras.Input((x.shape[1],)), layers.Dense(4, activation="relu"), layers.Dropout(0.2), layers.Dense(2, activation="softmax")])
m.compile("adam", "sparse_categorical_crossentropy")
m.fit(normal, y, epochs=10, verbose=0)
kept("keras2-hardly-trained", m, normal, lambda m: m.save("keras2-hardly-trained.h5"))
numbers, words = keras.Input((4,), name="numbers"), keras.Input((x.shape[1] - 4,), name="words")
m = keras.Model([numbers, words], layers.Dense(1, activation="sigmoid")(layers.Concatenate()([numbers, words])))
m.save("keras2-two-inputs.h5")
write("keras2-two-inputs", rows, y, m.predict([normal[:, :4], normal[:, 4:]], verbose=0))
