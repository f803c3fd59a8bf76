"""A broker at an address whose authorizer denies requests of a run's user: the user lacks rights, and the broker is not wrong."""

from pathlib import Path

from commands import fencepost, verdicts
from served import serve_command


def test_a_user_without_rights_violates_nothing(tmp_path: Path) -> None:
    """What is refused is inconclusive, and what is about a broker without an authorizer is not asked."""
    asked = ("--only", "KIP890-012,KIP890-376", "--no-html", "--results", tmp_path / "denied")

    with serve_command(tmp_path, "--set", "authorizer.class.name=any", "--set", "super.users=User:operator") as served:
        fencepost("run", "kafka", "--bootstrap", f"127.0.0.1:{served.port}", *asked, expect=1)

    assert verdicts(tmp_path / "denied") == {"KIP890-012": "inconclusive", "KIP890-376": "not_offered"}
