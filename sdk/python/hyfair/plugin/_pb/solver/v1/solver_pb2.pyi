from hyfair.plugin._pb.plugin.v1 import description_pb2 as _description_pb2
from hyfair.plugin._pb.problem.v1 import number_pb2 as _number_pb2
from hyfair.plugin._pb.problem.v1 import problem_pb2 as _problem_pb2
from hyfair.plugin._pb.problem.v1 import space_pb2 as _space_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Status(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STATUS_UNSPECIFIED: _ClassVar[Status]
    STATUS_FEASIBLE: _ClassVar[Status]
    STATUS_OPTIMAL: _ClassVar[Status]
    STATUS_INFEASIBLE: _ClassVar[Status]
    STATUS_UNKNOWN: _ClassVar[Status]

class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REASON_UNSPECIFIED: _ClassVar[Reason]
    REASON_NONE: _ClassVar[Reason]
    REASON_TIME_LIMIT: _ClassVar[Reason]
    REASON_WORK_LIMIT: _ClassVar[Reason]
    REASON_MEMORY_LIMIT: _ClassVar[Reason]
    REASON_INTERRUPTED: _ClassVar[Reason]
    REASON_INCOMPLETE: _ClassVar[Reason]
    REASON_NUMERICAL: _ClassVar[Reason]
    REASON_OTHER: _ClassVar[Reason]

class PieceClaim(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PIECE_CLAIM_UNSPECIFIED: _ClassVar[PieceClaim]
    PIECE_CLAIM_FAIR: _ClassVar[PieceClaim]
    PIECE_CLAIM_UNFAIR: _ClassVar[PieceClaim]
    PIECE_CLAIM_UNDECIDED: _ClassVar[PieceClaim]
    PIECE_CLAIM_OUTSIDE: _ClassVar[PieceClaim]
STATUS_UNSPECIFIED: Status
STATUS_FEASIBLE: Status
STATUS_OPTIMAL: Status
STATUS_INFEASIBLE: Status
STATUS_UNKNOWN: Status
REASON_UNSPECIFIED: Reason
REASON_NONE: Reason
REASON_TIME_LIMIT: Reason
REASON_WORK_LIMIT: Reason
REASON_MEMORY_LIMIT: Reason
REASON_INTERRUPTED: Reason
REASON_INCOMPLETE: Reason
REASON_NUMERICAL: Reason
REASON_OTHER: Reason
PIECE_CLAIM_UNSPECIFIED: PieceClaim
PIECE_CLAIM_FAIR: PieceClaim
PIECE_CLAIM_UNFAIR: PieceClaim
PIECE_CLAIM_UNDECIDED: PieceClaim
PIECE_CLAIM_OUTSIDE: PieceClaim

class DescribeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("description",)
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    description: _description_pb2.Description
    def __init__(self, description: _Optional[_Union[_description_pb2.Description, _Mapping]] = ...) -> None: ...

class SolveRequest(_message.Message):
    __slots__ = ("problem", "options", "call")
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    problem: _problem_pb2.Problem
    options: SolveOptions
    call: int
    def __init__(self, problem: _Optional[_Union[_problem_pb2.Problem, _Mapping]] = ..., options: _Optional[_Union[SolveOptions, _Mapping]] = ..., call: _Optional[int] = ...) -> None: ...

class SolveOptions(_message.Message):
    __slots__ = ("seed", "threads", "memory", "time_limit_nanos", "work_limit", "gap", "target", "options", "pieces", "proofs")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SEED_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    TIME_LIMIT_NANOS_FIELD_NUMBER: _ClassVar[int]
    WORK_LIMIT_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    PROOFS_FIELD_NUMBER: _ClassVar[int]
    seed: int
    threads: int
    memory: int
    time_limit_nanos: int
    work_limit: int
    gap: float
    target: float
    options: _containers.ScalarMap[str, str]
    pieces: bool
    proofs: bool
    def __init__(self, seed: _Optional[int] = ..., threads: _Optional[int] = ..., memory: _Optional[int] = ..., time_limit_nanos: _Optional[int] = ..., work_limit: _Optional[int] = ..., gap: _Optional[float] = ..., target: _Optional[float] = ..., options: _Optional[_Mapping[str, str]] = ..., pieces: bool = ..., proofs: bool = ...) -> None: ...

class SolveResponse(_message.Message):
    __slots__ = ("progress", "result", "pieces")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    progress: Progress
    result: Result
    pieces: Pieces
    def __init__(self, progress: _Optional[_Union[Progress, _Mapping]] = ..., result: _Optional[_Union[Result, _Mapping]] = ..., pieces: _Optional[_Union[Pieces, _Mapping]] = ...) -> None: ...

class Pieces(_message.Message):
    __slots__ = ("pieces",)
    PIECES_FIELD_NUMBER: _ClassVar[int]
    pieces: _containers.RepeatedCompositeFieldContainer[Piece]
    def __init__(self, pieces: _Optional[_Iterable[_Union[Piece, _Mapping]]] = ...) -> None: ...

class Piece(_message.Message):
    __slots__ = ("lo", "hi", "claim", "fair", "unfair", "proof")
    LO_FIELD_NUMBER: _ClassVar[int]
    HI_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    FAIR_FIELD_NUMBER: _ClassVar[int]
    UNFAIR_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    lo: _containers.RepeatedScalarFieldContainer[float]
    hi: _containers.RepeatedScalarFieldContainer[float]
    claim: PieceClaim
    fair: _number_pb2.Number
    unfair: _number_pb2.Number
    proof: Proof
    def __init__(self, lo: _Optional[_Iterable[float]] = ..., hi: _Optional[_Iterable[float]] = ..., claim: _Optional[_Union[PieceClaim, str]] = ..., fair: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., unfair: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., proof: _Optional[_Union[Proof, _Mapping]] = ...) -> None: ...

class Proof(_message.Message):
    __slots__ = ("enumerated", "copies", "cases")
    ENUMERATED_FIELD_NUMBER: _ClassVar[int]
    COPIES_FIELD_NUMBER: _ClassVar[int]
    CASES_FIELD_NUMBER: _ClassVar[int]
    enumerated: bool
    copies: _containers.RepeatedCompositeFieldContainer[CopyProof]
    cases: _containers.RepeatedCompositeFieldContainer[CaseProof]
    def __init__(self, enumerated: bool = ..., copies: _Optional[_Iterable[_Union[CopyProof, _Mapping]]] = ..., cases: _Optional[_Iterable[_Union[CaseProof, _Mapping]]] = ...) -> None: ...

class CaseProof(_message.Message):
    __slots__ = ("first", "second", "bin", "steps")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    BIN_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    first: CaseSide
    second: CaseSide
    bin: int
    steps: _containers.RepeatedCompositeFieldContainer[CaseStep]
    def __init__(self, first: _Optional[_Union[CaseSide, _Mapping]] = ..., second: _Optional[_Union[CaseSide, _Mapping]] = ..., bin: _Optional[int] = ..., steps: _Optional[_Iterable[_Union[CaseStep, _Mapping]]] = ...) -> None: ...

class CaseSide(_message.Message):
    __slots__ = ("copies", "layers", "neurons")
    COPIES_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    NEURONS_FIELD_NUMBER: _ClassVar[int]
    copies: _containers.RepeatedScalarFieldContainer[int]
    layers: _containers.RepeatedScalarFieldContainer[int]
    neurons: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, copies: _Optional[_Iterable[int]] = ..., layers: _Optional[_Iterable[int]] = ..., neurons: _Optional[_Iterable[int]] = ...) -> None: ...

class CaseStep(_message.Message):
    __slots__ = ("relu", "cut", "end")
    RELU_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    relu: int
    cut: CaseCut
    end: CaseEnd
    def __init__(self, relu: _Optional[int] = ..., cut: _Optional[_Union[CaseCut, _Mapping]] = ..., end: _Optional[_Union[CaseEnd, _Mapping]] = ...) -> None: ...

class CaseCut(_message.Message):
    __slots__ = ("feature", "at")
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    feature: int
    at: float
    def __init__(self, feature: _Optional[int] = ..., at: _Optional[float] = ...) -> None: ...

class CaseEnd(_message.Message):
    __slots__ = ("up", "down", "slopes")
    UP_FIELD_NUMBER: _ClassVar[int]
    DOWN_FIELD_NUMBER: _ClassVar[int]
    SLOPES_FIELD_NUMBER: _ClassVar[int]
    up: float
    down: float
    slopes: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, up: _Optional[float] = ..., down: _Optional[float] = ..., slopes: _Optional[_Iterable[float]] = ...) -> None: ...

