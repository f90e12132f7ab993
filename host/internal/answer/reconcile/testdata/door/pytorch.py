"""Makes models with PyTorch 2.15, onnx 1.23 and pandas 3.1 (scripts/setup.sh torch)."""
import numpy as np
import onnx
import pandas as pd
import torch
from torch import nn

from common import applicants, write

rows, y = applicants()
dummies = pd.get_dummies(rows, dtype=float)
x = dummies.to_numpy("float32")
scaled = ((dummies - dummies.mean()) / dummies.std(ddof=0)).to_numpy("float32")


def train(model, x, loss, truth, epochs=250):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(epochs):
        optimizer.zero_grad()
        loss(model(torch.tensor(x)), truth).backward()
        optimizer.step()
    return model.eval()


def layers(*last, activation=nn.ReLU):
    torch.manual_seed(4)
    return nn.Sequential(nn.Linear(x.shape[1], 6), activation(), *last)


def export(name, model, x, scores, dynamo):
    torch.onnx.export(model, (torch.tensor(x[:1]),), f"{name}.onnx", dynamo=dynamo, **({"external_data": False} if dynamo else {}))
    made = onnx.load(f"{name}.onnx")
    for part in [*made.graph.node, *made.graph.value_info, *made.graph.input, *made.graph.output, *made.graph.initializer, made.graph]:
        del part.metadata_props[:]  # where the exporter notes lines of code
    onnx.save(made, f"{name}.onnx")
    write(name, rows, y, scores)


column = torch.tensor(y, dtype=torch.float32)[:, None]
with_logits = nn.functional.binary_cross_entropy_with_logits
m = train(nn.Sequential(nn.BatchNorm1d(x.shape[1]), *layers(nn.Linear(6, 1), nn.Sigmoid())), x, nn.functional.binary_cross_entropy, column)
export("torch-batch-norm", m, x, m(torch.tensor(x)).detach(), True)
m = train(layers(nn.Linear(6, 1)), scaled, with_logits, column)
export("torch-logit-scaled-outside", m, scaled, torch.sigmoid(m(torch.tensor(scaled))).detach(), False)
torch.save(m.state_dict(), "torch-state-dict.pt")
write("torch-state-dict", rows, y, torch.sigmoid(m(torch.tensor(scaled))).detach())
m = train(layers(nn.Linear(6, 2)), scaled, nn.functional.cross_entropy, torch.tensor(y))
export("torch-two-logits", m, scaled, torch.softmax(m(torch.tensor(scaled)), 1)[:, 1].detach(), True)
m = train(layers(nn.Linear(6, 1), nn.Sigmoid(), activation=nn.Tanh), scaled, nn.functional.binary_cross_entropy, column)
export("torch-tanh", m, scaled, m(torch.tensor(scaled)).detach(), True)


class Embedded(nn.Module):
    """As tabular networks are built: the codes of categories go through embeddings."""

    def __init__(self):
        super().__init__()
        self.job, self.sex, self.rest = nn.Embedding(4, 2), nn.Embedding(2, 1), nn.Sequential(nn.Linear(7, 6), nn.ReLU(), nn.Linear(6, 1), nn.Sigmoid())

    def forward(self, x):
        return self.rest(torch.cat([x[:, :4], self.job(x[:, 4].long()), self.sex(x[:, 5].long())], 1))


torch.manual_seed(4)
codes = np.column_stack([scaled[:, :4], rows.job.astype("category").cat.codes, rows.sex.astype("category").cat.codes]).astype("float32")
m = train(Embedded(), codes, nn.functional.binary_cross_entropy, column)
export("torch-embeddings", m, codes, m(torch.tensor(codes)).detach(), True)
