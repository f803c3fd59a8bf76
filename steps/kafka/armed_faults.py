"""Given: faults that wait for their request, and crashes.

What is armed here changes no other sentence: "A commits" is the same request, whatever happens to it in flight.
"""

from collections.abc import Callable

from fencepost.adapters.kafka.kafka_values import OFFSETS, TopicPartition
from fencepost.adapters.kafka.probe import nothing_of_no_group
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.ports import DoublesAnswers
from fencepost.steps.sentence import brings_down
from fencepost.steps.step_outcomes import achieved

from .kafka_context import KafkaContext, Pause
from .kafka_sentence_types import APIS
from .probing import epoch_of_coordinator
from .producer import ProducerInstance
from .requests import restart
from .vocabulary import KAFKA

_NEWER_COORDINATOR = 1_000
"""A coordinator epoch that no coordinator reaches in a scenario."""


@KAFKA.given("the next {api} of {producer} {fate}")
def on_the_wire(context: KafkaContext, api: str, producer: str, fate: str) -> None:
    """The client's next request of that kind is lost, or its answer is; or it arrives twice in a row; or it stays in flight until it
    arrives.

    In each case but where it arrives twice, the client loses its connection. A client that has lost it in the When retries, as Kafka's
    clients do.
    """
    wire = context.session.wire
    orders = {
        "is lost": wire.lose_request,
        "is answered, and the answer is lost": wire.lose_answer,
        "arrives twice": wire.arrive_twice,
        "is held up": wire.hold_up,
    }
    orders[fate](producer, APIS[api])
    context.armed.wire[producer, APIS[api]] = fate


@KAFKA.when("the held-up request arrives")
def the_held_up_request_arrives(context: KafkaContext) -> None:
    """The broker gets the request now, and has answered it; no client reads that answer."""
    context.begin()
    if not context.session.wire.let_go():
        raise SetUpFailed("nothing was held up")


@KAFKA.given("the system crashes {moment} the next EndTxn of {producer}")
@brings_down("crash")
def crashes_with_the_next_end(context: KafkaContext, moment: str, producer: str) -> None:
    """It is killed without warning when the request has been sent, or when its answer has been read, and restarted at once.

    A producer that got no answer retries when the system serves transactions.
    """
    context.armed.crashes[producer] = moment


RESTART = KAFKA.act(
    given="the system has {gone_down} and restarted[ after the timeout of {producer}]",
    when="the system {goes_down} and restarts[ after the timeout of {producer}]",
    meaning="Killed without warning, or stopped as its operator does it; restarted, and serving transactions. What was to last "
    "until then is over. After a timeout: it is down for as long as that producer's transactions may be open.",
)


@RESTART.given
@brings_down(gone_down={"crashed": "crash", "stopped cleanly": "stop"})
def has_restarted(context: KafkaContext, gone_down: str, producer: str | None) -> None:
    _go_down(context, producer, {"crashed": context.faults.crash, "stopped cleanly": context.faults.stop}[gone_down])
    restart(context)


@RESTART.when
@brings_down(goes_down={"crashes": "crash", "stops cleanly": "stop"})
def restarts(context: KafkaContext, goes_down: str, producer: str | None) -> None:
    context.begin()
    _go_down(context, producer, {"crashes": context.faults.crash, "stops cleanly": context.faults.stop}[goes_down])
    restart(context, is_judged=goes_down == "crashes")


def _go_down(context: KafkaContext, producer: str | None, down: Callable[[], None]) -> None:
    """Bring the system down, for as long as the transactions of this producer may be open."""
    down_ms = 0 if producer is None else context.describe(context.producers[producer]).timeout_ms
    down()
    if down_ms:
        pass_while_down(context, down_ms)


@KAFKA.given("the system has crashed and is restarting")
@brings_down("a crash after which it restarts")
def is_coming_back(context: KafkaContext) -> None:
    """It was killed without warning and is restarting: the When sends its request from that moment on, again and again."""
    context.begin_early()
    context.meet_coordinators()
    context.faults.crash()
    context.faults.start_again()
    context.armed.is_starting = True


