"""Brokers at an address that conform and are unlike Apache Kafka: slow, quick to hang up, or with unusual names and offsets."""

from pathlib import Path

import pytest
from commands import fencepost, verdicts
from strange_broker import LONG_HOST, Manners, strange_broker

EPOCHS, MEMBERS, GROUPS, FOLLOWERS, ENDS = "KIP890-060", "KIP890-055", "KIP890-353", "CORE-29", "KIP890-364"


@pytest.mark.parametrize(
    ("manners", "rows"),
    [
        pytest.param(Manners(idle_s=1.5), (EPOCHS, MEMBERS), id="hangs up"),
        pytest.param(Manners(late_s=0.1), (EPOCHS, GROUPS), id="slow"),
        pytest.param(Manners(host=LONG_HOST), (EPOCHS, FOLLOWERS), id="long name"),
        pytest.param(Manners(first_offset=2**33), (EPOCHS, FOLLOWERS), id="large offsets"),
    ],
)
def test_a_strange_broker_that_conforms_is_green(manners: Manners, rows: tuple[str, ...], tmp_path: Path) -> None:
    """Nothing is violated, and everything is asked."""
    with strange_broker(manners) as address:
        fencepost("run", "kafka", "--bootstrap", address, "--only", ",".join(rows), "--no-html", "--results", tmp_path, expect=0)

    assert verdicts(tmp_path) == dict.fromkeys(rows, "met")


def test_a_log_that_begins_far_on_is_a_difference_that_does_not_count(tmp_path: Path) -> None:
    """That a new log begins at offset 0 is what Apache Kafka does, and no proposal asks for it."""
    with strange_broker(Manners(first_offset=2**33)) as address:
        fencepost("run", "kafka", "--bootstrap", address, "--only", f"{EPOCHS},{ENDS}", "--no-html", "--results", tmp_path, expect=0)

    assert verdicts(tmp_path) == {EPOCHS: "met", ENDS: "violated"}
