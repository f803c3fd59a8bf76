"""Defects in the offsets of groups as part of a transaction."""

from collections.abc import Mapping
from itertools import takewhile

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.groups import NO_MEMBER, GroupOffsets, OffsetAndMetadata, Sender
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import EpochStanding
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch, MarkerType, Record


@defect({"KIP890-046": seen("^Empty in no partition")}, origin="textbook: a request that only old clients send")
class OffsetsAnnouncementForgotten(Additions):
    """AddOffsetsToTxn is answered and has no effect, so that the partition of the group's offsets never gets a marker."""

    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:
        pass


@defect(
    {"KIP890-047": seen("^payments-0: ", what="answer to TxnOffsetCommit", error="^TRANSACTION_ABORTABLE$")},
    origin="textbook: a change made in Produce and forgotten in TxnOffsetCommit",
)
class OffsetsNotAddedForNewClients(Verification):
    """A new client's records are added to its transaction by the server, and its offsets are not: it must still announce them."""

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        asked = TransactionSupport.VERIFY_ABORTABLE if operation is TransactionSupport.ADD else operation
        return super().before_offset_commit(log, transactional_id, batch, asked)


@defect(
    {"KIP890-047": seen("^Empty in no partition", what="transaction of A")},
    origin="textbook: a switch for one protocol, looked at before the protocols part",
)
class SwitchStopsAddingOffsets(Verification):
    """With verification switched off, a new client's offsets go into a transaction that was never opened, and stay pending."""

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        asked = operation if self._settings.verifies_partitions else TransactionSupport.VERIFY
        return super().before_offset_commit(log, transactional_id, batch, asked)


@defect(
    {"KIP890-048": seen("^payments-0: success", what="answer to TxnOffsetCommit")},
    origin="KAFKA-14402: a late TxnOffsetCommit leaves a transaction hanging",
)
class OffsetsAddedForOldClients(Verification):
    """Offsets of an old client open a transaction by themselves, also those of one that has ended and come late."""

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        asked = TransactionSupport.ADD if operation is TransactionSupport.VERIFY else operation
        return super().before_offset_commit(log, transactional_id, batch, asked)


@defect(
    {"KIP890-049": seen("^payments-0: ", what="answer to TxnOffsetCommit", error="^INVALID_TXN_STATE$")},
    origin="textbook: an error chosen without looking at the version",
)
class OffsetsRefusalIsFatal(Verification):
    """A client that understands TRANSACTION_ABORTABLE is answered with the older error, and gives up where it could abort."""

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        asked = TransactionSupport.VERIFY if operation is TransactionSupport.VERIFY_ABORTABLE else operation
        return super().before_offset_commit(log, transactional_id, batch, asked)


