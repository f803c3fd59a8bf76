"""What a system answered in each line of a sequence, as text in which two systems can be compared.

The last of all requests of one name by one client in a line counts: clients ask again until a system is ready, some more often than
others. What says only that a system is not ready, or how it is reached, is left out, and so is what is read: sentences say that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fencepost.contract.ports import Exchange
from fencepost.steps.acts.act import ActLine

from .trial import ScriptResult

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
_ERROR = re.compile(r"error(?: code)?: (\w+)")
_NAMES = re.compile(r"\w+(?:, \w+)* or \w+|\w+")
_DONE = frozenset({"NONE"})
_TRIED = " has tried to "


@dataclass(frozen=True)
class Choice:
    """The answers of which a system has the choice, by their errors; `any_refusal` where no error is named."""

    errors: frozenset[str] = frozenset()
    any_refusal: bool = False

    @classmethod
    def of(cls, asked: ActLine, judged_by: Iterable[ActLine]) -> "Choice":
        """What the sentences leave open that judge an answer: one of several errors, or of being done and being refused.

        What a client *has tried* as a Given may be done or refused: that word leaves the answer open, and not what comes of it.
        """
        if asked.kind == "Given" and _TRIED in asked.text:
            return cls(_DONE, any_refusal=True)
        errors, any_refusal = frozenset[str](), False
        for line in judged_by:
            _, refused, named = line.text.partition("refused")
            if not refused:
                continue
            _, _, names = named.partition(" with ")
            found = _NAMES.match(names)
            any_refusal = any_refusal or found is None
            errors |= frozenset(re.split(", | or ", found[0])) if found else frozenset()
            errors |= _DONE if line.text.startswith("it is done, or") or " or answers " in line.text else frozenset()
        return cls(errors, any_refusal)

    def leaves_open(self, one: str, other: str) -> bool:
        """Whether two answers differ only in what it leaves open."""
        pairs = list(zip(_errors(one), _errors(other), strict=False))
        same_shape = len(_errors(one)) == len(_errors(other))
        return same_shape and any(a != b for a, b in pairs) and all(a == b or (self._has(a) and self._has(b)) for a, b in pairs)

    def _has(self, error: str) -> bool:
        return error in self.errors or (self.any_refusal and error not in _DONE)


def _errors(text: str) -> Sequence[str]:
    return _ERROR.findall(text) or ["NONE"]


_PLACES = frozenset({"name", "topic", "index", "partition_index", "group_id", "transactional_id"})


class RequestName(NamedTuple):
    """A request by its client and its name, without the version."""

    client: str
    name: str


def answers(shown: ScriptResult, suffix: str) -> Iterator[Mapping[RequestName, str]]:
    """By line, the last answer to each request; names are without `suffix`, by which a session makes them its own."""
    exchanges, start = shown.session.exchanges() if shown.session else (), 0
    for step in shown.steps:
        yield _by_request(exchanges[start : step.said], suffix)
        start = step.said


def _by_request(exchanges: Sequence[Exchange], suffix: str) -> Mapping[RequestName, str]:
    found: dict[RequestName, str] = {}
    for one in exchanges:
        name = one.name.partition(" ")[0]
        if name in _LEFT_OUT or "/" in one.name or one.answer is None:
            continue
        text = ", ".join(_fields(one.answer, _OUTCOMES | _MORE.get(name, frozenset()))).replace(suffix, "") or "success"
        asked = RequestName(one.client, name)
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


def _place(entry: Any) -> str:
    """By what an entry of a list is known, since a system may answer in any order."""
    if not isinstance(entry, Mapping):
        return str(entry)
    return str([value for name, value in entry.items() if name in _PLACES])


def side_by_side(one: Mapping[RequestName, str], other: Mapping[RequestName, str], choice: Choice) -> Iterator[tuple[str, str]]:
    """The answers to what was asked on both systems, but for those of which either may be given."""
    for asked in one:
        if asked in other and not choice.leaves_open(one[asked], other[asked]):
            yield f"{asked.name} of {asked.client}: {one[asked]}", f"{asked.name} of {asked.client}: {other[asked]}"
