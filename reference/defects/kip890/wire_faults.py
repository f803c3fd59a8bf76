"""Defects that show when an answer does not arrive, or when two requests arrive together."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import Decision, State, Transaction
from fencepost.reference.kernel.network import Network


class _PresumesAbort(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        recovered = super()._recovered(transaction)
        return replace(recovered, state=State.PREPARE_ABORT) if recovered.state is State.PREPARE_COMMIT else recovered


UNANSWERED_COMMIT_PRESUMED_ABORTED = Defect(
    name="unanswered-commit-presumed-aborted",
    breaks={"KIP890-161": Symptom(seen="^a refusal with INVALID_TXN_STATE")},
    story="A coordinator that finds a commit in its log, and not all markers, aborts it after a restart: perhaps nobody was told.",
    origin="textbook: presumed abort, applied behind the point of decision",
    parts=Parts(coordinator=_PresumesAbort),
)


class _TellsBothWhatTheyWant(Coordinator):
    def _end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return Ending.ANSWER_AGAIN if asked is Asked.RETRY else super()._end_of_new_client(state, decision, asked)


BOTH_RACING_ENDS_SUCCEED = Defect(
    name="both-racing-ends-succeed",
    breaks={"KIP890-079": Symptom(seen="success with .*success with")},
    story="Who comes second with the opposite decision is taken for a client that asks again, and is told success.",
    origin="textbook: a retry is told by its epoch alone",
    parts=Parts(coordinator=_TellsBothWhatTheyWant),
)


class _LastInFirstOut(Network):
    def deliver(self) -> None:
        while (message := next((message for message in reversed(self._in_flight) if self._may_arrive(message)), None)) is not None:
            self._in_flight.remove(message)
            message.receive(message.content)


LAST_IN_FIRST_OUT = Defect(
    name="last-in-first-out",
    story="What was sent last arrives first, so partitions get their markers, and the coordinator their answers, in another order.",
    origin="every cluster, in which each leader has a connection of its own",
    parts=Parts(network=_LastInFirstOut),
)
