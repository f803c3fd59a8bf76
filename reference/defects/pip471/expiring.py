"""Defects of metadata-driven transactions in time-outs."""

import functools

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kernel.clock import FIRST_NODE
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.values import Action, TxnId

_MS_IN_A_SECOND = 1_000


class _TakesItForAMoment(MetadataCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        return super().new(self._machine.clock.now + timeout_ms)


class _TakesWholeSeconds(MetadataCoordinator):
    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms // _MS_IN_A_SECOND * _MS_IN_A_SECOND)


class _AgreesWithTheLate(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        found = self._records.header(txn)
        if found and found[0].state is State.ABORTED and (found[0].finalizedAt or 0) > found[0].deadline:
            reply()
        else:
            super().end(txn, action, reply)


class _LooksForItsOwn(MetadataCoordinator):
    def abort_timed_out(self) -> None:
        for txn in self._records.overdue(self._machine.clock.now):
            if txn.tc_id == self.tc_id:
                self.decide(txn, Action.ABORT)


class _TriesOnce(MetadataCoordinator):
    @functools.cached_property
    def tried(self) -> set[TxnId]:
        """What this coordinator has found past its deadline since it started."""
        return set()

    def abort_timed_out(self) -> None:
        for txn in self._records.overdue(self._machine.clock.now):
            if txn not in self.tried:
                self.tried.add(txn)
                self.decide(txn, Action.ABORT)


class _AbortsAtTheFirst(MetadataCoordinator):
    def abort_timed_out(self) -> None:
        if self._machine.node == FIRST_NODE:
            super().abort_timed_out()


class _CollectsAtTheFirst(Collection):
    def collect(self, txn: TxnId, state: State) -> None:
        if self._machine.node == FIRST_NODE:
            super().collect(txn, state)


TIME_OUT_IS_A_MOMENT = Defect(
    name="metadata-time-out-is-a-moment",
    breaks={"PIP471-43": Symptom(what="^readers of orders$", expected='^"b1"$', seen="not even the sentinel")},
    story="The header has the moment of the time-out where its duration is meant, so that the deadline is never reached.",
    origin="the proposal's text, Q1",
    parts=MetadataParts(metadata_coordinator=_TakesItForAMoment),
)

LATE_COMMIT_AGREED = Defect(
    name="metadata-late-commit-agreed",
    breaks={"PIP471-44": Symptom(what="^messages of orders$", expected='^"1", .*"12", since', seen='^"1", .*"10"$')},
    story="A commit that finds the transaction timed out is answered with success, since it is over.",
    origin="apache/pulsar#14370: a time-out that raced with a client's end",
    parts=MetadataParts(metadata_coordinator=_AgreesWithTheLate),
)

ONLY_ITS_OWN_TIME_OUTS = Defect(
    name="metadata-only-its-own-time-outs",
    breaks={"PIP471-43": Symptom(what="^readers of orders$", expected='^"p1"$', seen="not even the sentinel")},
    story="The sweep runs at the first coordinator, and leaves out what others have begun, as if each swept for itself.",
    origin="feared by readers of the proposal: one sweep for all, written as one of many",
    parts=MetadataParts(metadata_coordinator=_LooksForItsOwn),
)

TIME_OUT_TRIED_ONCE = Defect(
    name="metadata-time-out-tried-once",
    breaks={"PIP471-43": Symptom(what="^readers of orders$", expected='^"p1"$', seen="not even the sentinel")},
    story="The sweep tries once to abort what is overdue: where the store does not answer then, the transaction is open for ever.",
    origin="textbook: work that is taken off the list before it is done",
    parts=MetadataParts(metadata_coordinator=_TriesOnce),
)

TIME_OUT_IN_WHOLE_SECONDS = Defect(
    name="metadata-time-out-in-whole-seconds",
    breaks={"PIP471-43": Symptom(what="^ends$", expected="^one success each$", seen="InvalidTxnStatus")},
    story="A time-out is cut down to whole seconds: a transaction is aborted up to a second before its client must have ended it.",
    origin="feared: the protocol calls the field `txn_ttl_seconds`, and what is in it are milliseconds",
    parts=MetadataParts(metadata_coordinator=_TakesWholeSeconds),
)

SWEPT_BY_ONE_BROKER = Defect(
    name="metadata-swept-by-one-broker",
    breaks={
        "PIP471-43": Symptom(what="^readers of orders$", expected='^"p1"$', seen="not even the sentinel"),
        "PIP471-38": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$"),
    },
    story="One broker is chosen to look for what is overdue and what is over, and stays chosen when it is gone: the coordinator goes on at "
    "another one and answers, and nothing times out and nothing is collected any more.",
    origin="feared by readers of the proposal: a takeover that has nothing to replay, and forgets that somebody had a timer",
    parts=MetadataParts(metadata_coordinator=_AbortsAtTheFirst, collection=_CollectsAtTheFirst),
)
