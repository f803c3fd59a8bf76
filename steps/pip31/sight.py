"""Then: what was answered, what consumers get, and how a transaction stands."""

from pytest_bdd import parsers, then

from fencepost.adapters.ports import Done, Refused, Unknown
from fencepost.adapters.pulsar.values import Status
from fencepost.steps.outcomes import observed, unanswered

from .setting import VALUES, values_of
from .world import PulsarWorld


@then("the request succeeds")
def succeeds(pulsar: PulsarWorld) -> None:
    """What the When asked was done, and said to be."""
    if isinstance(pulsar.answer, Unknown):
        unanswered(pulsar.answer, "asking for what must succeed")
    pulsar.evidence.expect(isinstance(pulsar.answer, Done), "success", str(pulsar.answer))


@then(parsers.re(r"the request is refused(?: with (?P<error>[A-Za-z]+))?$"))
def is_refused(pulsar: PulsarWorld, error: str | None) -> None:
    """What the When asked was not done, and said not to be; with the protocol's name of the error where the text has one."""
    if isinstance(pulsar.answer, Unknown):
        unanswered(pulsar.answer, "asking for what must be refused")
    holds = isinstance(pulsar.answer, Refused) and error in (None, pulsar.answer.error)
    pulsar.evidence.expect(holds, f"a refusal{f' with {error}' if error else ''}", str(pulsar.answer))


@then(parsers.re(rf"consumers of (?P<topic>\w+) get (?:(?P<values>{VALUES})|nothing)$"))
def consumers_get(pulsar: PulsarWorld, topic: str, values: str | None) -> None:
    """A new subscription from the earliest message on gets these in this order, and no others, once what was ended is ended
    everywhere; that it gets no others is known by a later message, or by the position up to which the topic may be read."""
    pulsar.await_ends()
    found = list(observed(pulsar.log.committed(topic), f"reading {topic}"))
    expected = values_of(values or "")
    pulsar.evidence.expect(found == expected, f"consumers of {topic} get {expected or 'nothing'}", f"{found or 'nothing'}")


@then(parsers.re(rf'subscription "(?P<name>\w+)" of (?P<topic>\w+) gets (?:(?P<values>{VALUES})|nothing)$'))
def subscription_gets(pulsar: PulsarWorld, name: str, topic: str, values: str | None) -> None:
    """A new consumer of a subscription that exists gets these, and no others; an order among what comes again is not asked for."""
    pulsar.await_ends()
    found = sorted(observed(pulsar.log.left(name, topic), f"reading {topic} as {name}"))
    expected = sorted(values_of(values or ""))
    pulsar.evidence.expect(found == expected, f"{name} of {topic} gets {expected or 'nothing'}", f"{found or 'nothing'}")


@then(parsers.re(r"(?P<name>[A-Z]) is (?P<status>OPEN|COMMITTING|COMMITTED|ABORTING|ABORTED)$"))
def transaction_is(pulsar: PulsarWorld, name: str, status: str) -> None:
    """The coordinator says so, within patience. A transaction that has ended may have been forgotten by then, which says nothing
    of how it ended: what consumers get says that."""
    wanted = Status[status]
    forgettable: tuple[Status | None, ...] = (None,) if wanted in (Status.COMMITTED, Status.ABORTED) else ()
    found = pulsar.await_status(name, wanted, *forgettable)
    shown = "not known any more" if found is None else found.name
    pulsar.evidence.expect(found in (wanted, *forgettable), f"{name} is {status}", shown)
