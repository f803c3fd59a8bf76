"""How a request of the When meets the faults that were armed for it.

A client behaves as Kafka's do: one that has lost its connection retries, with the same producer id and epoch, and one that meets a
restarting system retries until it is served. Refusals on the way are kept next to the answer.
"""

from collections.abc import Callable, Iterator, Mapping

from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.contract.shared_crashes import gather
from fencepost.steps.step_outcomes import achieved, observed, unanswered

from .kafka_context import KafkaContext, Pause
from .kafka_sentence_types import APIS
from .producer import ProducerInstance

Request = Callable[[bool], Outcome[object]]
"""Sends one request and returns its outcome; with False, a retriable refusal is an answer like others."""

A_START_S = 120.0
"""How long to wait for a starting broker, which other scenarios leave to the system; some take a minute on a busy machine."""

_ATTEMPT_S = 2.0
"""How long to wait for one answer: longer than a broker takes for its first, and shorter than its start, in which one may be lost."""

_SHORT_S = 0.05
"""Within that time the pauses between tries stay below 20 ms."""
_ADD_FIRST = ("AddPartitionsToTxn v", "AddOffsetsToTxn v")
_IN_VAIN_S = 3.0
"""How long a coordinator looks for a missing leader before the leader is back."""
_MORE_STARTS = 2
"""How often a system that was back before it could refuse is killed again: each of these requests may be repeated."""

COORDINATOR_AWAY = {"COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"}
NOT_WRITTEN = {"NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT"}
"""The errors of a leader for a write that too few replicas have."""

RETRIABLE = COORDINATOR_AWAY | {
    "CONCURRENT_TRANSACTIONS",
    "NOT_ENOUGH_REPLICAS",
    "LEADER_NOT_AVAILABLE",
    "NOT_LEADER_OR_FOLLOWER",
    "UNKNOWN_TOPIC_OR_PARTITION",
}


def put(context: KafkaContext, producer: ProducerInstance, api: str, request: Request) -> None:
    """Send a request of the When with the armed faults, and keep the answer."""
    armed = context.armed
    name = next(spoken for spoken, known in APIS.items() if known == api)
    fate = armed.wire.pop((producer.name, api), None)
    if armed.is_starting:
        answer = _insist(context, producer, name, request)
        for _ in range(_MORE_STARTS):
            if context.errors_answered or context.held_back or not isinstance(answer, Done):
                break
            context.faults.crash()
            context.faults.start_again()
            answer = _insist(context, producer, name, request)
        armed.is_starting = False
    elif armed.pause is not None and armed.pause.until == "the next refusal":
        answer = _through_a_pause(context, producer, armed.pause, request)
    elif fate in ("is lost", "is answered, and the answer is lost"):
        must_be_unknown(request(True), f"sending {name}")
        answer = request(True)
    else:
        answer = request(True)
    context.keep(producer, answer, name)
    if armed.pause is not None and armed.pause.until == "the next answer" and api == "produce":
        resume(context)
    if fate == "arrives twice" and context.session.wire.outstanding():
        raise SetUpFailed(f"the {name} that was to arrive twice was never sent")


def end(context: KafkaContext, producer: ProducerInstance, commit: bool, request: Request) -> None:
    """EndTxn of the When, which may meet a crash or a pause, and be polled."""
    moment = context.armed.crashes.pop(producer.name, None)
    if moment:
        gather(context.session)
    if moment == "before it answers":
        version = context.version(producer, "end_txn")
        wait = producer.probe.send_end_txn(producer.transactional_id, producer.current, commit=commit, version=version)
        context.faults.crash()
        must_be_unknown(wait(), f"ending the transaction of {producer.name}")
        restart(context)
    if context.armed.polls_partitions and context.armed.pause is None and not context.polled:
        _poll(context, context.partitions)
    if context.armed.polls_transaction_of == producer.name:
        request = _watched(context, producer, commit, request)
    put(context, producer, "end_txn", request)
    if moment == "right after it answers":
        achieved(context.answer or Unknown("nothing was sent"), f"ending the transaction of {producer.name}")
        context.faults.crash()
        restart(context)
    elif context.armed.pause is not None:
        while_paused(context, producer, context.armed.pause)
    else:
        _poll_until_settled(context, producer)


