"""What every answer about a transaction has in common: it names the request that it answers.

A client has several requests in flight, and matches an answer to the request that it names. PIP-31, "CommandNewTxn".
"""

from collections.abc import Callable, Sequence

from fencepost.reference.kernel.rules import rule
from fencepost.reference.scalable.layout import HashRange, Layout, Segment
from fencepost.reference.scalable.names import resolved

from .server_errors import ServerError


class TransactionResponses:
    """How answers are addressed."""

    def request_named(self, request_id: int, *, is_refusal: bool) -> int:  # noqa: ARG002 - what a forgetful broker would look at
        """Decision: the request id in an answer, also in a refusal: that of its request."""
        rule("PIP31-14")
        rule("PIP31-148")
        return request_id

    def coordinator_asked_for(self, tc_id: int, known: range) -> int:  # noqa: ARG002 - what a broker that guesses would look at
        """Decision: which coordinator is meant by the upper half of an id: the one of that number, also if there is none."""
        rule("PIP31-15")
        rule("PIP31-19")
        rule("PIP31-22")
        return tc_id

    def answers(self, request: str) -> bool:  # noqa: ARG002 - what a silent broker would look at
        """Decision: whether a consumer's executed request of that name is answered: always."""
        rule("PIP31-133")
        return True

    def answers_a_message_to_what_is_sealed(self, sealed_writes: str) -> bool:
        """Decision: whether a message of a producer whose segment was sealed meanwhile is answered: it was not stored.

        `sealed_writes` is from the profile of scalable topics: answered, or ignored.
        """
        if sealed_writes == "ignored":
            return False
        rule("PIP460-13")
        return True

    def says_of_what_is_sealed(self) -> ServerError:
        """Decision: how such a message is answered: its segment is sealed for good, so that the client looks for the children."""
        rule("PIP460-13")
        return ServerError.TOPIC_TERMINATED

    def forgets_the_seal(self) -> bool:
        """Decision: whether a new producer may use the number of one that a seal has closed, and is not answered as that one: always."""
        rule("PIP460-13")
        return True

    def has_the_controller_do_it(self) -> bool:
        """Decision: whether the topic's controller executes an administrator's request to any broker: always."""
        rule("PIP460-46")
        return True

    def hears_that_a_watch_is_closed(self) -> bool:
        """Decision: whether a client that has closed its watch of a layout gets no more notifications there: always."""
        rule("PIP460-32")
        return True

    def topic_asked_for(self, name: str) -> str:
        """Decision: the scalable topic that a client means by a name. Raises CommandRefused: INVALID_TOPIC_NAME for an impossible name."""
        rule("PIP460-31")
        return resolved(name)

    def brokers_reported(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:  # noqa: ARG002 - as above
        """Decision: the brokers of the active segments that a client gets: their current ones, however old the layout is."""
        rule("PIP460-27")
        return {segment.number: find(segment) for segment in sorted(layout.active, key=lambda segment: segment.number)}

    def gives_segments_their_brokers(self) -> bool:
        """Decision: whether an unused segment belongs to the broker that a client is sent to, from then on."""
        return True

    def controller_reported(self, topic: str, find: Callable[[], str | None]) -> str | None:  # noqa: ARG002 - as above
        """Decision: the broker of a topic's controller that a client gets: the current one; None if it is unknown."""
        rule("PIP460-41")
        return find()

    def hashes_reported(self, segment: Segment) -> HashRange:
        """Decision: the hashes of a segment in an assignment: as the layout has them, both ends included."""
        rule("PIP460-34")
        return segment.hashes

    def parents_reported(self, segment: Segment) -> Sequence[int]:
        """Decision: the parents of a segment in a notification: all of them."""
        rule("PIP460-04")
        return segment.parents

    def reports_who_subscribes_the_end(self, *, has_ended: bool, is_sealed: bool, has_more: bool) -> bool:  # noqa: ARG002 - as above
        """Decision: whether a new consumer is notified at once that a topic has nothing more for it: if it has ended, so that nothing is
        open there either. `is_sealed` is whether no producer can write there, `has_more` whether there is anything that the consumer may
        get now."""
        return has_ended

    def answers_acknowledgement(self, *, is_refusal: bool) -> bool:  # noqa: ARG002 - what a silent broker would look at
        """Decision: whether an acknowledgement whose request has an id is answered: always."""
        rule("PIP31-67")
        return True
