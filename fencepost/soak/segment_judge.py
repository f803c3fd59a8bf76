"""The judge of a soak run: the history checker, one segment after another, in one Spark session concurrently with the run."""

import gzip
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from fencepost.contract.anomalies import Finding
from fencepost.contract.folder import Folder
from fencepost.pipeline import suite
from fencepost.pipeline.layout import PAGE

HISTORIES, PAGES = "history", "anomalies"


@dataclass(frozen=True)
class SegmentVerdict:
    """What the history of one segment shows. `page` has the pictures of its anomalies, by its path in the results folder."""

    segment: int
    found: tuple[Finding, ...]
    quarantined: int
    page: str | None

    @property
    def is_red(self) -> bool:
        """Whether an anomaly is certain, and breaks a promise."""
        return any(finding.definite and not finding.allowed for finding in self.found)


class SegmentJudge:
    """Judges the histories that it receives, in their order. The constructor raises WrongUsage if Spark is not installed."""

    def __init__(self, claimed: Folder) -> None:
        suite.ready()
        self._claimed = claimed
        self._spark = suite.ahead()
        self._judging = ThreadPoolExecutor(1)
        self._verdicts: list[Future[SegmentVerdict]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._judging.shutdown(cancel_futures=True)
        self._spark.close()

    def take(self, number: int, history: Path) -> None:
        """Judge this history of a segment, after those received before."""
        self._verdicts.append(self._judging.submit(self._judged, number, history))

    @property
    def verdicts(self) -> list[SegmentVerdict]:
        """The verdicts so far. Raises what a judgement raised."""
        return [one.result() for one in self._verdicts if one.done()]

    def finished(self) -> list[SegmentVerdict]:
        """Wait for the last verdict, and return all."""
        return [one.result() for one in self._verdicts]

    def _judged(self, number: int, history: Path) -> SegmentVerdict:
        with TemporaryDirectory(prefix="fencepost-soak-") as scratch:
            kept_open = nullcontext(self._spark.__enter__())  # for the next segment; it is closed with the judge
            found = suite.judge([history], Path(scratch) / "check", kept_open, quiet=True)
            page = None
            if found.found:
                page = f"{PAGES}/{history.stem}.html"
                self._claimed.put(page, (Path(scratch) / "check" / PAGE).read_text(encoding="utf-8"))
        self._pack(history)
        return SegmentVerdict(number, tuple(found.found), found.quarantined, page)

    def _pack(self, history: Path) -> None:
        """Keep a judged history, packed to a fifteenth of its size. The checker can read it packed, too."""
        packed = self._claimed.place(f"{HISTORIES}/{history.name}.gz")
        with history.open("rb") as plain, gzip.open(packed, "wb") as smaller:
            shutil.copyfileobj(plain, smaller)
        history.unlink()
