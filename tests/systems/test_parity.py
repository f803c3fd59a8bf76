"""In process and over TCP: the same scenarios, the same verdicts, the same histories.

What `seed` is asked is asked again over TCP on a clock that is let pass, as far as it tells something new: a scenario of each feature, one
in which a field of a request or of an answer is there, empty, null or an error for the first time. In real time, and of a second profile,
it is one with each request in each of its versions, and each with another verdict than `seed` has. The rest is for `make test-all`: real
brokers are asked all of it in real time, and a served one that was asked it is slow.
"""

from pathlib import Path

import pytest
from played import EVERYTHING, NOT_OFFERED, SHAPES, TELLING, engine_of, in_process, name_of, options, played, played_telling
from served import serve_command
from served_reference import ServedSystem

from fencepost.contract import proposals
from fencepost.run.plays import Play

PROTOCOL = "kafka"
SPECS = proposals.bundled().binding(PROTOCOL)
FEW = 90
"""More than these show something new at an address."""
LIES = ("sees it as it was before its last change", "will be loaded without a look at the end")
"""In the sentences of a store that shows a broker what is not so any more: such a scenario has no history."""


def broad(profile: str) -> object:
    return pytest.param(profile, EVERYTHING, marks=pytest.mark.thorough)


@pytest.mark.parametrize(("profile", "breadth"), [("seed", SHAPES), ("kafka-4.0", TELLING), broad("seed"), broad("kafka-4.0")])
def test_the_histories_are_the_same_event_by_event(profile: str, breadth: str) -> None:
    """The same requests, answers, virtual times, crashes and verdicts, whether entities are handed over or bytes sent.

    Where an answer did not come, only the text about that differs: over TCP it names a socket.
    """
    bundled = in_process(SPECS, PROTOCOL, profile, breadth)
    lying: set[str] = set()

    def is_asked(play: Play) -> bool:
        if any(lie in step.text for step in play.steps for lie in LIES):
            lying.add(name_of(play))
        return name_of(play) in bundled

    with engine_of(PROTOCOL, ServedSystem):
        over_tcp = played(options(SPECS, profile), PROTOCOL, is_asked)

    assert over_tcp.keys() == bundled.keys()
    for name, shown in bundled.items():
        assert over_tcp[name] == shown, name
        assert shown.history or shown.verdict == NOT_OFFERED or name in lying, name


@pytest.mark.parametrize(("profile", "breadth"), [("seed", TELLING), ("kafka-4.0", TELLING), broad("seed"), broad("kafka-4.0")])
def test_the_suite_says_of_a_served_reference_what_it_says_of_the_bundled_one(profile: str, breadth: str, tmp_path: Path) -> None:
    """At an address, in real time: every scenario that is offered has the verdict that it has in process."""
    bundled = in_process(SPECS, PROTOCOL, profile)
    looks_often = "transaction.abort.timed.out.transaction.cleanup.interval.ms=200"
    with serve_command(tmp_path, "--profile", profile, "--set", looks_often) as served:
        asked = options(SPECS, profile, "kafka", bootstrap=f"127.0.0.1:{served.port}")
        behind_address = played_telling(asked, PROTOCOL, bundled, breadth)
        assert "Traceback" not in served.log.read_text()

    offered = {name: shown.verdict for name, shown in behind_address.items() if shown.verdict != NOT_OFFERED}
    assert breadth == TELLING or behind_address.keys() == bundled.keys()
    assert offered == {name: bundled[name].verdict for name in offered}
    assert len(offered) > (len(bundled) / 2 if breadth == EVERYTHING else FEW)
