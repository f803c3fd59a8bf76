"""A broker at an address that ends in the middle of a run: no verdict claims what is not known, and the run ends."""

import json
import signal
from pathlib import Path

import pytest
from secrets_left import places_with
from served import serve_command
from stopped import begun

from fencepost.contract.errors import Exit

ENOUGH = 30


def judged(results: Path) -> int:
    file = results / "compliance.json"
    return json.loads(file.read_text())["scenarios"]["judged"] if file.exists() else 0  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("system", "number"),
    [
        ("kafka", signal.SIGKILL),
        ("pulsar", signal.SIGKILL),
        pytest.param("kafka", signal.SIGSTOP, marks=pytest.mark.thorough),  # it answers nothing until patience is over
    ],
)
def test_a_broker_that_goes_away_ends_the_run_and_violates_nothing(system: str, number: signal.Signals, tmp_path: Path) -> None:
    """Exit code 4, when and in which scenario, and no baseline; what was judged before is kept."""
    results, baseline = tmp_path / "results", tmp_path / "known.yaml"
    dies_with = -signal.SIGKILL
    with serve_command(tmp_path, system=system, dies_with=dies_with) as served:
        place = {
            "kafka": ["--bootstrap", f"127.0.0.1:{served.port}"],
            "pulsar": ["--service-url", f"pulsar://127.0.0.1:{served.port}", "--admin-url", f"http://127.0.0.1:{served.admin_port}"],
        }[system]
        with begun("run", system, *place, "--no-html", "--results", results, "--write-baseline", baseline, cwd=tmp_path) as run:
            run.until(lambda: judged(results) >= ENOUGH)
            served.process.send_signal(number)
            finished = run.end(Exit.NOT_FINISHED)
        served.process.kill()

    found = json.loads((results / "compliance.json").read_text())
    assert "the system stopped answering at" in found["stopped"]
    assert found["stopped"] in finished.out
    assert {row["verdict"] for row in found["requirements"]} <= {"met", "not_run", "not_offered", "excluded"}
    assert not baseline.exists()


def test_a_token_that_ends_during_a_run_ends_the_run_and_violates_nothing(tmp_path: Path) -> None:
    """Exit code 4 with the cause; and the token, which was read until then, is in nothing that the run leaves or prints."""
    results, token, secret = tmp_path / "results", tmp_path / "token", "a-token-that-shows-nowhere"
    token.write_text(secret)
    with serve_command(tmp_path, system="pulsar") as served:
        place = ["--service-url", f"pulsar://127.0.0.1:{served.port}", "--admin-url", f"http://127.0.0.1:{served.admin_port}"]
        with begun("run", "pulsar", *place, "--token", f"file:{token}", "--no-html", "--results", results, cwd=tmp_path) as run:
            run.until(lambda: judged(results) >= ENOUGH)
            token.unlink()
            finished = run.end(Exit.NOT_FINISHED)

    found = json.loads((results / "compliance.json").read_text())
    assert "the system no longer lets Fencepost in (--token file: no token comes from" in found["stopped"]
    assert found["stopped"] in finished.out
    assert {row["verdict"] for row in found["requirements"]} <= {"met", "not_run", "not_offered", "excluded"}
    assert places_with([secret], results, finished) == []
