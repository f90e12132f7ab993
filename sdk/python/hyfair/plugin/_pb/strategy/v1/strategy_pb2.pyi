from hyfair.plugin._pb.plugin.v1 import description_pb2 as _description_pb2
from hyfair.plugin._pb.problem.v1 import network_pb2 as _network_pb2
from hyfair.plugin._pb.problem.v1 import number_pb2 as _number_pb2
from hyfair.plugin._pb.problem.v1 import space_pb2 as _space_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MoveKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MOVE_KIND_UNSPECIFIED: _ClassVar[MoveKind]
    MOVE_KIND_POINT: _ClassVar[MoveKind]
    MOVE_KIND_SEED_FROM: _ClassVar[MoveKind]

class TrialStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIAL_STATUS_UNSPECIFIED: _ClassVar[TrialStatus]
    TRIAL_STATUS_EVALUATED: _ClassVar[TrialStatus]
    TRIAL_STATUS_REFUSED: _ClassVar[TrialStatus]
    TRIAL_STATUS_OUTSIDE: _ClassVar[TrialStatus]
    TRIAL_STATUS_NO_SEED: _ClassVar[TrialStatus]
    TRIAL_STATUS_NO_SOLVER: _ClassVar[TrialStatus]
MOVE_KIND_UNSPECIFIED: MoveKind
MOVE_KIND_POINT: MoveKind
MOVE_KIND_SEED_FROM: MoveKind
TRIAL_STATUS_UNSPECIFIED: TrialStatus
TRIAL_STATUS_EVALUATED: TrialStatus
TRIAL_STATUS_REFUSED: TrialStatus
TRIAL_STATUS_OUTSIDE: TrialStatus
TRIAL_STATUS_NO_SEED: TrialStatus
TRIAL_STATUS_NO_SOLVER: TrialStatus

class DescribeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("description",)
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    description: _description_pb2.Description
    def __init__(self, description: _Optional[_Union[_description_pb2.Description, _Mapping]] = ...) -> None: ...

class SessionRequest(_message.Message):
    __slots__ = ("start", "rows", "start_done", "next")
    START_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    START_DONE_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    start: Start
    rows: RowChunk
    start_done: StartDone
    next: Next
    def __init__(self, start: _Optional[_Union[Start, _Mapping]] = ..., rows: _Optional[_Union[RowChunk, _Mapping]] = ..., start_done: _Optional[_Union[StartDone, _Mapping]] = ..., next: _Optional[_Union[Next, _Mapping]] = ...) -> None: ...

class SessionResponse(_message.Message):
    __slots__ = ("started", "moves")
    STARTED_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    started: Started
    moves: Moves
    def __init__(self, started: _Optional[_Union[Started, _Mapping]] = ..., moves: _Optional[_Union[Moves, _Mapping]] = ...) -> None: ...

class Start(_message.Message):
    __slots__ = ("space", "seed", "epsilon", "region", "network", "other", "options", "chains", "bands")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SPACE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    EPSILON_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    BANDS_FIELD_NUMBER: _ClassVar[int]
    space: _space_pb2.Space
    seed: int
    epsilon: _number_pb2.Number
    region: _space_pb2.Region
    network: _network_pb2.Network
    other: _network_pb2.EncodedModel
    options: _containers.ScalarMap[str, str]
    chains: int
    bands: _containers.RepeatedCompositeFieldContainer[_number_pb2.Number]
    def __init__(self, space: _Optional[_Union[_space_pb2.Space, _Mapping]] = ..., seed: _Optional[int] = ..., epsilon: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., region: _Optional[_Union[_space_pb2.Region, _Mapping]] = ..., network: _Optional[_Union[_network_pb2.Network, _Mapping]] = ..., other: _Optional[_Union[_network_pb2.EncodedModel, _Mapping]] = ..., options: _Optional[_Mapping[str, str]] = ..., chains: _Optional[int] = ..., bands: _Optional[_Iterable[_Union[_number_pb2.Number, _Mapping]]] = ...) -> None: ...

class RowChunk(_message.Message):
    __slots__ = ("width", "values")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    width: int
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, width: _Optional[int] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...