class CopyProof(_message.Message):
    __slots__ = ("protected", "logit", "layers", "neurons", "slopes", "joint_layers", "joint_neurons", "joint_own", "joint_other", "up", "down")
    PROTECTED_FIELD_NUMBER: _ClassVar[int]
    LOGIT_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    NEURONS_FIELD_NUMBER: _ClassVar[int]
    SLOPES_FIELD_NUMBER: _ClassVar[int]
    JOINT_LAYERS_FIELD_NUMBER: _ClassVar[int]
    JOINT_NEURONS_FIELD_NUMBER: _ClassVar[int]
    JOINT_OWN_FIELD_NUMBER: _ClassVar[int]
    JOINT_OTHER_FIELD_NUMBER: _ClassVar[int]
    UP_FIELD_NUMBER: _ClassVar[int]
    DOWN_FIELD_NUMBER: _ClassVar[int]
    protected: _number_pb2.Point
    logit: _space_pb2.Interval
    layers: _containers.RepeatedScalarFieldContainer[int]
    neurons: _containers.RepeatedScalarFieldContainer[int]
    slopes: _containers.RepeatedScalarFieldContainer[float]
    joint_layers: _containers.RepeatedScalarFieldContainer[int]
    joint_neurons: _containers.RepeatedScalarFieldContainer[int]
    joint_own: _containers.RepeatedScalarFieldContainer[float]
    joint_other: _containers.RepeatedScalarFieldContainer[float]
    up: float
    down: float
    def __init__(self, protected: _Optional[_Union[_number_pb2.Point, _Mapping]] = ..., logit: _Optional[_Union[_space_pb2.Interval, _Mapping]] = ..., layers: _Optional[_Iterable[int]] = ..., neurons: _Optional[_Iterable[int]] = ..., slopes: _Optional[_Iterable[float]] = ..., joint_layers: _Optional[_Iterable[int]] = ..., joint_neurons: _Optional[_Iterable[int]] = ..., joint_own: _Optional[_Iterable[float]] = ..., joint_other: _Optional[_Iterable[float]] = ..., up: _Optional[float] = ..., down: _Optional[float] = ...) -> None: ...

