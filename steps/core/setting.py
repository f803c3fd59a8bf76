"""Given: logs, writers, and what has happened so far."""

import re

import pytest
from pytest_bdd import given, parsers

from fencepost.contract.evidence import Evidence
from fencepost.contract.ports import Session
from fencepost.steps.outcomes import achieved

from .world import CoreWorld

VALUES = r'"[^"]+"(?:, "[^"]+")*'
_LONG_MS = 60_000
_SHORT_MS = 1_000
"""Long enough for two requests, and over while a scenario waits."""


def values_of(text: str) -> list[str]:
    """`"a", "b"` as a list."""
    return re.findall(r'"([^"]+)"', text)


@pytest.fixture
def core(fencepost_session: Session, fencepost_evidence: Evidence) -> CoreWorld:
    """The state of this scenario."""
    return CoreWorld(fencepost_session, fencepost_session.transactional_log(), fencepost_evidence)


@given(parsers.re(r'the logs? "(?P<one>\w+)"(?: and "(?P<other>\w+)")?$'))
def logs(core: CoreWorld, one: str, other: str | None) -> None:
    """Empty logs that only this scenario uses."""
    for name in filter(None, (one, other)):
        achieved(core.system.create(name), f"making the log {name}")


@given(parsers.re(rf'the log "(?P<name>\w+)" with (?P<values>{VALUES})$'))
def log_with_values(core: CoreWorld, name: str, values: str) -> None:
    """A log with values that were written outside of transactions."""
    achieved(core.system.create(name), f"making the log {name}")
    for value in values_of(values):
        achieved(core.system.write(name, value), f"writing {value} to {name}")


@given(parsers.re(r"(?:a writer|writers) (?P<one>[A-Z])(?: and (?P<other>[A-Z]))?(?P<short> with a short time-out)?$"))
def writers(core: CoreWorld, one: str, other: str | None, short: str | None) -> None:
    """Writers who have no transaction yet; with a short time-out their transactions are ended by the system soon."""
    for name in filter(None, (one, other)):
        core.writers[name] = achieved(core.system.writer(name, _SHORT_MS if short else _LONG_MS), f"becoming writer {name}")


@given(parsers.re(r"(?P<name>[A-Z]) has begun a transaction"))
def has_begun(core: CoreWorld, name: str) -> None:
    """The writer has a transaction in which nothing was written."""
    achieved(core.writers[name].begin(), f"beginning a transaction of {name}")


@given(parsers.re(rf"(?P<name>[A-Z]) has written (?P<values>{VALUES}) to (?P<log>\w+)$"))
def has_written(core: CoreWorld, name: str, values: str, log: str) -> None:
    """Each value was acknowledged; the transaction is open."""
    for value in values_of(values):
        achieved(core.write(name, log, value), f"writing {value} to {log}")


@given(parsers.re(r"(?P<name>[A-Z]) has written (?P<count>\d+) values to (?P<log>\w+)$"))
def has_written_many(core: CoreWorld, name: str, count: str, log: str) -> None:
    """The values 1, 2, 3 and so on, each acknowledged."""
    for number in range(1, int(count) + 1):
        achieved(core.write(name, log, str(number)), f"writing {number} to {log}")


@given(parsers.re(r'"(?P<value>[^"]+)" has been written to (?P<log>\w+)$'))
def has_been_written(core: CoreWorld, value: str, log: str) -> None:
    """A value outside of all transactions."""
    achieved(core.system.write(log, value), f"writing {value} to {log}")


@given(parsers.re(r'(?P<name>[A-Z]) has committed "(?P<value>[^"]+)" to (?P<log>\w+)$'))
def has_committed_value(core: CoreWorld, name: str, value: str, log: str) -> None:
    """A transaction of one write, which is over."""
    achieved(core.write(name, log, value), f"writing {value} to {log}")
    _has_ended(core, name, commit=True)


@given(parsers.re(r"(?P<name>[A-Z]) has (?P<how>committed|aborted)$"))
def has_ended(core: CoreWorld, name: str, how: str) -> None:
    """The transaction of the writer was ended, and is over."""
    _has_ended(core, name, commit=how == "committed")


@given(parsers.re(r"(?P<name>[A-Z]) has committed the same transaction again"))
def has_committed_again(core: CoreWorld, name: str) -> None:
    """The same decision was asked for once more, whatever came of it."""
    core.writers[name].end_again(commit=True)


@given(parsers.re(r"(?P<name>[A-Z]) has lost its transaction to somebody else"))
def has_lost(core: CoreWorld, name: str) -> None:
    """Somebody who may do so has aborted the writer's open transaction, and it is over. The writer was not told."""
    achieved(core.writers[name].lose_transaction(), f"taking the transaction from {name}")
    core.ended.add(name)
    core.await_ends()


@given(parsers.re(r'(?P<name>[A-Z]) has tried to write "(?P<value>[^"]+)" to (?P<log>\w+)$'))
def has_tried_to_write(core: CoreWorld, name: str, value: str, log: str) -> None:
    """The write was asked for once, whatever came of it."""
    core.writers[name].write(log, value)


@given(parsers.re(r"(?P<name>[A-Z]) has left its transaction open past its time-out"))
def has_left_open(core: CoreWorld, name: str) -> None:
    """The writer's transaction is over, and it was not the writer who ended it."""
    core.ended.add(name)
    core.await_ends()


@given(parsers.re(r'(?P<name>[A-Z]) has taken (?P<count>\d+) values? of (?P<log>\w+) for group "(?P<group>\w+)"$'))
def has_taken(core: CoreWorld, name: str, count: str, log: str, group: str) -> None:
    """The writer has read the next values for the group, and made that part of its transaction, which is open."""
    core.take(name, group, log, int(count))


@given("the system has crashed and come back")
def has_crashed(core: CoreWorld) -> None:
    """A power cut, and a start with what was durable."""
    core.session.faults.crash()
    core.session.faults.restart()


def _has_ended(core: CoreWorld, name: str, *, commit: bool) -> None:
    achieved(core.end(name, commit), f"{'committing' if commit else 'aborting'} the transaction of {name}")
    core.await_ends()
