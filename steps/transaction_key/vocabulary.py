"""The transaction key's sentences: the types of their values in addition to those of Pulsar, and the vocabulary itself."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fencepost.adapters.pulsar.pulsar_values import TxnAction
from fencepost.steps.pulsar.sentence_values import Participant
from fencepost.steps.pulsar.vocabulary import TYPES, names, participant
from fencepost.steps.sentence import ValueType, Vocabulary, choice, listed, number, phrases, text, unless

_ODD = (
    "no key",
    "an empty key",
    "a key of 1 byte",
    "a key of 64 KB",
    "a key of 1024 bytes",
    "a key of 1025 bytes",
    "a key in other letters",
    "a key that is not UTF-8",
)
_QUOTED = '"[ -!#-~]+"'
_TASK = "task [a-z]+"


@dataclass(frozen=True)
class NamedKey:
    """A key as a scenario names it, and the owner that its clients name; None where they name none."""

    name: str
    owner: str | None = None

    @property
    def is_odd(self) -> bool:
        return self.name in _ODD

    def __str__(self) -> str:
        if self.is_odd:
            return self.name
        return f'key "{self.name}"' + ("" if self.owner is None else f' of "{self.owner}"')


@dataclass(frozen=True)
class ForTransaction:
    """A request for a new transaction."""

    def __str__(self) -> str:
        return "a new transaction"


@dataclass(frozen=True)
class ForEnd:
    """A request for the end of a transaction."""

    action: TxnAction
    transaction: str

    def __str__(self) -> str:
        return f"the {self.action.name.lower()} of {self.transaction}"


@dataclass(frozen=True)
class ForPart:
    """A request to add a participant to a transaction."""

    participant: Participant
    transaction: str

    def __str__(self) -> str:
        return f"{self.participant} to be added to {self.transaction}"


@dataclass(frozen=True)
class ToConnect:
    """A connect of a new process."""

    key: NamedKey


@dataclass(frozen=True)
class NamedProducer:
    """A producer under a name that the tasks of a key share."""

    producer: str
    topic: str


@dataclass(frozen=True)
class OnlyConsumer:
    """The consumer of an exclusive subscription."""

    topic: str
    subscription: str


@dataclass(frozen=True)
class EpochsOf:
    """The epochs that administrators are shown."""

    keys: tuple[NamedKey, ...]


@dataclass(frozen=True)
class AgeOf:
    """The time since a task connected."""

    task: str


@dataclass(frozen=True)
class NamedTransactions:
    """Transactions that the scenario names."""

    transactions: tuple[str, ...]


@dataclass(frozen=True)
class FencingTransactions:
    """Transactions of which each fences the one before."""

    count: int


Beginning: TypeAlias = NamedTransactions | FencingTransactions
Unawaited: TypeAlias = ForTransaction | ToConnect
Attached: TypeAlias = NamedProducer | OnlyConsumer
Measured: TypeAlias = EpochsOf | AgeOf
Request: TypeAlias = ForTransaction | ForEnd | ForPart


@dataclass(frozen=True)
class Grant:
    """What a task is given: an epoch by its number, no epoch, or one in comparison with another task's, or with its own earlier one."""

    what: Literal["epoch", "none", "greater", "coordinator"]
    epoch: int = 0
    task: str = ""

    def __str__(self) -> str:
        match self.what:
            case "epoch":
                return f"epoch {self.epoch}"
            case "none":
                return "no epoch"
            case "greater":
                return f"a greater epoch than {self.task or 'before'}"
            case "coordinator":
                return f"the coordinator of {self.task}"


def _key(written: str) -> NamedKey:
    if written in _ODD:
        return NamedKey(written)
    name, *owner = re.findall(_QUOTED, written)
    return NamedKey(name.strip('"'), owner[0].strip('"') if owner else None)


def _request(written: str) -> Request:
    if written == "a new transaction":
        return ForTransaction()
    if written.startswith("the "):
        return ForEnd(TxnAction.COMMIT if written.startswith("the commit") else TxnAction.ABORT, written[-1])
    return ForPart(participant(written.split(" ")[0]), written[-1])


