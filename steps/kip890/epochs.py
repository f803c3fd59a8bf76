"""The last epoch of a producer id, and the epoch that no answer may return."""

from collections.abc import Iterator

from fencepost.adapters.kafka.kafka_values import LAST_USABLE_EPOCH
from fencepost.contract.outcomes import Done
from fencepost.steps.kafka.judging import answer_of, judge_answer, reported
from fencepost.steps.kafka.kafka_context import KafkaContext

from .vocabulary import KIP890

_HANDS_OUT = ("InitProducerId ", "EndTxn ")


@KIP890.then("no answer has epoch 32767")
def no_answer_has_the_reserved_epoch(context: KafkaContext) -> None:
    """No answer of the scenario to InitProducerId or EndTxn has an epoch above 32766; the answer to the When is one of them."""
    answer, epochs = answer_of(context), list(_epochs(context))
    seen = f"the largest of {len(epochs)} is {max(epochs, default=-1)}; the last answer is {reported(answer)}"
    holds = isinstance(answer, Done) and bool(epochs) and max(epochs) <= LAST_USABLE_EPOCH
    judge_answer(context, holds, f"epochs up to {LAST_USABLE_EPOCH}", answer, seen)


def _epochs(context: KafkaContext) -> Iterator[int]:
    for exchange in context.session.exchanges():
        if exchange.name.startswith(_HANDS_OUT) and exchange.answer is not None and "producer_epoch" in exchange.answer:
            yield exchange.answer["producer_epoch"]
