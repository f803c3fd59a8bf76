"""Defects in EndTxn of old clients."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.ending import Ending
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction


class _BumpsForEveryone(Coordinator):
    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


OLD_CLIENT_LOSES_ITS_EPOCH = Defect(
    name="old-client-loses-its-epoch",
    breaks={"KIP890-083": Symptom(seen=r"^\(producer id \d+, epoch 1\)")},
    story="The epoch is raised for a client whose answer has no room to tell it, so its next transaction is fenced.",
    origin="textbook: the level of the cluster taken for the protocol of the client",
    parts=Parts(coordinator=_BumpsForEveryone),
)

OLD_CLIENT_FENCED_BY_ITS_COMMIT = Defect(
    name="old-client-fenced-by-its-commit",
    breaks={"KIP890-089": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="The second transaction of an old client cannot begin, since its first one raised the epoch.",
    origin="textbook: the level of the cluster taken for the protocol of the client",
    parts=Parts(coordinator=_BumpsForEveryone),
)


class _RefusesARetry(Coordinator):
    def end_of_old_client(self, state: State, decision: Decision) -> Ending:
        if state is decision.complete:
            raise Refused(Error.INVALID_TXN_STATE)
        return super().end_of_old_client(state, decision)


OLD_CLIENT_MAY_NOT_RETRY = Defect(
    name="old-client-may-not-retry",
    breaks={"KIP890-084": Symptom(seen="^a refusal with INVALID_TXN_STATE")},
    story="An old client that asks for its end again hears that there is nothing to end, and cannot tell that it was done.",
    origin="textbook: a state machine without the retry",
    parts=Parts(coordinator=_RefusesARetry),
)


class _AnyEndWillDo(Coordinator):
    def end_of_old_client(self, state: State, decision: Decision) -> Ending:
        if state in (State.COMPLETE_COMMIT, State.COMPLETE_ABORT):
            return Ending.ANSWER_AGAIN
        return super().end_of_old_client(state, decision)


OPPOSITE_END_SUCCEEDS = Defect(
    name="opposite-end-succeeds",
    breaks={"KIP890-085": Symptom(expected="INVALID_TXN_STATE", seen="^success")},
    story="A completed transaction answers success to whichever end an old client asks for.",
    origin="textbook: a retry that is told by the state's being complete",
    parts=Parts(coordinator=_AnyEndWillDo),
)


class _AbortsNothing(Coordinator):
    def end_of_old_client(self, state: State, decision: Decision) -> Ending:
        if state is State.EMPTY and decision is Decision.ABORT:
            return Ending.PREPARE
        return super().end_of_old_client(state, decision)


EMPTY_ABORT_OF_OLD_CLIENT = Defect(
    name="empty-abort-of-old-client",
    breaks={"KIP890-086": Symptom(expected="INVALID_TXN_STATE", seen="^success")},
    story="The empty abort of new clients is granted to old ones.",
    origin="textbook: one table for both protocols",
    parts=Parts(coordinator=_AbortsNothing),
)


class _SpeaksToTheNewestOnly(Dialect):
    def error_for(self, error: Error, version: int, knows_fenced: int) -> Error:  # noqa: ARG002 - that is the defect
        return error


END_FENCED_IN_NEW_WORDS = Defect(
    name="end-fenced-in-new-words",
    breaks={"KIP890-087": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="A client of the time before PRODUCER_FENCED is answered it, and takes it for an error that it does not know.",
    origin="textbook: an error code of a later version",
    parts=Parts(dialect=_SpeaksToTheNewestOnly),
)


class _EverythingIsDecided(Coordinator):
    def must_wait(self, transaction: Transaction) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def end_of_old_client(self, state: State, decision: Decision) -> Ending:
        return Ending.ANSWER_AGAIN if state in PREPARED else super().end_of_old_client(state, decision)


DECISION_CONTRADICTED = Defect(
    name="decision-contradicted",
    breaks={"KIP890-088": Symptom(expected="(INVALID_TXN_STATE or )?CONCURRENT_TRANSACTIONS", seen="^success")},
    story="While markers are on their way, an old client is answered success for the opposite of what was decided.",
    origin="textbook: a retry that is told by the state alone",
    parts=Parts(coordinator=_EverythingIsDecided),
)


class _AsksTheCluster(Coordinator):
    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return self._profile.features["transaction.version"].finalized >= 2


CLUSTER_LEVEL_FOR_OLD_CLIENT = Defect(
    name="cluster-level-for-old-client",
    breaks={"KIP890-083": Symptom(seen=r"^\(producer id \d+, epoch 1\)")},
    story="The level of the cluster is taken for the protocol of the client, and an old client is fenced by its own commit.",
    origin="textbook: two things called transaction version",
    parts=Parts(coordinator=_AsksTheCluster),
)
