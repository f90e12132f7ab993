from hyfair.plugin._pb.problem.v1 import number_pb2 as _number_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KIND_UNSPECIFIED: _ClassVar[Kind]
    KIND_INTEGER: _ClassVar[Kind]
    KIND_CATEGORICAL: _ClassVar[Kind]
    KIND_REAL: _ClassVar[Kind]
KIND_UNSPECIFIED: Kind
KIND_INTEGER: Kind
KIND_CATEGORICAL: Kind
KIND_REAL: Kind

class Space(_message.Message):
    __slots__ = ("features", "forbidden", "inputs")
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    FORBIDDEN_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedCompositeFieldContainer[Feature]
    forbidden: _containers.RepeatedCompositeFieldContainer[Predicate]
    inputs: int
    def __init__(self, features: _Optional[_Iterable[_Union[Feature, _Mapping]]] = ..., forbidden: _Optional[_Iterable[_Union[Predicate, _Mapping]]] = ..., inputs: _Optional[int] = ...) -> None: ...

class Feature(_message.Message):
    __slots__ = ("name", "kind", "lo", "hi", "categories", "protected", "inputs")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LO_FIELD_NUMBER: _ClassVar[int]
    HI_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    PROTECTED_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: Kind
    lo: float
    hi: float
    categories: _containers.RepeatedScalarFieldContainer[str]
    protected: _containers.RepeatedScalarFieldContainer[float]
    inputs: _containers.RepeatedCompositeFieldContainer[Input]
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[Kind, str]] = ..., lo: _Optional[float] = ..., hi: _Optional[float] = ..., categories: _Optional[_Iterable[str]] = ..., protected: _Optional[_Iterable[float]] = ..., inputs: _Optional[_Iterable[_Union[Input, _Mapping]]] = ...) -> None: ...

class Input(_message.Message):
    __slots__ = ("index", "scale", "offset", "table")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    index: int
    scale: float
    offset: float
    table: Table
    def __init__(self, index: _Optional[int] = ..., scale: _Optional[float] = ..., offset: _Optional[float] = ..., table: _Optional[_Union[Table, _Mapping]] = ...) -> None: ...

class Table(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, values: _Optional[_Iterable[float]] = ...) -> None: ...

class Predicate(_message.Message):
    __slots__ = ("conditions",)
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    conditions: _containers.RepeatedCompositeFieldContainer[Condition]
    def __init__(self, conditions: _Optional[_Iterable[_Union[Condition, _Mapping]]] = ...) -> None: ...

class Condition(_message.Message):
    __slots__ = ("feature", "interval", "set")
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    feature: int
    interval: Interval
    set: CategorySet
    def __init__(self, feature: _Optional[int] = ..., interval: _Optional[_Union[Interval, _Mapping]] = ..., set: _Optional[_Union[CategorySet, _Mapping]] = ...) -> None: ...

class Interval(_message.Message):
    __slots__ = ("lo", "hi")
    LO_FIELD_NUMBER: _ClassVar[int]
    HI_FIELD_NUMBER: _ClassVar[int]
    lo: float
    hi: float
    def __init__(self, lo: _Optional[float] = ..., hi: _Optional[float] = ...) -> None: ...

class CategorySet(_message.Message):
    __slots__ = ("indices",)
    INDICES_FIELD_NUMBER: _ClassVar[int]
    indices: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, indices: _Optional[_Iterable[int]] = ...) -> None: ...

class Region(_message.Message):
    __slots__ = ("box", "values")
    BOX_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    box: _containers.RepeatedCompositeFieldContainer[Interval]
    values: _containers.RepeatedCompositeFieldContainer[_number_pb2.Point]
    def __init__(self, box: _Optional[_Iterable[_Union[Interval, _Mapping]]] = ..., values: _Optional[_Iterable[_Union[_number_pb2.Point, _Mapping]]] = ...) -> None: ...
