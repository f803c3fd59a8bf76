"""Whether a value read from JSON has the shape that a TypedDict says."""

import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict


def faults(value: Any, shape: Any, path: str = "event") -> Iterator[str]:
    """Where the value is of another shape, one line each."""
    if shape is Any:
        return
    origin, arguments = get_origin(shape), get_args(shape)
    if is_typeddict(shape):
        yield from _faults_of_fields(value, shape, path)
    elif origin in (Union, types.UnionType):
        if all(any(faults(value, one, path)) for one in arguments):
            yield f"{path}: {value!r} is none of {arguments}"
    elif origin is Literal:
        if value not in arguments:
            yield f"{path}: {value!r} is not one of {arguments}"
    elif origin is list:
        for index, item in enumerate(value):
            yield from faults(item, arguments[0], f"{path}[{index}]")
    elif type(value) is not (origin or shape):
        yield f"{path}: {value!r} is no {shape}"


def _faults_of_fields(value: Any, shape: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no {shape.__name__}"
        return
    fields = get_type_hints(shape)
    for name in sorted(shape.__required_keys__ - value.keys()):
        yield f"{path}: {name} is missing"
    for name in sorted(value.keys() - fields.keys()):
        yield f"{path}: {name} is not a field of {shape.__name__}"
    for name in fields.keys() & value.keys():
        yield from faults(value[name], fields[name], f"{path}.{name}")
