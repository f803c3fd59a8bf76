"""The broker's internal logs, which refuse one append and accept the next."""

from fencepost.adapters.kafka.kafka_values import OFFSETS, TRANSACTIONS
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.ports import FailsAppends
from fencepost.steps.kafka.kafka_context import KafkaContext

from .vocabulary import KIP890

_LOGS = {"the transaction log": TRANSACTIONS, "the log of groups' offsets": OFFSETS}
_NUMBERS = {"next": 1, "second": 2}


@KIP890.given("the {which_append} append to {own_log} fails")
def append_fails(context: KafkaContext, which_append: str, own_log: str) -> None:
    """That append from now on is refused, and nothing of it is written; those before and after it are accepted."""
    _faults(context).refuse_append(_LOGS[own_log], _NUMBERS[which_append])


@KIP890.then("an append to {own_log} has failed")
def append_has_failed(context: KafkaContext, own_log: str) -> None:
    """The append that was to be refused has occurred; where it has not, the question was not put."""
    if _faults(context).append_is_to_be_refused(_LOGS[own_log]):
        raise SetUpFailed(f"{own_log} has not had the append that was to be refused")
    context.evidence.saw(f"an append to {own_log} was refused")


def _faults(context: KafkaContext) -> FailsAppends:
    faults = context.faults
    assert isinstance(faults, FailsAppends), "whose system offers failed-appends"
    return faults