def _grant(written: str) -> Grant:
    if written == "no epoch":
        return Grant("none")
    if written.startswith("epoch "):
        return Grant("epoch", int(written.removeprefix("epoch ")))
    task = "" if written.endswith(" before") else "task " + written.rpartition(" ")[2]
    return Grant("greater" if "greater" in written else "coordinator", task=task)


_KEY = ValueType(
    "key",
    f"key {_QUOTED}(?: of {_QUOTED})?|{'|'.join(_ODD)}",
    "a transaction key of the scenario, of the clients that say who they are or of those that say nothing; an odd key; or none",
    _key,
    str,
    f'key "..." | key "..." of "..." | {" | ".join(_ODD)}',
)
_KEYS = listed("keys", _KEY, "transaction keys", " and ")
_TRANSACTIONS = names("transaction", "transactions", "transactions", r"[A-Z]\b", "{}")

KEYS = Vocabulary(
    "transaction_key",
    (
        *TYPES,
        text("task", _TASK, "a process of an application, with a separate client"),
        text("producer", "[A-Z]", "a producer with a separate name"),
        _KEY,
        _KEYS,
        ValueType(
            "request",
            r'a new transaction|the (?:commit|abort) of [A-Z]|(?:[a-z]+|"[a-z]+") to be added to [A-Z]',
            "what is asked of a coordinator",
            _request,
            str,
            'a new transaction | the commit of A | the abort of A | orders to be added to A | "workers" to be added to A',
        ),
        ValueType(
            "grant",
            f"epoch (?:0|[1-9][0-9]*)|no epoch|a greater epoch than (?:{_TASK}|before)|the coordinator of {_TASK}",
            "what a coordinator answers to a connect",
            _grant,
            str,
            "epoch 0 | no epoch | a greater epoch than task one | a greater epoch than before | the coordinator of task one",
        ),
        unless("nothing", (), "open", _TRANSACTIONS, "the open transactions of a key, or nothing"),
        choice(
            "epoch",
            "the epoch before its own",
            "an epoch that was never assigned",
            "epoch -2",
            "the largest epoch",
            "no epoch",
            meaning="the largest is 2^63-1; no epoch: the field is not there",
        ),
        choice("place", "at another coordinator than its own", meaning="of a connect: the coordinator after that of the key, or the first"),
        choice(
            "where",
            "the coordinator",
            "another coordinator than that",
            "another coordinator next to that",
            "the last coordinator, not that",
            meaning="whether a key belongs where that of a task does, to another coordinator on the same broker, or to the last of all",
        ),
        phrases(
            "begun",
            (_TRANSACTIONS, number("count", "how many")),
            "transactions with names, or many of which each fences the one before",
            {"{transactions}": NamedTransactions, "{count} transactions, each fencing the one before": FencingTransactions},
        ),
        phrases(
            "unawaited",
            (_KEY,),
            "a request whose answer is not waited for",
            {"for a new transaction": ForTransaction, "to connect with {key}": ToConnect},
        ),
        phrases(
            "attached",
            (
                text("producer", "[A-Z]", "a producer with a separate name"),
                *(one for one in TYPES if one.name in ("topic", "subscription")),
            ),
            "what a task has open on the connection of its key in addition",
            {"producer {producer} of {topic}": NamedProducer, "the only consumer of {topic} as {subscription}": OnlyConsumer},
        ),
        phrases(
            "measured",
            (_KEYS, text("task", _TASK, "a process of an application")),
            "what metrics show",
            {"agree with what administrators are shown of {keys}": EpochsOf, "report how long ago {task} connected": AgeOf},
        ),
        choice("old_connection", "on its old connection", meaning="that on which it was given its epoch"),
        choice("at_once", "at the same time", meaning="the requests are sent before any answer is read"),
        choice("ahead", "the connect first", meaning="otherwise the end is sent first"),
        choice("how_late", "two minutes", meaning="longer than clients wait for an answer"),
        choice("fate", "open", "closed", meaning="open: a PING on it is answered; closed: by the broker, within patience"),
        choice(
            "trouble",
            "fails at the next write",
            "has an empty record",
            "has half a record",
            "has a record of another version",
            "has been compacted",
            meaning="what befalls the topic in which coordinators keep transaction keys",
        ),
    ),
)
