"""Each disturbance notices a broker with the kind of defect that it is made for, and that no scenario notices."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from twin_plays import first_noticed

from fencepost.reference.defects import DEFECTS
from fencepost.reference.kafka import KafkaParts
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.group_records import StoredGroup
from fencepost.reference.kafka.groups import GroupOffsets
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_topics import KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.membership import GroupMembers
from fencepost.reference.kafka.ownership import ProducerIdOwnership
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog
from fencepost.wire.kafka.batches import Batch


class _ForgetsMembers(GroupMembers):
    def restore(self, stored: StoredGroup) -> None:
        pass


class _NoDuplicates(ProducerStates):
    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:  # noqa: ARG002
        return None


class _AppendsAgain(_NoDuplicates):
    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        pass


class _KnowsNoCompressedDuplicate(ProducerStates):
    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        return super().duplicate_of(batch) if batch.compression == "none" else None


class _SecondCommitWipesTheFirst(GroupOffsets):
    def take_in(self, batch: Batch) -> None:
        if batch.marker is None and batch.transactional:
            self._pending.pop(batch.producer_id, None)
        super().take_in(batch)


class _KeepsTheFirstTimeout(ProducerIdOwnership):
    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:  # noqa: ARG002
        return super().next_owner(transaction, expected_epoch, transaction.timeout_ms)


class _RecoversOnePrepared(KafkaTransactionLog):
    def replay(self) -> dict[str, KafkaTransaction]:
        found = super().replay()
        prepared = [name for name, one in found.items() if one.state in PREPARED]
        return {name: replace(one, state=KafkaTransactionState.ONGOING) if name in prepared[1:] else one for name, one in found.items()}


class _AbortedOfTheFirstPageOnly(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return super().aborted_in(first, upper) if first == 0 else ()


class _SnapshotsOutliveThePass(PartitionLog):
    def aborted_with_data(self, known: Iterable[AbortedTxn]) -> list[AbortedTxn]:
        return list(known) if isinstance(known, tuple) else super().aborted_with_data(known)


class _EndsTheNext(KafkaCoordinator):
    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        return (
            EndTxnEffect.PREPARE
            if state is KafkaTransactionState.ONGOING and asked is RequestedTransaction.RETRY
            else super().end_of_new_client(state, decision, asked)
        )


class _ListsAHandful(GroupOffsets):
    def decide(self, producer_id: int, decision: object) -> None:
        others = {other: held for other, held in self._pending.items() if other != producer_id}
        super().decide(producer_id, decision)  # type: ignore[arg-type]
        if len(others) > 0:
            self._pending.clear()


class _NewLeadersKnowNoProducers(KafkaTopics):
    def log_of_new_leader(self, partition: PartitionName) -> PartitionLog:
        log = super().log_of_new_leader(partition)
        log.producers = type(log.producers)()
        return log


class _CountsFromItsStart(PartitionLog):
    @property
    def last_stable_offset(self) -> int:
        first_unstable = self.first_unstable_offset()
        return super().last_stable_offset if first_unstable is None else first_unstable - self.start_offset


class _SecondMarkerReachesBack(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        is_open = before is not None and before.has_open_transaction
        return super().aborted_by(marker, before) if is_open else AbortedTxn(marker.producer_id, 0, marker.base_offset)


class _SendsOneAgain(MarkerSender):
    def send_again(self) -> None:
        del self._again[1:]
        super().send_again()


NOTICED = {
    "messages-twice": (KafkaParts(partition_log=_SecondMarkerReachesBack), "KIP890-13*"),
    "messages-lost": (KafkaParts(marker_sender=_SendsOneAgain), "KIP890-12*"),
    "messages-late": (DEFECTS["owner-before-completion"].parts, "KIP890-02*"),
    "crash": (KafkaParts(membership=_ForgetsMembers), "KIP890-352"),
    "clean-stop": (KafkaParts(partition_log=_SnapshotsOutliveThePass), "KIP890-441"),
    "compaction": (DEFECTS["abort-markers-share-a-key"].parts, "KIP890-13*"),
    "leader-moved": (KafkaParts(topics=_NewLeadersKnowNoProducers), "KIP890-11*"),
    "coordinator-moved": (DEFECTS["begun-in-memory"].parts, "KIP890-05*"),
    "lived-in": (KafkaParts(partition_log=_CountsFromItsStart), "KIP890-13*"),
    "twice": (KafkaParts(producer_states=_AppendsAgain), "KIP890-13*"),
    "answer-lost": (KafkaParts(producer_states=_NoDuplicates), "KIP890-110"),
    "refused-append": (DEFECTS["epoch-spent-by-a-refused-end"].parts, "KIP890-023"),
    "late": (KafkaParts(coordinator=_EndsTheNext), "KIP890-063"),
    "late-marker": (DEFECTS["late-marker-ends-the-next-transaction"].parts, "KIP890-063"),
    "lost-in-a-crash": (DEFECTS["next-producer-id-not-stored"].parts, "KIP890-076"),
    "overtaken": (DEFECTS["new-producer-begins-anywhere"].parts, "KIP890-060"),
    "after-the-end": (DEFECTS["idle-needs-no-verifying"].parts, "KIP890-043"),
    "split": (KafkaParts(groups=_SecondCommitWipesTheFirst), "KIP890-358"),
    "prelude": (KafkaParts(ownership=_KeepsTheFirstTimeout), "KIP890-15*"),
    "crash-in-a-crowd": (KafkaParts(transaction_log=_RecoversOnePrepared), "KIP890-060"),
    "one-batch": (KafkaParts(partition_log=_AbortedOfTheFirstPageOnly), "KIP890-13*"),
    "by-id": (DEFECTS["topic-ids-mixed-up"].parts, "KIP890-13*"),
    "compressed": (KafkaParts(producer_states=_KnowsNoCompressedDuplicate), "KIP890-11*"),
    "crowd": (KafkaParts(groups=_ListsAHandful), "KIP890-05*"),
}


@pytest.mark.parametrize("disturbance", NOTICED)
def test_a_disturbance_shows_what_no_scenario_does(monkeypatch: pytest.MonkeyPatch, disturbance: str) -> None:
    """Each of these brokers is wrong in a way that this disturbance is for."""
    parts, requirement = NOTICED[disturbance]
    assert isinstance(parts, KafkaParts)

    noticed = first_noticed(monkeypatch, parts, requirement, disturbance)

    assert noticed is not None
    where, difference = noticed
    assert where.startswith("before step ") or disturbance in ("late", "late-marker"), "a late request needs two steps"
    assert difference


BUGS = {
    "timed-out-producer-goes-on": ("prelude", "KIP890-060"),
    "second-begins-at-the-first": ("prelude", "KIP890-083"),
    "marker-applied-to-the-next-offsets": ("prelude", "KIP890-053"),
    "core-kafka-late-write-hangs-elsewhere": ("after-the-end", "KIP890-060"),
    "open-is-enough": ("after-the-end", "KIP890-083"),
    "deleted-batch-appended-again": ("lived-in", "KIP890-060"),
    "offsets-added-for-old-clients": ("crowd", "KIP890-060"),
    "offsets-verified-once": ("crowd", "KIP890-060"),
    "partition-without-leader-taken-for-deleted": ("crash-in-a-crowd", "KIP890-060"),
}
"""Real bugs that twins of scenarios notice that were not written for them."""


@pytest.mark.parametrize("name", BUGS)
def test_a_real_bug_is_noticed_without_the_scenarios_that_were_written_for_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Each of these disturbances leaves, or meets, the state that the bug is about."""
    disturbance, requirement = BUGS[name]
    parts = DEFECTS[name].parts
    assert isinstance(parts, KafkaParts)
    assert requirement not in DEFECTS[name].breaks

    assert first_noticed(monkeypatch, parts, requirement, disturbance) is not None
