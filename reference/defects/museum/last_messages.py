"""Bugs of Pulsar in the message that a reader is promised as the last one."""

from collections.abc import Iterator

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.pulsar_types import Position
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription


class _PromisesMore(Subscription):
    def last_message(self) -> Readable | None:
        *_, last = (super().last_message(), *self._unreadable())
        return last

    def _unreadable(self) -> Iterator[Readable]:
        """The messages that the topic stores and no reader can read now, each at a place after all that readers get."""
        assert isinstance(self._buffer, SidecarBuffer)
        open_ones = self._buffer.ongoing()
        behind = super().last_message()
        ledger, entry = (behind.place.position if behind else Position(0, -1))[:2]
        for message in self._buffer.stored():
            if message.txn is not None and self._is_promised(
                is_open=message.txn in open_ones, is_aborted=self._buffer.is_aborted(message.txn)
            ):
                yield Readable(MessagePosition(Position(ledger, entry + 1)), message)

    def _is_promised(self, *, is_open: bool, is_aborted: bool) -> bool:
        raise NotImplementedError


@defect(
    {"PIP31-94": seen("at which it has received nothing", expected='^"i2"$', what="^last message for workers$")},
    origin="apache/pulsar#21466: the last entry was returned, and not the last that may be read",
)
class LastMessageIsOpen(_PromisesMore):
    """The last message id is that of a message in an open transaction, for which a reader then waits."""

    def _is_promised(self, *, is_open: bool, is_aborted: bool) -> bool:  # noqa: ARG002
        return is_open


@defect(
    {"PIP31-94": seen("at which it has received nothing", expected='^"i2"$', what="^last message for workers$")},
    origin="apache/pulsar#22610: a reader was stuck where the last entries of a topic could not be dispatched",
)
class LastMessageIsAborted(_PromisesMore):
    """The last message id is that of a message that was aborted, and a reader that reads up to it waits for ever."""

    def _is_promised(self, *, is_open: bool, is_aborted: bool) -> bool:  # noqa: ARG002
        return is_aborted
