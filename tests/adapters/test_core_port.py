"""The core's port to each system: the same calls have the same meaning on Kafka and on Pulsar, for each release of the reference."""

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import pytest
from succeeded import value_of

from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.engines import ENGINES
from fencepost.adapters.kafka.client_kind import ClientKind
from fencepost.adapters.kafka.kafka_core import KafkaLog
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Session
from fencepost.contract.transactional_log import TransactionalLog, Writer

T = TypeVar("T")
SYSTEMS = [("kafka", "seed"), ("kafka", "kafka-4.0"), ("pulsar", "seed"), ("pulsar", "pulsar-4.0")]
LONG_MS, SHORT_MS = 60_000, 1_000
PATIENCE_S = 20.0


@pytest.fixture(params=SYSTEMS, ids="-".join)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session with a fresh broker."""
    protocol, profile = request.param
    system = ENGINES[protocol].system(profile, None, PATIENCE_S)
    system.open()
    session = system.session("the core's port")
    yield session
    session.close()
    system.close()


@pytest.fixture
def log(session: Session) -> TransactionalLog:
    """A system with the log `orders`, and three values in the log `inputs`."""
    log = session.transactional_log()
    for name in ("orders", "inputs"):
        value_of(log.create(name))
    for number in (1, 2, 3):
        value_of(log.write("inputs", f"i{number}"))
    return log


@pytest.fixture
def writer(log: TransactionalLog) -> Writer:
    """A writer."""
    return value_of(log.writer("A", LONG_MS))


def await_end(session: Session, writer: Writer) -> None:
    """Wait until the writer's last transaction is over."""
    for _ in session.time.attempts():
        if value_of(writer.is_over()):
            return
    pytest.fail("the transaction is not over, and patience is")


def committed(log: TransactionalLog, name: str = "orders") -> list[str]:
    return list(value_of(log.committed(name)))


def test_every_look_is_that_of_a_new_reader(log: TransactionalLog) -> None:
    """A second reader gets the values that the first got, in order, and none that the port wrote itself."""
    assert [committed(log, "inputs") for _ in range(3)] == [["i1", "i2", "i3"]] * 3


def test_a_look_past_an_open_transaction_has_an_end(log: TransactionalLog, writer: Writer) -> None:
    """It gets the values before the transaction, and does not wait for the decision."""
    value_of(log.write("orders", "early"))
    value_of(writer.write("orders", "a1"))

    assert committed(log) == ["early"]
    assert not value_of(writer.is_over())


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_a_write_begins_a_transaction_where_none_is_open(session: Session, log: TransactionalLog, writer: Writer, commit: bool) -> None:
    """After an end the next write begins another transaction, which the end does not concern."""
    value_of(writer.write("orders", "a1"))
    value_of(writer.end(commit))
    await_end(session, writer)
    value_of(writer.write("orders", "a2"))

    assert committed(log) == (["a1"] if commit else [])
    assert not value_of(writer.is_over())


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_to_end_again_is_about_the_transaction_that_was_ended(
    session: Session, log: TransactionalLog, writer: Writer, commit: bool
) -> None:
    """Whatever its answer is, the transaction that is open now stays open."""
    value_of(writer.write("orders", "a1"))
    value_of(writer.end(True))
    await_end(session, writer)
    value_of(writer.write("orders", "a2"))

    assert isinstance(writer.end_again(commit), (Done, Refused))

    assert committed(log) == ["a1"]
    value_of(writer.end(True))
    await_end(session, writer)
    assert committed(log) == ["a1", "a2"]


