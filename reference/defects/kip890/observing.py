"""Defects in what an operator sees."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.directory import Directory
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
from fencepost.reference.kafka.values import TopicPartition


class _KnowsEveryId(Coordinator):
    def describe(self, transactional_id: str) -> Transaction:
        try:
            return super().describe(transactional_id)
        except Refused as refusal:
            if refusal.error is not Error.TRANSACTIONAL_ID_NOT_FOUND:
                raise
            return Transaction(transactional_id, producer_id=-1, producer_epoch=-1, timeout_ms=0)


class _ForgetsHowItEnded(Coordinator):
    def describe(self, transactional_id: str) -> Transaction:
        transaction = super().describe(transactional_id)
        is_complete = transaction.state in (State.COMPLETE_COMMIT, State.COMPLETE_ABORT)
        return replace(transaction, state=State.EMPTY) if is_complete else transaction


class _ShowsAPreparedOneAsOpen(Coordinator):
    def describe(self, transactional_id: str) -> Transaction:
        transaction = super().describe(transactional_id)
        return replace(transaction, state=State.ONGOING) if transaction.state in PREPARED else transaction


class _MarkersAreUnderWay(SlowNetwork):
    every = 12  # so that a prepared transaction can be seen after the answer to its EndTxn


class _ListsAllPartitions(MarkerSender):
    def unmarked(self, transactional_id: str) -> frozenset[TopicPartition]:
        return super().unmarked(transactional_id) | self.sent[transactional_id]

    def send(self, transaction: Transaction, coordinator_epoch: int, transaction_version: int) -> None:
        self.sent[transaction.transactional_id] = transaction.partitions
        super().send(transaction, coordinator_epoch, transaction_version)

    @property
    def sent(self) -> dict[str, frozenset[TopicPartition]]:
        sent: dict[str, frozenset[TopicPartition]] = self.__dict__.setdefault("_sent", {})
        return sent


class _IgnoresCase(TransactionFilter):
    def is_state(self, name: str) -> bool:
        return any(name.lower() == state.value.lower() for state in State)

    def has_state(self, transaction: Transaction, states: Sequence[str]) -> bool:
        return any(name.lower() == transaction.state.value.lower() for name in states)


class _KnowsNoDuration(TransactionFilter):
    def began_longer_ago(self, transaction: Transaction, now: int, duration_ms: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _LetsEverythingMatch(TransactionFilter):
    def __init__(self, states: Sequence[str], producer_ids: Sequence[int], longer_than_ms: int, pattern: str | None) -> None:
        del pattern
        super().__init__(states, producer_ids, longer_than_ms, None)


class _BeginsAtZero(ProducerStates):
    def all(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, coordinator_epoch=max(state.coordinator_epoch, 0)) for state in super().all())


class _SendsOnInTurn(Directory):
    def __init__(self, only_node: int) -> None:
        super().__init__(only_node)
        self._asked = 0

    def coordinator_of(self, key: str) -> int:
        self._asked += 1
        return super().coordinator_of(key) + self._asked % 2


EVERY_ID_IS_KNOWN = Defect(
    name="every-id-is-known",
    breaks={"KIP890-147": Symptom(seen=r"^success with TransactionDescription\(state='Empty'")},
    story="An id that was never initialised is described as an empty one, so an operator takes a misspelt id for an idle one.",
    origin="textbook: a default where nothing is found",
    parts=Parts(coordinator=_KnowsEveryId),
)

PREPARED_SHOWN_AS_OPEN = Defect(
    name="prepared-shown-as-open",
    breaks={"KIP890-148": Symptom(seen="; since the answer: Ongoing")},
    story="A transaction whose end is decided is shown as open until its last marker is written, so an operator would abort it.",
    origin="textbook: states folded into busy and idle",
    parts=Parts(coordinator=_ShowsAPreparedOneAsOpen, network=_MarkersAreUnderWay),
)

COMPLETE_SHOWN_AS_EMPTY = Defect(
    name="complete-shown-as-empty",
    breaks={"KIP890-148": Symptom(seen="^Ongoing, Empty")},
    story="Once it is complete, a transaction is shown as if there never was one.",
    origin="textbook: states folded into idle and busy",
    parts=Parts(coordinator=_ForgetsHowItEnded),
)

MARKED_PARTITIONS_STILL_LISTED = Defect(
    name="marked-partitions-still-listed",
    breaks={"KIP890-149": Symptom(what="transaction of A", seen=r"^PrepareCommit in blocking-\S+, payments-\S+")},
    story="A prepared transaction is shown with all of its partitions, so nobody can tell which one it waits for.",
    origin="textbook: the stored partitions are shown and not those that are left",
    parts=Parts(marker_sender=_ListsAllPartitions),
)

STATE_NAMES_IN_ANY_CASE = Defect(
    name="state-names-in-any-case",
    breaks={"KIP890-150": Symptom(what="list of transactions", seen="^A in it as Ongoing")},
    story="State names are matched in upper and lower case alike.",
    origin="textbook: kindness to whoever types the filter",
    parts=Parts(transaction_filter=_IgnoresCase),
)

DURATION_IGNORED = Defect(
    name="duration-ignored",
    breaks={"KIP890-151": Symptom(what="list of transactions", seen="^A in it as Ongoing")},
    story="Who looks for transactions that hang is shown all of them, those too that were begun a moment ago.",
    origin="textbook: a new field of a message that nobody looks at",
    parts=Parts(transaction_filter=_KnowsNoDuration),
)

PATTERN_IGNORED = Defect(
    name="pattern-ignored",
    breaks={"KIP890-152": Symptom(seen="^B in it as Empty")},
    story="The pattern is read and not used.",
    origin="textbook: a new field of a message that nobody looks at",
    parts=Parts(transaction_filter=_LetsEverythingMatch),
)

COORDINATOR_EPOCH_BEFORE_ANY_MARKER = Defect(
    name="coordinator-epoch-before-any-marker",
    breaks={"KIP890-153": Symptom(seen="^last sequence 1, coordinator epoch 0")},
    story="A producer that no marker has come for is shown with coordinator epoch 0.",
    origin="textbook: the default of an integer",
    parts=Parts(producer_states=_BeginsAtZero),
)

COORDINATORS_IN_TURN = Defect(
    name="coordinators-in-turn",
    breaks={"KIP890-154": Symptom(seen=r"^\[1, 2\]")},
    story="Clients are sent to one node and another in turn, as if any could coordinate any id.",
    origin="textbook: a load balancer in front of the coordinators",
    parts=Parts(directory=_SendsOnInTurn),
)
