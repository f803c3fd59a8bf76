"""The types of the values that Kafka's sentences name."""

import re
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from fencepost.adapters.kafka.kafka_values import FetchedOffset
from fencepost.steps.sentence_types import ValueType, choice, listed, number, quoted, text, unless

T = TypeVar("T")

APIS = {
    "InitProducerId": "init_producer_id",
    "AddPartitionsToTxn": "add_partitions_to_txn",
    "AddOffsetsToTxn": "add_offsets_to_txn",
    "TxnOffsetCommit": "txn_offset_commit",
    "EndTxn": "end_txn",
    "Produce": "produce",
}
"""The requests of a producer, by the names that Kafka's protocol has for them and that the probe has."""

NEW_ID, NO_RECORDS = "a new producer id and epoch 0", "no records"
"""What an answer has in addition to success."""

NONE_ABORTED = "no aborted transaction"

COMMITS = {"commits": True, "committed": True, "commit": True, "aborts": False, "aborted": False, "abort": False}
"""Whether a word for an end is one for a commit."""


def enumeration(name: str, of: ValueType[T], last: str, meaning: str) -> ValueType[tuple[T, ...]]:
    """One or more values, as people list them: `a`, `a or b`, `a, b or c`."""

    def parse(written: str) -> tuple[T, ...]:
        head, joined, tail = written.rpartition(f" {last} ")
        return (*map(of.parse, head.split(", ")), of.parse(tail)) if joined else (of.parse(written),)

    def render(values: tuple[T, ...]) -> str:
        *first, tail = map(of.render, values)
        return f"{', '.join(first)} {last} {tail}" if first else tail

    one = f"(?:{of.pattern})"
    return ValueType(name, f"{one}(?:(?:, {one})* {last} {one})?", meaning, parse, render)


def counted(name: str, thing: str, meaning: str) -> ValueType[int]:
    """`1 record` or `3 records`."""
    return ValueType(
        name,
        rf"1 {thing}|(?:0|[2-9]|[1-9][0-9]+) {thing}s",
        meaning,
        lambda written: int(written.split()[0]),
        lambda count: f"{count} {thing}" + ("" if count == 1 else "s"),
    )


@dataclass(frozen=True)
class ApiVersion:
    """A request in one of its versions, such as EndTxn v4."""

    api: str
    version: int


@dataclass(frozen=True)
class OffsetOf:
    """The offset of the record with this value."""

    value: str

    def __str__(self) -> str:
        return f'the offset of "{self.value}"'


@dataclass(frozen=True)
class AbortedFrom:
    """Aborted transactions of one producer, by their first records."""

    producer: str
    firsts: tuple[str, ...]

    def __str__(self) -> str:
        transactions = "transaction" if len(self.firsts) == 1 else "transactions"
        return f"the aborted {transactions} of {self.producer} from {_FIRSTS.render(self.firsts)}"


Result: TypeAlias = str | OffsetOf


def _offset_of(written: str) -> OffsetOf:
    return OffsetOf(VALUE.parse(written.removeprefix("the offset of ")))


def _aborted(written: str) -> AbortedFrom | None:
    if written == NONE_ABORTED:
        return None
    head, _, firsts = written.partition(" from ")
    return AbortedFrom(head[-1], _FIRSTS.parse(firsts))


def _api_version(written: str) -> ApiVersion:
    api, _, version = written.partition(" v")
    return ApiVersion(api, int(version))


