"""The Pulsar reference in process and over TCP: the same suite, the same verdicts, the same histories."""

from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost, python, verdicts
from recorded_runs import histories, scenarios
from served import serve_command

from fencepost.reference.pulsar import PulsarProfile

SPEC = "core"
"""The specification whose scenarios need nothing that only a broker in the same process can do."""


@pytest.fixture(scope="module", params=PulsarProfile.names())
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def in_process(profile: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run on the reference as it is bundled."""
    folder = tmp_path_factory.mktemp("in-process")
    fencepost("run", "--spec", SPEC, "--profile", profile, "--no-html", "--results", folder, expect=0)
    return folder


def test_the_histories_are_the_same_event_by_event(profile: str, in_process: Path, tmp_path: Path) -> None:
    """The same frames, virtual times, crashes and verdicts, whether frames are handed over or bytes sent."""
    given = (f"--spec={SPEC}", f"--profile={profile}", "--no-html", f"--results={tmp_path}")
    python(CHECKOUT / "tests/fakes/served_pulsar_reference.py", *given, expect=0)

    assert verdicts(tmp_path) == verdicts(in_process)
    ours, over_tcp = histories(in_process), histories(tmp_path)
    assert ours.keys() == over_tcp.keys()
    assert len(ours) >= 26
    for name, events in ours.items():
        assert over_tcp[name] == events, name


def test_the_suite_says_of_a_served_reference_what_it_says_of_the_bundled_one(profile: str, in_process: Path, tmp_path: Path) -> None:
    """Behind addresses, in real time: every requirement that is offered has the verdict that it has in process."""
    with serve_command(tmp_path, "--profile", profile, system="pulsar") as served:
        place = ("--service-url", f"pulsar://127.0.0.1:{served.port}", "--admin-url", f"http://127.0.0.1:{served.admin_port}")
        results = tmp_path / "results"
        known_as = () if profile == "seed" else ("--known-as", profile.replace("-", ":"))
        fencepost("run", "pulsar", *place, *known_as, "--spec", SPEC, "--profile", profile, "--no-html", "--results", results, expect=0)
        assert "Traceback" not in served.log.read_text()

    bundled, behind_address = scenarios(in_process, "pulsar"), scenarios(results, "pulsar")
    offered = {name: verdict for name, verdict in behind_address.items() if verdict != "not_offered"}
    assert offered.items() <= bundled.items()
    assert len(offered) > 30
