"""What a system answered in each line of a sequence, as text in which two systems can be compared.

The last of all requests of one name by one client in a line counts: clients ask again until a system is ready, some more often than
others. What says only that a system is not ready, or how it is reached, is left out, and so is what is read: sentences say that.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fencepost.contract.ports import Exchange

from .trial import Shown

_OUTCOMES = frozenset({"error_code", "partition_error_code", "error", "committed_offset"})
"""The fields that say what became of a request."""
_IDENTITIES = frozenset({"producer_id", "producer_epoch"})
_TRANSACTION = _IDENTITIES | {"transaction_state", "transaction_timeout", "topic", "partitions"}
_MORE = {"InitProducerId": _IDENTITIES, "EndTxn": _IDENTITIES, "DescribeTransactions": _TRANSACTION}
"""By request, the fields that say as whom a client goes on, and with what."""
_LEFT_OUT = frozenset({"ApiVersions", "CreateTopics", "FindCoordinator", "Metadata", "CONNECT", "LOOKUP", "FLOW", "MESSAGE"})
"""Requests by which a client finds its way, and what a system sends by itself."""
_NOT_YET = (
    "CONCURRENT_TRANSACTIONS",
    "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "NOT_LEADER_OR_FOLLOWER",
    "NOT_ENOUGH_REPLICAS",
    "REQUEST_TIMED_OUT",
    "UNSTABLE_OFFSET_COMMIT",
    "PrepareCommit",
    "PrepareAbort",
    "ServiceNotReady",
    "CoordinatorNotFound",
)
"""What a client is answered that has come too early: when that is over is a matter of time."""
_CHOICES = (
    frozenset({"error: InvalidTxnStatus", "error: TransactionConflict"}),
    frozenset({"error: InvalidTxnStatus", "error: TransactionNotFound"}),
    frozenset({"success", "error: TransactionNotFound"}),
    frozenset({"Produce", "error code: NONE", "error code: INVALID_PRODUCER_EPOCH"}),
)
"""Answers of which a system has the choice, to some request or to that of a name. PIP-31: two names for a conflict, and whether a
coordinator still knows a transaction that is over. KIP-890: whether the marker has overtaken a late write. Where there is no such choice,
the sentences say which answer is due.
"""


_PLACES = frozenset({"name", "topic", "index", "partition_index", "group_id", "transactional_id"})


class Asked(NamedTuple):
    """A request by its client and its name, without the version."""

    client: str
    name: str


def answers(shown: Shown, suffix: str) -> Iterator[Mapping[Asked, str]]:
    """By line, the last answer to each request; names are without `suffix`, by which a session makes them its own."""
    exchanges, start = shown.session.exchanges() if shown.session else (), 0
    for step in shown.steps:
        yield _by_request(exchanges[start : step.said], suffix)
        start = step.said


def _by_request(exchanges: Sequence[Exchange], suffix: str) -> Mapping[Asked, str]:
    found: dict[Asked, str] = {}
    for one in exchanges:
        name = one.name.partition(" ")[0]
        if name in _LEFT_OUT or "/" in one.name or one.answer is None:
            continue
        text = ", ".join(_fields(one.answer, _OUTCOMES | _MORE.get(name, frozenset()))).replace(suffix, "") or "success"
        asked = Asked(one.client, name)
        if any(word in text for word in _NOT_YET):
            found.pop(asked, None)
        else:
            found[asked] = text
    return found


def _fields(answer: Any, kept: frozenset[str]) -> Iterator[str]:
    """The fields of these names, wherever they stand."""
    for name, value in answer.items():
        for one in sorted(value, key=_place) if isinstance(value, list | tuple) else (value,):
            if isinstance(one, Mapping):
                yield from _fields(one, kept)
            elif name in kept:
                yield f"{name.replace('_', ' ')}: {one}"


def _is_a_choice(name: str, texts: set[str]) -> bool:
    return texts in _CHOICES or texts | {name} in _CHOICES


def _place(entry: Any) -> str:
    """By what an entry of a list is known, since a system may answer in any order."""
    if not isinstance(entry, Mapping):
        return str(entry)
    return str([value for name, value in entry.items() if name in _PLACES])


def side_by_side(one: Mapping[Asked, str], other: Mapping[Asked, str]) -> Iterator[tuple[str, str]]:
    """The answers to what was asked on both systems, but for those of which either may be given."""
    for asked in one:
        if asked in other and not _is_a_choice(asked.name, {one[asked], other[asked]}):
            yield f"{asked.name} of {asked.client}: {one[asked]}", f"{asked.name} of {asked.client}: {other[asked]}"
