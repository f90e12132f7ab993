from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TreeEnsemble(_message.Message):
    __slots__ = ("inputs", "identity", "share", "base", "nodes", "input", "left", "right", "value", "closed", "missing", "more")
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    inputs: int
    identity: bool
    share: bool
    base: float
    nodes: _containers.RepeatedScalarFieldContainer[int]
    input: _containers.RepeatedScalarFieldContainer[int]
    left: _containers.RepeatedScalarFieldContainer[int]
    right: _containers.RepeatedScalarFieldContainer[int]
    value: _containers.RepeatedScalarFieldContainer[float]
    closed: _containers.RepeatedScalarFieldContainer[bool]
    missing: _containers.RepeatedScalarFieldContainer[bool]
    more: _containers.RepeatedCompositeFieldContainer[Borders]
    def __init__(self, inputs: _Optional[int] = ..., identity: bool = ..., share: bool = ..., base: _Optional[float] = ..., nodes: _Optional[_Iterable[int]] = ..., input: _Optional[_Iterable[int]] = ..., left: _Optional[_Iterable[int]] = ..., right: _Optional[_Iterable[int]] = ..., value: _Optional[_Iterable[float]] = ..., closed: _Optional[_Iterable[bool]] = ..., missing: _Optional[_Iterable[bool]] = ..., more: _Optional[_Iterable[_Union[Borders, _Mapping]]] = ...) -> None: ...

class Borders(_message.Message):
    __slots__ = ("node", "borders")
    NODE_FIELD_NUMBER: _ClassVar[int]
    BORDERS_FIELD_NUMBER: _ClassVar[int]
    node: int
    borders: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, node: _Optional[int] = ..., borders: _Optional[_Iterable[float]] = ...) -> None: ...
