"""Bugs of Apache Pulsar's releases, as variants of the parts of the broker. A profile names what its release does.

What stays a branch in the parts themselves is what the text leaves open, or what a release offers.
"""

from collections.abc import Callable, Iterator

from .buffer import MessagePosition
from .deduplication import Deduplication
from .log_coordinator import LogCoordinator
from .marker_buffer import MarkerBuffer
from .pending_ack_store import Units
from .pending_acks import PendingAcks
from .producers import Producers
from .pulsar_profile import PulsarProfile
from .pulsar_types import Message, TxnId
from .server_errors import CommandRefused
from .subscription import Subscription


class LateSendPoisonsTheTopic(MarkerBuffer):
    """The refusal of a late message sticks, and every later transaction on the topic gets it until the topic is reloaded."""

    _poison: CommandRefused | None = None

    def check_is_open(self, txn: TxnId) -> None:
        if self._poison is not None:
            raise self._poison.with_traceback(None)
        try:
            super().check_is_open(txn)
        except CommandRefused as refused:
            self._poison = refused
            raise


class SequencesOfTheProducer(Deduplication):
    """Deduplication compares the sequence ids of all messages of a producer, in transactions and outside of them."""

    def scope(self, message: Message) -> TxnId | None:  # noqa: ARG002
        return None


class AddsAnyName(LogCoordinator):
    """A topic whose name cannot be parsed is added, and keeps its transaction from ending anywhere."""

    def refuses_names(self) -> bool:
        return False


class PlainAckIgnoresPending(Subscription):
    """An acknowledgement without a transaction deletes a message that is acknowledged in an open one."""

    def without_pending(self, place: MessagePosition, units: Units) -> Units:  # noqa: ARG002
        return units


class RedeliversUnderCumulative(PendingAcks):
    """Messages under a cumulative acknowledgement of an open transaction are redelivered on request."""

    def covers(self, place: MessagePosition) -> bool:  # noqa: ARG002
        return False


class AcceptsIndividualUnderCumulative(PendingAcks):
    """A transaction acknowledges a message that the cumulative acknowledgement of another open one covers."""

    def lies_under_another(self, txn: TxnId, place: MessagePosition) -> bool:  # noqa: ARG002
        return False


class AcceptsCumulativeOverIndividual(PendingAcks):
    """A transaction acknowledges cumulatively over a message that another open transaction has acknowledged."""

    def covers_anothers(self, txn: TxnId, place: MessagePosition) -> bool:  # noqa: ARG002
        return False


class EndOverlooksIndividual(PendingAcks):
    """The end of a transaction ignores its single messages while another one's cumulative acknowledgement is pending."""

    def overlooks_individual(self) -> bool:
        return True


class LeavesStrays(Producers):
    """A topic never ends what it holds of a transaction that is over elsewhere, and that it was not added to."""

    def ends_strays(self) -> bool:
        return False


class LeavesStrayAcknowledgements(Subscription):
    """What is acknowledged in a transaction that will not end on a subscription stays pending there."""

    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:  # noqa: ARG002
        return []


def of(profile: PulsarProfile) -> Iterator[tuple[str, type]]:
    """The bugs of this release, each with the part in which it is."""
    if profile.refused_late_send == "poisons-the-topic":
        yield "marker_buffer", LateSendPoisonsTheTopic
    if profile.sequence_ids == "of-the-producer":
        yield "deduplication", SequencesOfTheProducer
    if profile.unparsable_names == "never-ended":
        yield "coordinator", AddsAnyName
    if profile.plain_ack_of_pending == "deletes":
        yield "subscription", PlainAckIgnoresPending
    if profile.pending_cumulative_redelivery == "redelivered":
        yield "pending_acks", RedeliversUnderCumulative
    if profile.individual_under_cumulative == "accepted":
        yield "pending_acks", AcceptsIndividualUnderCumulative
    if profile.cumulative_over_individual == "accepted":
        yield "pending_acks", AcceptsCumulativeOverIndividual
    if profile.stray_messages == "left-open":
        yield "producers", LeavesStrays
    if profile.stray_acknowledgements == "left-pending":
        yield "subscription", LeavesStrayAcknowledgements
    if profile.individual_end_beside_cumulative == "ignored":
        yield "pending_acks", EndOverlooksIndividual
