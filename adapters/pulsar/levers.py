"""The levers of a broker that fencepost did not start: each is tried once, on separate topics, and is offered if it has an effect.

`LEVERS` has their names, as `contract/capabilities.py` has them. For one that is not offered, the reason is the answer that came instead.
"""

from collections.abc import Callable
from typing import TypeVar

from fencepost.contract.outcomes import Done, Outcome

from .probe import PulsarProbe
from .pulsar_session import PulsarSession
from .pulsar_values import AckKind, ReportedStatus, TxnAction, persistent
from .transaction_keys import offers_keys

T = TypeVar("T")

KEYS = "transaction-keys"


class _DoesNot(Exception):
    """The lever has no effect, with the reason."""


def missing(session: PulsarSession) -> dict[str, str]:
    """The levers without effect, each with the reason. The session should not be very patient."""
    probe: PulsarProbe = session.client("levers")
    reasons = {}
    for name, pull in LEVERS.items():
        try:
            pull(session, probe)
        except _DoesNot as reason:
            reasons[name] = str(reason)
    return reasons


def lacks_keys(session: PulsarSession) -> str | None:
    """Why the system has no transaction keys; None if it has. Closes the session."""
    try:
        _transaction_keys(session, session.client("levers"))
    except _DoesNot as reason:
        return str(reason)
    finally:
        session.close()
    return None


def _done(outcome: Outcome[T], doing: str) -> T:
    if isinstance(outcome, Done):
        return outcome.value
    raise _DoesNot(f"{doing}: {outcome}")


def _topic(session: PulsarSession, probe: PulsarProbe) -> str:
    topic = persistent(session.unique("fencepost-lever"))
    _done(probe.create_topic(topic), "making a topic")
    return topic


def _statistics(session: PulsarSession, probe: PulsarProbe) -> None:
    """A transaction that is open on a topic is in the topic's buffer."""
    topic = _topic(session, probe)
    txn = _done(probe.new_transaction(), "beginning a transaction")
    try:
        _done(probe.add_topics(txn, [topic]), "adding a topic")
        producer = _done(probe.producer(topic), "opening a producer")
        _done(probe.send(producer, "open", transaction=txn), "sending a message")
        _done(probe.buffer_stats(topic), "asking for the statistics of a topic's buffer")
        if _done(probe.transaction_in_buffer(txn, topic), "asking for a transaction in the buffer").start is None:
            raise _DoesNot("an open transaction is not in the statistics of the buffer")
    finally:
        probe.end(txn, TxnAction.ABORT)
        probe.delete_topic(topic)


def _participant_ends(session: PulsarSession, probe: PulsarProbe) -> None:
    """A topic accepts END_TXN_ON_PARTITION from a client."""
    topic = _topic(session, probe)
    txn = _done(probe.new_transaction(), "beginning a transaction")
    try:
        _done(probe.add_topics(txn, [topic]), "adding a topic")
        _done(probe.end_on_topic(txn, topic, TxnAction.ABORT), "END_TXN_ON_PARTITION of a client")
    finally:
        probe.end(txn, TxnAction.ABORT)
        probe.delete_topic(topic)


def _held_ends(session: PulsarSession, probe: PulsarProbe) -> None:
    """The commit of a transaction that has a terminated topic is incomplete until the topic is deleted."""
    topic = _topic(session, probe)
    txn = _done(probe.new_transaction(), "beginning a transaction")
    try:
        _done(probe.add_topics(txn, [topic]), "adding a topic")
        producer = _done(probe.producer(topic), "opening a producer")
        _done(probe.send(producer, "held", transaction=txn), "sending a message")
        _done(probe.terminate_topic(topic), "terminating a topic")
        ender: PulsarProbe = session.client("lever-ender")
        _done(ender.begin_end(txn, TxnAction.COMMIT), "asking for a commit")
        status: object = "not known"
        for _ in session.time.attempts():
            known = probe.transaction(txn)
            status = known.value.status.name if isinstance(known, Done) else known
            if status == ReportedStatus.COMMITTING.name:
                break
        else:
            raise _DoesNot(f"a transaction with a terminated topic is {status} when its commit was asked for")
    finally:
        probe.delete_topic(topic)


def _batch_index(session: PulsarSession, probe: PulsarProbe) -> None:
    """After one message of a batch was acknowledged, the next consumer receives the other one alone."""
    topic = _topic(session, probe)
    try:
        consumer = _done(probe.subscribe(topic, "lever"), "subscribing")
        producer = _done(probe.producer(topic), "opening a producer")
        _done(probe.send_batch(producer, ["first", "second"]), "sending a batch")
        first = _done(probe.receive(consumer), "receiving a message of a batch")
        _done(probe.acknowledge(consumer, [first.id], kind=AckKind.INDIVIDUAL), "acknowledging a message of a batch")
        _done(probe.close_consumer(consumer), "closing a consumer")
        again = _done(probe.subscribe(topic, "lever"), "subscribing again")
        if _done(probe.receive(again), "receiving what is left of a batch").value == first.value:
            raise _DoesNot(
                "a message of a batch was redelivered after its acknowledgement: acknowledgmentAtBatchIndexLevelEnabled is not set"
            )
    finally:
        probe.delete_topic(topic)


def _two_coordinators(_session: PulsarSession, probe: PulsarProbe) -> None:
    """There are several already; fencepost adds none to a broker that it did not start."""
    if (count := _done(probe.coordinators(), "asking how many coordinators there are")) < 2:
        raise _DoesNot(f"there is {count}, and fencepost adds none")


def _transaction_keys(session: PulsarSession, probe: PulsarProbe) -> None:
    """A connect with a key is answered with an epoch. It uses fields that other brokers ignore."""
    if (reason := offers_keys(probe, session.unique("fencepost-lever"))) is not None:
        raise _DoesNot(reason)


LEVERS: dict[str, Callable[[PulsarSession, PulsarProbe], None]] = {
    "batch-index-acknowledgement": _batch_index,
    "buffer-statistics": _statistics,
    "held-ends": _held_ends,
    "more-coordinators": _two_coordinators,
    "participant-ends": _participant_ends,
    KEYS: _transaction_keys,
}
