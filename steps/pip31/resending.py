"""Producers with a name: what they resend because they do not know whether it is stored, and how they close and reopen."""

from dataclasses import dataclass, field

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import ProducerHandle, TransactionId
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Participant, PlainMessages
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP31, Again, FirstAt, Opening


@dataclass
class NamedProducers:
    """The producers of one scenario by their names, with the transaction and the sequence id of the message that each sent."""

    by_producer: dict[str, tuple[ProducerHandle, TransactionId, int]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    """The greatest sequence id that each has used."""


@PIP31.state
def sent() -> NamedProducers:
    """The messages of this scenario's producers that resend."""
    return NamedProducers()


@PIP31.given("producer {producer} has {written} {plain} to {topic} in {transaction}[, {repeated}]")
def producer_has_written(
    context: PulsarContext,
    sent: NamedProducers,
    producer: str,
    written: str,
    plain: PlainMessages,
    topic: str,
    transaction: str,
    repeated: str | None,
) -> None:
    """A producer with a name, on a dedicated connection; the broker has sent a receipt, or, where it has tried, the answer does not matter.
    The message has the next sequence id, or that of the producer's last message; the messages of a batch have consecutive ones.
    """
    txn = context.take_part(transaction, Participant(topic, is_subscription=False))
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    if repeated is None:
        opened = achieved(probe.producer(context.topics[topic], name=context.session.unique(producer)), f"opening producer {producer}")
        sequence_id = opened.last_sequence_id + 1
    else:
        opened, _, sequence_id = sent.by_producer[producer]
    answer = _send(probe, opened, plain, txn, sequence_id)
    if written == "written":
        achieved(answer, f"sending {', '.join(plain.values)} as {opened.name}")
        context.transactions[transaction].written += [(topic, value) for value in plain.values]
    sent.by_producer[producer] = (opened, txn, sequence_id)
    sent.last[producer] = sequence_id + len(plain.values) - 1


SEND_AGAIN = PIP31.act(
    given="producer {producer} has sent {plain} again on a new connection",
    when="producer {producer} sends {plain} again on a new connection",
    meaning="The connection was lost; under its name and with the sequence id that it had, the producer sends its last message or batch "
    "once more.",
)


@SEND_AGAIN.given
def producer_has_sent_again(context: PulsarContext, sent: NamedProducers, producer: str, plain: PlainMessages) -> None:
    achieved(_sent_again(context, sent, producer, plain), f"sending {', '.join(plain.values)} again as {producer}")


@SEND_AGAIN.when
def producer_sends_again(context: PulsarContext, sent: NamedProducers, producer: str, plain: PlainMessages) -> None:
    context.ask("SEND", _sent_again(context, sent, producer, plain))


@PIP31.given("producer {producer} has closed")
def producer_has_closed(context: PulsarContext, sent: NamedProducers, producer: str) -> None:
    """CLOSE_PRODUCER, which was answered with success."""
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    achieved(probe.close_producer(sent.by_producer[producer][0]), f"closing producer {producer}")


@PIP31.when("producer {producer} opens {opening}")
def producer_opens(context: PulsarContext, sent: NamedProducers, producer: str, opening: Opening) -> None:
    """PRODUCER under the same name; on a new connection if the old one was lost; once, on the old connection, if the first producer is
    still open there. For the first time: under an unused name; the answer has -1, and the first message has sequence id 0.
    """
    match opening:
        case FirstAt(topic):
            _open_first(context, sent, producer, topic)
        case Again(how):
            _open_again(context, sent, producer, how)


def _open_again(context: PulsarContext, sent: NamedProducers, producer: str, how: str) -> None:
    known, txn, sequence_id = sent.by_producer[producer]
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    if how == "again on a new connection":
        probe.close()
    answer = probe.producer(known.topic, name=known.name, retry=how != "again while it is open")
    context.ask("PRODUCER", answer)
    if isinstance(answer, Done):
        sent.by_producer[producer] = (answer.value, txn, sequence_id)


def _open_first(context: PulsarContext, sent: NamedProducers, producer: str, topic: str) -> None:
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    opened = achieved(probe.producer(context.topics[topic], name=context.session.unique(producer)), f"opening producer {producer}")
    sent.by_producer[producer] = (opened, TransactionId(0, 0), -1)
    sent.last[producer] = -1


@PIP31.then("producer {producer} is answered the last sequence id that it has used")
def is_notified_its_last(context: PulsarContext, sent: NamedProducers, producer: str) -> None:
    """The answer to PRODUCER has it, so that the producer continues with the next one."""
    reported, last = sent.by_producer[producer][0].last_sequence_id, sent.last[producer]
    context.evidence.expect(reported == last, str(last), str(reported), what=f"last sequence id of {producer}")


def _sent_again(context: PulsarContext, sent: NamedProducers, producer: str, plain: PlainMessages) -> Outcome[object]:
    opened, txn, sequence_id = sent.by_producer[producer]
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    probe.close()
    return _send(probe, opened, plain, txn, sequence_id)


def _send(probe: PulsarProbe, producer: ProducerHandle, plain: PlainMessages, txn: TransactionId, sequence_id: int) -> Outcome[object]:
    if plain.is_batch:
        return probe.send_batch(producer, plain.values, transaction=txn, sequence_id=sequence_id)
    return probe.send(producer, plain.values[0], transaction=txn, sequence_id=sequence_id)
