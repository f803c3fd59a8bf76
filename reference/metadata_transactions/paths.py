"""The paths of the metadata store for transactions. PIP-471, "Data Model", with the paths of the first release that has it.

The text writes `/txn/<txnId>` and `/txn-op/<txnId>/<seq>`; the release keeps each class of records under a separate path.
"""

from functools import lru_cache
from urllib.parse import quote

from fencepost.reference.pulsar.pulsar_types import SubscriptionName, TxnId

HEADERS = "/txn/id/"
OPERATIONS = "/txn/op/"
EVENTS = "/txn/events/"
ABORTED = "/txn/segment-state/aborted/"
WATERMARKS = "/txn/segment-state/watermark/"
WRITES_BY_SEGMENT = "writes-by-segment"
ACKS_BY_SUBSCRIPTION = "acks-by-segment-subscription"
OPERATIONS_BY_TRANSACTION = "ops-by-txn"
BY_DEADLINE = "txn-by-deadline"
BY_FINAL_STATE = "txn-by-final-state"

_DIGITS = 20
"""The digits of a number in a key: with fewer, 10 would come before 9."""


def number(value: int) -> str:
    """A number as a part of a key, so that keys are in the order of their numbers."""
    return f"{value:0{_DIGITS}d}"


def key_of(txn: TxnId) -> str:
    """A transaction's id in keys and in the partition key."""
    return f"{txn.tc_id}_{txn.sequence}"


def txn_of(key: str) -> TxnId:
    """The transaction of such an id. Raises ValueError for an invalid one."""
    most, _, least = key.partition("_")
    return TxnId(int(most), int(least))


def header(txn: TxnId) -> str:
    """The header: the one record that decides."""
    return HEADERS + key_of(txn)


def operations(txn: TxnId) -> str:
    """The sequence of a transaction's operation records."""
    return OPERATIONS + key_of(txn)


def next_sequence(tc_id: int) -> str:
    """The counter of a coordinator's transactions."""
    return f"/txn/tc-seq/{tc_id}"


@lru_cache(maxsize=1024)
def segment(name: str) -> str:
    """A segment's name as a part of a key."""
    return quote(name, safe="")


def subscription(name: SubscriptionName) -> str:
    """A subscription of a segment as a part of a key."""
    return f"{segment(name.topic)}:{quote(name.name, safe='')}"


def events(participant: str | SubscriptionName) -> str:
    """The sequence of events that notify a participant of ended transactions."""
    if isinstance(participant, SubscriptionName):
        return f"{EVENTS}subscription/{subscription(participant)}"
    return f"{EVENTS}segment/{segment(participant)}"


def watermark(name: str) -> str:
    """Up to where everything of a segment is decided."""
    return WATERMARKS + segment(name)


def aborted(name: str, txn: TxnId | None = None) -> str:
    """The record that a transaction is aborted in a segment; without a transaction, the common prefix of all such keys of the segment."""
    return f"{ABORTED}{segment(name)}:{key_of(txn) if txn else ''}"
