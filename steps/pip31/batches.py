"""Several messages in one entry."""

from pytest_bdd import given, parsers

from fencepost.steps.outcomes import achieved

from .ground import World
from .setting import VALUES, values_of


@given(parsers.re(rf"(?P<topic>\w+) has a batch of (?P<values>{VALUES})$"))
def has_a_batch(world: World, topic: str, values: str) -> None:
    """Sent outside of transactions in one entry, in which each message has its place."""
    achieved(world.probe.send_batch(world.producer(topic), values_of(values)), f"sending a batch to {topic}")
