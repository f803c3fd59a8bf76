"""Writes and offsets that were held up on their way, and arrive when their transaction is over: what KIP-890 exists for.

A late batch has the sequence number after the last one, as one that was sent and not answered has, so it is no duplicate. No client waits
for its answer. A broker that takes it has a transaction that no client will ever end. So has one that takes a batch in a partition that
the transaction does not have, as that of an earlier transaction of an old client is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.entities import api_of, request

from .kafka_batches import batches_in, next_batches
from .kafka_partitions import Partitions
from .kafka_repeat import errors_in
from .kafka_way import Heard, RequestPerformer

_OF_PRODUCERS = {
    "add_offsets_to_txn": "producer_id",
    "add_partitions_to_txn": "v3_and_below_producer_id",
    "end_txn": "producer_id",
    "init_producer_id": "producer_id",
    "txn_offset_commit": "producer_id",
}
_NEW = {"end_txn": 5, "produce": 12, "txn_offset_commit": 5}
"""The first version of clients that take a new epoch with each transaction."""
_REFUSED_BY = {"produce": ("KIP890-100", "KIP890-095"), "txn_offset_commit": ("KIP890-051", "KIP890-048")}
"""The requirement by which a late request is refused: of new clients, and of old ones."""
_COMPLETE = ("CompleteCommit", "CompleteAbort")


@dataclass(frozen=True)
class _Late:
    transport: KafkaTransport
    request: RequestPayload
    deadline_s: float
    what: str

    @property
    def is_of_new_client(self) -> bool:
        """Whether it begins a transaction by itself, unless the end of the last one has raised the epoch."""
        return bool(self.request.__version__ >= _NEW[api_of(self.request)])

    @property
    def refused_by(self) -> str:
        """The requirement by which it is refused."""
        new, old = _REFUSED_BY[api_of(self.request)]
        return new if self.is_of_new_client else old


@dataclass(frozen=True)
class _Ended:
    """A transaction whose end was answered with success, and what is to arrive once it is complete."""

    transport: KafkaTransport
    transactional_id: str
    late: tuple[_Late, ...]


class AfterTheEnd(RequestPerformer):
    """When a transaction is complete, one more batch arrives in each of its partitions, one in a partition that it does not have, and once
    more each commit of its offsets. In that other partition one of an old client arrives while the transaction is open, too.

    It is complete when DescribeTransactions says so. If the producer continues before that, nothing arrives: a batch that comes before its
    marker may be part of the transaction, and one of a client that keeps its epoch could belong to the next.
    """

    idle = "no client ended a transaction with a write or an offset that was complete before its producer continued"

    def begin(self) -> None:
        super().begin()
        self._open: dict[int, dict[object, _Late]] = {}
        """By the producer's id and the partition or the group."""
        self._ended: dict[int, _Ended] = {}
        self._partitions = Partitions()

    def before(self, client: str, transport: KafkaTransport, request: RequestPayload) -> None:  # noqa: ARG002 - of every client
        self._let_arrive()
        for producer_id in _producers_of(request):
            self._ended.pop(producer_id, None)

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        if isinstance(answer, Done) and not any(errors_in(answer.value)):
            self._partitions.note(request)
            api, asked = api_of(request), cast(Any, request)
            if api == "produce":
                for batch, (topic, number), late in next_batches(request):
                    if batch.transactional:
                        held_up = _Late(transport, late, deadline_s, f"Produce to {topic}-{number}")
                        self._open.setdefault(batch.producer_id, {})[topic, number] = held_up
                        self._stray(batch.producer_id, transport, late, deadline_s)
            elif api == "txn_offset_commit":
                of_group = _Late(transport, request, deadline_s, "TxnOffsetCommit")
                self._open.setdefault(asked.producer_id, {})[asked.group_id] = of_group
            elif api == "end_txn":
                self._partitions.forget(asked.producer_id)
                is_new = request.__version__ >= _NEW["end_txn"]
                all_late = (one for one in self._open.pop(asked.producer_id, {}).values() if is_new or not one.is_of_new_client)
                self._ended[asked.producer_id] = _Ended(transport, asked.transactional_id, tuple(all_late))
        self._let_arrive()
        return answer

    def _stray(self, producer_id: int, transport: KafkaTransport, late: RequestPayload, deadline_s: float) -> None:
        """Let the batch go to a partition that the transaction does not have, when it is over, and of an old client also now."""
        elsewhere = self._partitions.elsewhere(producer_id, late)
        if elsewhere is not None:
            stray = _Late(transport, elsewhere, deadline_s, "Produce to a partition that it does not have")
            self._open[producer_id]["elsewhere"] = stray
            if not stray.is_of_new_client and not self.in_flight[transport] and _is_refused(stray):
                self.did("sent", "stray batch")

    def _let_arrive(self) -> None:
        for producer_id, ended in list(self._ended.items()):
            transports = (ended.transport, *(late.transport for late in ended.late))
            if ended.late and not any(self.in_flight[one] for one in transports) and _is_complete(ended):
                del self._ended[producer_id]
                for late in ended.late:
                    if _is_refused(late):
                        self.did("sent", "late request")


def _is_complete(ended: _Ended) -> bool:
    asked = request("describe_transactions", 0, transactional_ids=[ended.transactional_id])
    answer = ended.transport.call(asked, ended.late[0].deadline_s)
    states = cast(Any, answer.value).transaction_states if isinstance(answer, Done) else ()
    return any(one.transaction_state in _COMPLETE for one in states)


def _is_refused(late: _Late) -> bool:
    """Whether it is refused; False if no answer comes. Raises Violation if it is accepted."""
    answer = late.transport.call(late.request, late.deadline_s)
    if isinstance(answer, Done) and not any(errors_in(answer.value)):
        what = f"answer to a {late.what} that comes when its transaction is over"
        raise Violation("a refusal", "success", what=what, requirement=late.refused_by)
    return isinstance(answer, Done)


def _producers_of(request: RequestPayload) -> Iterator[int]:
    """The ids of the producers that continue with this request."""
    api = api_of(request)
    if api == "produce":
        yield from (batch.producer_id for *_, batch in batches_in(request))
    elif api in _OF_PRODUCERS:
        yield getattr(request, _OF_PRODUCERS[api], -1)
