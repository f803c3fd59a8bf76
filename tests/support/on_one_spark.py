"""`fencepost check` and `fencepost report` in this process, on the session that its tests share: a separate Java costs 20 seconds of a
processor, whatever they are asked.
"""

from contextlib import nullcontext, redirect_stderr, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING
from unittest import mock

from forked import Finished

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def fencepost_on(spark: "SparkSession", *arguments: object, expect: int) -> Finished:
    """`fencepost ...` where it would start a session; another exit code than `expect` fails the test."""
    from fencepost.cli.application import app
    from fencepost.pipeline import check, spark_session

    def shared(size: object) -> "nullcontext[SparkSession]":  # noqa: ARG001 the session is there, and has a size
        return nullcontext(spark)

    said, complaint = StringIO(), StringIO()
    shares = mock.patch.object(spark_session, "session", shared), mock.patch.object(check, "session", shared)
    with shares[0], shares[1], redirect_stdout(said), redirect_stderr(complaint):
        code = app(list(map(str, arguments)), standalone_mode=False)
    finished = Finished(int(code or 0), said.getvalue(), complaint.getvalue())
    assert finished.code == expect, f"fencepost {' '.join(map(str, arguments))}: expected exit code {expect}\n{finished}"
    return finished
