"""Crashes at a point of the system's own code, which a sentence names by what is true there."""

from pytest_bdd import given, parsers, then, when

from .sight import readers_see
from .world import CoreWorld

_POINTS = {
    "when it has decided": "after-decision-logged",
    "when it has told one of the logs": "after-marker-written",
    "when it has told all of the logs": "before-complete-logged",
}


@given(parsers.re(r"(?P<name>[A-Z]) has asked for a commit, and the system has crashed before it decided and come back$"))
def asked_in_vain(core: CoreWorld, name: str) -> None:
    """The commit is lawful and nothing of it is durable when the power fails."""
    _end(core, name, True, "before-decision-logged")
    core.ended.discard(name)


@when(parsers.re(rf"(?P<name>[A-Z]) (?P<how>commits|aborts), and the system crashes (?P<moment>{'|'.join(_POINTS)}) and comes back$"))
def ends_and_crashes_at(core: CoreWorld, name: str, how: str, moment: str) -> None:
    """The decision is durable when the power fails; whether the writer was told is not looked at."""
    _end(core, name, how == "commits", _POINTS[moment])


@then(parsers.re(r"readers of (?P<one>\w+) and (?P<other>\w+) see nothing$"))
def readers_of_both_see_nothing(core: CoreWorld, one: str, other: str) -> None:
    """As for one log."""
    for log in (one, other):
        readers_see(core, log, None)


def _end(core: CoreWorld, name: str, commit: bool, point: str) -> None:
    core.session.faults.crash_at(point)
    core.end(name, commit)
    core.session.faults.restart()
