"""A session's first work takes seconds: Java loads its classes, and Python's workers start and import. A small check before
the real one takes that time while other work goes on.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from .anomalies import ANOMALIES
from .movement import judging
from .start import find

_RUNS = 16
"""Some for each task."""


def rehearse(spark: SparkSession, partitions: int) -> None:
    """Check some histories of one operation each, and forget them."""
    with TemporaryDirectory(prefix="fencepost-rehearsal-") as folder:
        history = Path(folder, "histories")
        history.mkdir()
        for number in range(_RUNS):
            begun = {"run_id": f"rehearsal {number}", "idx": 0, "t_ns": 0, "process": 0, "op_id": 0, "f": "send", "type": "invoke"}
            moved = {"mops": [{"m": "send", "log": "x", "v": "a", "o": 0}]}
            events = (begun | moved, begun | moved | {"idx": 1, "type": "ok"})
            Path(history, f"{number}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
        tables, _ = find([history]).tables(spark, partitions, Path(folder))
        judging.judge(tables, ANOMALIES)
        spark.catalog.clearCache()
