from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Head(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEAD_UNSPECIFIED: _ClassVar[Head]
    HEAD_SIGMOID: _ClassVar[Head]
    HEAD_SOFTMAX: _ClassVar[Head]
    HEAD_LINEAR: _ClassVar[Head]
HEAD_UNSPECIFIED: Head
HEAD_SIGMOID: Head
HEAD_SOFTMAX: Head
HEAD_LINEAR: Head

class Network(_message.Message):
    __slots__ = ("layers", "head", "precision")
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    PRECISION_FIELD_NUMBER: _ClassVar[int]
    layers: _containers.RepeatedCompositeFieldContainer[Layer]
    head: Head
    precision: int
    def __init__(self, layers: _Optional[_Iterable[_Union[Layer, _Mapping]]] = ..., head: _Optional[_Union[Head, str]] = ..., precision: _Optional[int] = ...) -> None: ...

class EncodedModel(_message.Message):
    __slots__ = ("family", "content")
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    family: str
    content: bytes
    def __init__(self, family: _Optional[str] = ..., content: _Optional[bytes] = ...) -> None: ...

class Layer(_message.Message):
    __slots__ = ("name", "out", "weights", "bias", "relu")
    NAME_FIELD_NUMBER: _ClassVar[int]
    IN_FIELD_NUMBER: _ClassVar[int]
    OUT_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    BIAS_FIELD_NUMBER: _ClassVar[int]
    RELU_FIELD_NUMBER: _ClassVar[int]
    name: str
    out: int
    weights: _containers.RepeatedScalarFieldContainer[float]
    bias: _containers.RepeatedScalarFieldContainer[float]
    relu: bool
    def __init__(self, name: _Optional[str] = ..., out: _Optional[int] = ..., weights: _Optional[_Iterable[float]] = ..., bias: _Optional[_Iterable[float]] = ..., relu: bool = ..., **kwargs) -> None: ...
