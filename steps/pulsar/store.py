"""Faults of the metadata store, and crashes at named points of a broker's code."""

from fencepost.contract.metadata_view import TroublesStore

from .pulsar_context import PulsarContext
from .sentence_values import EventIs, HeaderConflict, Mishap, StaleHeader
from .vocabulary import PULSAR

_FAILURES = {"and does not write it": "write-fails-before", "and has written it": "write-fails-after", None: "read-fails"}
_RECORDS = {
    "write of an operation record": "operations",
    "write of a second operation record": "operations after one",
    "note of an abort": "aborts",
    "change of a header": "headers",
    "look at a header": "headers",
    "note of what is decided": "watermarks",
    "write for an index": "entries",
    "event of an end": "events",
    "change of a layout": "layouts",
    "event of a change of a layout": "layouts",
}
"""What is requested of the store, and the kind of record that the request is about."""
_LOSSES = {"lost": "watch-lost", "late": "watch-late", "delivered twice": "watch-doubled"}


@PULSAR.given("the system will crash {point}")
def will_crash(context: PulsarContext, point: str) -> None:
    """A power cut when a broker next reaches that point of its code, whatever it is doing then."""
    context.session.faults.crash_at(point)


@PULSAR.given("the store does not answer the next {request:store_request}[, {failure}]")
def does_not_answer(context: PulsarContext, request: str, failure: str | None) -> None:
    """For any transaction, segment or topic. A broker that requested a write does not know whether the store has it; one that requested a
    read learns nothing. Where the request is an event, the end is decided, and its client gets the store's failure as the answer. A second
    operation record is the second that a broker writes from now on; the store writes the first, and answers.
    """
    store_faults(context).trouble_store(_FAILURES[failure], _RECORDS[request])


@PULSAR.given("the next {mishap}")
def has_a_mishap(context: PulsarContext, mishap: Mishap) -> None:
    """The first notification that a watch on the metadata store would get; a late one is kept until it is released.

    Another version: the change of a header fails as if another broker had been faster, though none was: nothing has changed. As it was
    before: as when the change comes right after the look, so that a broker that looks then acts on an outdated header.
    """
    match mishap:
        case EventIs(event, loss):
            fault, records = _LOSSES[loss], _RECORDS[event]
        case HeaderConflict():
            fault, records = "version-conflict", "headers"
        case StaleHeader():
            fault, records = "stale-read", "headers"
    store_faults(context).trouble_store(fault, records)


def store_faults(context: PulsarContext) -> TroublesStore:
    """The faults of the metadata store."""
    faults = context.session.faults
    assert isinstance(faults, TroublesStore), "whose system offers store-faults"
    return faults