@KAFKA.given("each marker is answered twice, the second time just before the next crash")
def is_answered_twice(context: KafkaContext) -> None:
    """This holds from here on. The second answer, which equals the first, overtakes the markers that are in flight then.

    The crash loses those; the coordinator has to find what it knew of them in its log.
    """
    faults = context.faults
    assert isinstance(faults, DoublesAnswers), "whose system offers doubled-answers"
    faults.double_answers()


@KAFKA.given("node {node} is {silent}[ until {event}]")
def is_paused(context: KafkaContext, node: int, silent: str, event: str | None) -> None:
    """The node has not crashed: requests to it wait, and are handled when it goes on.

    Until the next answer: once EndTxn is answered and the other nodes' partitions have their markers. Until the next refusal: the request
    of the When is sent once, and again when the node has gone on; a write for which a replica is missing is not refused at once. A paused
    node cannot be asked, so the snapshot is from before.

    Unavailable: paused until a while after that, and for so long already that Metadata no longer lists the node: its partitions have no
    leader, and the coordinator looks for one in vain. If the system still lists a silent node when patience ends, the request is sent all
    the same.
    """
    context.begin_early()
    context.faults.pause(node)
    blocked = frozenset(name for name, producer in context.producers.items() if producer.is_incomplete)
    context.armed.pause = Pause(node, event, blocked)
    for producer in context.producers.values():
        producer.is_incomplete = True
    if silent == "unavailable":
        for _ in context.time.attempts():
            if node not in achieved(context.observer.node_numbers(), "asking which nodes there are"):
                break
        context.armed.pause.is_noticed = True


@KAFKA.given(
    "completion of {producer}'s[ and {other:producer}'s] transactions is blocked[ by the offsets of group {group}][ until {event}]"
)
def is_blocked(context: KafkaContext, producer: str, other: str | None, group: str | None, event: str | None) -> None:
    """The open transaction, or the one that begins here, goes no further than PrepareCommit or PrepareAbort.

    It has one more partition, of a dedicated topic, or that of the group's offsets. That partition has seen a marker of a newer coordinator
    epoch, so it refuses the marker of the real coordinator: for good, or until a restart or a move brings the next coordinator. The others
    get their markers. From here on the producer retries for a short time only: then CONCURRENT_TRANSACTIONS is its answer.

    To be blocked until a restart or a move, the producer must have no open transaction here. Two producers have a dedicated topic each.
    """
    for name in filter(None, (producer, other)):
        _block(context, name, group, event)


def _block(context: KafkaContext, producer: str, group: str | None, event: str | None) -> None:
    one = context.producers[producer]
    partition = TopicPartition(context.session.unique(f"blocking-{producer}"), 0)
    achieved(context.observer.create_topic(partition.topic, 1), f"creating the topic {partition.topic}")
    epoch = _NEWER_COORDINATOR if event is None else epoch_of_coordinator(context, one, partition) + 1
    if group is not None:
        partition = _add_offsets(context, one, context.session.unique(group))
    else:
        achieved(one.probe.add_partitions(one.transactional_id, one.current, [partition]), f"adding {partition}")
    marker = context.observer.write_marker(partition, one.current, commit=False, coordinator_epoch=epoch)
    achieved(marker, f"sending {partition} coordinator epoch {epoch}")
    one.is_incomplete = True
    one.is_blocked_until_restart = event is not None


def pass_while_down(context: KafkaContext, ms: float) -> None:
    """Let that much of the system's time pass, though the system cannot be asked."""
    due = context.time.now_ms() + ms
    for _ in context.time.attempts(2 * ms / 1000):
        if context.time.now_ms() > due:
            return
    raise SetUpFailed(f"no {ms} ms have passed while the system was down")


def _add_offsets(context: KafkaContext, producer: ProducerInstance, group: str) -> TopicPartition:
    """Add the group's offsets to the transaction and return their partition, which the first look at the group creates. NotOffered where
    clients do not see it.
    """
    looked = nothing_of_no_group(context.observer.committed(group, context.partitions[0]))
    achieved(looked, f"looking for the offsets of {group}")
    achieved(context.observer.partition_of("", OFFSETS), f"looking for {OFFSETS}")
    achieved(producer.probe.add_offsets(producer.transactional_id, producer.current, group), f"adding the offsets of {group}")
    described = achieved(context.observer.describe_transaction(producer.transactional_id), f"describing {producer.transactional_id}")
    return next(partition for partition in described.partitions if partition.topic == OFFSETS)