class StartDone(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Started(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Next(_message.Message):
    __slots__ = ("told", "want", "packs", "packed")
    TOLD_FIELD_NUMBER: _ClassVar[int]
    WANT_FIELD_NUMBER: _ClassVar[int]
    PACKS_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    told: _containers.RepeatedCompositeFieldContainer[Trial]
    want: int
    packs: bool
    packed: PackedTrials
    def __init__(self, told: _Optional[_Iterable[_Union[Trial, _Mapping]]] = ..., want: _Optional[int] = ..., packs: bool = ..., packed: _Optional[_Union[PackedTrials, _Mapping]] = ...) -> None: ...

class Moves(_message.Message):
    __slots__ = ("moves", "finished", "evaluations", "packed")
    MOVES_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[Move]
    finished: bool
    evaluations: int
    packed: PackedMoves
    def __init__(self, moves: _Optional[_Iterable[_Union[Move, _Mapping]]] = ..., finished: bool = ..., evaluations: _Optional[int] = ..., packed: _Optional[_Union[PackedMoves, _Mapping]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("id", "round", "chain", "kind", "point")
    ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    POINT_FIELD_NUMBER: _ClassVar[int]
    id: int
    round: int
    chain: int
    kind: MoveKind
    point: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, id: _Optional[int] = ..., round: _Optional[int] = ..., chain: _Optional[int] = ..., kind: _Optional[_Union[MoveKind, str]] = ..., point: _Optional[_Iterable[float]] = ...) -> None: ...

class Trial(_message.Message):
    __slots__ = ("id", "status", "point", "k", "gap", "violates", "shannon", "min_entropy", "scores", "bins", "highest", "lowest")
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    POINT_FIELD_NUMBER: _ClassVar[int]
    K_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    VIOLATES_FIELD_NUMBER: _ClassVar[int]
    SHANNON_FIELD_NUMBER: _ClassVar[int]
    MIN_ENTROPY_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    BINS_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_FIELD_NUMBER: _ClassVar[int]
    LOWEST_FIELD_NUMBER: _ClassVar[int]
    id: int
    status: TrialStatus
    point: _containers.RepeatedScalarFieldContainer[float]
    k: int
    gap: float
    violates: bool
    shannon: float
    min_entropy: float
    scores: _containers.RepeatedScalarFieldContainer[float]
    bins: _containers.RepeatedScalarFieldContainer[int]
    highest: _containers.RepeatedScalarFieldContainer[float]
    lowest: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, id: _Optional[int] = ..., status: _Optional[_Union[TrialStatus, str]] = ..., point: _Optional[_Iterable[float]] = ..., k: _Optional[int] = ..., gap: _Optional[float] = ..., violates: bool = ..., shannon: _Optional[float] = ..., min_entropy: _Optional[float] = ..., scores: _Optional[_Iterable[float]] = ..., bins: _Optional[_Iterable[int]] = ..., highest: _Optional[_Iterable[float]] = ..., lowest: _Optional[_Iterable[float]] = ...) -> None: ...

class PackedMoves(_message.Message):
    __slots__ = ("ids", "rounds", "chains", "kinds", "points")
    IDS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    CHAINS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[int]
    rounds: _containers.RepeatedScalarFieldContainer[int]
    chains: _containers.RepeatedScalarFieldContainer[int]
    kinds: _containers.RepeatedScalarFieldContainer[MoveKind]
    points: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, ids: _Optional[_Iterable[int]] = ..., rounds: _Optional[_Iterable[int]] = ..., chains: _Optional[_Iterable[int]] = ..., kinds: _Optional[_Iterable[_Union[MoveKind, str]]] = ..., points: _Optional[_Iterable[float]] = ...) -> None: ...

class PackedTrials(_message.Message):
    __slots__ = ("ids", "statuses", "ks", "gaps", "violates", "shannons", "min_entropies", "elsewhere", "points", "copies", "scores", "bins", "pairs")
    IDS_FIELD_NUMBER: _ClassVar[int]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    KS_FIELD_NUMBER: _ClassVar[int]
    GAPS_FIELD_NUMBER: _ClassVar[int]
    VIOLATES_FIELD_NUMBER: _ClassVar[int]
    SHANNONS_FIELD_NUMBER: _ClassVar[int]
    MIN_ENTROPIES_FIELD_NUMBER: _ClassVar[int]
    ELSEWHERE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    COPIES_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    BINS_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[int]
    statuses: _containers.RepeatedScalarFieldContainer[TrialStatus]
    ks: _containers.RepeatedScalarFieldContainer[int]
    gaps: _containers.RepeatedScalarFieldContainer[float]
    violates: _containers.RepeatedScalarFieldContainer[bool]
    shannons: _containers.RepeatedScalarFieldContainer[float]
    min_entropies: _containers.RepeatedScalarFieldContainer[float]
    elsewhere: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[float]
    copies: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    bins: _containers.RepeatedScalarFieldContainer[int]
    pairs: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, ids: _Optional[_Iterable[int]] = ..., statuses: _Optional[_Iterable[_Union[TrialStatus, str]]] = ..., ks: _Optional[_Iterable[int]] = ..., gaps: _Optional[_Iterable[float]] = ..., violates: _Optional[_Iterable[bool]] = ..., shannons: _Optional[_Iterable[float]] = ..., min_entropies: _Optional[_Iterable[float]] = ..., elsewhere: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[float]] = ..., copies: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[float]] = ..., bins: _Optional[_Iterable[int]] = ..., pairs: _Optional[_Iterable[float]] = ...) -> None: ...
