"""InitProducerId: which client sends it, with which producer id and epoch, and with which timeout."""

from fencepost.adapters.kafka.kafka_values import NO_PRODUCER, ProducerIdentity
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.steps.step_outcomes import achieved

from .identities import claimed
from .judging import answered, reported
from .kafka_context import KafkaContext
from .producer import ProducerInstance
from .requests import put
from .vocabulary import KAFKA

LONG_TIMEOUT_MS = 180_000
"""Longer than scenarios that share a crash wait for each other on a busy machine."""

SHORT_TIMEOUT_MS = 2_000
"""Long enough for two requests, and over before a scenario's patience ends."""

_ALLOWED_MS = 900_000
"""`transaction.max.timeout.ms` of a broker whose limits are known."""

HALF_OF_A_SHORT_TIMEOUT = "half of a short timeout"

TIMEOUTS_MS = {
    "a short timeout": SHORT_TIMEOUT_MS,
    HALF_OF_A_SHORT_TIMEOUT: SHORT_TIMEOUT_MS // 2,
    "a timeout of zero": 0,
    "a negative timeout": -1,
    "the largest timeout": 2**31 - 1,
    "a shorter timeout": LONG_TIMEOUT_MS // 2,
    "a longer timeout": LONG_TIMEOUT_MS * 2,
    "the longest timeout that is allowed": _ALLOWED_MS,
    "a millisecond more than is allowed": _ALLOWED_MS + 1,
}
"""The largest is the largest number that fits into the message: a broker is free to allow less."""

_NAMES_TRIED = 200
"""So many names that, with a hundred nodes, one node nearly always leads the coordinator's partition of at least one of them."""

_REQUEST = "init_producer_id"
_ASK_AGAIN = "CONCURRENT_TRANSACTIONS"


INITIALISE = KAFKA.act(
    given="{producer} has initialised again",
    tried="{producer} has initialised again, and had to wait",
    when="{producer} initialises again[ with {identity}][ with {timeout}][ {unsupported}]",
    meaning="InitProducerId for the producer's transactional id, with its producer id and epoch unless others are named."
    " Answered to wait: sent once, and refused CONCURRENT_TRANSACTIONS, since its open transaction is PrepareAbort.",
)


@INITIALISE.given
def has_initialised_again(context: KafkaContext, producer: str) -> None:
    one = context.producers[producer]
    one.given.append(achieved(initialised_again(context, one), f"initialising {producer} again"))
    one.added.clear()


@INITIALISE.when
def initialises_again(context: KafkaContext, producer: str, identity: str | None, timeout: str | None, unsupported: str | None) -> None:
    one = context.turn_of(producer)
    if unsupported:
        context.keep(one, one.probe.init_producer_id_unoffered(one.transactional_id), "InitProducerId")
        return
    _, current = claimed(context, one, identity)
    version, timeout_ms = context.version(one, _REQUEST), TIMEOUTS_MS[timeout] if timeout else LONG_TIMEOUT_MS

    def request(retry: bool) -> Outcome[ProducerIdentity]:
        return one.probe.init_producer_id(one.transactional_id, timeout_ms=timeout_ms, current=current, version=version, retry=retry)

    put(context, one, _REQUEST, request)


@INITIALISE.tried
def was_notified_to_wait(context: KafkaContext, producer: str) -> None:
    one = context.producers[producer]
    version = context.version(one, _REQUEST)
    answer = one.probe.init_producer_id(one.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=one.current, version=version, retry=False)
    if not isinstance(answer, Refused) or answer.error != _ASK_AGAIN:
        raise SetUpFailed(f"{producer} was not answered to wait: {reported(answered(answer, f'initialising {producer} again'))}")
    description = achieved(context.observer.describe_transaction(one.transactional_id), f"describing {producer}")
    if description.state != "PrepareAbort":
        raise SetUpFailed(f"initialising {producer} again left its transaction in {description.state}")


@KAFKA.given("{producer} has tried to initialise again with {identity}")
def has_tried_to_initialise_again(context: KafkaContext, producer: str, identity: str) -> None:
    """InitProducerId is sent once, and a refusal is as good as a success; the producer goes on as it was."""
    one = context.producers[producer]
    _, current = claimed(context, one, identity)
    version = context.version(one, _REQUEST)
    answer = one.probe.init_producer_id(one.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=current, version=version, retry=False)
    answered(answer, f"initialising {producer} again")


TAKE_OVER = KAFKA.act(
    given="{successor:producer} has taken over from {producer}",
    when="{successor:producer} takes over from {producer}[ with {timeout}]",
    meaning="A second instance initialises the same transactional id without a producer id, which ends an open transaction of the first."
    " It asks again for as long as it is refused CONCURRENT_TRANSACTIONS, for a short time only while completion is blocked.",
)