PRODUCER = text("producer", r"[A-Z]", "a producer of the scenario")
PRODUCERS = listed("producers", PRODUCER, "producers of the scenario", " and ")
TRANSACTIONAL_ID = quoted("transactional_id", "a transactional id; the system is given one that only this scenario has")
TOPIC = quoted("topic", "a topic; the system is given a name that only this scenario has")
GROUP = ValueType("group", r'"[ -!#-~]*"', "a consumer group", lambda written: written[1:-1], lambda value: f'"{value}"')
VALUE = quoted("value", "the value of a record")
PARTITION = text(
    "partition",
    r'[a-z]+-[0-9]+|the partition of group "[ -!#-~]*"',
    "a partition, by its topic and its number; that of a group is the one of __consumer_offsets in which the group's offsets are kept",
)
PARTITIONS = listed("partitions", PARTITION, "partitions, each judged by itself", " and ")
PARTITIONS_OR_NONE = unless("no partition at all", (), "partitions_or_none", PARTITIONS, "partitions, or an empty list of them")
VALUES = ValueType(
    "values",
    r'nothing|"[ -!#-~]*"(?:, "[ -!#-~]*")*',
    "values of records, in their order",
    lambda written: () if written == "nothing" else tuple(re.findall(r'"([ -!#-~]*)"', written)),
    lambda values: ", ".join(f'"{value}"' for value in values) or "nothing",
)
NUMBER = number("number", "a natural number")
NODE = number("node", "a node of the cluster")
PARTITION_COUNT = counted("partition_count", "partition", "how many partitions a topic has")
COUNT_OR_DEFAULT = unless(
    "the default number of partitions",
    None,
    "count_or_default",
    PARTITION_COUNT,
    "how many partitions a topic has; the default is the broker's",
)
RECORD_COUNT = counted("record_count", "record", "how many records: r0, r1, ...")

ENDS = choice("ends", "commits", "aborts", meaning="EndTxn with one of its decisions")
ENDED = choice("ended", "committed", "aborted", meaning="EndTxn with one of its decisions, and all of it is done")
END = choice("end", "commit", "abort", meaning="EndTxn with one of its decisions")
MARKER = choice("marker", "a COMMIT marker", "an ABORT marker", meaning="a control record with a decision")
MARKER_KIND = choice("marker_kind", "COMMIT", "ABORT", meaning="the decision of a marker")
OVER = "over"
STATE = choice(
    "state",
    *("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", OVER),
    meaning="a state of the transaction coordinator's, as DescribeTransactions shows it; over: Empty, or either that is complete",
)
STATES = listed("states", STATE, "states of the transaction coordinator's, in their order", ", then ")
ERROR = text("error", r"[A-Z]+(?:_[A-Z]+)+", "an error of Kafka's protocol, by its name")
ERRORS = enumeration("errors", ERROR, "or", "errors of Kafka's protocol, of which one is seen")

