"""The laws in process find what the plans on Spark find, witness by witness, in more histories than CI asks (test_check_anomalies)."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from both_ways import SEED, Histories, cases_and_few, cases_and_few_in_process, in_process, on_spark, unexplained
from changed_histories import changed
from jepsen_histories import MORE, jepsen_histories

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

MANY = 400


def differences(spark: "SparkSession", reported: Histories, folder: Path) -> list[str]:
    """What is not explained, without inferred edges and with them."""
    theirs = on_spark(spark, reported, folder)
    return [line for infer in (False, True) for line in unexplained(in_process(reported, infer), theirs[infer], reported, set())]


@pytest.mark.thorough
def test_the_laws_find_what_the_plans_find_in_all_of_jepsens_histories(spark: "SparkSession", tmp_path: Path) -> None:
    """Run, log, values, offsets, operations, whether it is definite, and the words."""
    reported = jepsen_histories(MORE)
    if not reported:
        pytest.skip(f"no histories in {MORE}; FENCEPOST_HISTORIES names a folder that has some")

    assert differences(spark, reported, tmp_path) == []


@pytest.mark.thorough
def test_the_laws_find_what_the_plans_find_in_changed_histories(spark: "SparkSession", tmp_path: Path) -> None:
    """Whatever was dropped, doubled, swapped, or made another."""
    assert differences(spark, changed(cases_and_few(), MANY, SEED), tmp_path) == []


def test_a_difference_is_reported() -> None:
    """A witness that one side lacks, or has once more, is no explained one."""
    reported = cases_and_few()
    ours = cases_and_few_in_process()
    other = Counter(ours)
    anomaly, one = next(iter(ours))
    other[anomaly, one] += 1
    other["phantom-read", one] += 1

    assert len(list(unexplained(ours, other, reported, set()))) == 2
    assert len(list(unexplained(other, ours, reported, set()))) == 2
