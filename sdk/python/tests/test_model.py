"""Models: what is served of them, and the process that a host attaches to."""

from __future__ import annotations

import json
import math
import os
import threading

import pytest

grpc = pytest.importorskip("grpc")

from hyfair.plugin import Description, Model, Scale, testing
from hyfair.plugin._pb.model.v1 import model_pb2
from hyfair.plugin._wire import write
from hyfair.plugin.serve import attached as attached_
from hyfair.plugin.serve.attached import Attached


class Told(Model):
    """Answers with what it is told; a function is called with the rows."""

    def __init__(self, answer, features=("a", "b"), scale=Scale.SHARE):
        self.answer, self.features, self.scale, self.thread = answer, list(features), scale, None

    def describe(self):
        return Description("told", features=self.features, scale=self.scale, identity="x1", batch=7)

    def score(self, rows):
        self.thread = threading.current_thread()
        return self.answer(rows) if callable(self.answer) else self.answer


def tenth(rows):
    return [row[0] / 10 for row in rows]


def test_a_right_model():
    assert testing.score(Told(tenth), [[1, 0], [2, 0]]) == [0.1, 0.2]
    traits = write.model_description(Told(tenth).describe()).model
    assert (list(traits.features), traits.scale, traits.identity, traits.batch) == (["a", "b"], 1, "x1", 7)


def test_single_precision_is_the_same_score():
    model = Told(lambda rows: [v + 1e-7 * len(rows) for v in tenth(rows)])
    assert testing.score(model, [[1, 0], [2, 0]]) == pytest.approx([0.1, 0.2], abs=1e-6)


@pytest.mark.parametrize("answer, scale, says", [
    ([0.1], Scale.SHARE, "1 scores for 2 rows"),
    ([0.1, math.nan], Scale.NUMBER, "nan is no score"),
    ([0.1, 1.5], Scale.SHARE, "1.5 is no score of the scale SHARE"),
    (lambda rows: [0.1 * len(rows)] * len(rows), Scale.SHARE, "for each row alone"),
])
def test_a_wrong_model(answer, scale, says):
    with pytest.raises(testing.IllegalClaim, match=says):
        testing.score(Told(answer, scale=scale), [[1, 0], [2, 0]])


def test_rows_of_another_model():
    with pytest.raises(ValueError, match=r"have \[3\] values"):
        testing.score(Told(tenth), [[1, 2, 3]])


def ask(attached, path, calls):
    """Plays the host: makes the calls one after another while the model is served, and returns their outcomes."""
    out = []

    def lines():
        where = json.loads(path.read_text())
        with grpc.insecure_channel(("unix:" if where["network"] == "unix" else "") + where["address"]) as channel:
            score = channel.unary_unary(
                "/hyfair.model.v1.Model/Score", request_serializer=model_pb2.ScoreRequest.SerializeToString,
                response_deserializer=model_pb2.ScoreResponse.FromString)
            for call in calls:
                yield "asks"
                try:
                    out.append(list(call(score)))
                except grpc.RpcError as e:
                    out.append(f"{e.code().name}: {e.details()}")

    told = attached.over(lines())
    return told, out


def rows(*values, width=2):
    return lambda score: score(model_pb2.ScoreRequest(width=width, values=values)).scores


def test_attached(tmp_path):
    model, path = Told(tenth), tmp_path / "at.json"
    with Attached(model, path) as attached:
        where = json.loads(path.read_text())
        assert (where["protocol"], where["protocol_version"], where["pid"]) == ("grpc", 1, os.getpid())
        told, out = ask(attached, path, [rows(1, 2, 3, 4), rows(5, 6)])
        assert list(told) == ["asks", "asks"]
        assert out == [[0.1, 0.3], [0.5]]
        assert model.thread is threading.current_thread()
        assert attached.fault is None
        assert list(told) == []  # an interrupt after the last line iterates again
    assert not path.exists() and not os.path.exists(where["address"])


@pytest.mark.parametrize("answer, call, says", [
    (lambda rows: 1 / 0, rows(1, 2), "INTERNAL: the model raised ZeroDivisionError: division by zero"),
    ([math.inf], rows(1, 2), "score returned inf for row 0 of 1"),
    ([0.1, 0.2], rows(1, 2), "score returned 2 scores for 1 rows"),
    (tenth, rows(1, 2, 3, 4, width=4), "4 values in rows of 4, for a model of 2 features"),
])
def test_what_is_wrong_ends_it(tmp_path, answer, call, says):
    model = Told(answer)
    with Attached(model, tmp_path / "at.json") as attached:
        told, out = ask(attached, tmp_path / "at.json", [call, rows(1, 2)])
        list(told)
    assert says in out[0] and out[1] == out[0]  # and it is not asked again
    assert type(attached.fault).__name__ in out[0]


def test_an_interrupt_reaches_the_model(tmp_path, monkeypatch):
    monkeypatch.setattr(attached_, "PATIENCE", 0.1)
    given_up = threading.Event()

    def interrupted(rows):
        if not given_up.is_set():
            given_up.set()
            raise KeyboardInterrupt
        return tenth(rows)

    def gives_up(score):
        call = score.future(model_pb2.ScoreRequest(width=2, values=[1, 2]))
        given_up.wait()
        call.cancel()
        return ["given up"]

    for call, want in ((rows(1, 2), [0.1]), (gives_up, ["given up"])):
        given_up.clear()
        with Attached(Told(interrupted), tmp_path / "at.json") as attached:
            told, out = ask(attached, tmp_path / "at.json", [call])
            assert next(told) == "asks"
            with pytest.raises(KeyboardInterrupt):
                next(told)
            assert list(told) == [] and attached.fault is None
        assert out == [want]


def test_the_end_of_the_host_ends_a_call(tmp_path):
    asked, end = threading.Event(), threading.Event()

    def call(score):
        call = score.future(model_pb2.ScoreRequest(width=2, values=[1, 2]))
        asked.set()
        end.wait()
        return [str(call.code().name)]

    with Attached(Told(tenth), tmp_path / "at.json") as attached:
        told, out = ask(attached, tmp_path / "at.json", [call])
        assert next(told) == "asks"
        asked.wait()
    end.set()
    assert list(told) == []
    assert out[0] in (["CANCELLED"], ["UNAVAILABLE"], ["UNKNOWN"])
