"""When: the one thing that is asked."""

from pytest_bdd import parsers, when

from fencepost.contract.outcomes import Done, Unknown
from fencepost.steps.outcomes import achieved, unanswered

from .world import CoreWorld


@when(parsers.re(r"(?P<name>[A-Z]) (?P<how>commits|aborts)$"))
def ends(core: CoreWorld, name: str, how: str) -> None:
    """The writer ends its open transaction."""
    core.ask(core.end(name, how == "commits"))


@when(parsers.re(r"(?P<name>[A-Z]) (?P<how>commits|aborts) the same transaction again"))
def ends_again(core: CoreWorld, name: str, how: str) -> None:
    """The transaction that was ended last is ended once more, in this way."""
    core.ask(core.writers[name].end_again(how == "commits"))


@when(parsers.re(r'(?P<name>[A-Z]) writes "(?P<value>[^"]+)" to (?P<log>\w+)$'))
def writes(core: CoreWorld, name: str, value: str, log: str) -> None:
    """One write in the writer's transaction."""
    is_over = name in core.ended
    core.ask(core.write(name, log, value))
    if is_over:  # somebody else has ended it, and this write opens no other
        core.ended.add(name)


@when(parsers.re(r'(?P<name>[A-Z]) writes "(?P<value>[^"]+)" to (?P<log>\w+) and commits'))
def writes_and_commits(core: CoreWorld, name: str, value: str, log: str) -> None:
    """One more write, and a commit."""
    match core.write(name, log, value):
        case Done():
            core.ask(core.end(name, True))
        case Unknown() as unknown:
            unanswered(unknown, f"writing {value} to {log}")
        case refusal:  # a transaction that may not go on is for the Then to judge
            core.ask(refusal)


@when(
    parsers.re(
        r'(?P<name>[A-Z]) takes (?P<count>\d+) values? of (?P<log>\w+) for group "(?P<group>\w+)", '
        r'writes "(?P<value>[^"]+)" to (?P<output>\w+) and commits'
    )
)
def takes_writes_and_commits(core: CoreWorld, name: str, count: str, log: str, group: str, value: str, output: str) -> None:
    """A whole transaction that reads, writes and commits."""
    core.take(name, group, log, int(count))
    achieved(core.write(name, output, value), f"writing {value} to {output}")
    core.ask(core.end(name, True))


@when(parsers.re(r'"(?P<value>[^"]+)" is written to (?P<log>\w+)$'))
def is_written(core: CoreWorld, value: str, log: str) -> None:
    """A write outside of all transactions."""
    core.ask(core.system.write(log, value))


@when(parsers.re(r"(?P<name>[A-Z]) leaves its transaction open past its time-out"))
def leaves_open(core: CoreWorld, name: str) -> None:
    """The writer does nothing, and the system is watched until the transaction is over or patience ends."""
    core.ended.add(name)
    core.await_ends()


@when(parsers.re(r"(?P<name>[A-Z]) (?P<how>commits|aborts), and the system crashes right after the answer"))
def ends_and_crashes(core: CoreWorld, name: str, how: str) -> None:
    """The decision was answered; then the power fails, and the system starts with what was durable."""
    outcome = core.end(name, how == "commits")
    match outcome:
        case Done():
            core.ask(outcome)
        case Unknown() as unknown:
            unanswered(unknown, f"ending the transaction of {name}")
        case refusal:
            achieved(refusal, f"ending the transaction of {name}")
    core.session.faults.crash()
    core.session.faults.restart()
