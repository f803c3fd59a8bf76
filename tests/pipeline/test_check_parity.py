"""Agreement with Jepsen's Kafka checker, witness by witness, on twenty histories into which faults were injected."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from commands import CHECKOUT

sys.path.append(str(CHECKOUT))  # the comparison is a command of its own, for any number of histories

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from benchmarks.check_parity import Seen

HISTORIES = CHECKOUT / "tests/pipeline/jepsen"

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


def verdicts() -> dict[str, Any]:
    """What Jepsen printed, by history."""
    lines = (HISTORIES / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["history"]: entry for entry in map(json.loads, lines)}


def histories() -> list[Path]:
    """The histories that have a verdict."""
    return [HISTORIES / f"{name}.edn" for name in sorted(verdicts())]


@pytest.fixture(scope="module")
def seen(spark: "SparkSession") -> "dict[str, Seen]":
    """Our witnesses in all of them."""
    from benchmarks.check_parity import shown

    return shown(spark, histories())


def test_our_witnesses_are_those_of_jepsen(seen: "dict[str, Seen]") -> None:
    """But for the listed differences, without and with inferred write-write edges."""
    from benchmarks.check_parity import compare

    assert len(histories()) == 20
    assert compare(seen, histories(), verdicts()) == []


def test_the_comparison_sees_a_difference(seen: "dict[str, Seen]") -> None:
    """A witness that is taken from Jepsen's verdict, or added to it, is told."""
    from benchmarks.check_parity import compare

    name, entry = next((name, entry) for name, entry in verdicts().items() if len(entry["no_ww"].get("duplicate", ())) > 1)
    changed = {**entry["no_ww"], "duplicate": [[0, 99999, [1, 2]], *entry["no_ww"]["duplicate"][1:]]}

    reported = compare(seen, [HISTORIES / f"{name}.edn"], {name: entry | {"no_ww": changed}})

    assert sum("missing" in line for line in reported) == 1
    assert sum("extra" in line for line in reported) == 1
