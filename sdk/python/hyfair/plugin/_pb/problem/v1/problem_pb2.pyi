from hyfair.plugin._pb.problem.v1 import network_pb2 as _network_pb2
from hyfair.plugin._pb.problem.v1 import number_pb2 as _number_pb2
from hyfair.plugin._pb.problem.v1 import space_pb2 as _space_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Form(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORM_UNSPECIFIED: _ClassVar[Form]
    FORM_NETWORK: _ClassVar[Form]
    FORM_MILP: _ClassVar[Form]
    FORM_SMT: _ClassVar[Form]

class Goal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GOAL_UNSPECIFIED: _ClassVar[Goal]
    GOAL_DECIDE: _ClassVar[Goal]
    GOAL_MAXIMISE: _ClassVar[Goal]
    GOAL_MINIMISE: _ClassVar[Goal]
    GOAL_MAX_K: _ClassVar[Goal]
    GOAL_MIN_K: _ClassVar[Goal]
    GOAL_QUANTIFY: _ClassVar[Goal]

class Notion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NOTION_UNSPECIFIED: _ClassVar[Notion]
    NOTION_SCORE: _ClassVar[Notion]
    NOTION_LOGIT: _ClassVar[Notion]
    NOTION_DECISION: _ClassVar[Notion]
    NOTION_DECISION_STRICT: _ClassVar[Notion]
    NOTION_SHARE: _ClassVar[Notion]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_OTHER: _ClassVar[Role]
    ROLE_INPUT: _ClassVar[Role]
    ROLE_PROTECTED: _ClassVar[Role]
    ROLE_RELU: _ClassVar[Role]
    ROLE_NEURON: _ClassVar[Role]
    ROLE_LOGIT: _ClassVar[Role]
FORM_UNSPECIFIED: Form
FORM_NETWORK: Form
FORM_MILP: Form
FORM_SMT: Form
GOAL_UNSPECIFIED: Goal
GOAL_DECIDE: Goal
GOAL_MAXIMISE: Goal
GOAL_MINIMISE: Goal
GOAL_MAX_K: Goal
GOAL_MIN_K: Goal
GOAL_QUANTIFY: Goal
NOTION_UNSPECIFIED: Notion
NOTION_SCORE: Notion
NOTION_LOGIT: Notion
NOTION_DECISION: Notion
NOTION_DECISION_STRICT: Notion
NOTION_SHARE: Notion
ROLE_UNSPECIFIED: Role
ROLE_OTHER: Role
ROLE_INPUT: Role
ROLE_PROTECTED: Role
ROLE_RELU: Role
ROLE_NEURON: Role
ROLE_LOGIT: Role

class Problem(_message.Message):
    __slots__ = ("name", "network", "milp", "smt")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    MILP_FIELD_NUMBER: _ClassVar[int]
    SMT_FIELD_NUMBER: _ClassVar[int]
    name: str
    network: Query
    milp: Milp
    smt: Script
    def __init__(self, name: _Optional[str] = ..., network: _Optional[_Union[Query, _Mapping]] = ..., milp: _Optional[_Union[Milp, _Mapping]] = ..., smt: _Optional[_Union[Script, _Mapping]] = ...) -> None: ...

class Query(_message.Message):
    __slots__ = ("network", "other", "space", "region", "notion", "epsilon", "k", "goal", "relax", "require", "forbid", "near", "exclude", "seed", "bands", "within")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    SPACE_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    NOTION_FIELD_NUMBER: _ClassVar[int]
    EPSILON_FIELD_NUMBER: _ClassVar[int]
    K_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    RELAX_FIELD_NUMBER: _ClassVar[int]
    REQUIRE_FIELD_NUMBER: _ClassVar[int]
    FORBID_FIELD_NUMBER: _ClassVar[int]
    NEAR_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    BANDS_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    network: _network_pb2.Network
    other: _network_pb2.EncodedModel
    space: _space_pb2.Space
    region: _space_pb2.Region
    notion: Notion
    epsilon: _number_pb2.Number
    k: int
    goal: Goal
    relax: _containers.RepeatedCompositeFieldContainer[Relaxation]
    require: _containers.RepeatedCompositeFieldContainer[_space_pb2.Predicate]
    forbid: _containers.RepeatedCompositeFieldContainer[_space_pb2.Predicate]
    near: _number_pb2.Point
    exclude: _containers.RepeatedCompositeFieldContainer[_number_pb2.Point]
    seed: int
    bands: _containers.RepeatedCompositeFieldContainer[_number_pb2.Number]
    within: Vicinity
    def __init__(self, network: _Optional[_Union[_network_pb2.Network, _Mapping]] = ..., other: _Optional[_Union[_network_pb2.EncodedModel, _Mapping]] = ..., space: _Optional[_Union[_space_pb2.Space, _Mapping]] = ..., region: _Optional[_Union[_space_pb2.Region, _Mapping]] = ..., notion: _Optional[_Union[Notion, str]] = ..., epsilon: _Optional[_Union[_number_pb2.Number, _Mapping]] = ..., k: _Optional[int] = ..., goal: _Optional[_Union[Goal, str]] = ..., relax: _Optional[_Iterable[_Union[Relaxation, _Mapping]]] = ..., require: _Optional[_Iterable[_Union[_space_pb2.Predicate, _Mapping]]] = ..., forbid: _Optional[_Iterable[_Union[_space_pb2.Predicate, _Mapping]]] = ..., near: _Optional[_Union[_number_pb2.Point, _Mapping]] = ..., exclude: _Optional[_Iterable[_Union[_number_pb2.Point, _Mapping]]] = ..., seed: _Optional[int] = ..., bands: _Optional[_Iterable[_Union[_number_pb2.Number, _Mapping]]] = ..., within: _Optional[_Union[Vicinity, _Mapping]] = ...) -> None: ...

class Vicinity(_message.Message):
    __slots__ = ("rows", "distance")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[_number_pb2.Point]
    distance: _number_pb2.Number
    def __init__(self, rows: _Optional[_Iterable[_Union[_number_pb2.Point, _Mapping]]] = ..., distance: _Optional[_Union[_number_pb2.Number, _Mapping]] = ...) -> None: ...

class Relaxation(_message.Message):
    __slots__ = ("feature", "tolerance")
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    TOLERANCE_FIELD_NUMBER: _ClassVar[int]
    feature: int
    tolerance: float
    def __init__(self, feature: _Optional[int] = ..., tolerance: _Optional[float] = ...) -> None: ...

class Milp(_message.Message):
    __slots__ = ("columns", "rows", "objective", "start", "sets")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedCompositeFieldContainer[Column]
    rows: _containers.RepeatedCompositeFieldContainer[Row]
    objective: Objective
    start: Start
    sets: _containers.RepeatedCompositeFieldContainer[Set]
    def __init__(self, columns: _Optional[_Iterable[_Union[Column, _Mapping]]] = ..., rows: _Optional[_Iterable[_Union[Row, _Mapping]]] = ..., objective: _Optional[_Union[Objective, _Mapping]] = ..., start: _Optional[_Union[Start, _Mapping]] = ..., sets: _Optional[_Iterable[_Union[Set, _Mapping]]] = ...) -> None: ...

class Set(_message.Message):
    __slots__ = ("name", "columns")
    NAME_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    name: str
    columns: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, name: _Optional[str] = ..., columns: _Optional[_Iterable[int]] = ...) -> None: ...

