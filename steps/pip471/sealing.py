"""What is stored of a segment."""

from fencepost.contract.ledger_view import ShowsLedgers
from fencepost.steps.pulsar.pulsar_context import PulsarContext

from .vocabulary import PIP471


@PIP471.then("the length of {topic} is {count}")
def has_length(context: PulsarContext, topic: str, count: int) -> None:
    """So many entries are in its ledgers: messages, batches, and everything else that was written there. An administrator's view: no client
    is asked.
    """
    session = context.session
    assert isinstance(session, ShowsLedgers), "whose system offers entry-counts"
    found = session.length_of(context.topics[topic])
    context.evidence.expect(found == count, str(count), str(found), what=f"length of {topic}")
