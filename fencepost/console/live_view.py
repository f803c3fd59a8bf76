"""The two ways of showing a run in progress: a live line on a terminal, and plain lines everywhere else."""

import threading
import time
from typing import Protocol

from rich.console import Group
from rich.live import Live as RichLive
from rich.text import Text

from .phrases import counted, shortened
from .progress import FeatureProgress, Progress
from .terminal import Screen

_A_SECOND = 4
"""How often the live line is redrawn, per second."""
_ASK_EVERY_S = 0.25
_SILENCE_S = 60.0
"""After this long without a line, a plain log shows what the run is doing: some CI services end a job that prints nothing."""
_WIDEST = 160
"""Columns of the live line; a longer one is not read, and leaves more remains when a terminal is made narrower."""
_INDENT = 2
_AT_MOST = 3
"""How many scenarios, and how many activities of systems, the live line has at most."""


class RunView(Protocol):
    """What shows a run in progress."""

    def start(self) -> None:
        """The run begins."""
        ...

    def begin(self, what: str) -> None:
        """What will be judged is known."""
        ...

    def say(self, text: str, **markup: bool) -> None:
        """Print one line, at most `room` columns of it."""
        ...

    @property
    def room(self) -> int:
        """How many columns fit on a line."""
        ...

    def end_of(self, feature: FeatureProgress) -> None:
        """All scenarios of a feature have ended."""
        ...

    def stop(self) -> None:
        """The scenarios are over; may be called twice."""
        ...


class PlainView:
    """Only lines: what is started, a line for each feature, and a sign of life now and then."""

    def __init__(self, screen: Screen, progress: Progress) -> None:
        self._screen, self._progress = screen, progress
        self._reported: set[str] = set()
        self._last = time.monotonic()
        self._is_over = threading.Event()
        self._reporter = threading.Thread(target=self._report, name="report what is started", daemon=True)

    def start(self) -> None:
        self._reporter.start()

    def begin(self, what: str) -> None:
        self._line(f"judging {what}")

    def say(self, text: str, **markup: bool) -> None:
        self._line(shortened(text, self.room), **markup)

    @property
    def room(self) -> int:
        return self._screen.width - _INDENT

    def end_of(self, feature: FeatureProgress) -> None:
        width = max(map(len, self._progress.features), default=0)
        self._line(f"{feature.name:<{width}}  {feature}")

    def stop(self) -> None:
        self._is_over.set()
        if self._reporter.is_alive():
            self._reporter.join()

    def _report(self) -> None:
        while not self._is_over.wait(_ASK_EVERY_S):
            if not self._progress.has_begun:
                for doing in self._progress.doing():
                    if doing.what not in self._reported:
                        self._reported.add(doing.what)
                        self._line(f"{doing.what}" + (f", for {doing.why}" if doing.why else ""))
            if time.monotonic() - self._last > _SILENCE_S:
                self._line("still running: " + "; ".join(line.strip() for line in lines_of(self._progress)))

    def _line(self, text: str, **markup: bool) -> None:
        self._last = time.monotonic()
        self._screen.write_line(f"  {text}", **markup)


class Live:
    """A few lines at the foot of the terminal that are redrawn; other output goes above them, and at the end they are removed."""

    def __init__(self, screen: Screen, progress: Progress) -> None:
        self._screen, self._progress = screen, progress
        self._live = RichLive(console=screen.console, refresh_per_second=_A_SECOND, transient=True, get_renderable=self._draw)

    def start(self) -> None:
        self._live.start()

    def begin(self, what: str) -> None:
        self._screen.write_line(f"  judging {what}")

    def say(self, text: str, **markup: bool) -> None:
        self._screen.write_line(f"  {shortened(text, self.room)}", **markup)

    @property
    def room(self) -> int:
        return self._screen.width - _INDENT - 1  # a full line may make a terminal start the next one

    def end_of(self, feature: FeatureProgress) -> None:
        """Nothing: the live line already counts."""

    def stop(self) -> None:
        self._live.stop()

    def _draw(self) -> Group:
        room = min(self._screen.width - len("^C") - 1, _WIDEST)  # the terminal shows Ctrl-C there, which must not start a new line
        return Group(*(Text(shortened(line, room), no_wrap=True) for line in lines_of(self._progress)))


def lines_of(progress: Progress) -> list[str]:
    """The progress of the run: counts and time, then each running scenario with its step, then what the systems are doing."""
    spent = _clock(progress.elapsed)
    if (expected := progress.expected) is not None:
        spent += f" of about {_clock(expected)}"
    if not progress.has_begun:
        lines = [f" {spent}  {progress.phase}"]
    else:
        tally = f": {progress.tally}" if progress.done else ""
        lines = [f" {spent}  {progress.done} of {counted(progress.total, 'scenario')}{tally}"]
    running, doing = progress.running(), progress.doing()
    for one in running[:_AT_MOST]:
        waited = f"  ({_clock(one.seconds)})" if one.seconds >= 1 else ""
        lines.append(f"   {one.planned}{waited}" + (f": {one.step}" if one.step else ""))
    for reported in doing[:_AT_MOST]:
        lines.append(f"   {reported}  ({_clock(max(0.0, time.time() - reported.since))})")
    if (more := max(0, len(running) - _AT_MOST) + max(0, len(doing) - _AT_MOST)) > 0:
        lines.append(f"   and {more} more")
    return lines


def _clock(seconds: float) -> str:
    """Such as 0:07, 12:30 or 1:02:03."""
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