def test_another_client_can_take_a_writers_transaction(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """It is aborted, and the writer is not notified: its own end is refused."""
    value_of(writer.write("orders", "a1"))

    value_of(writer.lose_transaction())

    await_end(session, writer)
    assert isinstance(writer.end(True), Refused)
    assert committed(log) == []


def test_a_transaction_that_is_left_alone_is_over_after_its_time_out(session: Session, log: TransactionalLog) -> None:
    """The timeout is the writer's own."""
    writer, other = value_of(log.writer("B", SHORT_MS)), value_of(log.writer("C", LONG_MS))
    value_of(writer.write("orders", "b1"))
    value_of(other.write("orders", "c1"))

    await_end(session, writer)

    assert not value_of(other.is_over())


def test_a_group_is_given_the_next_values(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """In order, from its position on; a look at the remaining ones moves no position."""
    assert list(value_of(writer.take("workers", "inputs", 1))) == ["i1"]
    value_of(writer.end(True))
    await_end(session, writer)

    assert [list(value_of(log.left("workers", "inputs"))) for _ in range(2)] == [["i2", "i3"]] * 2
    assert list(value_of(writer.take("workers", "inputs", 2))) == ["i2", "i3"]


def test_more_than_there_is_cannot_be_taken(writer: Writer) -> None:
    """The broker does not refuse it: the values never come."""
    assert isinstance(writer.take("workers", "inputs", 4), Unknown)


def test_a_follower_is_given_each_value_once(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """New values are added to those that it had; an open transaction stops it."""
    value_of(log.write("orders", "early"))
    follower = value_of(log.follow("orders"))
    looks = [list(value_of(follower.seen()))]
    value_of(writer.write("orders", "a1"))
    looks.append(list(value_of(follower.seen())))
    value_of(writer.end(True))
    await_end(session, writer)
    looks += [list(value_of(follower.seen())) for _ in range(2)]

    assert looks == [["early"], ["early"], ["early", "a1"], ["early", "a1"]]


def test_a_follower_outlives_a_reload(log: TransactionalLog) -> None:
    """It does not receive a value twice."""
    value_of(log.write("orders", "early"))
    follower = value_of(log.follow("orders"))
    value_of(follower.seen())

    value_of(log.reload("orders"))
    value_of(log.write("orders", "late"))

    assert list(value_of(follower.seen())) == ["early", "late"]
    assert committed(log) == ["early", "late"]


def test_a_place_lies_after_what_is_decided(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """Input taken in an open transaction is not processed yet; an unknown group has processed none."""
    value_of(writer.take("workers", "inputs", 2))
    before = list(value_of(log.place("workers", "inputs")))
    value_of(writer.end(True))
    await_end(session, writer)

    assert (before, list(value_of(log.place("workers", "inputs"))), list(value_of(log.place("others", "inputs")))) == ([], ["i1", "i2"], [])


def test_what_is_sent_is_in_flight_at_once(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """The answers have come when they are read, and their order is that of the sending."""
    answers = [writer.send("orders", f"a{number}") for number in (1, 2, 3)]

    assert [type(answer()) for answer in answers] == [Done, Done, Done]
    value_of(writer.end(True))
    await_end(session, writer)
    assert committed(log) == ["a1", "a2", "a3"]


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_an_end_that_is_in_flight_ends_the_transaction(session: Session, log: TransactionalLog, writer: Writer, commit: bool) -> None:
    """After its answer the writer begins the next one, as after an end that was awaited."""
    value_of(writer.write("orders", "a1"))
    first, second = writer.send_end(commit), writer.send_end(not commit)
    assert (isinstance(first(), Done), isinstance(second(), Refused)) == (True, True)
    await_end(session, writer)
    value_of(writer.write("orders", "a2"))

    assert committed(log) == (["a1"] if commit else [])
    assert not value_of(writer.is_over())


def test_a_late_write_belongs_to_the_transaction_that_was_ended(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """Whatever its outcome is, it is no part of the next one."""
    value_of(writer.write("orders", "a1"))
    value_of(writer.end(False))
    await_end(session, writer)
    value_of(writer.write("orders", "a2"))

    assert isinstance(writer.write_late("orders", "late"), (Done, Refused))

    value_of(writer.end(True))
    await_end(session, writer)
    assert "late" not in committed(log)


def test_a_write_that_is_sent_again_is_the_same_write(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """A deduplicating log recognises it."""
    value_of(log.create("once", deduplicating=True))
    for written in ("a1", "a2"):
        value_of(writer.write("once", written))

    value_of(writer.write_again("once"))
    value_of(writer.end(True))
    await_end(session, writer)

    assert committed(log, "once") == ["a1", "a2"]


def test_what_another_transaction_holds_is_not_free(session: Session, log: TransactionalLog, writer: Writer) -> None:
    """It is free again when that one aborts; the call does not wait for it."""
    other = value_of(log.writer("B", LONG_MS))
    free = [list(value_of(writer.take_what_is_free("workers", "inputs"))), list(value_of(other.take_what_is_free("workers", "inputs")))]
    value_of(writer.end(False))
    await_end(session, writer)
    free.append(sorted(value_of(other.take_what_is_free("workers", "inputs"))))

    assert free == [["i1", "i2", "i3"], [], ["i1", "i2", "i3"]]


def test_a_system_that_is_not_ours_is_not_reloaded() -> None:
    """A Kafka broker would have to restart for it."""
    log = KafkaLog(lambda _: cast(KafkaProbe, None), lambda name: name, NoFaults("somebody's broker"), ClientKind.NEW)

    with pytest.raises(NotOffered, match="somebody's broker was not started by fencepost"):
        log.reload("orders")


def followed(log: TransactionalLog) -> Outcome[object]:
    """The values that a follower sees at once."""
    follower = log.follow("orders")
    return follower.value.seen() if isinstance(follower, Done) else follower


CALLS: dict[str, Callable[[TransactionalLog, Writer], Outcome[object]]] = {
    "create": lambda log, _: log.create("more"),
    "write": lambda log, _: log.write("orders", "plain"),
    "committed": lambda log, _: log.committed("orders"),
    "left": lambda log, _: log.left("workers", "inputs"),
    "write in a transaction": lambda _, writer: writer.write("orders", "a2"),
    "take": lambda _, writer: writer.take("workers", "inputs", 1),
    "end": lambda _, writer: writer.end(True),
    "is over": lambda _, writer: writer.is_over(),
    "follow": lambda log, _: followed(log),
    "place": lambda log, _: log.place("workers", "inputs"),
    "send": lambda _, writer: writer.send("orders", "a2")(),
    "send an end": lambda _, writer: writer.send_end(True)(),
    "write again": lambda _, writer: writer.write_again("orders"),
    "take what is free": lambda _, writer: writer.take_what_is_free("workers", "inputs"),
    "lose": lambda _, writer: writer.lose_transaction(),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_a_system_that_is_down_does_is_unknown(session: Session, log: TransactionalLog, writer: Writer, call: str) -> None:
    """It is neither done nor refused, so no verdict follows from it."""
    value_of(writer.write("orders", "a1"))
    session.faults.crash()

    assert isinstance(CALLS[call](log, writer), Unknown)
