"""How a request of the When meets the faults that were armed for it.

A client behaves as Kafka's do: one that has lost its connection asks again, with the same producer id and epoch, and one that meets a
system on its way back asks until it is served. What was refused on the way is kept beside the answer.
"""

from collections.abc import Callable

from fencepost.adapters.kafka.values import Isolation, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered

from .context import Pause, ScenarioContext
from .producer import Producer
from .values import APIS

Request = Callable[[bool], Outcome[object]]
"""Sends one request and says what came of it; with False, what says to ask again is an answer like others."""

A_START_S = 120.0
"""How long is waited for a broker that starts, which other scenarios leave to the system; some take a minute on a busy machine."""

COORDINATOR_AWAY = {"COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"}
RETRIABLE = COORDINATOR_AWAY | {
    "CONCURRENT_TRANSACTIONS",
    "NOT_ENOUGH_REPLICAS",
    "LEADER_NOT_AVAILABLE",
    "NOT_LEADER_OR_FOLLOWER",
    "UNKNOWN_TOPIC_OR_PARTITION",
}


def put(context: ScenarioContext, producer: Producer, api: str, request: Request) -> None:
    """Send a request of the When as the armed faults have it, and keep the answer."""
    armed = context.armed
    name = next(spoken for spoken, known in APIS.items() if known == api)
    fate = armed.wire.pop((producer.name, api), None)
    if armed.is_starting:
        answer = _insist(context, request)
    elif armed.pause is not None and armed.pause.until == "the next refusal":
        answer = _through_a_pause(context, producer, armed.pause, request)
    elif fate in ("is lost", "is answered, and the answer is lost"):
        must_be_unknown(request(True), f"sending {name}")
        answer = request(True)
    else:
        answer = request(True)
    context.keep(producer, answer, name)
    if fate == "arrives twice" and context.session.wire.outstanding():
        raise SetUpFailed(f"the {name} that was to arrive twice was never sent")


def end(context: ScenarioContext, producer: Producer, commit: bool, request: Request) -> None:
    """EndTxn of the When, which may meet a crash or a pause, and be polled."""
    moment = context.armed.crashes.pop(producer.name, None)
    if moment == "before it answers":
        wait = producer.probe.send_end_txn(producer.transactional_id, producer.current, commit=commit)
        context.session.faults.crash()
        must_be_unknown(wait(), f"ending the transaction of {producer.name}")
        restart(context)
    if context.armed.polls_transaction_of:
        context.states_seen = [context.before.transactions[producer.transactional_id].state]
    if context.armed.polls_partitions and context.armed.pause is None and not context.polled:
        _poll(context, context.partitions)
    put(context, producer, "end_txn", request)
    if moment == "right after it answers":
        achieved(context.answer or Unknown("nothing was sent"), f"ending the transaction of {producer.name}")
        context.session.faults.crash()
        restart(context)
    elif context.armed.pause is not None:
        while_paused(context, producer, context.armed.pause)
    else:
        _poll_until_settled(context, producer)


def must_be_unknown(outcome: Outcome[object], doing: str) -> None:
    """What went wrong on the wire leaves the client not knowing; anything else means that the fault did not happen."""
    if not isinstance(outcome, Unknown):
        raise SetUpFailed(f"{doing} was to get no answer, and got one: {outcome}")


def restart(context: ScenarioContext) -> None:
    """Start what has crashed and wait until it serves transactions; what was to last until then is over."""
    context.session.faults.restart()
    after_restart(context)


def after_restart(context: ScenarioContext) -> None:
    """A pause until the restart ends, and what was blocked until then is completed."""
    for producer in context.producers.values():
        if producer.is_blocked_until_restart:
            producer.is_blocked_until_restart = producer.is_incomplete = False
            achieved(context.observer.settled(producer.transactional_id), f"waiting for the markers of {producer.name}")
    if context.armed.pause is not None and context.armed.pause.until == "the next restart":
        resume(context)


def resume(context: ScenarioContext) -> None:
    """The paused node goes on, and what waited for it is done."""
    pause, context.armed.pause = context.armed.pause, None
    assert pause is not None, "a node goes on that was paused"
    context.session.faults.resume(pause.node)
    for producer in context.producers.values():
        producer.is_incomplete = False
    context.await_markers()


def while_paused(context: ScenarioContext, producer: Producer, pause: Pause) -> None:
    """The end is answered: the partitions of other nodes get their markers, and the node goes on where this was what it waited for."""
    for _ in context.time.attempts():
        seen = context.describe(producer)
        if all(context.leaders.get(partition) == pause.node for partition in seen.partitions):
            break
    context.states_seen = [seen.state]
    if pause.until != "the next answer":
        return
    if context.armed.polls_partitions:
        _poll(context, [partition for partition, leader in context.leaders.items() if leader != pause.node])
    resume(context)
    context.states_seen.append(context.describe(producer).state)
    if context.armed.polls_partitions:
        _poll(context, list(context.leaders))


def _through_a_pause(context: ScenarioContext, producer: Producer, pause: Pause, request: Request) -> Outcome[object]:
    first = request(False)
    if isinstance(first, Unknown):
        unanswered(first, f"{producer.name} asked while node {pause.node} was paused")
    if isinstance(first, Refused):
        context.refusals.append(first)
    resume(context)
    return request(True)


def _insist(context: ScenarioContext, request: Request) -> Outcome[object]:
    """Ask from the moment at which the system is started again until the request succeeds or is refused for good."""
    answer: Outcome[object] = Unknown("nothing was sent")
    for _ in context.time.attempts(A_START_S):
        answer = request(False)
        if isinstance(answer, Refused):
            context.refusals.append(answer)
        if isinstance(answer, Done) or (isinstance(answer, Refused) and answer.error not in RETRIABLE):
            break
    return answer


def _poll_until_settled(context: ScenarioContext, producer: Producer) -> None:
    armed = context.armed
    if armed.polls_partitions:
        for _ in context.time.attempts():
            _poll(context, context.partitions)
            if context.describe(producer).is_settled:
                break
        _poll(context, context.partitions)
    if armed.polls_transaction_of:
        for _ in context.time.attempts():
            state = context.describe(producer).state
            if state != context.states_seen[-1]:
                context.states_seen.append(state)
            if not state.startswith(("Ongoing", "Prepare")):
                break


def _poll(context: ScenarioContext, partitions: list[TopicPartition]) -> None:
    for partition in partitions:
        view = observed(context.observer.read(partition, Isolation.READ_COMMITTED), f"reading {partition}")
        context.polled.setdefault(partition, []).append(view)
