#!/usr/bin/env python3
"""Writes the .h5 networks of this folder, and beside each the same network as
hyfair-network JSON, which the tests compare number by number.

    python3 -m venv venv && venv/bin/pip install numpy h5py
    venv/bin/python generate.py

The layout is that of model.save("network.h5") in Keras 2.x; the weights are
random, from a seed. The files refused_*.h5 hold one feature each that is
refused by name, and have no JSON.
"""

import json
import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
RNG = np.random.default_rng(20240229)


def dense(name, inputs, units, activation="linear", bias=True, dtype="float32", shown=None):
    """A Dense layer with its weights; shown is the activation as Keras writes it."""
    kernel = RNG.normal(0, 1, (inputs, units)).astype(dtype)
    offset = RNG.normal(0, 0.3, units).astype(dtype) if bias else None
    config = {
        "name": name, "trainable": True, "dtype": "float32", "units": units,
        "activation": activation if shown is None else shown, "use_bias": bias,
        "kernel_initializer": {"class_name": "GlorotUniform", "config": {"seed": None}},
        "bias_initializer": {"class_name": "Zeros", "config": {}},
        "kernel_regularizer": None, "bias_regularizer": None,
    }
    return {"class_name": "Dense", "config": config, "kernel": kernel, "bias": offset, "activation": activation}


def plain(kind, name, **config):
    return {"class_name": kind, "config": {"name": name, **config}}


def architecture(layers):
    return [{"class_name": l["class_name"], "config": l["config"]} for l in layers]


def sequential(layers, **config):
    return {"class_name": "Sequential", "config": {"name": "sequential", "layers": architecture(layers), **config}}


def functional(layers, scramble):
    """A chain as a functional network, its layers listed in another order."""
    entries = architecture(layers)
    for i, entry in enumerate(entries):
        entry["name"] = entry["config"]["name"]
        entry["inbound_nodes"] = [[[entries[i - 1]["name"], 0, 0, {}]]] if i else []
    first, last = entries[0]["name"], entries[-1]["name"]
    return {"class_name": "Functional", "config": {
        "name": "model", "layers": [entries[i] for i in scramble],
        "input_layers": [[first, 0, 0]], "output_layers": [[last, 0, 0]]}}


def contiguous(group, name, values):
    group.create_dataset(name, data=values)


