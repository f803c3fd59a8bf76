"""Defects in the offsets of groups as part of a transaction."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.groups import CommittedOffset, Groups, Sender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import Standing
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch, MarkerType, Record


class _AnswersAndForgets(Additions):
    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:
        pass


class _WantsAllAnnounced(Verification):
    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        asked = Operation.VERIFY_ABORTABLE if operation is Operation.ADD else operation
        return super().before_offset_commit(log, transactional_id, batch, asked)


class _SwitchedOffForNewClientsToo(Verification):
    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        asked = operation if self._settings.verifies_partitions else Operation.VERIFY
        return super().before_offset_commit(log, transactional_id, batch, asked)


class _AddsForOldClients(Verification):
    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        asked = Operation.ADD if operation is Operation.VERIFY else operation
        return super().before_offset_commit(log, transactional_id, batch, asked)


class _HasTheOlderErrorOnly(Verification):
    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        asked = Operation.VERIFY if operation is Operation.VERIFY_ABORTABLE else operation
        return super().before_offset_commit(log, transactional_id, batch, asked)


class _AllIsForLater(Verification):
    def refusal_of_offset_commit(self, error: Error, operation: Operation) -> Refused:
        refusal = super().refusal_of_offset_commit(error, operation)
        return Refused(Error.COORDINATOR_NOT_AVAILABLE) if error is Error.INVALID_PRODUCER_ID_MAPPING else refusal


class _PassesFencingOn(Verification):
    def refusal_of_offset_commit(self, error: Error, operation: Operation) -> Refused:
        return Refused(error) if error is Error.PRODUCER_FENCED else super().refusal_of_offset_commit(error, operation)


class _KnowsNoNewGroup(Groups):
    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:
        found = super().committed(group, partition, require_stable=require_stable)
        if not self.partitions_of(group):
            raise Refused(Error.GROUP_ID_NOT_FOUND)
        return found


class _FatalWhileCompleting(Verification):
    def refusal_of_offset_commit(self, error: Error, operation: Operation) -> Refused:
        refusal = super().refusal_of_offset_commit(error, operation)
        return Refused(Error.INVALID_TXN_STATE) if error is Error.CONCURRENT_TRANSACTIONS else refusal


class _ShowsThePending(Groups):
    def take_in(self, batch: Batch) -> None:
        super().take_in(batch)
        self.decide(batch.producer_id, MarkerType.COMMIT)


class _LosesTheNotes(Groups):
    def record(self, group: str, partition: TopicPartition, offset: CommittedOffset) -> Record:
        return super().record(group, partition, CommittedOffset(offset.offset, offset.leader_epoch))


class _AbortForgetsTheCommitted(Groups):
    def decide(self, producer_id: int, decision: MarkerType) -> None:
        for place in self._pending.get(producer_id, {}) if decision is MarkerType.ABORT else ():
            self._committed.pop(place, None)
        super().decide(producer_id, decision)


class _TakesAnybody(Groups):
    def check_membership(self, group: str, sender: Sender) -> None:
        pass


class _OneBadPartitionSpoilsAll(Groups):
    def judge(self, offsets: Mapping[TopicPartition, CommittedOffset]) -> dict[TopicPartition, Error]:
        verdicts = super().judge(offsets)
        return dict.fromkeys(verdicts, max(verdicts.values()))


OFFSETS_ANNOUNCEMENT_FORGOTTEN = Defect(
    name="offsets-announcement-forgotten",
    breaks={"KIP890-046": Symptom(seen="^Empty in no partition")},
    story="AddOffsetsToTxn is answered and does nothing, so that the partition of the group's offsets never gets a marker.",
    origin="textbook: a request that only old clients send",
    parts=Parts(additions=_AnswersAndForgets),
)

OFFSETS_NOT_ADDED_FOR_NEW_CLIENTS = Defect(
    name="offsets-not-added-for-new-clients",
    breaks={"KIP890-047": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: ", error="^TRANSACTION_ABORTABLE$")},
    story="A new client's records are added to its transaction by the server, and its offsets are not: it must still announce them.",
    origin="textbook: a change made in Produce and forgotten in TxnOffsetCommit",
    parts=Parts(verification=_WantsAllAnnounced),
)

SWITCH_STOPS_ADDING_OFFSETS = Defect(
    name="switch-stops-adding-offsets",
    breaks={"KIP890-047": Symptom(what="transaction of A", seen="^Empty in no partition")},
    story="Where verification is off, a new client's offsets are written into a transaction that nobody opened, and stay pending.",
    origin="textbook: a switch for one protocol, looked at before the protocols part",
    parts=Parts(verification=_SwitchedOffForNewClientsToo),
)

OFFSETS_ADDED_FOR_OLD_CLIENTS = Defect(
    name="offsets-added-for-old-clients",
    breaks={"KIP890-048": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: success")},
    story="Offsets of an old client open a transaction by themselves, also those of one that has ended and come late.",
    origin="KAFKA-14402: a late TxnOffsetCommit leaves a transaction hanging",
    parts=Parts(verification=_AddsForOldClients),
)

OFFSETS_REFUSAL_IS_FATAL = Defect(
    name="offsets-refusal-is-fatal",
    breaks={"KIP890-049": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: ", error="^INVALID_TXN_STATE$")},
    story="A client that understands TRANSACTION_ABORTABLE is told the older error, and gives up where it could abort.",
    origin="textbook: an error chosen without looking at the version",
    parts=Parts(verification=_HasTheOlderErrorOnly),
)

FOREIGN_OFFSETS_TRY_FOR_EVER = Defect(
    name="foreign-offsets-try-for-ever",
    breaks={"KIP890-050": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: ", error="^COORDINATOR_NOT_AVAILABLE$")},
    story="A producer that does not own the transactional id is told that the coordinator is away, and asks again for ever.",
    origin="textbook: errors of another coordinator taken for its absence",
    parts=Parts(verification=_AllIsForLater),
)

OFFSETS_FENCING_UNTRANSLATED = Defect(
    name="offsets-fencing-untranslated",
    breaks={"KIP890-051": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: ", error="^PRODUCER_FENCED$")},
    story="The transaction coordinator's PRODUCER_FENCED reaches clients that do not expect it in this answer.",
    origin="textbook: an error passed on untranslated",
    parts=Parts(verification=_PassesFencingOn),
)

PENDING_OFFSETS_SHOWN = Defect(
    name="pending-offsets-shown",
    breaks={"KIP890-052": Symptom(seen="^offset 5")},
    story="A group's offset counts as soon as it is sent, so that after an abort a consumer goes on behind what was undone.",
    origin="textbook: offsets that know nothing of transactions",
    parts=Parts(groups=_ShowsThePending),
)

OFFSET_NOTES_LOST = Defect(
    name="offset-notes-lost",
    breaks={"KIP890-053": Symptom(seen="^offset 5 with metadata ''")},
    story="Offsets that are committed in a transaction lose the metadata that came with them.",
    origin="textbook: a field that one of two paths forgets",
    parts=Parts(groups=_LosesTheNotes),
)

ABORT_FORGETS_COMMITTED_OFFSETS = Defect(
    name="abort-forgets-committed-offsets",
    breaks={"KIP890-054": Symptom(seen="^no offset")},
    story="Pending and committed offsets share a slot, so that an abort makes the group start over.",
    origin="textbook: one slot for two states",
    parts=Parts(groups=_AbortForgetsTheCommitted),
)

MEMBERSHIP_UNCHECKED = Defect(
    name="membership-unchecked",
    breaks={"KIP890-055": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: success")},
    story="A consumer that has been thrown out of its group may still commit offsets through a producer.",
    origin="textbook: what TxnOffsetCommit was before version 3",
    parts=Parts(groups=_TakesAnybody),
)

ONE_BAD_OFFSET_SPOILS_ALL = Defect(
    name="one-bad-offset-spoils-all",
    breaks={
        "KIP890-056": Symptom(
            what="answer to TxnOffsetCommit", seen="^payments-0: ", error="^(UNKNOWN_TOPIC_OR_PARTITION|OFFSET_METADATA_TOO_LARGE)$"
        )
    },
    story="One partition that cannot be stored takes all others of the request with it.",
    origin="textbook: one verdict for a request of many",
    parts=Parts(groups=_OneBadPartitionSpoilsAll),
)

OFFSETS_FATAL_WHILE_COMPLETING = Defect(
    name="offsets-fatal-while-completing",
    breaks={"KIP890-058": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: ", error="^INVALID_TXN_STATE$")},
    story="A client that sends its offsets soon after the last commit is told a fatal error, where it had only to ask again.",
    origin="textbook: whatever is not Ongoing taken for a wrong state",
    parts=Parts(verification=_FatalWhileCompleting),
)

NEW_GROUP_NOT_FOUND = Defect(
    name="new-group-not-found",
    breaks={"KIP890-270": Symptom(what="answer to OffsetFetch", error="^GROUP_ID_NOT_FOUND$")},
    story="A consumer that asks where its new group goes on is told that there is no such group.",
    origin="brokers that make a group with its first member or its first offset",
    parts=Parts(groups=_KnowsNoNewGroup),
)


class _OneGroupCounts(Groups):
    def decide(self, producer_id: int, decision: MarkerType) -> None:
        pending = self._pending.get(producer_id, {})
        first = next((place.group for place in pending), "")
        self._pending[producer_id] = {place: stored for place, stored in pending.items() if place.group == first}
        super().decide(producer_id, decision)


class _LooksAtOneProducer(Groups):
    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:
        self._catch_up()
        all_pending, self._pending = self._pending, dict(list(self._pending.items())[:1])
        try:
            return super().committed(group, partition, require_stable=require_stable)
        finally:
            self._pending = all_pending


class _TheFirstCounts(Groups):
    def take_in(self, batch: Batch) -> None:
        before = dict(self._pending.get(batch.producer_id, {}))
        super().take_in(batch)
        if batch.transactional and batch.marker is None:
            self._pending[batch.producer_id] |= before


class _AnAbortDropsAll(Groups):
    def decide(self, producer_id: int, decision: MarkerType) -> None:
        decided = set(self._pending.get(producer_id, {})) if decision is MarkerType.ABORT else set()
        for places in self._pending.values():
            for place in decided.intersection(places):
                del places[place]
        super().decide(producer_id, decision)


class _AsksOnce(Verification):
    _let_in: set[ProducerIdAndEpoch] | None = None

    def before_offset_commit(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        self._let_in, producer = self._let_in or set(), ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        if producer in self._let_in and log.producers.standing(producer) is Standing.NEW:
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard
        guard = super().before_offset_commit(log, transactional_id, batch, operation)
        self._let_in.add(producer)
        return guard


OFFSETS_OF_ONE_GROUP = Defect(
    name="offsets-of-one-group",
    breaks={"KIP890-053": Symptom(what="in group bank$", expected="^offset 6", seen="^no offset")},
    story="A commit puts the offsets of one group in force; those of the other groups in the transaction are dropped.",
    origin="textbook: one group for each transaction taken for granted",
    parts=Parts(groups=_OneGroupCounts),
)

FIRST_OFFSET_COUNTS = Defect(
    name="first-offset-counts",
    breaks={"KIP890-053": Symptom(what="in group shop$", expected="^offset 6", seen="^offset 5")},
    story="Of two offsets that a transaction sends for one place the first counts, so that what lies between is processed twice.",
    origin="textbook: a map that is filled only where it is empty",
    parts=Parts(groups=_TheFirstCounts),
)

ABORT_DROPS_OFFSETS_OF_OTHERS = Defect(
    name="abort-drops-offsets-of-others",
    breaks={"KIP890-053": Symptom(what="in group shop$", expected="^offset 7", seen="^no offset")},
    story="An abort drops all that is pending for the same place, also what another producer sent, whose commit is answered with success.",
    origin="textbook: pending offsets cleared by place, not by producer",
    parts=Parts(groups=_AnAbortDropsAll),
)

OFFSETS_VERIFIED_ONCE = Defect(
    name="offsets-verified-once",
    breaks={"KIP890-048": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: success")},
    story="That a producer was verified is remembered beyond its marker. An old client keeps its epoch, and its late offsets are pending"
    " for ever.",
    origin="KAFKA-14402: a late TxnOffsetCommit leaves a transaction hanging",
    parts=Parts(verification=_AsksOnce),
)

STABLE_BUT_FOR_ONE_PRODUCER = Defect(
    name="stable-but-for-one-producer",
    breaks={"KIP890-052": Symptom(what="in group bank$", expected="UNSTABLE_OFFSET_COMMIT", seen="^a stable offset$")},
    story="Who asks for a stable offset is told it although a transaction may change it, where another producer was there before.",
    origin="feared by readers of the proposal: what is pending is looked up for one producer",
    parts=Parts(groups=_LooksAtOneProducer),
)