class Column(_message.Message):
    __slots__ = ("name", "lo", "hi", "integer", "role", "priority")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LO_FIELD_NUMBER: _ClassVar[int]
    HI_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    name: str
    lo: float
    hi: float
    integer: bool
    role: Role
    priority: int
    def __init__(self, name: _Optional[str] = ..., lo: _Optional[float] = ..., hi: _Optional[float] = ..., integer: bool = ..., role: _Optional[_Union[Role, str]] = ..., priority: _Optional[int] = ...) -> None: ...

class Row(_message.Message):
    __slots__ = ("name", "lo", "hi", "columns", "coefs")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LO_FIELD_NUMBER: _ClassVar[int]
    HI_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    COEFS_FIELD_NUMBER: _ClassVar[int]
    name: str
    lo: float
    hi: float
    columns: _containers.RepeatedScalarFieldContainer[int]
    coefs: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, name: _Optional[str] = ..., lo: _Optional[float] = ..., hi: _Optional[float] = ..., columns: _Optional[_Iterable[int]] = ..., coefs: _Optional[_Iterable[float]] = ...) -> None: ...

class Objective(_message.Message):
    __slots__ = ("maximise", "offset", "columns", "coefs")
    MAXIMISE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    COEFS_FIELD_NUMBER: _ClassVar[int]
    maximise: bool
    offset: float
    columns: _containers.RepeatedScalarFieldContainer[int]
    coefs: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, maximise: bool = ..., offset: _Optional[float] = ..., columns: _Optional[_Iterable[int]] = ..., coefs: _Optional[_Iterable[float]] = ...) -> None: ...

class Start(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, values: _Optional[_Iterable[float]] = ...) -> None: ...

class Script(_message.Message):
    __slots__ = ("text", "symbols", "objective", "maximise")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SYMBOLS_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    MAXIMISE_FIELD_NUMBER: _ClassVar[int]
    text: str
    symbols: _containers.RepeatedCompositeFieldContainer[Symbol]
    objective: str
    maximise: bool
    def __init__(self, text: _Optional[str] = ..., symbols: _Optional[_Iterable[_Union[Symbol, _Mapping]]] = ..., objective: _Optional[str] = ..., maximise: bool = ...) -> None: ...

class Symbol(_message.Message):
    __slots__ = ("name", "sort", "role")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SORT_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    sort: str
    role: Role
    def __init__(self, name: _Optional[str] = ..., sort: _Optional[str] = ..., role: _Optional[_Union[Role, str]] = ...) -> None: ...

class Delta(_message.Message):
    __slots__ = ("pop", "push", "column_bounds", "rows", "objective", "start")
    POP_FIELD_NUMBER: _ClassVar[int]
    PUSH_FIELD_NUMBER: _ClassVar[int]
    COLUMN_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    ASSERT_FIELD_NUMBER: _ClassVar[int]
    pop: int
    push: int
    column_bounds: _containers.RepeatedCompositeFieldContainer[ColumnBound]
    rows: _containers.RepeatedCompositeFieldContainer[Row]
    objective: Objective
    start: Start
    def __init__(self, pop: _Optional[int] = ..., push: _Optional[int] = ..., column_bounds: _Optional[_Iterable[_Union[ColumnBound, _Mapping]]] = ..., rows: _Optional[_Iterable[_Union[Row, _Mapping]]] = ..., objective: _Optional[_Union[Objective, _Mapping]] = ..., start: _Optional[_Union[Start, _Mapping]] = ..., **kwargs) -> None: ...

class ColumnBound(_message.Message):
    __slots__ = ("column", "lo", "hi")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    LO_FIELD_NUMBER: _ClassVar[int]
    HI_FIELD_NUMBER: _ClassVar[int]
    column: int
    lo: float
    hi: float
    def __init__(self, column: _Optional[int] = ..., lo: _Optional[float] = ..., hi: _Optional[float] = ...) -> None: ...
