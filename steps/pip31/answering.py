"""One request of each kind, and whether each of them is answered."""

from dataclasses import dataclass, field

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import SubscriptionHandle, TxnAction, persistent
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.answers import judge_done, judge_refused
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP31

_NO_NAME = "foo://x"
_NO_COORDINATOR = 1_000
"""More coordinators than any system has."""


@dataclass
class AnsweredRequests:
    """The outcome of each request, by its description."""

    to: dict[str, Outcome[object]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    """Those of an unknown transaction."""


@PIP31.state
def answers() -> AnsweredRequests:
    """The answers of this scenario."""
    return AnsweredRequests()


@PIP31.when("a client sends {requests}[ to {topic}][ and {subscription}][ in {unknown:transaction}]")
def sends_requests(
    context: PulsarContext, answers: AnsweredRequests, requests: str, topic: str | None, subscription: str | None, unknown: str | None
) -> None:
    """One after the other, on a new connection. Each kind: for a topic, a producer and a consumer of it, a plain message, a transaction
    with a message and an acknowledgement, its commit, and closing or deleting all of them. Invalid ones: a topic whose name cannot be
    parsed, a missing coordinator, and the unknown transaction; and a message in a transaction that has ended. Around an unload: messages of
    one producer to the topic before and after that, and once it is terminated. About an unknown consumer: FLOW,
    REDELIVER_UNACKNOWLEDGED_MESSAGES, and GET_LAST_MESSAGE_ID, which alone is answered. Ends of an unknown transaction:
    END_TXN_ON_PARTITION and END_TXN_ON_SUBSCRIPTION of a new one, to which they were not added.
    """
    if requests == "a request of each kind":
        _ask_for_all(context, answers)
    elif requests == "requests about an unknown consumer":
        answers.to["GET_LAST_MESSAGE_ID"] = context.session.client("asker").ask_about_unknown_consumer()
    elif topic is not None and requests == "messages around an unload and after a termination":
        _write_to_what_goes(context, answers, topic)
    elif topic is not None and subscription is not None and unknown is not None:
        _ask_for_nothing(context, answers, topic, subscription, unknown)
    elif topic is not None and subscription is not None:
        _end_unknown(context, answers, topic, subscription)


def _ask_for_all(context: PulsarContext, answers: AnsweredRequests) -> None:
    """One after the other: a topic, a producer and a consumer of it, a plain message, which is received; a transaction with both, a message
    and an acknowledgement in it, and its commit; at last both are closed, and the topic is deleted.
    """
    client: PulsarProbe = context.session.client("asker")
    topic = context.topics.by_name["asked"] = persistent(context.session.unique("asked"))
    to = answers.to
    to["a topic"] = client.create_topic(topic)
    opened = to["PRODUCER"] = client.producer(topic, retry=False)
    subscribed = to["SUBSCRIBE"] = client.subscribe(topic, "asking", retry=False)
    begun = to["NEW_TXN"] = client.new_transaction(retry=False)
    if not (isinstance(opened, Done) and isinstance(subscribed, Done) and isinstance(begun, Done)):
        return
    to["SEND"] = client.send(opened.value, "plain")
    received = to["a message"] = client.receive(subscribed.value)
    to["ADD_PARTITION_TO_TXN"] = client.add_topics(begun.value, [topic], retry=False)
    to["ADD_SUBSCRIPTION_TO_TXN"] = client.add_subscriptions(begun.value, [SubscriptionHandle(topic, "asking")], retry=False)
    to["SEND in a transaction"] = client.send(opened.value, "asked", transaction=begun.value)
    if isinstance(received, Done):
        to["ACK"] = client.acknowledge(subscribed.value, [received.value.id], transaction=begun.value, retry=False)
    to["END_TXN"] = client.end(begun.value, TxnAction.COMMIT, retry=False)
    to["a message of the transaction"] = client.receive(subscribed.value)
    to["CLOSE_PRODUCER"] = client.close_producer(opened.value)
    to["CLOSE_CONSUMER"] = client.close_consumer(subscribed.value)
    to["the end of the topic"] = client.delete_topic(topic)


def _ask_for_nothing(context: PulsarContext, answers: AnsweredRequests, topic: str, subscription: str, unknown: str) -> None:
    """A producer of a topic whose name cannot be parsed; a transaction of a missing coordinator; participants and an end of the unknown
    transaction; and a message in a transaction that has ended.
    """
    client: PulsarProbe = context.session.client("asker")
    name, named, never = context.topics[topic], context.subscription(subscription), context.id_of(unknown)
    to = answers.to
    to["PRODUCER"] = client.producer(_NO_NAME, retry=False)
    to["NEW_TXN"] = client.new_transaction(coordinator=_NO_COORDINATOR, retry=False)
    to["ADD_PARTITION_TO_TXN"] = client.add_topics(never, [name], retry=False)
    to["ADD_SUBSCRIPTION_TO_TXN"] = client.add_subscriptions(never, [named], retry=False)
    to["END_TXN"] = client.end(never, TxnAction.COMMIT, retry=False)
    ended = achieved(client.new_transaction(), "beginning a transaction")
    producer = achieved(client.producer(name), f"opening a producer of {topic}")
    achieved(client.add_topics(ended, [name]), f"adding {topic}")
    achieved(client.send(producer, "asked", transaction=ended), f"writing to {topic}")
    achieved(client.end(ended, TxnAction.COMMIT), "committing a transaction")
    to["SEND"] = client.send(producer, "late", transaction=ended)


def _write_to_what_goes(context: PulsarContext, answers: AnsweredRequests, topic: str) -> None:
    """Each time with the same producer. If it is notified, while it writes, that it was closed, it opens again and writes again."""
    client: PulsarProbe = context.session.client("asker")
    name = context.topics[topic]
    producer = achieved(client.producer(name), f"opening a producer of {topic}")

    def send(value: str) -> Outcome[object]:
        answer = client.send(producer, value)
        return client.send(producer, value) if isinstance(answer, Unknown) else answer

    answers.to["SEND"] = send("before")
    achieved(client.unload_topic(name), f"unloading {topic}")
    answers.to["SEND to a topic that was unloaded"] = send("behind")
    achieved(client.terminate_topic(name), f"terminating {topic}")
    answers.to["SEND to a topic that was terminated"] = send("late")


def _end_unknown(context: PulsarContext, answers: AnsweredRequests, topic: str, subscription: str) -> None:
    """END_TXN_ON_PARTITION and END_TXN_ON_SUBSCRIPTION of a new transaction, to which they were not added."""
    client: PulsarProbe = context.session.client("asker")
    begun = answers.to["NEW_TXN"] = client.new_transaction(retry=False)
    if isinstance(begun, Done):
        answers.to["END_TXN_ON_PARTITION"] = client.end_on_topic(begun.value, context.topics[topic], TxnAction.ABORT)
        answers.to["END_TXN_ON_SUBSCRIPTION"] = client.end_on_subscription(begun.value, context.subscription(subscription), TxnAction.ABORT)
        answers.to["END_TXN"] = client.end(begun.value, TxnAction.ABORT, retry=False)


@PIP31.then("each of them is {outcome}")
def are_answered(context: PulsarContext, answers: AnsweredRequests, outcome: str) -> None:
    """Answered: with success or with an error. Done: with success. Silence to one of them is a violation where the client then asks, on its
    first connection, how many coordinators there are, and is answered: that broker is not merely slow.

    Answered by its own answer: that has the id of the request. Requests for the existing transaction succeed, and a new one is begun;
    requests for the unknown one are refused with TransactionNotFound.
    """
    if outcome == "answered by its own answer":
        for what, answer in answers.to.items():
            if what in answers.unknown:
                judge_refused(context.evidence, f"answer to {what}", answer, ("TransactionNotFound",))
            else:
                judge_done(context.evidence, f"answer to {what}", answer)
        return
    accepted = (Done,) if outcome == "done" else (Done, Refused)
    _judge(context, answers, [what for what, answer in answers.to.items() if not isinstance(answer, accepted)])


def _judge(context: PulsarContext, answers: AnsweredRequests, wrong: list[str]) -> None:
    silent = [what for what in wrong if isinstance(answers.to[what], Unknown)]
    if silent and not isinstance(context.session.client("asker").coordinators(), Done):
        raise NoAnswer(f"nothing was answered to {', '.join(silent)}, nor to a later request")
    seen = "; ".join(f"{what}: {_shown(answers.to[what])}" for what in wrong) or "all of them"
    context.evidence.expect(not wrong, "all of them", seen, what="answers")


def _shown(answer: Outcome[object]) -> str:
    return "no answer" if isinstance(answer, Unknown) else str(answer)