@TAKE_OVER.given
def has_taken_over(context: KafkaContext, successor: str, producer: str) -> None:
    identifier, probe = context.producers[producer].transactional_id, context.session.client(successor)
    context.producers[successor] = ProducerInstance(
        successor, identifier, probe, [achieved(_init(probe, identifier), f"initialising {successor}")]
    )


@TAKE_OVER.when
def takes_over(context: KafkaContext, successor: str, producer: str, timeout: str | None) -> None:
    owner = context.turn_of(producer)
    instance = ProducerInstance(successor, owner.transactional_id, context.session.client(successor), [])
    instance.is_incomplete = owner.is_incomplete
    answer = instance.probe.init_producer_id(
        owner.transactional_id,
        timeout_ms=TIMEOUTS_MS[timeout] if timeout else LONG_TIMEOUT_MS,
        current=NO_PRODUCER,
        version=context.version(instance, _REQUEST),
    )
    if isinstance(answer, Done):
        instance.given.append(answer.value)
        context.producers[successor] = instance
    context.keep(owner, answer, "InitProducerId")


CLIENT = KAFKA.act(
    given="a client has initialised with {which_id} transactional id",
    when="a client initialises with {which_id} transactional id[ and the producer id and epoch of {producer}][ with {timeout}]",
    meaning="InitProducerId v5, or v4 or v3 where that is the newest, of a client that is no producer of the scenario, without producer id"
    " and epoch unless some are named.",
)


@CLIENT.given
def a_client_has_initialised(context: KafkaContext, which_id: str) -> None:
    outcome = context.observer.init_producer_id(_identifier(context, which_id), version=context.observer.newest(_REQUEST, 3, 5))
    context.anonymous.append(achieved(outcome, f"initialising with {which_id} transactional id"))


@CLIENT.when
def a_client_initialises(context: KafkaContext, which_id: str, producer: str | None, timeout: str | None) -> None:
    context.begin()
    current = context.producers[producer].current if producer else NO_PRODUCER
    timeout_ms = TIMEOUTS_MS[timeout] if timeout else LONG_TIMEOUT_MS
    identifier, version = _identifier(context, which_id), context.observer.newest(_REQUEST, 3, 5)
    answer = context.observer.init_producer_id(identifier, timeout_ms=timeout_ms, current=current, version=version)
    context.keep(None, answer, "InitProducerId")


def initialise(context: KafkaContext, name: str, identifier: str, timeout: str | None = None, near: ProducerInstance | None = None) -> None:
    """A new producer of the scenario; `near` another one, it has the same coordinator."""
    probe = context.session.client(name)
    unique = context.session.unique(identifier) if near is None else at_its_coordinator(context, probe, identifier, near)
    timeout_ms = TIMEOUTS_MS[timeout] if timeout else LONG_TIMEOUT_MS
    context.producers[name] = ProducerInstance(name, unique, probe, [achieved(_init(probe, unique, timeout_ms), f"initialising {name}")])


def at_its_coordinator(context: KafkaContext, probe: KafkaProbe, identifier: str, near: ProducerInstance) -> str:
    """A transactional id like this one, with the coordinator of the other producer: one request cannot go to two nodes."""
    names = (context.session.unique(f"{identifier}-{number}" if number else identifier) for number in range(_NAMES_TRIED))
    first = next(names)
    wanted, found = near.probe.coordinator(near.transactional_id), probe.coordinator(first)
    if wanted == found or not (isinstance(wanted, Done) and isinstance(found, Done)):
        return first
    return next((name for name in names if probe.coordinator(name) == wanted), first)


def initialised_again(context: KafkaContext, producer: ProducerInstance) -> Outcome[ProducerIdentity]:
    """The answer to InitProducerId with the producer id and epoch that the producer has."""
    version = context.versions.get((producer.name, _REQUEST), producer.probe.newest(_REQUEST, 3, 5))
    return producer.probe.init_producer_id(producer.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=producer.current, version=version)


def _init(probe: KafkaProbe, identifier: str, timeout_ms: int = LONG_TIMEOUT_MS) -> Outcome[ProducerIdentity]:
    """InitProducerId v5, or v4 or v3 where that is the newest: they differ only in errors."""
    return probe.init_producer_id(identifier, timeout_ms=timeout_ms, current=NO_PRODUCER, version=probe.newest(_REQUEST, 3, 5))


def _identifier(context: KafkaContext, which: str) -> str | None:
    return {"no": None, "an empty": ""}.get(which, context.session.unique("unused"))
