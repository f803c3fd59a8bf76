"""Several instances that initialise one transactional id at once."""

from fencepost.adapters.kafka.kafka_values import NO_PRODUCER, ProducerIdentity
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.steps.kafka.initialising import LONG_TIMEOUT_MS
from fencepost.steps.kafka.judging import answered, reported
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.requests import COORDINATOR_AWAY, resume
from fencepost.steps.step_outcomes import achieved

from .vocabulary import KIP890

_ASK_AGAIN = COORDINATOR_AWAY | {"CONCURRENT_TRANSACTIONS"}


@KIP890.state
def instances() -> list[Outcome[ProducerIdentity]]:
    """The last answer to each instance."""
    return []


@KIP890.when("{count:number} instances take over from {producer} at the same time")
def take_over_at_once(context: KafkaContext, instances: list[Outcome[ProducerIdentity]], count: int, producer: str) -> None:
    """InitProducerId without a producer id on a connection for each, all sent before any answer is read.

    Instances that are refused CONCURRENT_TRANSACTIONS, or with an error to find their coordinator, retry, one after the other, for as long
    as they are. A paused node goes on before they do.
    """
    one = context.turn_of(producer)
    clients = [context.session.client(f"{producer}-{number}") for number in range(1, count + 1)]
    for client in clients:  # each connects and finds the coordinator first, so that the requests leave together
        achieved(client.describe_transaction(one.transactional_id), f"describing the transaction of {producer}")
    waits = [client.send_init_producer_id(one.transactional_id, timeout_ms=LONG_TIMEOUT_MS) for client in clients]
    first = [wait() for wait in waits]
    if context.armed.pause is not None and any(isinstance(answer, Refused) for answer in first):
        resume(context)
    for client, answer in zip(clients, first, strict=True):
        is_notified_to_wait = isinstance(answer, Refused) and answer.error in _ASK_AGAIN
        again = (
            client.init_producer_id(one.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=NO_PRODUCER)
            if is_notified_to_wait
            else answer
        )
        instances.append(again)
    context.keep(one, instances[-1], "InitProducerId")


@KIP890.then("no two instances were given the same epoch, and the largest is in force")
def each_has_its_own(context: KafkaContext, instances: list[Outcome[ProducerIdentity]]) -> None:
    """Every instance was given a producer id and epoch, no two the same, and DescribeTransactions shows the largest of them."""
    answers = [answered(outcome, "several instances took over at once") for outcome in instances]
    given = [outcome.value for outcome in instances if isinstance(outcome, Done)]
    assert context.asked is not None, "a sentence about instances stands after a When"
    in_force = context.describe(context.asked).producer
    holds = len(given) == len(answers) and len(set(given)) == len(given) and in_force == max(given, key=lambda one: one.epoch)
    seen = f"{'; '.join(reported(answer) for answer in answers)}; in force is {in_force}"
    context.evidence.expect(
        holds, f"{len(answers)} different epochs, the largest in force", seen, what="epochs of instances that took over"
    )
