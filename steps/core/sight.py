"""Then: what was answered, and what readers and groups get."""

from pytest_bdd import parsers, then

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import observed, unanswered

from .setting import VALUES, values_of
from .world import CoreWorld


@then("it is done")
def it_is_done(core: CoreWorld) -> None:
    """What the When asked was done, and said to be."""
    match core.answer:
        case Unknown() as unknown:
            unanswered(unknown, "asking for what must be done")
        case answer:
            core.evidence.expect(isinstance(answer, Done), "what was asked is done", _told(answer))


@then("it is refused")
def it_is_refused(core: CoreWorld) -> None:
    """What the When asked was not done, and said not to be."""
    match core.answer:
        case Unknown() as unknown:
            unanswered(unknown, "asking for what must be refused")
        case answer:
            core.evidence.expect(isinstance(answer, Refused), "a refusal", _told(answer))


@then(parsers.re(rf"readers of (?P<log>\w+) see (?:(?P<values>{VALUES})|nothing)$"))
def readers_see(core: CoreWorld, log: str, values: str | None) -> None:
    """A new reader of committed data gets these values in this order, and no others, once what was decided is told everywhere."""
    _judge(core, log, values_of(values or ""), _committed(core, log))


@then(parsers.re(r'readers of (?P<log>\w+) see "(?P<one>[^"]+)" and "(?P<other>[^"]+)" in some order'))
def readers_see_both(core: CoreWorld, log: str, one: str, other: str) -> None:
    """Both values, each once, and no others; a log may order them as it likes."""
    _judge(core, log, sorted([one, other]), sorted(_committed(core, log)))


@then(parsers.re(r"readers of (?P<log>\w+) see all (?P<count>\d+) values, each once and in order"))
def readers_see_all(core: CoreWorld, log: str, count: str) -> None:
    """The values 1, 2, 3 and so on."""
    _judge(core, log, [str(number) for number in range(1, int(count) + 1)], _committed(core, log))


@then(parsers.re(rf'group "(?P<group>\w+)" has (?:(?P<values>{VALUES})|nothing) of (?P<log>\w+) left'))
def group_has_left(core: CoreWorld, group: str, values: str | None, log: str) -> None:
    """A new member of the group gets these values, and no others; an order among values that come again is not asked for."""
    core.await_ends()
    found = sorted(observed(core.system.left(group, log), f"reading {log} as {group}"))
    core.evidence.expect(found == values_of(values or ""), f"{values or 'nothing'} of {log} is left for {group}", f"{found}")


@then(parsers.re(r"the transaction of (?P<name>[A-Z]) is over"))
def is_over(core: CoreWorld, name: str) -> None:
    """It is decided, and everybody who took part knows."""
    core.await_ends()
    over = core.is_over(name)
    core.evidence.expect(over, f"the transaction of {name} is over", "it is" if over else "it is not")


def _told(answer: Outcome[object] | None) -> str:
    return "success" if isinstance(answer, Done) else f"a refusal: {answer}"


def _committed(core: CoreWorld, log: str) -> list[str]:
    core.await_ends()
    return list(observed(core.system.committed(log), f"reading {log}"))


def _judge(core: CoreWorld, log: str, expected: list[str], found: list[str]) -> None:
    why = f"; what was asked last was refused: {core.answer}" if isinstance(core.answer, Refused) else ""
    core.evidence.expect(found == expected, f"readers of {log} see {expected or 'nothing'}", f"{found or 'nothing'}{why}")
