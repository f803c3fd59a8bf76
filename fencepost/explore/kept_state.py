"""The state of a sequence in this process, kept so that other sequences can go on from it.

Timers, messages and clients hold functions that know the objects that they are about, so a copy of a broker would act on the original.
So nothing is copied as a whole: the contents of every object that can change are kept, and put back into the same objects.
"""

import functools
import itertools
import types
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from gc import get_referents
from typing import Any

from google.protobuf.message import Message
from pydantic import BaseModel

from fencepost.steps.acts.act import Act, Table
from fencepost.steps.player import Player


class CannotBeKept(TypeError):
    """Says what a sequence has made that cannot be put back; the sequence has to be played from its beginning."""


class _Contents:
    """What objects had in them, by the kinds of objects: a sequence goes back thousands of times, and a call for each object would take
    longer than the acts.
    """

    def __init__(self) -> None:
        self.attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.mappings: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        self.sequences: list[tuple[Any, Sequence[Any]]] = []
        self.others: list[Callable[[], None]] = []

    def restore(self) -> None:
        """Put all of it back. Raises CannotBeKept."""
        for attributes, kept in self.attributes:
            if len(attributes) != len(kept):
                attributes.clear()
            attributes.update(kept)
        for mapping, kept in self.mappings:
            if mapping:
                mapping.clear()
            if kept:
                mapping.update(kept)
        for sequence, values in self.sequences:
            if sequence:
                sequence.clear()
            if values:
                sequence.extend(values)
        for restore in self.others:
            restore()


Keep = Callable[[Any, _Contents], Iterable[object]]
"""Notes what is in an object, unless that never changes, and gives what the object holds."""

_VALUES = (
    *(int, float, complex, str, bytes, range, type(None), type(...), type, types.ModuleType, types.CodeType, types.BuiltinFunctionType),
    *(Enum, BaseException, BaseModel, Message, Player, Table, Act),
)
"""What never changes, and holds nothing that does."""
_IMMUTABLE, _ON_THE_HEAP = 1 << 8, 1 << 9
"""Flags of a class: CPython's Py_TPFLAGS_IMMUTABLETYPE and Py_TPFLAGS_HEAPTYPE."""
_MODULES_OF_VALUES = ("kio.", "fencepost.wire.", "fencepost.contract.gherkin", "re.", "uuid.", "datetime.", "decimal.")


class KeptState:
    """What can be reached from some objects, as it is now. Raises CannotBeKept."""

    def __init__(self, *roots: object) -> None:
        self._contents = _Contents()
        seen: dict[int, object] = {}
        left: list[object] = list(roots)
        while left:
            one = left.pop()
            kind: Any = type(one)
            keep = _keep_of(kind)
            if keep is None or id(one) in seen:
                continue
            seen[id(one)] = one
            left += keep(one, self._contents)
        self._alive = list(seen.values())

    def restore(self) -> None:
        """Put everything back, as often as one likes. Raises CannotBeKept."""
        self._contents.restore()


def _mapping(one: dict[Any, Any], contents: _Contents) -> Iterable[object]:
    kept = dict(one)
    contents.mappings.append((one, kept))
    _note_counts(one, contents)
    return *kept, *kept.values(), getattr(one, "default_factory", None)


def _sequence(one: Any, contents: _Contents) -> Iterable[object]:
    kept = tuple(one)
    _refuse_counts(one, kept)
    contents.sequences.append((one, kept))
    return kept


def _set(one: set[Any], contents: _Contents) -> Iterable[object]:
    kept = tuple(one)

    def restore() -> None:
        one.clear()
        one.update(kept)

    contents.others.append(restore)
    return kept


def _cell(one: types.CellType, contents: _Contents) -> Iterable[object]:
    try:
        kept = one.cell_contents
    except ValueError:  # nothing is in it yet
        return ()
    _refuse_counts(one, (kept,))

    def restore() -> None:
        one.cell_contents = kept

    contents.others.append(restore)
    return (kept,)


def _instance(one: Any, contents: _Contents) -> Iterable[object]:
    kind: Any = type(one)
    attributes: dict[str, Any] | None = getattr(one, "__dict__", None)
    kept = dict(attributes or {})
    if attributes is not None:
        contents.attributes.append((attributes, kept))
        _note_counts(attributes, contents)
    in_slots = [(name, getattr(one, name)) for name in _slots_of(kind) if hasattr(one, name)]

    def restore() -> None:
        for name, value in in_slots:
            setattr(one, name, value)

    if in_slots:
        contents.others.append(restore)
    return *kept.values(), *(value for _, value in in_slots)


def _holder(one: Any, _: _Contents) -> Iterable[object]:
    held = get_referents(one)
    _refuse_counts(one, held)
    return held


def _function(one: types.FunctionType, _: _Contents) -> Iterable[object]:
    """What it has from where it was made; the names of its module are no state."""
    return *(one.__closure__ or ()), *(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values()


def _unknown(one: object, _: _Contents) -> Iterable[object]:
    raise CannotBeKept(f"a {type(one).__module__}.{type(one).__qualname__}")


def _note_counts(holder: dict[Any, Any], contents: _Contents) -> None:
    """A count cannot be set back, so its holder gets another one."""
    counts = [(key, value.__reduce__()[1]) for key, value in holder.items() if type(value) is itertools.count]

    def restore() -> None:
        for key, arguments in counts:
            holder[key] = itertools.count(*arguments)

    if counts:
        contents.others.append(restore)


def _refuse_counts(holder: object, held: Iterable[object]) -> None:
    if any(type(one) is itertools.count for one in held):
        raise CannotBeKept(f"a {type(holder).__name__} that holds a count")


_KEEPS: tuple[tuple[tuple[type, ...], Keep], ...] = (
    ((dict,), _mapping),
    ((list, deque, bytearray), _sequence),
    ((set,), _set),
    ((types.CellType,), _cell),
    ((types.FunctionType,), _function),
    ((tuple, frozenset, types.MethodType, types.MappingProxyType, functools.partial), _holder),
)


@functools.cache
def _keep_of(kind: type) -> Keep | None:
    """How objects of this type are kept; None for values."""
    if issubclass(kind, (*_VALUES, itertools.count)) or f"{kind.__module__}.".startswith(_MODULES_OF_VALUES):
        return None
    for kinds, keep in _KEEPS:
        if issubclass(kind, kinds):
            return keep
    if parameters := getattr(kind, "__dataclass_params__", None):
        return _holder if parameters.frozen else _instance
    return _instance if all(map(_is_of_python, kind.__mro__)) else _unknown


def _is_of_python(kind: type) -> bool:
    """Whether a class adds nothing to its objects that stands neither in a dictionary nor in a slot."""
    is_made_in_c = not kind.__flags__ & _ON_THE_HEAP or kind.__flags__ & _IMMUTABLE
    return kind is object or not (is_made_in_c or isinstance(vars(kind).get("__new__"), types.BuiltinFunctionType))


@functools.cache
def _slots_of(kind: type) -> tuple[str, ...]:
    found = (getattr(one, "__slots__", ()) for one in kind.__mro__)
    names = (name for slots in found for name in ((slots,) if isinstance(slots, str) else slots))
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
