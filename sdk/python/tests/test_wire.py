from __future__ import annotations

import math
import pathlib
from fractions import Fraction

import pytest

pytest.importorskip("google.protobuf")

from hyfair.plugin import Move, MoveKind, Reason, Result, Status, Unsupported, Witness  # noqa: E402
from hyfair.plugin._pb.problem.v1 import number_pb2, problem_pb2, space_pb2  # noqa: E402
from hyfair.plugin._pb.solver.v1 import solver_pb2  # noqa: E402
from hyfair.plugin._pb.strategy.v1 import strategy_pb2  # noqa: E402
from hyfair.plugin._wire import read, write  # noqa: E402


@pytest.mark.parametrize("text", ["0", "-3", "22/7", "-22/7", "1/010", "123456789012345678901234567890/7"])
def test_fractions(text):
    got = read.number(number_pb2.Number(fraction=text))
    assert got == Fraction(text)
    assert Fraction(read.number(write._number(got))) == got


@pytest.mark.parametrize("text", ["", "-", "1/", "/2", "1/0", "1/-2", "+1", "1e9", "1.5", " 1", "1\n", "0x1", "1/2/3", "1_000", "٣"])
def test_no_fractions(text):
    with pytest.raises(ValueError):
        read.number(number_pb2.Number(fraction=text))


@pytest.mark.parametrize("number", [
    number_pb2.Number(), number_pb2.Number(float=math.nan), number_pb2.Number(float=math.inf),
    number_pb2.Number(fraction="1" * 70_000)])
def test_no_numbers(number):
    with pytest.raises(ValueError):
        read.number(number)


def start(**more) -> strategy_pb2.Start:
    space = space_pb2.Space(inputs=1, features=[
        space_pb2.Feature(name="x", kind=1, lo=0, hi=9, inputs=[space_pb2.Input(scale=1)]),
        space_pb2.Feature(name="z", kind=2, hi=1, categories=["a", "b"], protected=[0, 1])])
    return strategy_pb2.Start(space=space, **more)


def test_start():
    space, options = read.start(start(
        seed=-5, chains=8, options={"a": "b"}, epsilon=number_pb2.Number(fraction="1/20"),
        region=space_pb2.Region(
            box=[space_pb2.Interval(lo=2, hi=3), space_pb2.Interval()],
            values=[number_pb2.Point(), number_pb2.Point(values=[1])])))
    assert [f.name for f in space.features] == ["x", "z"] and space.free == [0]
    assert (options.seed, options.chains, options.options, options.epsilon) == (-5, 8, {"a": "b"}, Fraction(1, 20))
    assert space.range(0, options.region) == (2, 3) and list(options.region.values[1]) == [1]
    _, options = read.start(start())
    assert space.range(0, options.region) == (0, 9) and options.epsilon is None and options.network is None


def test_models_of_other_families():
    for read_it, m in [
        (read.start, start(other={"family": "trees"})),
        (read.checked_problem, problem_pb2.Problem(network={"other": {"family": "trees"}})),
    ]:
        with pytest.raises(Unsupported, match="trees"):
            read_it(m)


@pytest.mark.parametrize("m", [
    strategy_pb2.Start(),
    start(chains=-1),
    start(region=space_pb2.Region(box=[space_pb2.Interval()])),
    start(region=space_pb2.Region(box=[space_pb2.Interval()] * 2, values=[number_pb2.Point(), number_pb2.Point()])),
    start(region=space_pb2.Region(
        box=[space_pb2.Interval(lo=math.nan), space_pb2.Interval()], values=[number_pb2.Point(), number_pb2.Point(values=[0])])),
    start(network={"head": 1, "precision": 32}),
    start(network={"precision": 32}),
    start(network={"head": 1, "precision": 32, "layers": [{"in": 2, "out": 1, "weights": [1, 1], "bias": [0]}]}),
    start(epsilon=number_pb2.Number()),
])
def test_malformed_starts(m):
    with pytest.raises(ValueError):
        read.start(m)


def test_rows():
    assert read.rows(strategy_pb2.RowChunk(width=2, values=[1, 2, 3, 4]), 2) == [[1, 2], [3, 4]]
    for bad in (strategy_pb2.RowChunk(width=3, values=[1, 2, 3]), strategy_pb2.RowChunk(width=2, values=[1]),
                strategy_pb2.RowChunk(width=2, values=[1, math.inf]), strategy_pb2.RowChunk()):
        with pytest.raises(ValueError):
            read.rows(bad, 2)


