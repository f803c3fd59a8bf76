"""An end that is decided and does not get through, and how a transaction stands meanwhile.

One more topic takes part in the transaction and is terminated, so that no end can be written to it. The coordinator waits for it for as
long as it is there; once it is deleted, it has no part in anything.
"""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import Status
from fencepost.steps.outcomes import achieved

from .ground import World, has_written


@given(parsers.re(r"the end of (?P<name>[A-Z]) is held back$"))
def is_held_back(world: World, name: str) -> None:
    """The open transaction goes no further than COMMITTING or ABORTING once it is ended.

    A message of the transaction is in the topic that holds it, for an abort may pass by a topic that has none.
    """
    holder = f"holder-of-{name}"
    world.create(holder)
    has_written(world, name, '"held"', holder)
    achieved(world.probe.terminate_topic(world.topics[holder]), "terminating the topic that holds the end back")
    world.pulsar.transactions[name].holder = holder


@when(parsers.re(r"the end of (?P<name>[A-Z]) is held back no longer$"))
def is_let_go(world: World, name: str) -> None:
    """The topic that held it is deleted; nobody asks for the end again."""
    achieved(world.let_go(name), "deleting the topic that holds the end back")


@then(parsers.re(r"(?P<name>[A-Z]) is (?P<status>OPEN|COMMITTING|COMMITTED|ABORTING|ABORTED)$"))
def transaction_is(world: World, name: str, status: str) -> None:
    """The coordinator says so, within patience. A transaction that has ended may have been forgotten by then, which says nothing
    of how it ended: what readers see says that."""
    wanted = Status[status]
    forgettable: tuple[Status | None, ...] = (None,) if wanted in (Status.COMMITTED, Status.ABORTED) else ()
    found = world.pulsar.await_status(name, wanted, *forgettable)
    shown = "not known any more" if found is None else found.name
    world.evidence.expect(found in (wanted, *forgettable), f"{name} is {status}", shown)
