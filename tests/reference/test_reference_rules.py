"""The requirements that a broker has exercised."""

import re
from importlib import resources
from pathlib import Path

import pytest
from reference_client import Client

from fencepost.contract import register

SEALING = ["CORE-43", "CORE-44", "CORE-45"]
"""Requirements that Kafka's logs cannot show: they cannot be sealed."""
FIRST_SLICE = [
    "018",
    "024",
    "060",
    "061",
    "063",
    "064",
    "067",
    "069",
    "070",
    "071",
    "072",
    "090",
    "094",
    "095",
    "096",
    "097",
    "100",
    "102",
    "126",
    "137",
    "138",
    "141",
    "142",
    "156",
    "157",
    "160",
]


def test_every_requirement_of_the_first_slice_has_its_branch() -> None:
    """A reader who searches for the id finds the code."""
    folder = resources.files("fencepost.reference.kafka")
    sources = [file.read_text() for place in (folder, folder / "api") for file in place.iterdir() if file.name.endswith(".py")]
    found = set(re.findall(r"KIP890-(\d{3})\"", "".join(sources)))

    assert found >= set(FIRST_SLICE)


@pytest.mark.parametrize("protocol", ["kafka", "pulsar"])
def test_every_requirement_of_the_core_has_its_branch_in_each_reference(protocol: str) -> None:
    """The promises of every transactional log are kept somewhere in each of them."""
    room = Path(str(resources.files("fencepost.reference"))) / protocol
    found = set(re.findall(r"rule\(\"(CORE-\d+)\"\)", "".join(file.read_text(encoding="utf-8") for file in room.rglob("*.py"))))
    of_others = set(SEALING) if protocol == "kafka" else set()

    assert found == {requirement for requirement in register.bundled().by_id if requirement.startswith("CORE-")} - of_others


def test_a_broker_reports_what_it_has_exercised_itself() -> None:
    """The branches that were taken, in all its lives; another broker has its own."""
    client, other = Client(), Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.end("x", pair, commit=True)
    client.broker.crash()
    client.broker.restart()

    assert client.broker.exercised >= {"KIP890-060", "KIP890-090", "KIP890-126", "KIP890-160"}
    assert "KIP890-061" not in client.broker.exercised
    assert "KIP890-060" not in other.broker.exercised
