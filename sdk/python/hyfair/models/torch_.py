"""PyTorch: modules that torch.fx traces to a chain of dense layers and ReLUs."""

from __future__ import annotations

import copy
from typing import Any, Dict, Sequence, Tuple

from . import ModelNotReadable
from .chain import Chain, fed, score
from .core import Copy
from .inputs import Column


def read(module: Any, columns: Sequence[Column]) -> Copy:
    return fed(model(module), columns)


def model(module: Any) -> Copy:
    """Read the model proper: a copy without inputs. Chain.copy says what the score is."""
    import torch

    library = f"PyTorch {torch.__version__}"
    chain, end = _traced(module, library)
    return chain.copy(library, type(module).__name__, end)


def scores(module: Any, frame: Any) -> Any:
    """The scores of a frame's rows in evaluation mode."""
    import numpy
    import torch

    _, end = _traced(module, f"PyTorch {torch.__version__}")
    still = copy.deepcopy(module).eval()
    first = next(still.parameters())
    rows: Any = torch.as_tensor(numpy.asarray(frame, numpy.float64)).to(first)
    with torch.no_grad():
        outputs = [still(some).reshape(len(some), -1) for some in rows.split(1 << 16)]
    return score(torch.cat(outputs).cpu().numpy(), end)


def _traced(module: Any, library: str) -> Tuple[Chain, str]:
    """The layers of the module in evaluation mode, and what it ends in."""
    import torch
    from torch import nn

    name = type(module).__name__
    try:
        traced = torch.fx.symbolic_trace(copy.deepcopy(module).eval())
    except Exception as failed:  # whatever the module's own code raises
        raise ModelNotReadable(
            f"{library}: torch.fx cannot trace {name}.forward ({failed}): write it without branches on values") from failed
    modules: Dict[str, Any] = dict(traced.named_modules())
    chain, end, last = Chain(), "", None

    def refuse(what: str) -> ModelNotReadable:
        return ModelNotReadable(f"{library}: {what}: want a chain of Linear, ReLU, LeakyReLU, BatchNorm1d and "
                                "Dropout with a Sigmoid, a Softmax of two, or nothing at the end")

    for node in traced.graph.nodes:
        if node.op == "placeholder":
            if last is not None:
                raise refuse(f"{name}.forward takes several inputs")
            last = node
            continue
        if node.op == "output":
            if node.args[0] is not last:
                raise refuse(f"{name}.forward returns something else than its last tensor")
            break
        layer, what = _layer(node, modules)
        if node.all_input_nodes != [last]:
            raise refuse(f"{node.name} ({what}) joins branches")
        last = node
        if layer is None:
            raise refuse(f"{node.name} ({what}) is not read")
        if isinstance(layer, nn.Identity):
            continue
        if end:
            raise refuse(f"{node.name} ({what}) follows the {end}")
        if isinstance(layer, nn.Linear):
            chain.dense(_numbers(layer.weight), None if layer.bias is None else _numbers(layer.bias))
        elif isinstance(layer, nn.BatchNorm1d):
            if layer.running_mean is None or layer.running_var is None:
                raise refuse(f"{node.name} ({what}) has no running mean")
            gain = 1 if layer.weight is None else _numbers(layer.weight)
            scale = gain / (_numbers(layer.running_var) + layer.eps) ** 0.5
            chain.scale(scale, (0 if layer.bias is None else _numbers(layer.bias)) - scale * _numbers(layer.running_mean))
        elif isinstance(layer, (nn.ReLU, nn.LeakyReLU)):
            chain.relu(getattr(layer, "negative_slope", 0.0))
        else:
            end = what.lower()
    return chain, end


def _layer(node: Any, modules: Dict[str, Any]) -> Any:
    """The layer that a node of the graph computes, Identity for what changes no value, None if
    it is not read; and its name."""
    from torch import nn

    if node.op == "call_module":
        layer = modules[node.target]
        known = type(layer) in (nn.Identity, nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.LeakyReLU, nn.Sigmoid) or (
            isinstance(layer, nn.Softmax) and layer.dim in (1, -1))
        same = isinstance(layer, (nn.Dropout, nn.AlphaDropout)) or isinstance(layer, nn.Flatten) and layer.start_dim == 1
        return nn.Identity() if same else layer if known else None, type(layer).__name__
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
    if node.op not in ("call_function", "call_method"):
        return None, name
    second = node.args[1] if len(node.args) > 1 else None
    made: Any = None
    if name in ("relu", "relu_"):
        made = nn.ReLU()
    elif name in ("leaky_relu", "leaky_relu_"):
        made = nn.LeakyReLU(node.kwargs.get("negative_slope", second or 0.01))
    elif name == "sigmoid":
        made = nn.Sigmoid()
    elif name == "softmax" and node.kwargs.get("dim", second) in (1, -1):
        made = nn.Softmax(1)
    elif name in ("dropout", "float", "contiguous") or name in ("flatten", "squeeze") and (
            node.kwargs.get("start_dim", node.kwargs.get("dim", second)) in (1, -1)):
        made = nn.Identity()
    return made, name


def _numbers(tensor: Any) -> Any:
    return tensor.detach().cpu().double().numpy()
