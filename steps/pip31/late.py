"""Messages in a transaction that is over, and messages for a topic that was never added to theirs."""

from pytest_bdd import given, parsers, then, when

from fencepost.steps.outcomes import observed

from .ground import World


@given(parsers.re(r'(?P<name>[A-Z]) has tried to write "(?P<value>[^"]+)" to (?P<topic>\w+)$'))
def has_tried_to_write(world: World, name: str, value: str, topic: str) -> None:
    """One message in the transaction, which nobody adds the topic to before, whatever came of it."""
    world.send(topic, value, world.id_of(name))


@when(parsers.re(r'(?P<name>[A-Z]) writes "(?P<value>[^"]+)" to (?P<topic>\w+), without adding it$'))
def writes_late(world: World, name: str, value: str, topic: str) -> None:
    """One message in the transaction; nobody adds the topic to it before."""
    world.ask(world.send(topic, value, world.id_of(name)))


@then(parsers.re(r"(?P<name>[A-Z]) is not open in (?P<topic>\w+)$"))
def is_not_open(world: World, name: str, topic: str) -> None:
    """The topic holds nothing that waits for the end of that transaction, now or soon."""
    transaction = world.id_of(name)
    start = None
    for _ in world.session.time.attempts():
        start = observed(world.probe.transaction_in_buffer(transaction, world.topics[topic]), f"looking at the buffer of {topic}").start
        if start is None:
            break
    world.evidence.expect(start is None, f"nothing of {name} is open in {topic}", f"open from {start} on" if start else "nothing")
