"""Defects of Pulsar in ends that a participant held up for a while."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import EndOn, Participants
from fencepost.reference.pulsar.values import Action, Status, SubscriptionName, TxnId


class _DropsWhoWaitsForOthers(Participants):
    _held: frozenset[TxnId] = frozenset()

    def send(self, message: EndOn) -> None:
        if isinstance(message.participant, str):
            super().send(message)

    def check_complete(self, txn: TxnId) -> None:
        missing = self._missing.get(txn, {})
        if all(isinstance(one, SubscriptionName) for one in missing):
            for message in list(missing.values()) if txn not in self._held else ():
                super().send(message)
            if txn in self._held:
                missing.clear()
        super().check_complete(txn)

    def send_again(self) -> None:
        self._held |= frozenset(self._missing)
        super().send_again()


class _RefusesTheAbortAndWrites(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except Refused:
            if self.describe(txn).status is Status.COMMITTING:
                self._install(replace(self.describe(txn), status=Status.ABORTING))
            raise


HELD_END_SKIPS_SUBSCRIPTIONS = Defect(
    name="pulsar-held-end-skips-subscriptions",
    breaks={"PIP31-88": Symptom(what="^left for workers$", seen='^"i2"$|^"i1", "i2"$')},
    story="While a topic does not answer, subscriptions have to wait, and are forgotten when it does.",
    origin="textbook: two lists that are worked off one after the other, and one state for both",
    parts=Parts(participants=_DropsWhoWaitsForOthers),
)

HELD_COMMIT_ENDS_ABORTED = Defect(
    name="pulsar-held-commit-ends-aborted",
    breaks={"PIP31-88": Symptom(what="^status of A$", expected="^COMMITTING, then COMMITTED$", seen="^ABORTING, then")},
    story="An abort of what is being committed is refused, and stands in the log all the same; the coordinator follows it afterwards.",
    origin="textbook: the entry is appended before the status is compared",
    parts=Parts(coordinator=_RefusesTheAbortAndWrites),
)