API = choice("api", *APIS, meaning="a request of a producer")
API_VERSION = ValueType(
    "api_version",
    rf"(?:{'|'.join(APIS)}) v(?:0|[1-9][0-9]*)",
    "a request in one of its versions",
    _api_version,
    lambda value: f"{value.api} v{value.version}",
)
API_VERSIONS = enumeration("api_versions", API_VERSION, "and", "requests in one of their versions")
ISOLATION = choice("isolation", "read_committed", "read_uncommitted", meaning="an isolation level of readers")
READERS = choice(
    "readers", "readers", "read_uncommitted readers", meaning="consumers that begin now; of committed data, unless another level is named"
)
IDENTITY = text(
    "identity",
    "its previous epoch|the epoch before its previous one|its previous producer id and the epoch in force|an epoch ahead of the current one"
    "|the next epoch|its own producer id and epoch"
    "|a producer id but no epoch|an epoch but no producer id|neither producer id nor epoch|the producer id of [A-Z]"
    "|an empty transactional id|an unused transactional id|no transactional id|an unknown member id",
    "who a request says it is from, where that is not the producer under its own transactional id, producer id and epoch",
)
CODEC = choice("codec", "gzip", "snappy", "lz4", "zstd", meaning="a codec of record batches")
TIMEOUT = choice(
    "timeout",
    *("a short timeout", "a timeout of zero", "a negative timeout", "the largest timeout", "a shorter timeout", "a longer timeout"),
    *("the longest timeout that is allowed", "a millisecond more than is allowed"),
    meaning="a transaction timeout, compared with what the producer asked for before, or with the broker's transaction.max.timeout.ms",
)
_RESULTS = (
    *("the same producer id and the next epoch", "the same producer id and the epoch after the next"),
    *("the producer id and epoch in force", NEW_ID, NO_RECORDS),
)
RESULT = ValueType(
    "result",
    f"{'|'.join(_RESULTS)}|the offset of {VALUE.pattern}",
    "what an answer has in addition to success",
    lambda written: written if written in _RESULTS else _offset_of(written),
    str,
)
PLACE = ValueType(
    "place",
    rf"a partition of __consumer_offsets|the blocked partition|{PARTITIONS.pattern}",
    "where a transaction is: exactly these partitions",
    str,
    str,
)
LAST_STABLE = ValueType(
    "last_stable",
    f"the high watermark|the offset of {VALUE.pattern}",
    "where the last stable offset of a partition may be",
    lambda written: None if written == "the high watermark" else _offset_of(written),
    lambda offset: "the high watermark" if offset is None else str(offset),
)
_FIRSTS = listed("firsts", VALUE, "values of records", " and ")
ABORTED = ValueType(
    "aborted",
    f"{NONE_ABORTED}|the aborted transaction of [A-Z] from {VALUE.pattern}"
    f"|the aborted transactions of [A-Z] from {VALUE.pattern}(?: and {VALUE.pattern})+",
    "what a Fetch lists of aborted transactions: none, or those with the producer id and the offsets of their first records",
    _aborted,
    lambda aborted: NONE_ABORTED if aborted is None else str(aborted),
)
KNOWN = choice(
    "known",
    "unchanged",
    "those of the answer",
    "those it began with",
    meaning="what a producer id and epoch at the coordinator are compared with",
)
PENDING = choice(
    "pending",
    *("a pending offset", "no pending offset"),
    meaning="an offset for which an OffsetFetch that requires stable offsets is refused UNSTABLE_OFFSET_COMMIT, or none",
)
COMMITTED_OFFSET = ValueType(
    "committed_offset",
    f"committed offset (?:{NUMBER.pattern})|no committed offset",
    "what OffsetFetch answers for a partition of a group",
    lambda written: None if written == "no committed offset" else int(written.removeprefix("committed offset ")),
    lambda offset: "no committed offset" if offset is None else f"committed offset {offset}",
)
REFUSAL = unless(
    "retriable",
    None,
    "refusal",
    ERRORS,
    "the errors that may refuse a client that retries; retriable: those after which Kafka's clients retry",
)
FATE = choice(
    "fate",
    "is lost",
    "is answered, and the answer is lost",
    "arrives twice",
    "is held up",
    meaning="what becomes of a request on its way; but where it arrives twice, its client loses the connection and knows nothing",
)
GONE_DOWN = choice("gone_down", "crashed", "stopped cleanly", meaning="killed without warning, or stopped cleanly; it restarted at once")
SILENT = choice("silent", "paused", "unavailable", meaning="whether the other nodes have noticed yet that it does not answer")
GOES_DOWN = choice("goes_down", "crashes", "stops cleanly", meaning="killed without warning, or stopped cleanly; it restarts at once")
MOMENT = choice("moment", "before it answers", "right after it answers", meaning="when the system is killed; it is started again at once")
EVENT = choice(
    "event",
    "the next answer",
    "the next refusal",
    "the next restart",
    "the next deletion",
    "the next move",
    meaning="when a fault ends: what the client gets, or the system does",
)
POINT = choice(
    "point",
    *("a negative offset", "before its start", "its start", "its end", "past its end"),
    meaning="an offset by where it is in the log; a negative one is -2",
)
LAYOUT = choice("layout", "a new segment for each batch", meaning="how a log is stored")
WHICH_ID = choice(
    "which_id", "no", "an empty", "an unused", meaning="a transactional id: null, of no letters, or one that no producer has initialised"
)
UNUSED_ID, EMPTY_ID = "an unused transactional id", "an empty transactional id"
ASKED_ABOUT = listed(
    "asked_about",
    text("an_id", f"[A-Z]|{UNUSED_ID}|{EMPTY_ID}", "a transactional id"),
    "transactional ids of producers, or of none",
    " and ",
)
CLIENT = choice(
    "client",
    *("an old client (transaction version 0)", "a new client (transaction version 2)"),
    meaning="which versions of requests a producer uses, and what it does by itself",
)
COMPACTED = choice("compacted", "compacted", meaning="without the records that show that a pass of the log cleaner is complete")
OUTSIDE = choice(
    "outside",
    *("outside of its transaction", "by the id of the deleted topic"),
    meaning="a batch that is not transactional, in a request without a transactional id; or Produce v13, sent by a producer that has not"
    " learned of the deletion",
)
UNSUPPORTED = choice("unsupported", "in an unsupported version", meaning="a well-formed request, in a version beyond those of ApiVersions")
LATE = choice("late", "after its timeout", meaning="when the coordinator no longer says Ongoing")
AS_A_WHOLE = choice("as_a_whole", "as a whole", meaning="with one error for the request, and no result for any part of it")
WITH_ID = choice("with_id", "without a transactional id", "with it", meaning="the transactional id of InitProducerId")
ONLY = choice("only", "only", meaning="what else was asked for in the request is done")
LISTED = choice(
    "listed", "is listed", "is not listed", meaning="whether an entry has the producer's transactional id, and then its producer id"
)
ADDS = choice("adds", "adds", "verifies", meaning="AddPartitionsToTxn, without or with verifyOnly")
AGE = choice("age", "long ago", "a second ago", "a moment ago", meaning="a duration filter: an hour, a second, or a millisecond")
MARK = choice("mark", "last stable offset", "high watermark", meaning="an end of a partition, as Fetch names it")
TOO_LARGE = choice(
    "too_large",
    *("metadata that is too large", "metadata that is as large as may be"),
    meaning="metadata of an offset, longer than a broker stores by default, or just as long",
)
DONE = choice("done", "written", "committed", meaning="a transaction that is open, or one that is committed with all of it done")
KEY = text(
    "key",
    r'key "[ -!#-~]+"|the key of a COMMIT marker|the key of an ABORT marker',
    "the key of a record; a record may have the very bytes that a marker has for its key",
)
HANDLE = choice("handle", "name", "id", meaning="by what a request names a topic")
MADE_AGAIN = choice("made_again", "and made again", meaning="a new topic of the same name")
A_MEMBER = choice("a_member", "a member", "a static member", meaning="a member of a group; a static one says which instance it is")
_MEMBERSHIPS = ("the member that it is", "a member of the generation before")
MEMBERSHIP = choice(
    "membership",
    *_MEMBERSHIPS,
    meaning="which member of the group a TxnOffsetCommit says that it is from, with its generation",
)
ODDLY = choice(
    "oddly",
    *("and more replicas than nodes", "on an unknown node", "on a known node", "for validation only", "under the name of a single dot"),
    meaning="what is unusual about a new topic",
)
LATER = choice("later", "a later", meaning="a larger number than before the When")
FEATURE_UPDATE = choice(
    "feature_update",
    "asks for level 99 of transaction.version",
    "asks for level 1 of a feature that there is not",
    "asks for the level of transaction.version that is there",
    "lowers transaction.version as an upgrade",
    "only validates a lower transaction.version",
    meaning="a change of a feature's level",
)
SESSION = choice("session", "a short session", meaning="a session.timeout.ms of a second and a half, or of 6 s where that is too short")
MISTAKE = choice(
    "mistake",
    *("another protocol type", "a protocol that no other member knows", "an unknown member id"),
    meaning="what a consumer that joins a group has got wrong",
)
REGARDS = choice(
    "regards",
    *("still has", "wants a new JoinGroup of", "no longer has", "has fenced"),
    meaning="what Heartbeat says to a member: success, an error by which a consumer joins again, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID",
)
FETCHED = text(
    "fetched", rf"all partitions|a topic id that no topic has|{PARTITION.pattern}", "which offsets of a group OffsetFetch asks for"
)
_NO_OFFSET = FetchedOffset(-1, -1, "")
_FETCHED = re.compile(f'offset ({NUMBER.pattern}), leader epoch ({NUMBER.pattern}) and metadata "([ -!#-~]*)"')
FETCHED_OFFSET = ValueType(
    "fetched_offset",
    f"no offset|{_FETCHED.pattern.replace('(', '(?:')}",
    "what OffsetFetch answers for a partition; no offset is -1, leader epoch -1 and no metadata",
    lambda written: FetchedOffset(int(found[1]), int(found[2]), found[3]) if (found := _FETCHED.fullmatch(written)) else _NO_OFFSET,
    lambda one: "no offset" if one == _NO_OFFSET else f'offset {one.offset}, leader epoch {one.leader_epoch} and metadata "{one.metadata}"',
)
NOTHING_ELSE = choice("nothing_else", "nothing else", meaning="no other partition is in the answer")
COMMIT = choice("commit", "TxnOffsetCommit", "OffsetCommit", meaning="a request that commits an offset, in a transaction or outside of all")
