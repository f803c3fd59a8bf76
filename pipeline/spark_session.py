"""The one Spark session of a check, sized to its input.

Small input is the common case, a run of the suite: there, many partitions cost more than the work itself. Large input gets a partition
for each 64 MB or so, so that what a task holds stays bounded whatever the size of the whole. As long as Spark only moves what Python
reads and judges, generated code costs more than it saves; `compiling` is for the plans that judge a log which no task can hold.

The user interface is off, the driver listens on the loopback address unless a cluster has to reach it, and Spark logs errors only.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from fencepost.contract.errors import WrongUsage

from . import java

SMALL = 24 << 20
QUICK = 1 << 30
"""Up to here, Java finishes before optimised compilation pays off; a log that plans judge then takes half as long again."""
PARTITION = 64 << 20
HERE = Path(__file__).parent
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
"""Settings of a session whose plans become generated code."""


@dataclass(frozen=True)
class Size:
    """How much is to be checked, and with how much of the machine."""

    bytes: int
    master: str = "local[*]"
    memory: str | None = None
    by_run: bool = False
    """Whether Spark only moves whole runs, and plans nothing that is worth optimised compilation."""

    @property
    def small(self) -> bool:
        return self.by_run or self.bytes <= SMALL

    @property
    def partitions(self) -> int:
        """How many parts a shuffle has."""
        cores = os.cpu_count() or 2
        return cores if self.by_run else max(1 if self.small else 2 * cores, -(-self.bytes // PARTITION))

    @property
    def driver_memory(self) -> str:
        """With the executors' share: in a local session the driver is the executor."""
        return self.memory or ("1g" if self.small else "2560m")

    def settings(self, scratch: str) -> dict[str, str]:
        """Spark's own settings."""
        local = self.master.startswith("local")
        settings = {
            "spark.driver.memory": self.driver_memory,
            "spark.sql.shuffle.partitions": str(self.partitions),
            "spark.sql.warehouse.dir": f"{scratch}/warehouse",
            # Nothing here is worth a separate filter, nor a second look at a plan.
            "spark.sql.lightweightPlanChangeValidation": "false",
            "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
            # Cached tables are read a few times only: a search for the best encoding takes longer.
            "spark.sql.inMemoryColumnarStorage.compressed": "false",
            "spark.ui.enabled": "false",
            # Plans are shown only in the user interface, which is off.
            "spark.sql.ui.explainMode": "simple",
            "spark.sql.maxPlanStringLength": "100",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.execution.arrow.pyspark.enabled": "true",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
            # A row may be a stream of many megabytes, and what goes to a task may be more than it can hold.
            "spark.sql.execution.arrow.maxBytesPerBatch": str(PARTITION),
            # An adaptive plan forgets how its tables are partitioned, and would shuffle again what was shuffled once.
            "spark.sql.adaptive.enabled": "false",
            # Two tables that are partitioned by (run, log) join without a shuffle, whatever else they are joined by.
            "spark.sql.requireAllClusterKeysForCoPartition": "false",
            "spark.sql.legacy.bucketedTableScan.outputOrdering": "true",
            "spark.sql.sources.bucketing.autoBucketedScan.enabled": "false",
            "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000",
            "spark.sql.files.openCostInBytes": str(64 << 10),
            "spark.sql.parquet.compression.codec": "lz4_raw",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        }
        if local or "//127.0.0.1:" in self.master:
            settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        settings |= {"spark.local.dir": scratch} if local else {"spark.executor.memory": self.driver_memory}
        return settings


def compiling(spark: SparkSession) -> None:
    """From now on, Spark generates code for the plans of this session."""
    for name, value in COMPILED.items():
        spark.conf.set(name, value)


@contextmanager
def session(size: Size) -> Iterator[SparkSession]:
    """A Spark session, stopped at the end; its scratch files are removed with it."""
    os.environ["JAVA_HOME"] = str(java.find().home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with TemporaryDirectory(prefix="fencepost-check-") as scratch:
        # Work of seconds is not worth optimised compilation. In long work throughput counts and pauses do not; and as every
        # plan is new code, compiling takes as long as running, unless less is inlined.
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" if size.bytes <= QUICK else "-XX:+UseParallelGC -XX:FreqInlineSize=100"
        logging = f"-Dlog4j2.configurationFile={(HERE / 'log4j2.properties').as_uri()} -Dderby.system.home={scratch}"
        builder = SparkSession.builder.master(size.master).appName("fencepost check")
        builder = builder.config("spark.driver.extraJavaOptions", f"{quick} {logging}").config("spark.executor.defaultJavaOptions", quick)
        for name, value in size.settings(scratch).items():
            builder = builder.config(name, value)
        with _quiet():
            spark = _started(builder, size)
            try:
                yield spark
            finally:
                spark.stop()


class Ahead:
    """A session that starts concurrently with other work, and does its `first` work there. Entering it waits until that is done, or raises
    the reason why it failed.
    """

    def __init__(self, size: Size, first: Callable[[SparkSession, int], None]) -> None:
        self._opened = ExitStack()
        self._beside = ThreadPoolExecutor(1)
        self._starting = self._beside.submit(self._start, size, first)

    def _start(self, size: Size, first: Callable[[SparkSession, int], None]) -> SparkSession:
        spark = self._opened.enter_context(session(size))
        first(spark, size.partitions)
        return spark

    def __enter__(self) -> SparkSession:
        return self._starting.result()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop it, even if it was never entered; a second call does nothing."""
        self._beside.shutdown()
        self._opened.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences the log of Spark's bridge about where a signal hit it. Errors are raised as well, so nothing is lost."""
    log, silence = logging.getLogger(), logging.NullHandler()
    log.addHandler(silence)
    try:
        yield
    finally:
        log.removeHandler(silence)


def _started(builder: SparkSession.Builder, size: Size) -> SparkSession:
    """The session; `WrongUsage` with Spark's or Java's reason if it cannot start."""
    heard = signal.getsignal(signal.SIGINT)
    try:
        spark = builder.getOrCreate()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, heard)  # Spark has replaced this handler
        return spark
    except (PySparkException, Py4JError, OSError) as error:
        lines = str(error).strip().splitlines()
        reason = next((line for line in lines if "Exception:" in line), lines[0])
        raise WrongUsage(
            f"Spark does not start on {size.master} with {size.driver_memory} under {java.find()}: {reason.strip(': .')}. "
            "Java's own words are above; --memory wants a size like 2g that the machine has, --master a cluster that can be reached"
        ) from error
