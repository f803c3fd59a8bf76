"""How a probe makes a request: it checks the version, finds the node, reads the answer, and retries if a client would.

* A request whose version the broker does not offer is not sent: `NotOffered`.
* A definite refusal from the call's retry set is retried while the session is patient; then the last refusal is the outcome.
  Without `retry` the first answer is the outcome, except for a refusal that is about the node and not about the request.
* A write without an answer is `Unknown`, and so is one that the broker answers with an error that leaves its outcome open
  (REQUEST_TIMED_OUT).
* A read without an answer is retried, since it cannot have changed anything.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import patiently
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.contract.waiting import has_changed
from fencepost.wire.kafka.entities import api_of, request, title

from .cluster import Cluster, Target
from .kafka_error_outcomes import ELSEWHERE, NOT_YET, STALE_ROUTE, UNDECIDED
from .kafka_values import TopicPartition
from .offer import KafkaOffer

T = TypeVar("T")

SOON_S = 0.5
"""How long a client retries a request that is expected to stay refused: a temporary refusal is over by then."""
SOON_TRIES = 5
"""The least number of tries: on a busy machine one answer may take all of that time."""


class KafkaCalls:
    """What all groups of calls share."""

    def __init__(self, cluster: Cluster, offer: KafkaOffer, time: Time) -> None:
        self._cluster = cluster
        self._offer = offer
        self._time = time
        self.gives_up_soon = False
        """Whether retriable refusals are retried for `SOON_S` only, since the request is expected to stay refused."""

    def ask_only(self, node: int | None) -> Outcome[None]:
        """Send each request once, and to the node with this number, whatever its target; None restores the usual choice of nodes."""
        self._cluster.only_asked = None
        if node is None:
            return Done(None)
        match self._cluster.nodes():
            case Done(nodes):
                self._cluster.only_asked = nodes.address_of(node)
                return Done(None)
            case trouble:
                return trouble

    @contextmanager
    def giving_up_soon(self) -> Iterator[None]:
        """In the block, retriable refusals are retried for `SOON_S` only."""
        before, self.gives_up_soon = self.gives_up_soon, True
        try:
            yield
        finally:
            self.gives_up_soon = before

    def is_listened_to(self) -> bool:
        """Whether the bootstrap node of this client would read a request that is sent now."""
        return self._cluster.is_listened_to()

    def hurried(self, deadline_s: float, meanwhile: Callable[[], object] = lambda: None) -> AbstractContextManager[None]:
        """In the block, no answer is awaited longer than `deadline_s`, and `meanwhile` is called between each request and its answer."""
        return self._cluster.hurried(deadline_s, meanwhile)

    def learn_from(self, other: KafkaCalls) -> None:
        """Use the nodes that the other client has found, unless this one has found another."""
        self._cluster.learn_from(other._cluster)

    def close(self) -> None:
        """Close the connections."""
        self._cluster.close()

    def offers(self, api: str, version: int) -> bool:
        """Whether the system offers that version of that API."""
        return self._offer.has(api, version)

    def newest(self, api: str, lowest: int, highest: int) -> int:
        """The newest version of that API in this range that the system offers. Raises NotOffered if there is none."""
        return self._offer.highest(api, lowest, highest)

    def _request(self, api: str, version: int, **fields: Any) -> Any:
        self._offer.check(api, version)
        return request(api, version, **fields)

    def _write(
        self, target: Target, message: Any, read: Callable[[Any], Outcome[T]], again: frozenset[int], *, retry: bool = True
    ) -> Outcome[T]:
        """Request a change. `read` interprets the answer; `again` has the error codes that are retried."""

        def read_decided(answer: Any) -> Outcome[T]:
            return _decided(message, read(answer))

        has_changed(self._time)
        began, tries = self._time.now_ms(), itertools.count(1)

        def is_for_later(outcome: Outcome[T]) -> bool:
            is_over = next(tries) >= SOON_TRIES and self._time.now_ms() - began >= 1000 * SOON_S
            is_patient = retry and not (self.gives_up_soon and is_over)
            return isinstance(outcome, Refused) and outcome.code in (again if is_patient else again & ELSEWHERE)

        return self._asked(lambda: self._once(target, message, read_decided), is_for_later)

    def _send(self, target: Target, message: Any, read: Callable[[Any], Outcome[T]]) -> Callable[[], Outcome[T]]:
        """Request a change, once. The caller awaits the answer, before the same client sends another request to that node."""
        has_changed(self._time)
        match self._located(target):
            case Done(address):
                wait = self._cluster.send(address, message)
            case trouble:
                return lambda: trouble

        def outcome() -> Outcome[T]:
            answer = wait()
            return _decided(message, read(answer.value)) if isinstance(answer, Done) else answer

        return outcome

    def _read(
        self, target: Target, message: Any, read: Callable[[Any], Outcome[T]], again: frozenset[int], *, retry: bool = True
    ) -> Outcome[T]:
        """Make a request that changes nothing."""

        def is_for_later(outcome: Outcome[T]) -> bool:
            if not retry:
                return isinstance(outcome, Refused) and outcome.code in again & ELSEWHERE
            return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in again | UNDECIDED)

        return self._asked(lambda: self._once(target, message, read), is_for_later)

    def _asked(self, attempt: Callable[[], Outcome[T]], is_for_later: Callable[[Outcome[T]], bool]) -> Outcome[T]:
        """Retry while it makes sense; but only one attempt if `ask_only` has chosen a node: then its first answer is the outcome."""
        return attempt() if self._cluster.only_asked is not None else patiently(self._time, attempt, is_for_later)

    def _once(self, target: Target, message: Any, read: Callable[[Any], Outcome[T]]) -> Outcome[T]:
        match self._located(target):
            case Done(address):
                answer = self._cluster.call(address, message)
                outcome = read(answer.value) if isinstance(answer, Done) else answer
            case trouble:
                return trouble
        match outcome:
            case Refused(code=code) if code in STALE_ROUTE:
                self._cluster.forget(target)
            case Unknown(lost=True):
                self._cluster.forget(target)
            case _:
                pass
        return outcome

    def _located(self, target: Target) -> Outcome[Address]:
        """The address to send to. Looking for the node is a separate request, which is always retried."""

        if (known := self._cluster.known(target)) is not None:
            return Done(known)

        def is_for_later(outcome: Outcome[Address]) -> bool:
            return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in NOT_YET)

        return patiently(self._time, lambda: self._cluster.locate(target), is_for_later)


def _decided(message: Any, outcome: Outcome[T]) -> Outcome[T]:
    """The outcome of a write; Unknown if the broker's refusal leaves open whether the write was done."""
    if isinstance(outcome, Refused) and outcome.code in UNDECIDED:
        return Unknown(f"{title(api_of(message))} v{message.__version__} answered {outcome}, which leaves open whether it was done")
    return outcome


def the_only(results: Sequence[Any], answer: Any, about: object) -> Any:
    """The one result for `about` in an answer. Raises Malformed if there are none or several."""
    if len(results) != 1:
        raise Malformed(f"{title(api_of(answer))} v{answer.__version__} answered {len(results)} results for {about}, expected one")
    return results[0]


def partition_result(topics: Sequence[Any], partition: TopicPartition, answer: Any, *, results: str = "partitions") -> Any:
    """The one result for a partition, in topics by name, each with a list named `results`. Raises Malformed if there is not just one."""
    found = [
        result
        for topic in topics
        if topic.name == partition.topic
        for result in getattr(topic, results)
        if result.partition_index == partition.partition
    ]
    return the_only(found, answer, partition)
