"""A session that starts beside other work: it has done its first work when somebody enters it, and what went wrong there is heard."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from fencepost.pipeline import spark_session
from fencepost.pipeline.rehearsal import rehearse

SIZE = spark_session.Size(0, by_run=True)
SPARK = object()

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What became of the one session, which is none of Spark's."""
    reported: list[object] = []

    @contextmanager
    def opened(size: spark_session.Size) -> Iterator[object]:
        reported.append(size)
        yield SPARK
        reported.append("stopped")

    monkeypatch.setattr(spark_session, "session", opened)
    return reported


def test_the_first_work_is_done_before_anybody_enters(said: list[object]) -> None:
    """With the session, and with as many partitions as the session has."""
    with spark_session.Ahead(SIZE, lambda *given: said.append(given)) as spark:
        assert (spark, said) == (SPARK, [SIZE, (SPARK, SIZE.partitions)])
    assert said[-1] == "stopped"


def test_what_goes_wrong_in_the_first_work_is_heard_and_the_session_is_stopped(said: list[object]) -> None:
    """By who enters, and not before."""

    def fails(*_: object) -> None:
        raise OSError("no space is left")

    ahead = spark_session.Ahead(SIZE, fails)

    with pytest.raises(OSError, match="no space is left"):
        ahead.__enter__()
    ahead.close()
    assert said == [SIZE, "stopped"]


def test_a_rehearsal_leaves_nothing(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither files nor tables that are kept in memory."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    rehearse(spark, 2)

    assert list(tmp_path.iterdir()) == []
    assert spark._jsparkSession.sharedState().cacheManager().isEmpty()
