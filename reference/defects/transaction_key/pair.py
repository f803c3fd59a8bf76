"""One class, two defects: the same wrong decision on the coordinator of PIP-31 and on that of PIP-471; and a network on which some show."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects import decorator
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import Parts

_Part = TypeVar("_Part", bound=type)


class SlowerNetwork(SlowNetwork):
    """So slow that several connects and a deletion come before a participant has heard of an end."""

    every: ClassVar[int] = 40


def pair(breaks: Mapping[str, Symptom] | None = None, *, origin: str, also: Sequence[type] = ()) -> Callable[[_Part], _Part]:
    """Declare the class as `key-NAME` and as `scalable-key-NAME`. One that breaks nothing conforms on both."""

    def declare(part: _Part) -> _Part:
        decorator.add(part, also, {"key-": Parts, "scalable-key-": MetadataParts}, breaks or {}, origin)
        return part

    return declare