def must_be_unknown(outcome: Outcome[object], doing: str) -> None:
    """A fault on the wire leaves the client without an answer; anything else means that the fault did not happen."""
    if not isinstance(outcome, Unknown):
        raise SetUpFailed(f"{doing} was to get no answer, and got one: {outcome}")


def restart(context: KafkaContext, *, is_judged: bool = False) -> None:
    """Start what has crashed and wait until it serves transactions; faults that last until then are over."""
    context.faults.restart()
    after_restart(context, is_judged=is_judged)


def after_restart(context: KafkaContext, *, is_judged: bool = False) -> None:
    """A pause until the restart ends, and what was blocked until then completes; where that is judged, the Then does it."""
    for producer in context.producers.values():
        if producer.is_blocked_until_restart:
            producer.is_blocked_until_restart = producer.is_incomplete = False
            outcome = context.completed(producer)
            if not is_judged:
                achieved(outcome, f"waiting for the markers of {producer.name}")
    if context.armed.pause is not None and context.armed.pause.until == "the next restart":
        resume(context)


def resume(context: KafkaContext) -> None:
    """The paused node goes on, and handles the requests that waited for it."""
    pause, context.armed.pause = context.armed.pause, None
    assert pause is not None, "a node goes on that was paused"
    context.faults.resume(pause.node)
    for name, producer in context.producers.items():
        producer.is_incomplete = name in pause.blocked
    context.await_markers()


def while_paused(context: KafkaContext, producer: ProducerInstance, pause: Pause) -> None:
    """The end is answered: the partitions of other nodes get their markers, and the node goes on where it waited for that."""
    for _ in context.time.attempts():
        seen = context.describe(producer)
        if all(_has_what_it_can_have(context, partition, pause.node) for partition in seen.partitions):
            break
    context.states_seen = [seen.state]
    for _ in context.time.attempts(_IN_VAIN_S if pause.is_noticed else 0):
        if context.describe(producer).is_settled:
            break
    if pause.until != "the next answer":
        return
    if context.armed.polls_partitions:
        _poll(context, [partition for partition, leader in context.leaders.items() if leader != pause.node])
    resume(context)
    context.states_seen.append(context.describe(producer).state)
    if context.armed.polls_partitions:
        _poll(context, list(context.leaders))


def _has_what_it_can_have(context: KafkaContext, partition: TopicPartition, paused: int) -> bool:
    """Whether a partition has its marker, or can have none while that node is paused, because it leads the partition or has a replica of
    it.

    A leader that gets markers for several partitions may answer for all of them at once, so where one has to wait, the others are read.
    """
    if context.leaders.get(partition) == paused or partition in context.replicated:
        return True
    if not context.replicated:
        return False
    return (
        len({achieved(context.observer.end_offset(partition, isolation), f"asking where {partition} ends") for isolation in IsolationLevel})
        == 1
    )


def _through_a_pause(context: KafkaContext, producer: ProducerInstance, pause: Pause, request: Request) -> Outcome[object]:
    first = context.first_answer = request(False)
    if isinstance(first, Unknown) and (first.lost or not context.replicated):
        unanswered(first, f"{producer.name} asked while node {pause.node} was paused")
    if isinstance(first, Refused):
        context.refusals.append(first)
    resume(context)
    return request(True)


