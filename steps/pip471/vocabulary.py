"""PIP-471's own sentences: the types of their values in addition to those of Pulsar, and the vocabulary itself."""

from dataclasses import dataclass
from typing import TypeAlias

from fencepost.steps.pulsar.sentence_values import Acknowledged
from fencepost.steps.pulsar.vocabulary import TYPES, names
from fencepost.steps.sentence import Vocabulary, choice, number, phrases, text


@dataclass(frozen=True)
class Writes:
    """Messages to a segment."""

    count: int
    topic: str
    transaction: str


@dataclass(frozen=True)
class Acknowledgements:
    """Acknowledgements of these messages."""

    messages: Acknowledged
    subscription: str
    transaction: str


@dataclass(frozen=True)
class OpenHeader:
    """A header whose state is OPEN, with its deadline."""

    transaction: str


@dataclass(frozen=True)
class OneKeyForAll:
    """The id of the transaction as partition key of all its records."""

    transaction: str


@dataclass(frozen=True)
class ByDeadline:
    """Among the transactions whose timeout will pass."""


@dataclass(frozen=True)
class BeforeOther:
    """Among the transactions that committed, before another one."""

    other: str


@dataclass(frozen=True)
class Committed:
    """Begun and committed one after another."""


@dataclass(frozen=True)
class Begun:
    """Begun one after another, with this timeout."""

    ms: int


Stored: TypeAlias = Writes | Acknowledgements | OpenHeader | OneKeyForAll
Index: TypeAlias = ByDeadline | BeforeOther
Within: TypeAlias = Committed | Begun

PIP471 = Vocabulary(
    "pip471",
    (
        *TYPES,
        names("segment", "segments", "segments of one scalable topic, the lowest hashes first", '"[a-z]+"', '"{}"'),
        text("producer", "[A-Z]", "a producer with a separate name"),
        choice("found", "is", "is not", meaning="whether an index has it"),
        choice("record", "header", "operation records", "index entries", meaning="what the store keeps of a transaction"),
        phrases(
            "stored",
            (number("count", "how many"), *(one for one in TYPES if one.name in ("transaction", "topic", "messages", "subscription"))),
            "what the store has of a transaction: its header, or its operation records",
            {
                "{count} writes to {topic} in {transaction}": Writes,
                "acknowledgements of {messages} for {subscription} in {transaction}": Acknowledgements,
                "an open header with the deadline of {transaction}": OpenHeader,
                "one partition key for all records of {transaction}": OneKeyForAll,
            },
        ),
        phrases(
            "index",
            (text("other", "[A-Z]", "a transaction of the scenario"),),
            "where a transaction is found",
            {"by its deadline": ByDeadline, "before {other} among those that committed": BeforeOther},
        ),
        phrases(
            "within",
            (number("ms", "how many milliseconds"),),
            "what many transactions have done, with pauses",
            {"committed within a second": Committed, "begun within a second, each with a timeout of {ms} ms": Begun},
        ),
        text("kept", "[A-Z]|each transaction", "a transaction, or all that the scenario has ended"),
    ),
)
