"""The participants of a transaction, topics and subscriptions: how they are added, and what they keep of it."""

from fencepost.contract.outcomes import Refused
from fencepost.steps.step_outcomes import achieved, observed

from .pulsar_context import PulsarContext
from .sentence_values import Participant
from .transactions import GONE
from .vocabulary import PULSAR

ADD = PULSAR.act(
    given="{transaction} has added {participants}",
    tried="{transaction} has tried to add a topic whose name cannot be parsed",
    when="{transaction} adds {participants}",
    meaning="ADD_PARTITION_TO_TXN or ADD_SUBSCRIPTION_TO_TXN, one request for all, also for what the transaction has already. "
    "A name that cannot be parsed: foo://x, whatever the answer. The status of the transaction is not requested any more: the coordinator "
    "may be unable to report it.",
)
_NO_NAME = "foo://x"


@ADD.given
def has_added(context: PulsarContext, transaction: str, participants: tuple[Participant, ...]) -> None:
    achieved(context.add(transaction, participants), f"adding to {transaction}")


@ADD.tried
def has_tried_to_add_no_name(context: PulsarContext, transaction: str) -> None:
    context.client.add_topics(context.id_of(transaction), [_NO_NAME])
    context.transactions[transaction].is_notified = False


@ADD.when
def adds(context: PulsarContext, transaction: str, participants: tuple[Participant, ...]) -> None:
    request = "ADD_SUBSCRIPTION_TO_TXN" if participants[0].is_subscription else "ADD_PARTITION_TO_TXN"
    context.ask(request, context.add(transaction, participants))


@PULSAR.then("{participants} {take_part} in {transaction}")
def take_part_or_not(context: PulsarContext, participants: tuple[Participant, ...], take_part: str, transaction: str) -> None:
    """The coordinator lists each of them among the participants; or none of them, or it does not know the transaction any more."""
    what = f"participants of {transaction}"
    known = context.client.transaction(context.id_of(transaction))
    if take_part == "does not take part" and isinstance(known, Refused) and known.code == GONE:
        context.evidence.saw(f"{what}: {transaction} is not known any more")
        return
    metadata = observed(known, f"asking who takes part in {transaction}")
    there = metadata.topics | metadata.subscriptions
    names = {one: context.subscription(one.name) if one.is_subscription else context.topics[one.name] for one in participants}
    missing = [str(one) for one, name in names.items() if name not in there]
    if take_part == "does not take part":
        unwanted = " or ".join(map(str, participants))
        context.evidence.expect(len(missing) == len(names), f"not {unwanted}", ", ".join(sorted(map(str, there))) or "nobody", what=what)
    else:
        seen = f"all but {' and '.join(missing)}" if missing else "all of them"
        context.evidence.expect(not missing, "all of them", seen, what=what)


@PULSAR.then("nothing of {transaction} is pending in {participant}")
def nothing_is_pending(context: PulsarContext, transaction: str, participant: Participant) -> None:
    """Within patience, the topic has no message that waits for the end of the transaction; or no acknowledgement on the subscription waits
    for the end of any transaction.
    """
    waiting: object = None
    for _ in context.session.time.attempts():
        waiting = _pending(context, transaction, participant)
        if not waiting:
            break
    context.evidence.expect(not waiting, "nothing", f"{waiting or 'nothing'}", what=f"pending in {participant}")


def _pending(context: PulsarContext, transaction: str, participant: Participant) -> str:
    if participant.is_subscription:
        stats = context.client.pending_ack_stats(context.subscription(participant.name))
        ongoing = observed(stats, f"looking at what is pending for {participant}").ongoing
        return f"something of {ongoing} transactions" if ongoing else ""
    buffer = context.client.transaction_in_buffer(context.id_of(transaction), context.topics[participant.name])
    start = observed(buffer, f"looking at the buffer of {participant}").start
    return f"{transaction} from {start} on" if start else ""
