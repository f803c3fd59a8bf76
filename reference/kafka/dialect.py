"""How the fields of a request are read, and how a refusal is answered, so that clients of every version understand it."""

from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors
from .kafka_types import NO_PRODUCER, ProducerIdAndEpoch
from .log_entries import ReadIsolation


class Dialect:
    """What the versions of a request differ in."""

    def error_for(self, error: Errors, version: int, knows_fenced: int) -> Errors:
        """Decision: clients before the version `knows_fenced` are answered INVALID_PRODUCER_EPOCH for PRODUCER_FENCED, which came later."""
        if error is Errors.PRODUCER_FENCED and version < knows_fenced:
            rule("KIP890-019")
            rule("KIP890-087")
            return Errors.INVALID_PRODUCER_EPOCH
        return error

    def isolation(self, asked: int, version: int) -> int:  # noqa: ARG002 - each version that can name a level means it
        """Decision: the isolation level of a Fetch, by its number: the one that it asks for, whatever its version."""
        return asked

    def isolation_of_entry(self, asked: ReadIsolation, place: int) -> ReadIsolation:  # noqa: ARG002 - the request has one level for all that it names
        """Decision: the isolation level at which ListOffsets looks into its partition of that place, from 0: the one of the request."""
        return asked

    def may_have_records(self, max_wait_ms: int) -> bool:  # noqa: ARG002 - there are records, or there are none
        """Decision: whether a Fetch with that wait gets the records that are there: every Fetch, also one that does not wait."""
        rule("KIP890-420")
        return True

    def producer_in_refused_initialisation(self, expected: ProducerIdAndEpoch) -> ProducerIdAndEpoch:  # noqa: ARG002 - it gets none
        """Decision: the producer id and epoch in a refused InitProducerId: none, whatever the client has sent."""
        rule("KIP890-421")
        return NO_PRODUCER

    def producer_in_refusal(self, asked_as: ProducerIdAndEpoch) -> ProducerIdAndEpoch:  # noqa: ARG002 - a client would use what it reads
        """Decision: the producer id and epoch in an answer with an error: none, whatever the request had."""
        rule("KIP890-062")
        return NO_PRODUCER
