"""What the README and the page on results show and count is what a run prints, and what the expectations say."""

import re
import shlex
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost

from fencepost.contract import register
from fencepost.deviations.known_deviations import LocatedDeviation, load_for

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
RESULTS = (CHECKOUT / "docs" / "results.md").read_text(encoding="utf-8")
COUNTED = {
    "Apache Kafka 4.4.0": ("kafka", "4.4.0"),
    "Apache Kafka 4.3.1": ("kafka", "4.3.1"),
    "Apache Kafka 4.0.0": ("kafka", "4.0.0"),
    "Apache Pulsar 4.0.7": ("pulsar", "4.0.7"),
    "Apache Pulsar 5.0.0-M1": ("pulsar", "5.0.0"),
}


def test_the_sample_is_what_its_command_prints(tmp_path: Path) -> None:
    """From the matrix to the headline, letter by letter."""
    block = RESULTS.partition("    $ fencepost run --profile")[2].partition("\n\n| sign")[0]
    command, _, sample = f"run --profile{block}".partition("\n")

    printed = fencepost(*shlex.split(command), expect=0, cwd=tmp_path).out

    shown = [line.removeprefix("    ").rstrip() for line in sample.splitlines()]
    ended = re.search(r"^=+ reference .*", printed, re.MULTILINE | re.DOTALL)
    assert ended, printed
    assert [line.rstrip() for line in ended[0].splitlines()] == shown


def test_the_red_sample_is_what_its_command_prints(tmp_path: Path) -> None:
    """From the violated requirement to where to look."""
    block = RESULTS.partition("    $ fencepost run --defect")[2].partition("\n\nThe page of a red")[0]
    command, _, sample = f"run --defect{block}".partition("\n")

    printed = fencepost(*shlex.split(command), "--no-html", expect=1, cwd=tmp_path).out

    assert "\n".join(line.removeprefix("    ") for line in sample.splitlines()) in printed


@pytest.mark.parametrize("release", COUNTED)
def test_the_known_deviations_are_counted_right(release: str) -> None:
    """Requirements that always deviate, and those that only do now and then."""
    reported = re.search(
        rf"^\| {re.escape(release)} \|[^|]*\| (\d+) that always show(?:, (\d+) now and then)?(?:;[^|]*| )\|", README, re.MULTILINE
    )
    assert reported, f"the README has no row for {release}"
    known: tuple[LocatedDeviation, ...] = load_for(*COUNTED[release], exact=True, register=register.bundled()).known

    always = {one.entry.requirement for one in known if one.entry.intermittent is None}
    sometimes = {one.entry.requirement for one in known} - always

    assert (len(always), len(sometimes)) == (int(reported[1]), int(reported[2] or 0))


def test_the_counts_of_requirements_are_those_of_the_registers() -> None:
    """Each proposal's row: how many there are, and how many are tested."""
    rows = dict(re.findall(r"\(\[register\]\(docs/(\w+)\.md\)\) \| (\d+) \|", README))

    assert {spec: int(count) for spec, count in rows.items()} == {spec: len(those) for spec, those in register.bundled().by_spec.items()}