def _insist(context: KafkaContext, producer: ProducerInstance, name: str, request: Request) -> Outcome[object]:
    """Send the request from the moment at which the system is started again until it succeeds or is refused for good.

    Nothing is sent before the system listens, so that no time is spent on answers that cannot come. The system is then asked at its
    previous address, because looking it up takes as long as the coordinator loads; and while it answers, the coordinator is observed.
    """
    answer: Outcome[object] = Unknown("nothing was sent")
    asked_before = len(context.session.exchanges())
    was_away = False
    for _ in _close_together(context.time, A_START_S):
        if not producer.probe.is_listened_to():
            was_away = True
            continue
        if was_away and not isinstance(answer, Refused):
            producer.probe.learn_from(context.observer)
        with producer.probe.hurried(_ATTEMPT_S, (lambda: _look_at_coordinator(context, producer)) if was_away else _nothing):
            answer = request(False)
        if isinstance(answer, Done) or (isinstance(answer, Refused) and answer.error not in RETRIABLE):
            break
    names = (f"{name} v", *(_ADD_FIRST if producer.adds_first else ()))
    asked = [exchange for exchange in context.session.exchanges()[asked_before:] if exchange.name.startswith(names)]
    context.errors_answered = {error for exchange in asked for error in _errors_in(exchange.answer)}
    return answer


def _look_at_coordinator(context: KafkaContext, producer: ProducerInstance) -> None:
    """Keep what the coordinator reports of itself while a request that was sent before is in flight. It reports that to any client that
    only looks.
    """
    context.held_back = None
    if context.can_describe:
        with context.observer.hurried(_ATTEMPT_S):
            answer = context.observer.coordinator_now(producer.transactional_id)
        if isinstance(answer, Refused) and answer.error in COORDINATOR_AWAY:
            context.held_back = answer.error


def _nothing() -> None:
    """For a system that did not crash: nothing to do while it answers."""


def _close_together(time: Time, patience_s: float) -> Iterator[int]:
    """Attempts whose pauses start over, and so stay short: a coordinator may load within some milliseconds, in which it has to be asked."""
    end = time.now_ms() + 1000 * patience_s
    while time.now_ms() < end:
        yield from time.attempts(_SHORT_S)


def _errors_in(answer: object) -> Iterator[str]:
    """All errors in an answer, by their names; a client that retries by itself has seen them too."""
    if isinstance(answer, Mapping):
        yield from (error for key, error in answer.items() if key.endswith("error_code") and error != "NONE")
    if isinstance(answer, Mapping | list):
        for part in answer.values() if isinstance(answer, Mapping) else answer:
            yield from _errors_in(part)


def _poll_until_settled(context: KafkaContext, producer: ProducerInstance) -> None:
    """Poll until the transaction is over, which a refused end may leave open for good."""
    armed = context.armed
    if armed.polls_partitions:
        for _ in context.time.attempts():
            _poll(context, context.partitions)
            if isinstance(context.answer, Refused) or context.is_over(producer):
                break
        _poll(context, context.partitions)
    if armed.polls_transaction_of == producer.name:
        context.states_since_answer = [context.describe(producer).state]
        for _ in context.time.attempts():
            _see(context, context.states_since_answer[-1])
            if not context.states_since_answer[-1].startswith(("Ongoing", "Prepare")):
                break
            context.states_since_answer.append(context.describe(producer).state)


def _watched(context: KafkaContext, producer: ProducerInstance, commit: bool, again: Request) -> Request:
    """Send EndTxn, and ask the coordinator for the state of the transaction before that and while its answer is in flight."""
    context.states_seen = [context.describe(producer).state]

    def request(retry: bool) -> Outcome[object]:
        version = context.version(producer, "end_txn")
        wait = producer.probe.send_end_txn(producer.transactional_id, producer.current, commit=commit, version=version)
        _see(context, context.describe(producer).state)
        answer = wait()
        return again(retry) if isinstance(answer, Refused) and answer.error in RETRIABLE else answer

    return request


def _see(context: KafkaContext, state: str) -> None:
    if state != context.states_seen[-1]:
        context.states_seen.append(state)


def _poll(context: KafkaContext, partitions: list[TopicPartition]) -> None:
    for partition in partitions:
        view = observed(context.observer.read(partition, IsolationLevel.READ_COMMITTED), f"reading {partition}")
        context.polled.setdefault(partition, []).append(view)
