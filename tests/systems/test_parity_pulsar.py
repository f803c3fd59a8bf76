"""The Pulsar reference in process and over TCP: the same scenarios, the same verdicts, the same histories.

On a clock that is let pass `seed` is asked everything, and the profiles of releases what tells something new (`played`). In real time
all are asked that; the rest is for `make test-all`.
"""

from pathlib import Path

import pytest
from played import EVERYTHING, NOT_OFFERED, TELLING, engine_of, in_process, name_of, options, played, played_telling
from served import serve_command
from served_pulsar_reference import ServedPulsarSystem

from fencepost.reference.pulsar import PulsarProfile

PROTOCOL = "pulsar"
SPECS = ("core",)
"""The specification whose scenarios need nothing that only a broker in the same process can do."""

FEW = 8
"""More than these show something new."""


def broad(profile: str) -> object:
    return pytest.param(profile, EVERYTHING, marks=pytest.mark.thorough)


PROFILES = PulsarProfile.names()
RELEASES = [profile for profile in PROFILES if profile != "seed"]
FIRST = [("seed", EVERYTHING), *((profile, TELLING) for profile in RELEASES)]


@pytest.mark.parametrize(("profile", "breadth"), [*FIRST, *map(broad, RELEASES)])
def test_the_histories_are_the_same_event_by_event(profile: str, breadth: str) -> None:
    """The same frames, virtual times, crashes and verdicts, whether frames are handed over or bytes sent."""
    bundled = in_process(SPECS, PROTOCOL, profile, breadth)

    with engine_of(PROTOCOL, ServedPulsarSystem):
        over_tcp = played(options(SPECS, profile), PROTOCOL, lambda play: name_of(play) in bundled)

    assert over_tcp.keys() == bundled.keys()
    assert breadth == TELLING or sum(bool(shown.history) for shown in bundled.values()) >= 26
    for name, shown in bundled.items():
        assert over_tcp[name] == shown, name


@pytest.mark.parametrize(("profile", "breadth"), [*((profile, TELLING) for profile in PROFILES), *map(broad, PROFILES)])
def test_the_suite_says_of_a_served_reference_what_it_says_of_the_bundled_one(profile: str, breadth: str, tmp_path: Path) -> None:
    """At addresses, in real time: every requirement that is offered has the verdict that it has in process."""
    bundled = in_process(SPECS, PROTOCOL, profile)
    with serve_command(tmp_path, "--profile", profile, system="pulsar") as served:
        places = {"service-url": f"pulsar://127.0.0.1:{served.port}", "admin-url": f"http://127.0.0.1:{served.admin_port}"}
        asked = options(SPECS, profile, "pulsar", **places)
        behind_address = played_telling(asked, PROTOCOL, bundled, breadth)
        assert "Traceback" not in served.log.read_text()

    offered = {name: shown.verdict for name, shown in behind_address.items() if shown.verdict != NOT_OFFERED}
    assert breadth == TELLING or behind_address.keys() == bundled.keys()
    assert offered == {name: bundled[name].verdict for name in offered}
    assert len(offered) > (30 if breadth == EVERYTHING else FEW)
