"""The values of Pulsar's sentences that are phrases, or have several parts: a class for each form that one has."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Participant:
    """A topic or a subscription, by its name in the scenario."""

    name: str
    is_subscription: bool

    def __str__(self) -> str:
        return f'"{self.name}"' if self.is_subscription else self.name


@dataclass(frozen=True)
class Acknowledged:
    """The messages that an acknowledgement names: each, or all up to one."""

    values: tuple[str, ...]
    is_cumulative: bool = False


@dataclass(frozen=True)
class PlainMessages:
    """A message outside of transactions, or several in one entry."""

    values: tuple[str, ...]
    is_batch: bool = False


@dataclass(frozen=True)
class AfterTimeout:
    """A start after the timeout of a transaction has passed."""

    transaction: str


@dataclass(frozen=True)
class AfterRetention:
    """A start after the timeout of a transaction, and as long as headers of ended transactions are kept, have passed."""

    transaction: str


@dataclass(frozen=True)
class AMonthLater:
    """A start after a month."""


@dataclass(frozen=True)
class Said:
    """News that name no message."""

    news: str


@dataclass(frozen=True)
class LastMessage:
    """That this is the last message, or that there is none."""

    content: tuple[str, ...]


@dataclass(frozen=True)
class MissingTopic:
    """A topic that should not exist."""

    topic: str


@dataclass(frozen=True)
class MissingSubscription:
    """A subscription that should not exist."""

    subscription: str


@dataclass(frozen=True)
class ConsumerOf:
    """The consumer of a subscription."""

    subscription: str


@dataclass(frozen=True)
class ActiveOf:
    """The active one of two consumers."""

    subscription: str
    other: str


@dataclass(frozen=True)
class RequestsOfOne:
    """The requests of the client of the When."""


@dataclass(frozen=True)
class AckFor:
    """The acknowledgement of the When."""

    subscription: str


@dataclass(frozen=True)
class EndsOf:
    """All requests for the end of a transaction, which was held up."""

    transaction: str


@dataclass(frozen=True)
class ImpossibleForAll:
    """With a status from 400 to 499, and not with a failure of the broker."""


@dataclass(frozen=True)
class RefusedForGood:
    """With an error after which a client does not retry."""


@dataclass(frozen=True)
class NewNamespace:
    """A dedicated namespace, which is new."""


@dataclass(frozen=True)
class NewNamespaceWithName:
    """The same, with the local name of another topic."""

    namesake: str


@dataclass(frozen=True)
class LongerName:
    """The namespace and the local name of another topic, with this ending after the name."""

    namesake: str
    ending: str


@dataclass(frozen=True)
class PartitionsOfOne:
    """Partitions of one new topic."""


@dataclass(frozen=True)
class SegmentsOfOne:
    """Segments of one new scalable topic, the lowest hashes first."""


@dataclass(frozen=True)
class PowerCut:
    """A crash of everything at once."""


@dataclass(frozen=True)
class PowerCutWhileOpen:
    """The same, while a transaction is open."""

    transaction: str


@dataclass(frozen=True)
class EventIs:
    """What becomes of a notification."""

    event: str
    loss: str


@dataclass(frozen=True)
class HeaderConflict:
    """A change of a header that fails, since another version is there."""


@dataclass(frozen=True)
class StaleHeader:
    """A look at any header that sees its last version but one."""


Mishap: TypeAlias = EventIs | HeaderConflict | StaleHeader
News: TypeAlias = Said | LastMessage
Missing: TypeAlias = MissingTopic | MissingSubscription
Leaving: TypeAlias = ConsumerOf | ActiveOf
Whereabouts: TypeAlias = NewNamespace | NewNamespaceWithName | LongerName | PartitionsOfOne | SegmentsOfOne
AskedFor: TypeAlias = RequestsOfOne | AckFor | EndsOf
Finality: TypeAlias = ImpossibleForAll | RefusedForGood
Fall: TypeAlias = PowerCut | PowerCutWhileOpen
LateStart: TypeAlias = AfterTimeout | AfterRetention | AMonthLater