class Shares(_message.Message):
    __slots__ = ("fair", "unfair", "individuals", "boxes")
    FAIR_FIELD_NUMBER: _ClassVar[int]
    UNFAIR_FIELD_NUMBER: _ClassVar[int]
    INDIVIDUALS_FIELD_NUMBER: _ClassVar[int]
    BOXES_FIELD_NUMBER: _ClassVar[int]
    fair: _number_pb2.Number
    unfair: _number_pb2.Number
    individuals: _number_pb2.Number
    boxes: int
    def __init__(self, fair: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., unfair: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., individuals: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., boxes: _Optional[int] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ("values", "objective", "bound", "nodes", "elapsed_nanos", "shares", "settled")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    BOUND_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_NANOS_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    values: _number_pb2.Values
    objective: float
    bound: float
    nodes: int
    elapsed_nanos: int
    shares: Shares
    settled: float
    def __init__(self, values: _Optional[_Union[_number_pb2.Values, _Mapping]] = ..., objective: _Optional[float] = ..., bound: _Optional[float] = ..., nodes: _Optional[int] = ..., elapsed_nanos: _Optional[int] = ..., shares: _Optional[_Union[Shares, _Mapping]] = ..., settled: _Optional[float] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("status", "reason", "native", "detail", "values", "witness", "objective", "bound", "tolerance", "nodes", "elapsed_nanos", "shares")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NATIVE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    WITNESS_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    BOUND_FIELD_NUMBER: _ClassVar[int]
    TOLERANCE_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_NANOS_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    status: Status
    reason: Reason
    native: str
    detail: str
    values: _number_pb2.Values
    witness: Witness
    objective: float
    bound: float
    tolerance: float
    nodes: int
    elapsed_nanos: int
    shares: Shares
    def __init__(self, status: _Optional[_Union[Status, str]] = ..., reason: _Optional[_Union[Reason, str]] = ..., native: _Optional[str] = ..., detail: _Optional[str] = ..., values: _Optional[_Union[_number_pb2.Values, _Mapping]] = ..., witness: _Optional[_Union[Witness, _Mapping]] = ..., objective: _Optional[float] = ..., bound: _Optional[float] = ..., tolerance: _Optional[float] = ..., nodes: _Optional[int] = ..., elapsed_nanos: _Optional[int] = ..., shares: _Optional[_Union[Shares, _Mapping]] = ...) -> None: ...

class Witness(_message.Message):
    __slots__ = ("copy1", "copy2")
    COPY1_FIELD_NUMBER: _ClassVar[int]
    COPY2_FIELD_NUMBER: _ClassVar[int]
    copy1: _number_pb2.Point
    copy2: _number_pb2.Point
    def __init__(self, copy1: _Optional[_Union[_number_pb2.Point, _Mapping]] = ..., copy2: _Optional[_Union[_number_pb2.Point, _Mapping]] = ...) -> None: ...

class LoadRequest(_message.Message):
    __slots__ = ("problem",)
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    problem: _problem_pb2.Problem
    def __init__(self, problem: _Optional[_Union[_problem_pb2.Problem, _Mapping]] = ...) -> None: ...

class LoadResponse(_message.Message):
    __slots__ = ("handle",)
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    handle: int
    def __init__(self, handle: _Optional[int] = ...) -> None: ...

class SolveLoadedRequest(_message.Message):
    __slots__ = ("handle", "delta", "options", "call")
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    handle: int
    delta: _problem_pb2.Delta
    options: SolveOptions
    call: int
    def __init__(self, handle: _Optional[int] = ..., delta: _Optional[_Union[_problem_pb2.Delta, _Mapping]] = ..., options: _Optional[_Union[SolveOptions, _Mapping]] = ..., call: _Optional[int] = ...) -> None: ...

class UnloadRequest(_message.Message):
    __slots__ = ("handle",)
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    handle: int
    def __init__(self, handle: _Optional[int] = ...) -> None: ...

class UnloadResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class InterruptRequest(_message.Message):
    __slots__ = ("call",)
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: int
    def __init__(self, call: _Optional[int] = ...) -> None: ...

class InterruptResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
