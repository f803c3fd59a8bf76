"""Transactions that are open in a log and nowhere else: what an old client can leave behind where nobody verifies."""

from pytest_bdd import given, parsers

from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved

from .world import World


@given(parsers.parse('{name:w} has slipped "{value}" into {partition}, of which the coordinator knows nothing'))
def has_slipped(world: World, name: str, value: str, partition: str) -> None:
    """Produce v11 without AddPartitionsToTxn was accepted, and DescribeTransactions still says Empty."""
    producer = world.producer(name)
    achieved(producer.write(world.partition(partition), value, version=11), f"writing {value} to {partition} unannounced")
    state = achieved(world.observer.describe_transaction(producer.transactional_id), f"describing the transaction of {name}").state
    if state != "Empty":
        raise SetUpFailed(f"the coordinator knows of a transaction of {name} that nobody announced: it is {state}")
