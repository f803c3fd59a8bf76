"""Where messages stand in their segment."""

from fencepost.steps.outcomes import achieved, observed
from fencepost.steps.pulsar.context import ScenarioContext

from .vocabulary import PIP471


@PIP471.then("{value} stands {count} entries behind {other:value} in {topic}")
def stands_behind(context: ScenarioContext, value: str, count: int, other: str, topic: str) -> None:
    """By the ids with which a new subscription receives the two messages: entries of one ledger are numbered one by one. Where a new
    ledger was begun between them, nothing is judged."""
    client = context.client
    consumer = achieved(client.subscribe(context.topics[topic], "counter"), f"subscribing to {topic}")
    received = observed(client.receive_decided(consumer, value), f"reading {topic}")
    places = {message.value: message.id.position for message in received}
    if value not in places or other not in places:
        context.evidence.expect(False, f"{other} and {value}", ", ".join(places) or "nothing", what=f"readers of {topic}")
        return
    if places[value].ledger != places[other].ledger:
        context.evidence.saw(f"{value} is in another ledger than {other}, so that nobody can tell what lies between them")
        return
    apart = places[value].entry - places[other].entry
    context.evidence.expect(apart == count, f"{count} entries", f"from {places[other]} to {places[value]}", what=f"{value} behind {other}")
