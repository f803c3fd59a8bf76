"""How a probe asks: the version is checked, the right node found, the answer read, and the question put again where that is right.

* A version outside of what the broker offers is not sent: `NotOffered`.
* A definite refusal from the call's retry set is asked again while the session is patient; then the last refusal is the outcome.
  Without `retry` the first answer is the outcome, but for a refusal that speaks of the node and not of what was asked.
* A write with no answer stays `Unknown`, and so does one whose answer is that the broker does not know (REQUEST_TIMED_OUT).
* A read that got no answer is put again, for it cannot have changed anything.
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
from .errors import ELSEWHERE, NOT_YET, STALE_ROUTE, UNDECIDED
from .offer import Offer
from .values import TopicPartition

T = TypeVar("T")

SOON_S = 0.5
"""How long a client asks again that is expected to stay refused: a refusal that only says "not yet" is over by then."""
SOON_TRIES = 5
"""How often it asks at least: a busy machine takes that long for one answer."""


class Calls:
    """What all groups of calls share."""

    def __init__(self, cluster: Cluster, offer: Offer, time: Time) -> None:
        self._cluster = cluster
        self._offer = offer
        self._time = time
        self.gives_up_soon = False
        """Whether what says to ask again is asked again for `SOON_S` only, since it is expected to stay refused."""

    def ask_only(self, node: int | None) -> Outcome[None]:
        """Put each request to the node with this number, and once, whoever should get it; with None, to whom it is for again."""
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
        """Until the end, what says to ask again is asked again for `SOON_S` only."""
        before, self.gives_up_soon = self.gives_up_soon, True
        try:
            yield
        finally:
            self.gives_up_soon = before

    def is_listened_to(self) -> bool:
        """Whether the node that this client begins with would read a request that is sent now."""
        return self._cluster.is_listened_to()

    def hurried(self, deadline_s: float, meanwhile: Callable[[], object] = lambda: None) -> AbstractContextManager[None]:
        """Until the end, no answer is waited for longer than this, and `meanwhile` is done while each is waited for."""
        return self._cluster.hurried(deadline_s, meanwhile)

    def learn_from(self, other: Calls) -> None:
        """Ask where the other client would ask, as far as this one does not know better."""
        self._cluster.learn_from(other._cluster)

    def close(self) -> None:
        """Give the connections back."""
        self._cluster.close()

    def offers(self, api: str, version: int) -> bool:
        """Whether the system claims to understand that version of that API."""
        return self._offer.has(api, version)

    def newest(self, api: str, lowest: int, highest: int) -> int:
        """The newest version of that API that the system offers and that lies in this range; NotOffered where there is none."""
        return self._offer.highest(api, lowest, highest)

    def _request(self, api: str, version: int, **fields: Any) -> Any:
        self._offer.check(api, version)
        return request(api, version, **fields)

    def _write(
        self, target: Target, message: Any, read: Callable[[Any], Outcome[T]], again: frozenset[int], *, retry: bool = True
    ) -> Outcome[T]:
        """Ask for a change. `read` takes the answer apart; `again` holds the error codes that are asked again."""

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
        """Ask for a change, once; the answer is waited for when it is wanted, and before the same client asks that node again."""
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
        """Ask for something that changes nothing."""

        def is_for_later(outcome: Outcome[T]) -> bool:
            if not retry:
                return isinstance(outcome, Refused) and outcome.code in again & ELSEWHERE
            return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in again | UNDECIDED)

        return self._asked(lambda: self._once(target, message, read), is_for_later)

    def _asked(self, attempt: Callable[[], Outcome[T]], is_for_later: Callable[[Outcome[T]], bool]) -> Outcome[T]:
        """Patiently, and once where a node was chosen by `ask_only`: then its first answer is what is wanted."""
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
        """Where to send. To look for a node is a separate request, and patient whatever the caller wants of the request itself."""

        if (known := self._cluster.known(target)) is not None:
            return Done(known)

        def is_for_later(outcome: Outcome[Address]) -> bool:
            return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code in NOT_YET)

        return patiently(self._time, lambda: self._cluster.locate(target), is_for_later)


def _decided(message: Any, outcome: Outcome[T]) -> Outcome[T]:
    """The outcome of a write, but for a refusal by which the broker says that it does not know."""
    if isinstance(outcome, Refused) and outcome.code in UNDECIDED:
        return Unknown(f"{title(api_of(message))} v{message.__version__} answered {outcome}, which leaves open whether it was done")
    return outcome


def the_only(results: Sequence[Any], answer: Any, about: object) -> Any:
    """The one result that an answer has about what was asked; none or two are malformed."""
    if len(results) != 1:
        raise Malformed(f"{title(api_of(answer))} v{answer.__version__} answered {len(results)} results for {about}, expected one")
    return results[0]


def partition_result(topics: Sequence[Any], partition: TopicPartition, answer: Any, *, results: str = "partitions") -> Any:
    """The one result that an answer has for a partition, in topics by name, in each the list called `results`."""
    found = [
        result
        for topic in topics
        if topic.name == partition.topic
        for result in getattr(topic, results)
        if result.partition_index == partition.partition
    ]
    return the_only(found, answer, partition)
