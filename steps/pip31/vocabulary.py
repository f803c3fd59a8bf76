"""PIP-31's own sentences: the types of their values in addition to those of Pulsar, and the vocabulary itself."""

from dataclasses import dataclass
from typing import TypeAlias

from fencepost.steps.pulsar.vocabulary import TYPES
from fencepost.steps.sentence import ValueType, Vocabulary, choice, number, phrases, quoted, text

_OF_MANY = (quoted("value", "the payload of a message"), quoted("subscription", "a subscription of the scenario"))


@dataclass(frozen=True)
class Again:
    """Under the name that the producer has had before."""

    how: str


@dataclass(frozen=True)
class FirstAt:
    """Under an unused name."""

    topic: str


@dataclass(frozen=True)
class WrittenToEach:
    """A message to each of new topics, whose names are their numbers."""

    count: int


@dataclass(frozen=True)
class WrittenMessages:
    """Messages to one topic, each of which was acknowledged."""

    count: int
    topic: str


@dataclass(frozen=True)
class MessagesUnderWay:
    """Messages to one topic whose receipts have not been read."""

    count: int
    topic: str


@dataclass(frozen=True)
class AcknowledgedForEach:
    """A message for each of new subscriptions, whose names are their numbers."""

    value: str
    topic: str
    count: int


@dataclass(frozen=True)
class AcknowledgedOneByOne:
    """Messages of a topic for one subscription."""

    count: int
    topic: str
    subscription: str


@dataclass(frozen=True)
class AcknowledgedLastOfABatch:
    """The last message of a batch in a topic, for one subscription."""

    count: int
    topic: str
    subscription: str


@dataclass(frozen=True)
class TopicsShow:
    """Each topic has the message that was written to it."""

    count: int
    transaction: str


@dataclass(frozen=True)
class SubscriptionsConsumed:
    """Each subscription has consumed this message."""

    count: int
    value: str


@dataclass(frozen=True)
class AtItsTimeout:
    """Commits at about the timeouts, or before them."""

    moment: str


@dataclass(frozen=True)
class InTurn:
    """Every second transaction commits, and the others abort."""


@dataclass(frozen=True)
class SameAtTwoCoordinators:
    """Ids that differ in the coordinator alone."""


@dataclass(frozen=True)
class NumbersBeginAlike:
    """The number of the second is that of the first and a digit more."""


@dataclass(frozen=True)
class SameInBothKinds:
    """Ids of a metadata-driven transaction and of a classic one."""


Alike: TypeAlias = SameAtTwoCoordinators | NumbersBeginAlike | SameInBothKinds
EndsOfAll: TypeAlias = AtItsTimeout | InTurn
Opening: TypeAlias = Again | FirstAt
Many: TypeAlias = WrittenToEach | WrittenMessages | MessagesUnderWay | AcknowledgedForEach | AcknowledgedOneByOne | AcknowledgedLastOfABatch
Each: TypeAlias = TopicsShow | SubscriptionsConsumed

PIP31 = Vocabulary(
    "pip31",
    (
        *TYPES,
        choice("id_property", "are distinct", "are ascending", "name the coordinator that was asked", meaning="what holds for all of them"),
        choice("role", "producer", "consumer", meaning="of a topic, or of a subscription"),
        choice("recreated", "and made again", meaning="a new topic of the same name"),
        choice("passed", "whose number the first one has passed", meaning="the first coordinator has given a greater one"),
        ValueType(
            "coordinators",
            "[1-9][0-9]*|one more than before",
            "how many, or one more than there are",
            lambda written: None if written == "one more than before" else int(written),
            lambda value: "one more than before" if value is None else str(value),
        ),
        phrases(
            "alike",
            (),
            "ids that a system may confuse",
            {
                "the same number at two coordinators": SameAtTwoCoordinators,
                "numbers that begin alike at the second coordinator": NumbersBeginAlike,
                "the same number, the second one classic": SameInBothKinds,
            },
        ),
        phrases(
            "ends_of_all",
            (choice("moment", "at about", "half a second before", meaning="when the request is sent"),),
            "END_TXN of each, in the order in which they were begun",
            {"committed {moment} its timeout": AtItsTimeout, "committed and aborted in turn": InTurn},
        ),
        choice("written", "written", "tried to write", meaning="whether the message must have been stored"),
        choice(
            "requests",
            "a request of each kind",
            "invalid requests",
            "messages around an unload and after a termination",
            "requests about an unknown consumer",
            "ends of an unknown transaction",
            meaning="a family of requests, each of which must be answered",
        ),
        choice(
            "outcome",
            "answered",
            "done",
            "answered by its own answer",
            meaning="with success or an error, with success, or as is due to it",
        ),
        text("producer", "[A-Z]", "a producer with a separate name"),
        phrases(
            "opening",
            (
                choice(
                    "how",
                    *("again", "again on a new connection", "again while it is open"),
                    meaning="whether the old connection was lost",
                ),
                text("topic", "[a-z]+", "a topic of the scenario"),
            ),
            "under a name that the producer has had before, or an unused one",
            {"{how}": Again, "for the first time at {topic}": FirstAt},
        ),
        phrases(
            "many",
            (number("count", "how many"), text("topic", "[a-z]+", "a topic"), *_OF_MANY),
            "what a transaction has done many times",
            {
                "written a message to each of {count} topics": WrittenToEach,
                "written {count} messages to {topic}": WrittenMessages,
                "{count} messages in flight to {topic}": MessagesUnderWay,
                "acknowledged {value} of {topic} for each of {count} subscriptions": AcknowledgedForEach,
                "acknowledged {count} messages of {topic} for {subscription}, one by one": AcknowledgedOneByOne,
                "acknowledged the last of {count} messages of {topic} for {subscription}, which are one batch": AcknowledgedLastOfABatch,
            },
        ),
        phrases(
            "each",
            (number("count", "how many"), text("transaction", "[A-Z]", "a transaction"), *_OF_MANY),
            "what holds for each of many topics or subscriptions",
            {
                "{count} topics shows its readers the message of {transaction}": TopicsShow,
                "{count} subscriptions has consumed {value}": SubscriptionsConsumed,
            },
        ),
        choice("repeated", "with the same sequence id", meaning="the sequence id that the producer's message before had"),
    ),
)
