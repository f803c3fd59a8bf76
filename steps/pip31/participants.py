"""Those who take part in a transaction, as its coordinator tells them of its end. A client can tell them the same."""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import Action
from fencepost.contract.outcomes import Outcome
from fencepost.steps.outcomes import achieved, observed

from .acknowledging import Acknowledging
from .ground import World

_ACTIONS = {"committed": Action.COMMIT, "aborted": Action.ABORT}


def _told(acks: Acknowledging, participant: str, name: str, how: str) -> Outcome[None]:
    """A subscription by its name in quotation marks, or a topic by its name."""
    world, action = acks.world, _ACTIONS[how]
    if participant.startswith('"'):
        return world.probe.end_on_subscription(world.id_of(name), acks.subscribers[participant.strip('"')].subscription, action)
    return world.probe.end_on_topic(world.id_of(name), world.topics[participant], action)


@given(parsers.re(r'(?P<participant>\w+|"\w+") has been told that (?P<name>[A-Z]) is (?P<how>committed|aborted)$'))
def has_been_told(acks: Acknowledging, participant: str, name: str, how: str) -> None:
    """It has done its part, and has said so; the coordinator was not asked."""
    achieved(_told(acks, participant, name, how), f"telling {participant} that {name} is {how}")


@when(parsers.re(r'(?P<participant>\w+|"\w+") is told that (?P<name>[A-Z]) is (?P<how>committed|aborted)$'))
def is_told(acks: Acknowledging, participant: str, name: str, how: str) -> None:
    """END_TXN_ON_PARTITION or END_TXN_ON_SUBSCRIPTION, as the coordinator sends it."""
    acks.world.ask(_told(acks, participant, name, how))


@then(parsers.re(r'nothing is pending for "(?P<subscription>\w+)"$'))
def nothing_is_pending(world: World, acks: Acknowledging, subscription: str) -> None:
    """No acknowledgement on the subscription waits for the end of a transaction, now or soon."""
    waiting = -1
    for _ in world.session.time.attempts():
        stats = world.probe.pending_ack_stats(acks.subscribers[subscription].subscription)
        waiting = observed(stats, f"looking at what is pending for {subscription}").ongoing
        if waiting == 0:
            break
    world.evidence.expect(waiting == 0, f"nothing is pending for {subscription}", f"something of {waiting}")
