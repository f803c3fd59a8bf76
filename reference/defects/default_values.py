"""The default value of a field, for a record that has lost it."""

import dataclasses
import uuid
from enum import Enum
from typing import Any


def nothing_like(value: Any) -> Any:
    """The default value of a field of that kind."""
    match value:
        case bool():
            return False
        case Enum():
            return next(iter(type(value)))
        case uuid.UUID():
            return uuid.UUID(int=0)
        case None:
            return None
        case tuple() if names := getattr(value, "_fields", ()):
            defaults = getattr(value, "_field_defaults", {})
            return type(value)(*(defaults.get(name, nothing_like(one)) for name, one in zip(names, value, strict=True)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value, **{one.name: default_of(one, getattr(value, one.name)) for one in dataclasses.fields(value) if one.init}
        )
    return type(value)()


def default_of(field: "dataclasses.Field[Any]", value: Any) -> Any:
    """The default of a field that has that value: its own, or that of its kind."""
    return field.default if field.default is not dataclasses.MISSING else nothing_like(value)