def chunked(group, name, values):
    """Small chunks that do not divide the shape, every filter, one growing dimension."""
    chunks = tuple(max(1, n // 2 + 1) for n in values.shape)
    group.create_dataset(name, data=values, chunks=chunks, maxshape=(None,) + values.shape[1:],
                         compression="gzip", shuffle=True, fletcher32=True)


def compact(group, name, values):
    """Inside the object header, in big-endian order."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    plist.set_obj_track_times(False)
    *above, last = name.split("/")
    for part in above:
        group = group.require_group(part)
    big = values.astype(values.dtype.newbyteorder(">"))
    space = h5py.h5s.create_simple(values.shape)
    data = h5py.h5d.create(group.id, last.encode(), h5py.h5t.py_create(big.dtype), space, plist)
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, big)


def variable(text):
    return text.encode() if isinstance(text, str) else np.array([t.encode() for t in text], dtype=h5py.special_dtype(vlen=bytes))


def fixed(text):
    return np.bytes_(text) if isinstance(text, str) else np.array([t.encode() for t in text])


def keras(name, config, layers, store=contiguous, strings=fixed, config_strings=variable, split=None, **how):
    """Writes config and weights as Keras does."""
    with h5py.File(os.path.join(HERE, name), "w", **how) as f:
        f.attrs["keras_version"] = config_strings("2.3.0-tf")
        f.attrs["backend"] = config_strings("tensorflow")
        f.attrs["model_config"] = config_strings(json.dumps(config))
        weights = f.create_group("model_weights")
        names = [l["config"]["name"] for l in layers]
        if split:
            for i, start in enumerate(range(0, len(names), split)):
                weights.attrs["layer_names%d" % i] = strings(names[start:start + split])
        else:
            weights.attrs["layer_names"] = strings(names)
        for layer in layers:
            own = layer["config"]["name"]
            group = weights.create_group(own)
            arrays = {k + ":0": layer[k] for k in ("kernel", "bias") if layer.get(k) is not None}
            if arrays:
                group.attrs["weight_names"] = strings([own + "/" + k for k in arrays])
            else:  # Keras writes an empty list of floats here
                group.attrs["weight_names"] = np.array([], dtype="float64")
            for key, values in arrays.items():
                store(group, own + "/" + key, values)
        # What training left behind; a reader of networks passes it by.
        f.create_group("optimizer_weights").create_dataset("Adam/iter:0", data=np.int64(17))


def expect(name, layers, head, precision):
    """The same network as JSON: every number the shortest decimal of its precision."""
    def row(values):
        return "[" + ", ".join(str(v if precision == 32 else float(v)) for v in values) + "]"
    found = []
    for l in layers:
        if "kernel" not in l:
            continue
        units = l["kernel"].shape[1]
        bias = l["bias"] if l["bias"] is not None else np.zeros(units, dtype=l["kernel"].dtype)
        activation = "relu" if l["activation"] == "relu" else "linear"
        found.append('    {"name": "%s", "inputs": %d, "units": %d, "activation": "%s",\n     "weights": [%s],\n     "bias": %s}' % (
            l["config"]["name"], l["kernel"].shape[0], units, activation,
            ", ".join(row(r) for r in l["kernel"].T), row(bias)))
    with open(os.path.join(HERE, name), "w") as f:
        f.write('{"format": "hyfair-network", "version": 1, "precision": %d, "head": "%s", "layers": [\n%s\n]}\n' % (
            precision, head, ",\n".join(found)))


def main():
    # Plain Sequential, float32, contiguous, the first layer states the inputs.
    layers = [dense("dense", 3, 4, "relu"), plain("Dropout", "dropout", rate=0.5), dense("dense_1", 4, 2, "relu"),
              dense("dense_2", 2, 1, "sigmoid")]
    layers[0]["config"]["batch_input_shape"] = [None, 3]
    keras("sequential.h5", sequential(layers, build_input_shape=[None, 3]), layers)
    expect("sequential.json", layers, "sigmoid", 32)

    # Functional, float64, chunked with every filter, activations as layers, no hidden bias, variable-length names.
    layers = [plain("InputLayer", "input_1", batch_input_shape=[None, 5], dtype="float64"),
              plain("Flatten", "flatten", data_format="channels_last"),
              dense("hidden", 5, 7, "relu", bias=False, dtype="float64", shown="linear"),
              plain("ReLU", "re_lu", max_value=None, negative_slope=0.0, threshold=0.0),
              dense("output", 7, 2, dtype="float64"),
              plain("Activation", "softmax", activation="softmax")]
    keras("functional.h5", functional(layers, [5, 0, 2, 1, 4, 3]), layers, store=chunked, strings=variable)
    expect("functional.json", layers, "softmax", 64)

    # Newer superblock and headers (checksums), compact big-endian data, fixed-length strings throughout.
    layers = [dense("dense", 2, 3, "relu", shown={"class_name": "ReLU", "config": {"name": "re_lu"}}),
              dense("dense_1", 3, 3, "linear"), dense("dense_2", 3, 1)]
    keras("latest.h5", sequential(layers), layers, store=compact, config_strings=fixed, libver="latest")
    expect("latest.json", layers, "linear", 32)

    # More layers than one symbol table node takes (8); split names; the config as a list; mixed precision.
    layers = [dense("d%02d" % i, 1, 1, "relu", bias=False) for i in range(8)]
    layers.append(dense("d99", 1, 1, "sigmoid", dtype="float64"))
    keras("deep.h5", {"class_name": "Sequential", "config": architecture(layers)}, layers, split=5)
    expect("deep.json", layers, "sigmoid", 64)

    layers = [dense("dense", 2, 1, "sigmoid")]
    config = sequential(layers)
    keras("refused_lzf.h5", config, layers, store=lambda g, n, v: g.create_dataset(n, data=v, chunks=v.shape, compression="lzf"))
    keras("refused_float16.h5", config, layers, store=lambda g, n, v: g.create_dataset(n, data=v.astype("float16")))
    keras("refused_chunk_index.h5", config, layers, store=chunked, libver="latest")
    keras("refused_unwritten.h5", config, layers, store=lambda g, n, v: g.create_dataset(n, shape=v.shape, dtype="float32"))
    keras("refused_soft_link.h5", config, layers, store=lambda g, n, v: g.__setitem__(n, h5py.SoftLink("/elsewhere")))


main()