@defect(
    {"KIP890-050": seen("^payments-0: ", what="answer to TxnOffsetCommit", error="^COORDINATOR_NOT_AVAILABLE$")},
    origin="textbook: errors of another coordinator treated as its absence",
)
class ForeignOffsetsTryForEver(Verification):
    """A producer that does not own the transactional id is answered that the coordinator is away, and retries for ever."""

    def refusal_of_offset_commit(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        refusal = super().refusal_of_offset_commit(error, operation)
        return RequestRefused(Errors.COORDINATOR_NOT_AVAILABLE) if error is Errors.INVALID_PRODUCER_ID_MAPPING else refusal


@defect(
    {"KIP890-051": seen("^payments-0: ", what="answer to TxnOffsetCommit", error="^PRODUCER_FENCED$")},
    origin="textbook: an error passed on untranslated",
)
class OffsetsFencingUntranslated(Verification):
    """The transaction coordinator's PRODUCER_FENCED reaches clients that do not expect it in this answer."""

    def refusal_of_offset_commit(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        return RequestRefused(error) if error is Errors.PRODUCER_FENCED else super().refusal_of_offset_commit(error, operation)


@defect(
    {"KIP890-270": Symptom(what="answer to OffsetFetch", error="^GROUP_ID_NOT_FOUND$")},
    origin="brokers that make a group with its first member or its first offset",
)
class NewGroupNotFound(GroupOffsets):
    """A consumer that fetches the offsets of its new group is answered that there is no such group."""

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        found = super().committed(group, partition, require_stable=require_stable)
        if not self.partitions_of(group):
            raise RequestRefused(Errors.GROUP_ID_NOT_FOUND)
        return found


@defect(
    {"KIP890-058": seen("^payments-0: ", what="answer to TxnOffsetCommit", error="^INVALID_TXN_STATE$")},
    origin="textbook: whatever is not Ongoing treated as a wrong state",
)
class OffsetsFatalWhileCompleting(Verification):
    """A client that sends its offsets soon after the last commit is answered a fatal error, where it had only to retry."""

    def refusal_of_offset_commit(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        refusal = super().refusal_of_offset_commit(error, operation)
        return RequestRefused(Errors.INVALID_TXN_STATE) if error is Errors.CONCURRENT_TRANSACTIONS else refusal


@defect({"KIP890-052": seen("^offset 5")}, origin="textbook: offsets that know nothing of transactions")
class PendingOffsetsShown(GroupOffsets):
    """A group's offset counts as soon as it is sent, so that after an abort a consumer skips the input whose processing was undone."""

    def take_in(self, batch: Batch) -> None:
        super().take_in(batch)
        self.decide(batch.producer_id, MarkerType.COMMIT)


@defect({"KIP890-053": seen("^offset 5 with metadata ''")}, origin="textbook: a field that one of two paths forgets")
class OffsetNotesLost(GroupOffsets):
    """Offsets that are committed in a transaction lose the metadata that came with them."""

    def record(self, group: str, partition: PartitionName, offset: OffsetAndMetadata) -> Record:
        return super().record(group, partition, OffsetAndMetadata(offset.offset, offset.leader_epoch))


@defect({"KIP890-054": seen("^no offset")}, origin="textbook: one slot for two states")
class AbortForgetsCommittedOffsets(GroupOffsets):
    """Pending and committed offsets share a slot, so that an abort makes the group start over."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        for place in self._pending.get(producer_id, {}) if decision is MarkerType.ABORT else ():
            self._committed.pop(place, None)
        super().decide(producer_id, decision)


@defect(
    {"KIP890-055": seen("^payments-0: success", what="answer to TxnOffsetCommit")},
    origin="textbook: what TxnOffsetCommit was before version 3",
)
class MembershipUnchecked(GroupOffsets):
    """A consumer that has been thrown out of its group may still commit offsets through a producer."""

    def check_membership(self, group: str, sender: Sender) -> None:
        pass


@defect(
    {
        "KIP890-056": seen(
            "^payments-0: ", what="answer to TxnOffsetCommit", error="^(UNKNOWN_TOPIC_OR_PARTITION|OFFSET_METADATA_TOO_LARGE)$"
        )
    },
    origin="textbook: one verdict for a request of many",
)
class OneBadOffsetSpoilsAll(GroupOffsets):
    """One partition that cannot be stored takes all others of the request with it."""

    def judge(self, offsets: Mapping[PartitionName, OffsetAndMetadata]) -> dict[PartitionName, Errors]:
        verdicts = super().judge(offsets)
        return dict.fromkeys(verdicts, max(verdicts.values()))


@defect(
    {"KIP890-053": seen("^no offset", expected="^offset 6", what="in group bank$")},
    origin="textbook: one group for each transaction taken for granted",
)
class OffsetsOfOneGroup(GroupOffsets):
    """A commit puts the offsets of one group in force; those of the other groups in the transaction are dropped."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        pending = self._pending.get(producer_id, {})
        first = next((place.group for place in pending), "")
        self._pending[producer_id] = {place: stored for place, stored in pending.items() if place.group == first}
        super().decide(producer_id, decision)


@defect(
    {"KIP890-052": seen("^a stable offset$", expected="UNSTABLE_OFFSET_COMMIT", what="in group bank$")},
    origin="feared by readers of the proposal: what is pending is looked up for one producer",
)
class StableButForOneProducer(GroupOffsets):
    """OffsetFetch with require_stable checks the pending offsets of one producer only, so it returns an offset that another
    producer's transaction may still change."""

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        self._catch_up()
        all_pending, self._pending = self._pending, dict(list(self._pending.items())[:1])
        try:
            return super().committed(group, partition, require_stable=require_stable)
        finally:
            self._pending = all_pending


@defect(
    {"KIP890-053": seen("^offset 5", expected="^offset 6", what="in group shop$")},
    origin="textbook: a map that is filled only where it is empty",
)
class FirstOffsetCounts(GroupOffsets):
    """If a transaction sends two offsets for one partition, the first counts, so that the input in between is processed twice."""

    def take_in(self, batch: Batch) -> None:
        before = dict(self._pending.get(batch.producer_id, {}))
        super().take_in(batch)
        if batch.transactional and batch.marker is None:
            self._pending[batch.producer_id] |= before


@defect(
    {"KIP890-053": seen("^no offset", expected="^offset 7", what="in group shop$")},
    origin="textbook: pending offsets cleared by place, not by producer",
)
class AbortDropsOffsetsOfOthers(GroupOffsets):
    """An abort drops all offsets that are pending for the same partition, also those of another producer, whose commit is answered with
    success.
    """

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        decided = set(self._pending.get(producer_id, {})) if decision is MarkerType.ABORT else set()
        for places in self._pending.values():
            for place in decided.intersection(places):
                del places[place]
        super().decide(producer_id, decision)


@defect(
    {"KIP890-048": seen("^payments-0: success", what="answer to TxnOffsetCommit")},
    origin="KAFKA-14402: a late TxnOffsetCommit leaves a transaction hanging",
)
class OffsetsVerifiedOnce(Verification):
    """That a producer was verified is remembered beyond its marker. An old client keeps its epoch, and its late offsets are pending for
    ever."""

    _let_in: set[ProducerIdAndEpoch] | None = None

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        self._let_in, producer = self._let_in or set(), ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        if producer in self._let_in and log.producers.standing(producer) is EpochStanding.NEW:
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard
        guard = super().before_offset_commit(log, transactional_id, batch, operation)
        self._let_in.add(producer)
        return guard


@defect(
    {"KIP890-056": seen("^a stable offset$", expected="UNSTABLE_OFFSET_COMMIT", what="^stable offset of payments-[01]")},
    origin="red team: a loop that ends at the first entry with an error",
)
class NothingStoredAfterARefusedOne(GroupOffsets):
    """TxnOffsetCommit stores the offsets before the first that it refuses, and answers those after it with success all the same."""

    def commit_in_transaction(
        self,
        group: str,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        offsets: Mapping[PartitionName, OffsetAndMetadata],
        operation: TransactionSupport,
        sender: Sender = NO_MEMBER,
    ) -> dict[PartitionName, Errors]:
        verdicts = self.judge(offsets)
        stored = dict(takewhile(lambda one: verdicts[one[0]] is Errors.NONE, offsets.items()))
        return verdicts | super().commit_in_transaction(group, transactional_id, producer, stored, operation, sender)
