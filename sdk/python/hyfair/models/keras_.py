"""Keras 3: chains of dense layers and ReLUs, Sequential or Functional."""

from __future__ import annotations

import json
from typing import Any, List, Sequence, Tuple

from . import ModelNotReadable
from .chain import Chain, fed, score
from .core import Copy
from .inputs import Column

# Layers that change no value of a row in use.
_SAME = ("InputLayer", "Dropout", "GaussianNoise", "GaussianDropout", "AlphaDropout", "ActivityRegularization", "Flatten", "Identity")


def read(network: Any, columns: Sequence[Column]) -> Copy:
    return fed(model(network), columns)


def model(network: Any) -> Copy:
    """Read the model proper: a copy without inputs. Chain.copy says what the score is."""
    import keras

    library = f"Keras {keras.__version__}"
    chain, end = _chained(network, library)
    return chain.copy(library, network.name, end)


def scores(network: Any, frame: Any) -> Any:
    """The scores of a frame's rows."""
    import keras
    import numpy as np

    _, end = _chained(network, f"Keras {keras.__version__}")
    rows = np.asarray(frame, np.float64).astype(keras.backend.floatx())
    outputs: Any = [keras.ops.convert_to_numpy(network(rows[i:i + (1 << 16)], training=False)) for i in range(0, len(rows), 1 << 16)]
    return score(np.concatenate(outputs), end)


def _chained(network: Any, library: str) -> Tuple[Chain, str]:
    """The layers of the network, and what it ends in."""
    import keras

    def refuse(what: str) -> ModelNotReadable:
        return ModelNotReadable(f"{library}: {what}: want a chain of Dense layers with relu or leaky_relu and a sigmoid, "
                                "a softmax of two, or nothing at the end; network.save(\"model.keras\") and hyfair init read branches")

    layers = _layers(network, refuse)
    shape = network.input_shape
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[1] is None:
        raise refuse(f"{network.name} takes inputs of the shape {shape} and not rows of numbers")
    chain, end, width = Chain(), "", int(shape[1])
    for layer in layers:
        kind, made = type(layer).__name__, layer.get_config()
        name = f"the layer {layer.name} ({kind})"
        activation, slope = made.get("activation"), 0.2
        if isinstance(activation, dict):
            activation = activation.get("class_name")
        if kind in _SAME:
            continue
        if end:
            raise refuse(f"{name} follows the {end}")
        if kind == "Dense":
            chain.dense(_numbers(layer.kernel).T, None if layer.bias is None else _numbers(layer.bias))
            width = layer.units
        elif kind == "BatchNormalization":
            scale = (_numbers(layer.gamma) if layer.scale else 1) / (_numbers(layer.moving_variance) + layer.epsilon) ** 0.5
            chain.scale(scale, (_numbers(layer.beta) if layer.center else 0) - scale * _numbers(layer.moving_mean))
        elif kind == "Normalization" and not layer.invert:
            mean, variance = (_numbers(v).reshape(-1) + [0.0] * width for v in (layer.mean, layer.variance))
            # The library divides by the root, but by no less than its epsilon.
            scale = 1 / (variance ** 0.5).clip(keras.backend.epsilon())
            chain.scale(scale, -mean * scale)
        elif kind == "Rescaling":
            chain.scale([float(layer.scale)] * width, [float(layer.offset)] * width)
        elif kind in ("ReLU", "LeakyReLU"):
            if made.get("max_value") is not None or made.get("threshold"):
                raise refuse(f"{name} has a largest value or a threshold")
            activation, slope = "leaky_relu", float(made["negative_slope"])
        elif kind == "Softmax":
            activation = "softmax"
        elif kind != "Activation":
            raise refuse(f"{name} is not read")
        if activation in ("relu", "leaky_relu"):
            chain.relu(slope if activation == "leaky_relu" else 0, inputs=width)
        elif activation in ("sigmoid", "softmax"):
            end = activation
        elif activation not in (None, "linear"):
            raise refuse(f"{name} has the activation {activation}")
    return chain, end


def _layers(network: Any, refuse: Any) -> List[Any]:
    """The layers of a chain in order; those of inner networks in their place."""
    import keras

    made = network.get_config() if isinstance(network, keras.Model) and network.built else {}
    if not made.get("layers"):
        raise refuse(f"{type(network).__name__} is no built Sequential or Functional network")
    order = network.layers
    if not isinstance(network, keras.Sequential):
        after = {}
        for layer in made["layers"]:
            # Where a tensor comes from is the first entry of its history.
            sources = [s.split('"')[1] for s in json.dumps(layer["inbound_nodes"]).split('"keras_history": [')[1:]]
            if layer["inbound_nodes"] and (len(sources) != 1 or sources[0] in after):
                raise refuse(f"the layer {layer['name']} ({layer['class_name']}) belongs to a branch")
            if sources:
                after[sources[0]] = layer["name"]
        starts = [layer["name"] for layer in made["layers"] if not layer["inbound_nodes"]]
        if len(starts) != 1:
            raise refuse(f"{network.name} takes several inputs")
        order, name = [], starts[0]
        while name:
            order.append(network.get_layer(name))
            name = after.get(name, "")
    out: List[Any] = []
    for layer in order:
        out += _layers(layer, refuse) if isinstance(layer, keras.Model) else [layer]
    return out


def _numbers(weight: Any) -> Any:
    import keras
    import numpy as np

    return np.asarray(keras.ops.convert_to_numpy(weight), np.float64)
