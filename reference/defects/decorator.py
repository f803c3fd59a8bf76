"""`@defect`: declares a variant of the reference above the class that makes it different.

    @defect({"KIP890-060": seen("^success with")}, origin="KAFKA-14562")
    class NoEpochBump(KafkaCoordinator):
        \"""EndTxn v5 is handled like its older versions: the next transaction has the same epoch.\"""

The name is the class's in kebab case, the story is the first paragraph of its docstring, and the part that the class replaces follows
from its base class.
"""

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fencepost.contract.symptom import Symptom
from fencepost.reference import kafka, pulsar
from fencepost.reference.metadata_transactions import MetadataParts

from .defect import Defect

Broker = type[kafka.KafkaParts] | type[pulsar.PulsarParts]
_Part = TypeVar("_Part", bound=type)

BROKERS: tuple[Broker, ...] = (kafka.KafkaParts, pulsar.PulsarParts, MetadataParts)
_declared: dict[type, tuple[Defect, ...]] = {}


def defect(
    breaks: Mapping[str, Symptom] | None = None, *, origin: str, also: Sequence[type] = (), of: Broker | None = None
) -> Callable[[_Part], _Part]:
    """Declare the class as a variant; one that breaks nothing conforms.

    `also` are classes that replace further parts. `of` names the broker, where it is not the first in `BROKERS` that has all these parts.
    Raises TypeError for a class without a docstring, and for one that is no part of the broker.
    """

    def declare(part: _Part) -> _Part:
        return Declaring({"": of or broker_of(part, *also)})(breaks, origin=origin, also=also)(part)

    return declare


@dataclass(frozen=True)
class Declaring:
    """A decorator like `@defect` that declares one variant for each of these brokers; a broker's key is the prefix of the
    variant's name.
    """

    brokers: Mapping[str, Broker]

    def __call__(self, breaks: Mapping[str, Symptom] | None = None, *, origin: str, also: Sequence[type] = ()) -> Callable[[_Part], _Part]:
        def declare(part: _Part) -> _Part:
            story = _story_of(part)
            _declared[part] = tuple(
                Defect(prefix + name_of(part.__name__), story, origin, broker(**_by_field(broker, (part, *also))), breaks or {})
                for prefix, broker in self.brokers.items()
            )
            return part

        return declare


def declared_by(part: type) -> tuple[Defect, ...]:
    """The variants that the class declares."""
    return _declared.get(part, ())


def name_of(class_name: str) -> str:
    """`NoEpochBump` as `no-epoch-bump`."""
    return re.sub(r"\B(?=[A-Z])", "-", class_name).lower()


def broker_of(*parts: type) -> Broker:
    """The first broker that has all these parts. Raises TypeError where none has."""
    for broker in BROKERS:
        if all(field_of(broker, part) for part in parts):
            return broker
    names = ", ".join(part.__name__ for part in parts)
    raise TypeError(
        f"{names}: no broker has parts of all these classes; expected subclasses of the classes that `KafkaParts` and `PulsarParts` name"
    )


def field_of(broker: Broker, part: type) -> str | None:
    """The field of the broker's parts that the class can replace: that of its nearest base class. None where the broker has
    no such part.
    """
    fields = {one.default: one.name for one in dataclasses.fields(broker)}
    return next((fields[base] for base in part.__mro__ if base in fields), None)


def _story_of(part: type) -> str:
    if part.__doc__ is None:
        raise TypeError(f"{part.__module__}.{part.__name__} has no docstring: expected the story of the variant")
    return " ".join(inspect.cleandoc(part.__doc__).split("\n\n")[0].split())


def _by_field(broker: Broker, parts: Sequence[type]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        field = field_of(broker, part)
        if field is None or field in found:
            raise TypeError(f"{part.__module__}.{part.__name__} is {'a second' if field else 'no'} part of the {broker.protocol} broker")
        found[field] = part
    return found


def seen(seen: str, *, expected: str | None = None, what: str | None = None, error: str | None = None) -> Symptom:
    """A symptom in what was seen; the other patterns must be found too."""
    return Symptom(seen=seen, expected=expected, what=what, error=error)


def expected(expected: str, *, what: str | None = None, error: str | None = None, code: int | None = None) -> Symptom:
    """A symptom in what was expected, where anything may have been seen."""
    return Symptom(expected=expected, what=what, error=error, code=code)
