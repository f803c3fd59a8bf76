"""Clients that ask the wrong broker, or whose broker crashes."""

from fencepost.adapters.pulsar.probe import LOOKING, ClientConnection, PulsarProbe
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.sentence import brings_down
from fencepost.steps.step_outcomes import achieved, unanswered

from .vocabulary import PIP31


@PIP31.state
def waiting() -> list[ClientConnection]:
    """The connections of this scenario on which a client waits."""
    return []


@PIP31.when("the system crashes and restarts while a client waits")
@brings_down("crash")
def crashes_over_a_client(context: PulsarContext, waiting: list[ClientConnection]) -> None:
    """A client that is connected and sends nothing when the power is cut."""
    client: PulsarProbe = context.session.client("waiting")
    waiting.append(achieved(client.connect_apart(), "connecting"))
    context.session.faults.crash()
    context.session.faults.restart()


@PIP31.then("that client hears that its connection is lost")
def hears_of_the_loss(context: PulsarContext, waiting: list[ClientConnection]) -> None:
    """Within patience: a client that waits on a connection that ended with the broker would otherwise wait for ever."""
    for connection in waiting:
        for _ in context.session.time.attempts():
            connection.drain()
            if connection.lost is not None:
                break
        seen = "nothing" if connection.lost is None else "that it is lost"
        context.evidence.expect(seen == "that it is lost", "that it is lost", seen, what="notification to the client")


@PIP31.when("a client writes {value} to {topic} at the broker that it knows")
def writes_without_looking(context: PulsarContext, value: str, topic: str) -> None:
    """PRODUCER and SEND at the service address, each once, without a lookup of the topic."""
    client: PulsarProbe = context.session.client("hasty")
    opened = client.producer(context.topics[topic], retry=False, looks=False)
    context.ask("PRODUCER", client.send(opened.value, value) if isinstance(opened, Done) else opened)


@PIP31.then("{topic} has {values}, or the client was sent to look for it")
def has_it_or_not(context: PulsarContext, topic: str, values: tuple[str, ...]) -> None:
    """Readers see them all, if it was answered with success; if it was refused, then with an error after which clients look the topic up
    again.
    """
    match context.answer:
        case Done():
            context.expect_messages(f"readers of {topic}", values, context.topics.seen(topic))
        case Refused(error=error, code=code) as refusal:
            expected = "success, or an error after which clients look again"
            context.evidence.expect(code in LOOKING, expected, str(refusal), what="answer to PRODUCER", error=error, code=code)
        case Unknown() as unknown:
            unanswered(unknown, f"writing to {topic}")
