"""The exchanges of a red and those of the same scenario on the reference, and the answer in which they differ.

Both plays have the same steps, so the requests that change something come in the same order. How often a client looked or retried between
them may differ, and does not matter.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.adapters.kafka.kafka_recording import RecordedRequest
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.wire.kafka.entities import api_of, plain, title
from fencepost.wire.kafka.frames import LENGTH, encode_response
from fencepost.wire.kafka.message_fields import shape_of

from .runtime import Bytes, Names, flat

_HELPERS = frozenset({"api_versions", "metadata", "find_coordinator"})
"""Requests that a script makes by itself, when it needs them."""
_LOOKS = ("describe_", "list_", "fetch", "offset_fetch", "consumer_group_describe")


@dataclass(frozen=True)
class RepeatedRequest:
    """A request, as it was sent the last time, and how often it was; `writes` counts the earlier requests that change something."""

    call: RecordedRequest
    times: int
    writes: int

    @property
    def api(self) -> str:
        return api_of(self.call.request)

    @property
    def title(self) -> str:
        return f"{title(self.api)} v{self.call.request.__version__}"

    @property
    def only_looks(self) -> bool:
        return self.api.startswith(_LOOKS)

    def state_awaited(self) -> str:
        """The state of a transaction that has ended, which the red's client saw before it went on; empty for any other request."""
        if self.api != "describe_transactions":
            return ""
        states = [str(value) for path, value in flat(self.answer(), Names("")) if path.endswith("transaction_state")]
        return states[0] if len(states) == 1 and states[0].startswith("Complete") else ""

    def answer(self) -> dict[str, Any] | None:
        """The answer as a script reads it; None if none came."""
        answer = self.call.answer
        if answer is None:
            return None
        data = Bytes(encode_response(answer, 1)[LENGTH.size :])
        data.take(4)
        if answer.__header_schema__.__flexible__:
            data.skip_tags()
        return data.entity(shape_of(type(answer)))


@dataclass(frozen=True)
class Pair:
    """The same request in the red and on the reference."""

    red: RepeatedRequest
    reference: RepeatedRequest


@dataclass(frozen=True)
class Parting:
    """The content of a script: the requests up to the one that decides, and the fields in which its answers differ."""

    pairs: tuple[Pair, ...]
    seen: Mapping[str, Any]
    expected: Mapping[str, Any]


def asked_of(calls: Sequence[RecordedRequest]) -> list[RepeatedRequest]:
    """The requests that matter, in the order in which they were made; one that a client repeats at once counts as one."""
    found: list[RepeatedRequest] = []
    writes = 0
    for call in sorted(calls, key=lambda one: one.began):
        if api_of(call.request) in _HELPERS:
            continue
        last = found[-1] if found else None
        if last is not None and last.call.client == call.client and last.call.request == call.request:
            found[-1] = RepeatedRequest(call, last.times + 1, last.writes)
            continue
        found.append(RepeatedRequest(call, 1, writes))
        writes += not found[-1].only_looks
    return found


def parting(
    red: Sequence[RecordedRequest], red_suffix: str, reference: Sequence[RecordedRequest], suffix: str, violation: Mismatch
) -> Parting:
    """Where the red and the reference differ. Raises WrongUsage if no single answer shows it."""
    ours, theirs = asked_of(red), asked_of(reference)
    writes = list(_paired_writes(ours, theirs))
    candidates = [
        (pairs, differences)
        for pairs in _candidates(ours, theirs, writes, red_suffix, suffix)
        if (differences := _differences(pairs, red_suffix, suffix))
    ]
    if not candidates:
        raise WrongUsage(
            "no answer to a request of this red differs from what the reference answers to the same, so a script cannot show it: "
            f"{violation}; --format frames and --format picture show the requests and answers"
        )
    named = [one for one in candidates if _is_named(one[0][-1].red.api, violation.what)]
    pairs, differences = (named or candidates)[-1]
    return Parting(
        tuple(pairs),
        {path: seen for path, (seen, _) in differences.items()},
        {path: expected for path, (_, expected) in differences.items()},
    )


def _paired_writes(ours: Sequence[RepeatedRequest], theirs: Sequence[RepeatedRequest]) -> Iterator[Pair]:
    """The requests that change something, until the client or the API differs."""
    left, right = ([one for one in side if not one.only_looks] for side in (ours, theirs))
    for red, reference in zip(left, right, strict=False):
        if (red.call.client, red.api) != (reference.call.client, reference.api):
            return
        yield Pair(red, reference)


def _candidates(
    ours: Sequence[RepeatedRequest], theirs: Sequence[RepeatedRequest], writes: Sequence[Pair], red_suffix: str, suffix: str
) -> Iterator[list[Pair]]:
    """The requests that may decide, each with those before it: each request that changes something, and each look with its counterpart."""
    by_look: dict[Any, RepeatedRequest] = {}
    for one in theirs:
        if one.only_looks:
            by_look[_look(one, suffix)] = one
    place = 0
    before: list[Pair] = []
    for one in ours:
        if not one.only_looks:
            if place == len(writes):
                return
            before.append(writes[place])
            place += 1
            yield list(before)
        elif (same := by_look.get(_look(one, red_suffix))) is not None:
            yield [*before, Pair(one, same)]
            if before and before[-1].red.api == "end_txn" and one.state_awaited():
                before.append(Pair(one, same))


def _look(one: RepeatedRequest, suffix: str) -> Any:
    """The identity of a look: the client, what it reads, and after how many changes."""
    return one.writes, one.call.client, one.api, re.sub(rf"-{suffix}\b", "", str(plain(one.call.request)))


def _differences(pairs: Sequence[Pair], red_suffix: str, suffix: str) -> dict[str, tuple[Any, Any]]:
    """The fields in which the last answers differ: as seen in the red, and as the reference has them."""
    seen, expected = _said([pair.red for pair in pairs], red_suffix), _said([pair.reference for pair in pairs], suffix)
    if seen is None or expected is None:
        return {}
    paths = [*seen, *(path for path in expected if path not in seen)]
    return {path: (seen.get(path), expected.get(path)) for path in paths if seen.get(path) != expected.get(path)}


def _said(asked: Sequence[RepeatedRequest], suffix: str) -> dict[str, Any] | None:
    """The fields of the last answer, with the names and producer ids that are the same in every play; None if no answer came."""
    names = Names(suffix)
    said: dict[str, Any] | None = None
    for one in asked:
        answer = one.answer()
        said = None if answer is None else dict(flat(answer, names))
    return said


def _is_named(api: str, what: str) -> bool:
    return api.replace("_", "") in re.sub(r"[^a-z]", "", what.lower())
