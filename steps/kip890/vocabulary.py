"""KIP-890's own vocabulary, with the values of Kafka's."""

from dataclasses import dataclass
from typing import TypeAlias

from fencepost.steps.kafka.kafka_sentence_types import API_VERSIONS, NUMBER, PARTITION, PARTITIONS, PRODUCER, VALUE, ApiVersion
from fencepost.steps.kafka.vocabulary import TYPES
from fencepost.steps.sentence import ValueType, Vocabulary, choice, phrases
from fencepost.steps.sentence_types import text


@dataclass(frozen=True)
class LevelOffered:
    """The level of transaction.version, finalized or the highest that is supported."""

    status: str
    level: int


@dataclass(frozen=True)
class VersionsOffered:
    """Versions of requests."""

    api_versions: tuple[ApiVersion, ...]


@dataclass(frozen=True)
class SpecialTime:
    """A place in a log for which ListOffsets has a timestamp."""

    name: str


@dataclass(frozen=True)
class TimeOf:
    """The time of a record."""

    value: str


@dataclass(frozen=True)
class WithoutWaiting:
    """A Fetch from the start of the log with a max wait of 0."""


@dataclass(frozen=True)
class OneByteFrom:
    """A Fetch from this record on with room for one byte."""

    value: str


@dataclass(frozen=True)
class TransactionIn:
    """A transaction in exactly these partitions."""

    partitions: tuple[str, ...]


@dataclass(frozen=True)
class EmptyTransactionOf:
    """The state of a producer that has initialised and nothing else."""

    producer: str


@dataclass(frozen=True)
class Written:
    """A record in each partition."""

    value: str


@dataclass(frozen=True)
class Added:
    """All partitions in one request."""


@dataclass(frozen=True)
class Initialises:
    """InitProducerId with the latest producer id and epoch."""


@dataclass(frozen=True)
class CommitsTo:
    """Transactions of one record."""

    partition: str


@dataclass(frozen=True)
class FeaturesOffered:
    """The supported features that versions of ApiVersions before 4 can list."""


Offered: TypeAlias = LevelOffered | VersionsOffered | FeaturesOffered
Landmark: TypeAlias = SpecialTime | TimeOf
Limit: TypeAlias = WithoutWaiting | OneByteFrom
Described: TypeAlias = TransactionIn | EmptyTransactionOf
Everywhere: TypeAlias = Written | Added
Busy: TypeAlias = Initialises | CommitsTo

OFFERED = phrases(
    "offered",
    (choice("status", "finalized", "supported", meaning="whether a level is in force"), NUMBER, API_VERSIONS),
    "what ApiVersions lists: the level of a feature, in force or the highest that there is; versions of requests; or features",
    {
        "transaction.version {status} up to {level:number} or above": LevelOffered,
        "{api_versions}": VersionsOffered,
        "just the supported features of v4 whose lowest level is above 0": FeaturesOffered,
    },
)
COORDINATOR_EPOCH = choice(
    "coordinator_epoch",
    "no coordinator epoch",
    "the coordinator epoch of its last marker",
    meaning="what DescribeProducers reports of a producer's last marker in a partition: -1 before the first one",
)

NOTHING_OR_ALL = choice("nothing_or_all", "nothing", "all", meaning="what readers get of several transactions")

SEQUENCE = ValueType("sequence", r"-1|0|[1-9][0-9]*", "a sequence number; -1 where there is none", int, str)

LANDMARK = phrases(
    "landmark",
    (
        choice(
            "special",
            *(
                "start",
                "start on the broker's own disk",
                "newest record",
                "end of what is stored elsewhere",
                "first record from the next century",
            ),
            meaning="a place, or a time",
        ),
        VALUE,
    ),
    "what ListOffsets is asked for: a place, or the time of a record",
    {"{name:special}": SpecialTime, "first record from the time of {value}": TimeOf},
)
LIMIT = phrases(
    "limit",
    (VALUE,),
    "a Fetch with a max wait of 0 from the start of the log, or with room for one byte from that record on",
    {"that does not wait": WithoutWaiting, "for at most one byte from {value}": OneByteFrom},
)
DESCRIBED = phrases(
    "described",
    (PARTITIONS, PRODUCER),
    "what DescribeTransactions answers: exactly these partitions; or the state Empty, and the producer id and epoch of InitProducerId",
    {
        "a transaction in {partitions} and nowhere else": TransactionIn,
        "an Empty transaction of {producer}, with no partition and no start time": EmptyTransactionOf,
    },
)
EVERYWHERE = phrases(
    "everywhere",
    (VALUE,),
    "Produce once for each partition, or one AddPartitionsToTxn v3 with all of them",
    {"written {value} to": Written, "added": Added},
)
BUSY = phrases(
    "busy",
    (PARTITION,),
    "what a producer does while another one is idle",
    {"initialises": Initialises, "commits to {partition}": CommitsTo},
)
BEGINNING = text("beginning", r'what comes next|"[ -!#-~]*"', "a record, or what will be written next")
ODD_BATCH = choice(
    "odd_batch",
    *("a damaged batch", "an empty batch", "a batch with a base offset of 1", "a batch without a sequence number"),
    *("a batch with the beginning of another behind it", "a batch that leaves a gap", "a COMMIT marker", "an ABORT marker"),
    meaning="a batch with one fault; a marker is a control batch that looks like a coordinator's, but for its sequence number",
)
RETENTION = choice("retention", "for a day", "for no time", meaning="the delete.retention.ms of a topic")
PASS_COUNT = ValueType(
    "pass_count",
    "twice|[3-9] times",
    "how many passes of the log cleaner, one after the other",
    lambda written: 2 if written == "twice" else int(written.split()[0]),
    lambda count: "twice" if count == 2 else f"{count} times",
)
ABOUT_PARTITIONS = choice(
    "about_partitions", "DescribeProducers", "ListOffsets", "DeleteRecords", meaning="a request about partitions that one node leads"
)
WHICH_ENTRY = choice("which_entry", "first", "second", "last", meaning="which entry of a request about several partitions or ids")
WHICH_APPEND = choice("which_append", "next", "second", meaning="which append to a log from now on")
OWN_LOG = choice(
    "own_log",
    *("the transaction log", "the log of groups' offsets"),
    meaning="a log in which the broker keeps its own: what Apache Kafka calls __transaction_state and __consumer_offsets",
)
CHANGE = choice("change", "unchanged", "later than it was", meaning="in comparison with what was seen before")
EXPIRY = choice("expiry", "the state", "the transactional id", meaning="what a partition, or a coordinator, forgets of an idle producer")
SENT_TO = choice(
    "sent_to", "by three clients in several versions", "to each of two nodes", meaning="in versions 1, 3 and 4 by each, or to each"
)
STATES = choice("number_of_states", "no state", "a state", meaning="whether the partition keeps one")
EPOCH = choice("epoch", "a larger", "no smaller", meaning="than before")

KIP890 = Vocabulary(
    "kip890",
    (
        *(*TYPES, OFFERED, COORDINATOR_EPOCH, NOTHING_OR_ALL, SEQUENCE, LANDMARK, BEGINNING, ODD_BATCH),
        *(ABOUT_PARTITIONS, WHICH_ENTRY, RETENTION, PASS_COUNT, WHICH_APPEND, OWN_LOG, CHANGE, EXPIRY, STATES, EPOCH, SENT_TO),
        *(LIMIT, DESCRIBED, EVERYWHERE, BUSY),
    ),
)
