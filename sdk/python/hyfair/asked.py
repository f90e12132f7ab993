"""Models that are asked and not read: this process serves them while a command of the program runs."""

from __future__ import annotations

import os
import threading
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, List, Literal, Mapping, Sequence, Tuple

from . import engine
from .exceptions import Error, ModelNotReadable, StudyError
from .frames import Frame
from .models.core import Copy
from .models.inputs import Column, Scale, Table, as_list, plain

FILE = "model.attach.json"
"""The file in a study's folder that says where the model is served."""
TRIED = 100
"""The rows that a new study asks about twice."""


def owner_of(model: Any) -> Tuple[Any, Any]:
    """The model that a method predict_proba belongs to, and that method; else the argument, and None."""
    owner = getattr(model, "__self__", None)
    return (model, None) if owner is None or getattr(model, "__name__", "") != "predict_proba" else (owner, model)


def asking(model: Any, why: ModelNotReadable) -> Any:
    """The callable that gives the scores of a model that no reader takes. Without one, raises a refusal: ``why``, or one with advice."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba
    if callable(model):
        return model
    name = type(model).__name__
    if hasattr(model, "decision_function"):
        raise ModelNotReadable(f"{name} gives no probabilities: put it into CalibratedClassifierCV, or hand over a function of X "
                               "that gives one for each row, hyfair.Study(scores, X, …)") from why
    raise why


class Asked:
    """A callable ``scores(frame)`` as the model of a study. It is a Core, whose file says where it is served."""

    output: Literal["share"] = "share"

    def __init__(self, ask: Callable[[Any], Any], frame: Frame, columns: Sequence[Column]) -> None:
        _attached()
        self._ask, self._frame, self._columns = ask, frame, columns
        self._of = type(getattr(ask, "__self__", ask)).__name__ if not hasattr(ask, "__qualname__") else ask.__qualname__
        self._cells: Dict[str, Callable[[float], Any]] = {}
        self._identity, self._turn = uuid.uuid4().hex, threading.RLock()

    @property
    def inputs(self) -> int:
        return len(self._columns)

    def reordered(self, order: Sequence[int]) -> "Asked":
        return self

    def file(self) -> Tuple[str, bytes]:
        return FILE, b"{}"

    def copy(self, owner: Any) -> Copy:
        """The callable as readers give a model. ``owner`` is the estimator, if there is one."""
        classes = getattr(owner, "classes_", (0, 1))
        if len(classes) != 2:
            raise ModelNotReadable(f"{type(owner).__name__} has {len(classes)} classes: hyfair asks models of two; give a function of X "
                                   "that gives the probability of one of them, hyfair.Study(scores, X, …)")
        inputs = [Table(c.name, [float(i) for i in range(len(c.values) + c.missing)]) if c.kind == "category" else Scale(c.name)
                  for c in self._columns]
        note = "the model is asked, not read: answers are observed, and nothing is proved"
        return Copy(self, inputs, "", plain(classes[1]), notes=[note])

    def decoded_by(self, cells: Mapping[str, Callable[[float], Any]]) -> None:
        """Say for each column which cell a number of the program stands for."""
        self._cells = dict(cells)

    def scores(self, rows: Any) -> List[float]:
        """The callable's scores of rows, as narwhals reads them, checked."""
        names = [c.name for c in self._columns]
        return _shares(self._ask(self._frame.for_asking(rows, names)), len(rows))

    def score(self, rows: Sequence[Sequence[float]]) -> List[float]:
        """The scores of rows of the program's numbers."""
        return self.scores(self._frame.of({c.name: list(map(self._cells[c.name], numbers)) for c, numbers in zip(self._columns, zip(*rows))}))

    def describe(self) -> Any:
        """The description of a model plugin."""
        from .plugin.describe import Description, Scale as Scores

        return Description("python", "1", f"{self._of}, asked in a process of Python", features=[c.name for c in self._columns],
                           scale=Scores.SHARE, identity=self._identity)

    def run(self, folder: Path, arguments: Sequence[str], page: bool = True) -> engine.Outcome:
        """Run a command of the program, and serve the model to it. An exception of the callable is raised as it is."""
        with self._turn, _attached()(self, folder / FILE) as attached:
            try:
                outcome = engine.run(arguments, page, {"HYFAIR_RUNS_DIR": str(folder)}, attached.over)  # scores are kept there, and go with the study
            except Error as err:
                if attached.fault is not None:
                    raise attached.fault from err
                raise
            if attached.fault is not None:
                raise attached.fault
            return outcome


def _attached() -> Any:
    # As in a plugin's own process: gRPC only prints warnings about a child that does not use it.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        from .plugin.serve.attached import Attached
    except ImportError as err:
        raise ModelNotReadable(f"a model that is asked takes grpcio and protobuf ({err}): pip install 'hyfair[plugin]'") from err
    return Attached


def _shares(values: Any, count: int) -> List[float]:
    """What a callable gave for ``count`` rows, as a probability of yes for each."""
    if hasattr(values, "columns"):
        values = values.to_numpy()
    try:
        rows = as_list(values)
        wide = {len(r) for r in rows if hasattr(r, "__len__") and not isinstance(r, str)}
        if wide - {1, 2}:
            raise StudyError(f"the model gives {max(wide)} numbers a row: want one, the probability of yes, or two, as predict_proba gives")
        out = [float(r[-1] if wide else r) for r in rows]
    except StudyError:
        raise
    except (TypeError, ValueError) as err:
        raise StudyError(f"the model gives {values!r:.60}: want one probability for each row ({err})") from err
    if len(out) != count:
        raise StudyError(f"the model gives {len(out):,} scores for {count:,} rows: want one for each")
    wrong = next((i for i, v in enumerate(out) if not 0 <= v <= 1), None)
    if wrong is not None:
        raise StudyError(f"the model's score of row {wrong} of {count:,} is {out[wrong]}: want a probability from 0 to 1")
    return out


def differing(one: Sequence[float], other: Sequence[float]) -> List[int]:
    """The rows whose two scores differ by more than rounding."""
    from .plugin.model import same
    return [i for i, (a, b) in enumerate(zip(one, other)) if not same(a, b)]
