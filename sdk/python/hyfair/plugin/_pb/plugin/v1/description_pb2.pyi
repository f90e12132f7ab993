from hyfair.plugin._pb.problem.v1 import problem_pb2 as _problem_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Exactness(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXACTNESS_UNSPECIFIED: _ClassVar[Exactness]
    EXACTNESS_EXACT: _ClassVar[Exactness]
    EXACTNESS_RIGOROUS: _ClassVar[Exactness]
    EXACTNESS_NUMERICAL: _ClassVar[Exactness]

class Scale(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCALE_UNSPECIFIED: _ClassVar[Scale]
    SCALE_SHARE: _ClassVar[Scale]
    SCALE_LOGIT: _ClassVar[Scale]
    SCALE_NUMBER: _ClassVar[Scale]
EXACTNESS_UNSPECIFIED: Exactness
EXACTNESS_EXACT: Exactness
EXACTNESS_RIGOROUS: Exactness
EXACTNESS_NUMERICAL: Exactness
SCALE_UNSPECIFIED: Scale
SCALE_SHARE: Scale
SCALE_LOGIT: Scale
SCALE_NUMBER: Scale

class Description(_message.Message):
    __slots__ = ("name", "version", "summary", "options", "libraries", "solver", "strategy", "model", "interpreter")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    LIBRARIES_FIELD_NUMBER: _ClassVar[int]
    SOLVER_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    INTERPRETER_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    summary: str
    options: _containers.RepeatedCompositeFieldContainer[Option]
    libraries: _containers.RepeatedCompositeFieldContainer[Library]
    solver: SolverTraits
    strategy: StrategyTraits
    model: ModelTraits
    interpreter: Interpreter
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., summary: _Optional[str] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ..., libraries: _Optional[_Iterable[_Union[Library, _Mapping]]] = ..., solver: _Optional[_Union[SolverTraits, _Mapping]] = ..., strategy: _Optional[_Union[StrategyTraits, _Mapping]] = ..., model: _Optional[_Union[ModelTraits, _Mapping]] = ..., interpreter: _Optional[_Union[Interpreter, _Mapping]] = ...) -> None: ...

class Interpreter(_message.Message):
    __slots__ = ("version", "path", "folders")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    FOLDERS_FIELD_NUMBER: _ClassVar[int]
    version: str
    path: str
    folders: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version: _Optional[str] = ..., path: _Optional[str] = ..., folders: _Optional[_Iterable[str]] = ...) -> None: ...

class SolverTraits(_message.Message):
    __slots__ = ("serves", "exactness", "concurrent", "sets", "families", "bands", "within")
    SERVES_FIELD_NUMBER: _ClassVar[int]
    EXACTNESS_FIELD_NUMBER: _ClassVar[int]
    CONCURRENT_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    BANDS_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    serves: _containers.RepeatedCompositeFieldContainer[Service]
    exactness: Exactness
    concurrent: bool
    sets: bool
    families: _containers.RepeatedScalarFieldContainer[str]
    bands: bool
    within: bool
    def __init__(self, serves: _Optional[_Iterable[_Union[Service, _Mapping]]] = ..., exactness: _Optional[_Union[Exactness, str]] = ..., concurrent: bool = ..., sets: bool = ..., families: _Optional[_Iterable[str]] = ..., bands: bool = ..., within: bool = ...) -> None: ...

class Service(_message.Message):
    __slots__ = ("form", "goal")
    FORM_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    form: _problem_pb2.Form
    goal: _problem_pb2.Goal
    def __init__(self, form: _Optional[_Union[_problem_pb2.Form, str]] = ..., goal: _Optional[_Union[_problem_pb2.Goal, str]] = ...) -> None: ...

class StrategyTraits(_message.Message):
    __slots__ = ("presets", "needs_network", "needs_rows", "lag", "families", "needs_scores", "needs_bins", "needs_pair")
    PRESETS_FIELD_NUMBER: _ClassVar[int]
    NEEDS_NETWORK_FIELD_NUMBER: _ClassVar[int]
    NEEDS_ROWS_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    NEEDS_SCORES_FIELD_NUMBER: _ClassVar[int]
    NEEDS_BINS_FIELD_NUMBER: _ClassVar[int]
    NEEDS_PAIR_FIELD_NUMBER: _ClassVar[int]
    presets: _containers.RepeatedCompositeFieldContainer[Preset]
    needs_network: bool
    needs_rows: bool
    lag: int
    families: _containers.RepeatedScalarFieldContainer[str]
    needs_scores: bool
    needs_bins: bool
    needs_pair: bool
    def __init__(self, presets: _Optional[_Iterable[_Union[Preset, _Mapping]]] = ..., needs_network: bool = ..., needs_rows: bool = ..., lag: _Optional[int] = ..., families: _Optional[_Iterable[str]] = ..., needs_scores: bool = ..., needs_bins: bool = ..., needs_pair: bool = ...) -> None: ...

class ModelTraits(_message.Message):
    __slots__ = ("features", "scale", "identity", "batch")
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedScalarFieldContainer[str]
    scale: Scale
    identity: str
    batch: int
    def __init__(self, features: _Optional[_Iterable[str]] = ..., scale: _Optional[_Union[Scale, str]] = ..., identity: _Optional[str] = ..., batch: _Optional[int] = ...) -> None: ...

class Option(_message.Message):
    __slots__ = ("name", "default", "help")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    name: str
    default: str
    help: str
    def __init__(self, name: _Optional[str] = ..., default: _Optional[str] = ..., help: _Optional[str] = ...) -> None: ...

class Library(_message.Message):
    __slots__ = ("name", "found", "version", "path", "hint", "problem")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    name: str
    found: bool
    version: str
    path: str
    hint: str
    problem: str
    def __init__(self, name: _Optional[str] = ..., found: bool = ..., version: _Optional[str] = ..., path: _Optional[str] = ..., hint: _Optional[str] = ..., problem: _Optional[str] = ...) -> None: ...

class Preset(_message.Message):
    __slots__ = ("name", "summary", "options")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    summary: str
    options: _containers.ScalarMap[str, str]
    def __init__(self, name: _Optional[str] = ..., summary: _Optional[str] = ..., options: _Optional[_Mapping[str, str]] = ...) -> None: ...
