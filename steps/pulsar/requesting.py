"""The requests of one consumer, or of a new client, each of which is answered."""

from collections.abc import Callable

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import ConsumerHandle, SubType
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.step_outcomes import achieved, observed, unanswered

from .acknowledging import judge_answered_ack
from .completion import judge_answered_ends
from .pulsar_context import PulsarContext
from .sentence_values import AckFor, AskedFor, EndsOf, RequestsOfOne
from .vocabulary import PULSAR


@PULSAR.when("a {requester} of {topic} makes each of its requests")
def makes_each_request(context: PulsarContext, requester: str, topic: str) -> None:
    """A new client, one after the other, each once: CONNECT, PING, PARTITIONED_METADATA and LOOKUP of the topic, after which it connects
    to the broker that the LOOKUP named. A consumer, one after the other: SUBSCRIBE, and SUBSCRIBE again with the same consumer id,
    GET_LAST_MESSAGE_ID, SEEK, SUBSCRIBE in another way, which is refused, UNSUBSCRIBE; and of a second one, which is exclusive, SUBSCRIBE
    and CLOSE_CONSUMER. Requests without an answer in time are kept.
    """
    if requester == "new client":
        _look_for(context, topic)
        return
    silent: list[str] = []
    client, name = context.client, context.topics[topic]
    first = _made(context, topic, silent, "SUBSCRIBE", lambda: client.subscribe(name, "asking"))
    if isinstance(first, ConsumerHandle):
        message = achieved(client.receive(first), f"receiving from {topic}")
        _made(context, topic, silent, "SUBSCRIBE again", lambda: client.subscribe_again(first))
        _made(context, topic, silent, "GET_LAST_MESSAGE_ID", lambda: client.last_message_id(first))
        _made(context, topic, silent, "SEEK", lambda: client.seek(first, message.id.position))
        achieved(client.receive(first), f"receiving from {topic} again")
        failover = SubType.FAILOVER
        _made(context, topic, silent, "SUBSCRIBE in another way", lambda: _refused(client.subscribe(name, "asking", failover, retry=False)))
        _made(context, topic, silent, "UNSUBSCRIBE", lambda: client.unsubscribe(first))
    alone = SubType.EXCLUSIVE
    second = _made(context, topic, silent, "SUBSCRIBE alone", lambda: client.subscribe(name, "leaving", alone, retry=False))
    if isinstance(second, ConsumerHandle):
        _made(context, topic, silent, "CLOSE_CONSUMER", lambda: client.close_consumer(second))
    context.unanswered = tuple(dict.fromkeys(silent))


@PULSAR.then("{asked} is answered")
def is_answered(context: PulsarContext, asked: AskedFor) -> None:
    """With success, or with an error where that is due. Where no answer came in time, a later request on the same connection was answered,
    or that of an administrator who asks for the topic's log: the broker is silent, and not merely slow.
    """
    match asked:
        case RequestsOfOne():
            _judge_requests(context)
        case AckFor(subscription):
            judge_answered_ack(context, subscription)
        case EndsOf(transaction):
            judge_answered_ends(context, transaction)


def _judge_requests(context: PulsarContext) -> None:
    seen = f"none to {', '.join(context.unanswered)}" if context.unanswered else "answers to all"
    context.evidence.expect(not context.unanswered, "answers to all", seen, what="answers")


def _look_for(context: PulsarContext, topic: str) -> None:
    client: PulsarProbe = context.session.client("newcomer")
    name = context.topics[topic]
    requests: dict[str, Callable[[], Outcome[object]]] = {
        "CONNECT": client.connect,
        "PING": client.ping,
        "PARTITIONED_METADATA": lambda: client.partitions(name, retry=False),
        "LOOKUP": lambda: client.find(name),
    }
    context.unanswered = tuple(request for request, ask in requests.items() if isinstance(ask(), Unknown))
    if context.unanswered and not isinstance(context.client.log_stats(name), Done):
        raise NoAnswer(f"nothing was answered to {', '.join(context.unanswered)}, nor to the administrator")


def _refused(outcome: Outcome[ConsumerHandle]) -> Outcome[None]:
    return outcome if isinstance(outcome, Unknown) else Done(None)


def _made(context: PulsarContext, topic: str, silent: list[str], request: str, make: Callable[[], Outcome[object]]) -> object:
    """The outcome of a request; None where it was not answered, though a later one was."""
    outcome = make()
    if not isinstance(outcome, Unknown):
        return observed(outcome, request)
    if outcome.lost:
        unanswered(outcome, request)
    observed(context.client.producer(context.topics[topic]), f"opening a producer after {request}")
    silent.append(request)
    return None