def test_trials_and_moves():
    (t,) = read.trials([strategy_pb2.Trial(id=3, status=1, point=[1, 2], k=4, gap=0.5, violates=True, shannon=1.5, min_entropy=0.5)])
    assert (t.id, t.status.name, t.point, t.k, t.gap, t.violates, t.shannon, t.min_entropy) == (
        3, "EVALUATED", [1, 2], 4, 0.5, True, 1.5, 0.5)
    assert (t.scores, t.bins, t.highest, t.lowest) == ([], [], [], [])
    (t,) = read.trials([strategy_pb2.Trial(id=3, status=1, scores=[0.5, 0.25], bins=[10, 5], highest=[1, 0], lowest=[1, 1])])
    assert (t.scores, t.bins, t.highest, t.lowest) == ([0.5, 0.25], [10, 5], [1, 0], [1, 1])
    for bad in ({"status": 0}, {"status": 9}, {"status": 1, "gap": math.nan}, {"status": 1, "shannon": math.inf},
                {"status": 1, "point": [math.nan]}, {"status": 1, "scores": [math.nan]}, {"status": 1, "highest": [math.inf]}):
        with pytest.raises(ValueError):
            read.trials([strategy_pb2.Trial(**bad)])
    m = write.moves([Move(5, [1.0, 2], 7, 2, MoveKind.SEED_FROM)]).moves[0]
    assert (m.id, list(m.point), m.round, m.chain, m.kind) == (5, [1, 2], 7, 2, strategy_pb2.MOVE_KIND_SEED_FROM)


@pytest.mark.parametrize("m", [
    problem_pb2.Problem(), problem_pb2.Problem(network={}), problem_pb2.Problem(milp={}), problem_pb2.Problem(smt={}),
    problem_pb2.Problem(milp={"objective": {}, "columns": [{"lo": 0, "hi": 1}]}),  # no role
    problem_pb2.Problem(milp={"objective": {}, "columns": [{"lo": 1, "hi": 0, "role": 1}]}),
    problem_pb2.Problem(milp={"objective": {}, "rows": [{"columns": [0], "coefs": [1]}]}),
])
def test_malformed_problems(m):
    with pytest.raises(ValueError):
        read.checked_problem(m)


def test_solve_options():
    o = read.solve_options(solver_pb2.SolveOptions())
    assert (o.threads, o.memory, o.time_limit, o.work_limit, o.target) == (1, None, None, None, None)
    assert read.solve_options(solver_pb2.SolveOptions(target=0)).target == 0
    assert read.solve_options(solver_pb2.SolveOptions(time_limit_nanos=1)).time_limit == 1e-9
    for bad in ({"threads": -1}, {"gap": -0.1}, {"gap": math.nan}, {"target": math.nan}, {"time_limit_nanos": -1}):
        with pytest.raises(ValueError):
            read.solve_options(solver_pb2.SolveOptions(**bad))


def test_results():
    for status in Status:
        for reason in Reason:
            m = write.result(Result(status, reason))
            assert solver_pb2.Status.Name(m.status) == "STATUS_" + status.name
            assert solver_pb2.Reason.Name(m.reason) == "REASON_" + reason.name
    m = write.result(Result(Status.UNKNOWN, bound=-math.inf))
    assert m.HasField("bound") and not m.HasField("values") and not m.HasField("witness")
    assert write.result(Result(Status.FEASIBLE, values=[])).HasField("values")
    w = write.result(Result(Status.FEASIBLE, witness=Witness([1, 2], [1, 3]))).witness
    assert (list(w.copy1.values), list(w.copy2.values)) == ([1, 2], [1, 3])


def test_the_code_is_that_of_the_protocol():
    """`make generate` writes both; forgetting it would show in nothing else."""
    from google.protobuf import descriptor_pb2

    from hyfair.plugin._pb.model.v1 import model_pb2
    from hyfair.plugin._pb.plugin.v1 import description_pb2
    from hyfair.plugin._pb.problem.v1 import network_pb2, trees_pb2

    image = pathlib.Path(__file__).resolve().parents[2] / "proto" / "image.binpb"
    files = {f.name: f for f in descriptor_pb2.FileDescriptorSet.FromString(image.read_bytes()).file}
    modules = (description_pb2, model_pb2, network_pb2, number_pb2, problem_pb2, space_pb2, solver_pb2, strategy_pb2, trees_pb2)
    assert {m.DESCRIPTOR.name for m in modules} == set(files)
    for m in modules:
        ours = descriptor_pb2.FileDescriptorProto.FromString(m.DESCRIPTOR.serialized_pb)
        theirs = files[m.DESCRIPTOR.name]
        for said in (ours, theirs):
            said.ClearField("source_code_info")
            for message in said.message_type:
                for f in list(message.field) + [f for inner in message.nested_type for f in inner.field]:
                    f.ClearField("json_name")
        assert ours == theirs, m.DESCRIPTOR.name
