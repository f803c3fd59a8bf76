"""Topics and subscriptions that are added to a transaction by themselves, before anything is done there.

Elsewhere they are added in passing. Here what is written or acknowledged afterwards adds nothing, and so shows what the coordinator
has kept. A topic is called by its name, a subscription by its name in quotation marks.
"""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import TxnId
from fencepost.contract.outcomes import Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered

from .acknowledging import Acknowledging
from .ending import NOT_FOUND
from .ground import World
from .setting import VALUES, values_of
from .world import GONE, Transaction

_COORDINATOR_NOT_FOUND = 20

_PARTICIPANTS = r'"?\w+"?(?: and "?\w+"?)?'


def _named(text: str) -> tuple[list[str], list[str]]:
    """The topics and the subscriptions of a text such as `orders and "workers"`."""
    words = text.split(" and ")
    return [word for word in words if '"' not in word], [word.strip('"') for word in words if '"' in word]


def _add(acks: Acknowledging, name: str, participants: str) -> Outcome[None]:
    """Add what is named, all of a kind in one request."""
    world, (topics, subscriptions) = acks.world, _named(participants)
    assert bool(topics) != bool(subscriptions), f"{participants}: one request adds topics or subscriptions"
    if topics:
        return world.probe.add_topics(world.id_of(name), [world.topics[topic] for topic in topics])
    return world.probe.add_subscriptions(world.id_of(name), [acks.subscribers[one].subscription for one in subscriptions])


@given(parsers.re(r"a transaction (?P<name>[A-Z]) of a coordinator that does not exist$"))
def has_no_coordinator(world: World, name: str) -> None:
    """An id that tells a coordinator which the system does not have."""
    count = achieved(world.probe.coordinators(), "asking how many coordinators there are")
    world.pulsar.transactions[name] = Transaction(TxnId(count + 6, 1), is_over=True)


@given(parsers.re(rf"(?P<name>[A-Z]) has added (?P<participants>{_PARTICIPANTS})$"))
def has_added(acks: Acknowledging, name: str, participants: str) -> None:
    """In one request, which was answered with success. Nothing is done there."""
    achieved(_add(acks, name, participants), f"adding {participants} to {name}")


@given(parsers.re(rf"(?P<name>[A-Z]) has added (?P<participants>{_PARTICIPANTS}), and the system has crashed right after the answer$"))
def has_added_and_crashed(acks: Acknowledging, name: str, participants: str) -> None:
    """The same; then a power cut, and a start with what was durable."""
    has_added(acks, name, participants)
    acks.world.session.faults.crash()
    acks.world.session.faults.restart()


@given(parsers.re(rf"(?P<name>[A-Z]) has written (?P<values>{VALUES}) to (?P<topic>\w+), without adding it$"))
def has_written_only(world: World, name: str, values: str, topic: str) -> None:
    """Each was receipted; the topic is in the transaction only if it was before."""
    for value in values_of(values):
        achieved(world.send(topic, value, world.id_of(name)), f"writing {value} to {topic}")


@given(parsers.re(r'(?P<name>[A-Z]) has acknowledged "(?P<value>[^"]+)" for "(?P<subscription>\w+)", without adding it$'))
def has_acknowledged_only(acks: Acknowledging, name: str, value: str, subscription: str) -> None:
    """By the consumer that has the message; the subscription is in the transaction only if it was before."""
    one = acks.subscribers[subscription]
    answer = acks.world.probe.acknowledge(one.consumer, [one.ids[value]], transaction=acks.world.id_of(name))
    achieved(answer, f"acknowledging {value} in {name}")


@when(parsers.re(rf"(?P<name>[A-Z]) adds (?P<participants>{_PARTICIPANTS})$"))
def adds(acks: Acknowledging, name: str, participants: str) -> None:
    """ADD_PARTITION_TO_TXN or ADD_SUBSCRIPTION_TO_TXN, also for what the transaction has already."""
    acks.world.ask(_add(acks, name, participants))


@then("it is refused as not found, or for want of a coordinator")
def is_not_found(world: World) -> None:
    """The transaction is said not to be there, or the coordinator that its id tells."""
    match world.pulsar.answer:
        case Unknown() as unknown:
            unanswered(unknown, "asking about a transaction that has no coordinator")
        case answer:
            holds = isinstance(answer, Refused) and answer.code in (NOT_FOUND, _COORDINATOR_NOT_FOUND)
            world.evidence.expect(holds, "a refusal as not found, or for want of a coordinator", str(answer))


@then(parsers.re(rf"(?P<participant>{_PARTICIPANTS}) does not take part in (?P<name>[A-Z])$"))
def takes_no_part(acks: Acknowledging, participant: str, name: str) -> None:
    """The coordinator does not name it among the participants, or does not know the transaction any more."""
    world, (topics, subscriptions) = acks.world, _named(participant)
    known = world.probe.transaction(world.id_of(name))
    if isinstance(known, Refused) and known.code == GONE:
        world.evidence.saw(f"{name} is not known any more")
        return
    metadata = observed(known, f"asking who takes part in {name}")
    unwanted = {world.topics[topic] for topic in topics} | {acks.subscribers[one].subscription for one in subscriptions}
    there = metadata.topics | metadata.subscriptions
    shown = ", ".join(sorted(str(one) for one in there)) or "nobody"
    world.evidence.expect(unwanted.isdisjoint(there), f"{participant} does not take part in {name}", shown)


@then(parsers.re(r'readers of (?P<topic>\w+) see "(?P<one>[^"]+)" and "(?P<other>[^"]+)" in some order$'))
def readers_see_both(world: World, topic: str, one: str, other: str) -> None:
    """A new subscription gets both, each once, and no others; a topic may order them as it likes."""
    expected, found = sorted([one, other]), sorted(world.seen(topic))
    world.evidence.expect(found == expected, f"readers of {topic} see {expected} in some order", f"{found or 'nothing'}")
