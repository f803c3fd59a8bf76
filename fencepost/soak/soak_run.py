"""One soak run: segments of load on a system, with faults in between, each judged while the next one runs.

`soak.json` and the page are written after each judgement and at each status line, so they are valid at every moment and show whether the
run is complete.
"""

import json
import random
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from fencepost.console.phrases import counted
from fencepost.console.terminal import Screen
from fencepost.contract import folder, register
from fencepost.contract.errors import Exit, SystemUnreachable, WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.folder import Folder, FolderLayout
from fencepost.contract.ports import Handshake, System, Time
from fencepost.report.soak import soak_page
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions

from . import fault_schedule
from .fault_schedule import FaultSchedule
from .measurements import OK, REFUSED, UNKNOWN, SoakFigures, SoakMark
from .segment import SoakSegment, Threads, step_by_turns
from .segment_judge import HISTORIES, PAGES, SegmentJudge, SegmentVerdict
from .soak_document import SoakEnding, SoakOptions, document, headline

DOCUMENT, PAGE = "soak.json", "index.html"
LAYOUT = FolderLayout("soak", "--results", (DOCUMENT, PAGE), (HISTORIES, PAGES))
_STATUS_S = 10.0
_TICK_S = 0.2


class SoakClock:
    """The time of a soak run over all its sessions. On the reference each session has a separate virtual clock."""

    def __init__(self) -> None:
        self._time: Time | None = None
        self._offset_ms = 0.0

    def now_ms(self) -> float:
        """Milliseconds since the first session was made; 0 before that."""
        return 0.0 if self._time is None else self._time.now_ms() + self._offset_ms

    def move_to(self, time: Time) -> None:
        """Continue with the clock of another session."""
        now = self.now_ms()
        self._time, self._offset_ms = time, now - time.now_ms()


@dataclass
class Soak:
    """A soak run on the system that the options name."""

    options: RunOptions
    asked: SoakOptions
    screen: Screen
    clock: SoakClock = field(init=False, default_factory=SoakClock)

    def run(self) -> Exit:
        """Load the system until the time is over, a signal arrives, or the system is gone. Raises WrongUsage and SystemUnreachable."""
        systems = JudgedSystems(self.options, register.bundled())
        try:
            if len(systems.by_protocol) != 1:
                raise WrongUsage(
                    f"{self.options.system} speaks {', '.join(systems.by_protocol)}, and a soak run is about one protocol; "
                    "name a profile of one, such as --profile kafka-4.3 or --profile pulsar-4.0"
                )
            [protocol] = systems.by_protocol
            systems.open({protocol: [frozenset()]})
            return self._judged(systems.by_protocol[protocol], systems.handshakes[protocol])
        finally:
            systems.close()

    def _judged(self, system: System, handshake: Handshake) -> Exit:
        names = fault_schedule.named(self.asked.faults, handshake.capabilities, system.name)
        place = self.options.results or Path("results/soak") / system.name
        claimed = folder.claim(place, LAYOUT, {DOCUMENT: "{}"})
        asked = self.asked
        whose = " of its virtual clock" if "virtual-time" in handshake.capabilities else ""
        self.screen.write_line(
            f"  {system.name} {handshake.version}: {counted(asked.writers, 'writer')}, at most {asked.rate:g} calls a second{whose}, "
            f"faults: {', '.join(names) or 'none'}, seed {asked.seed}"
        )
        with SegmentJudge(claimed) as judge:
            load = Load(system, handshake, asked, names, judge, claimed, self.screen, self.clock)
            ending = load.run()
            verdicts = judge.finished()
            load.write(verdicts, ending)
        is_red = any(verdict.is_red for verdict in verdicts)
        self.screen.write_line(f"  {headline(verdicts, ending)}", red=is_red, green=not is_red)
        for verdict in verdicts:
            for finding in verdict.found:
                if finding.definite and not finding.allowed:
                    self.screen.write_line(f"    segment {verdict.segment}: {finding.anomaly}: {finding.witness}", red=True)
        self.screen.write_line(f"  results: {place / PAGE}")
        if ending.gone is not None and not is_red:
            raise ending.gone
        return Exit.DOES_NOT if is_red else Exit.CONFORMS if ending.is_complete else Exit.NOT_FINISHED


class Load:
    """The segments of a run, from the first to the last."""

    def __init__(
        self,
        system: System,
        handshake: Handshake,
        asked: SoakOptions,
        names: tuple[str, ...],
        judge: SegmentJudge,
        claimed: Folder,
        screen: Screen,
        clock: SoakClock,
    ) -> None:
        self._system, self._handshake, self._asked, self._judge = system, handshake, asked, judge
        self._claimed, self._screen, self._clock = claimed, screen, clock
        self._needs = frozenset(needed for name in names if (needed := fault_schedule.NEEDS[name]) is not None)
        self._misbehaviour = fault_schedule.OF_CLIENTS.intersection(names)
        self._chance = random.Random(asked.seed)  # noqa: S311 - a workload is no secret
        self._schedule = FaultSchedule([name for name in names if name not in fault_schedule.OF_CLIENTS], asked.every_s, self._chance)
        self.figures = SoakFigures(clock.now_ms)
        """What was measured so far."""
        self._spans: dict[int, tuple[float, float]] = {}
        self._began = self._status_at = time.monotonic()

    def run(self) -> SoakEnding:
        """Run until the time is over; returns why it ended."""
        ending = SoakEnding()
        with ThreadPoolExecutor(1) as at_the_end, ExitStack() as held:
            looking: list[Future[None]] = []
            running: tuple[SoakSegment, Threads | None] | None = None
            try:
                if not self._is_virtual:  # a broker is released when its last session closes
                    self._of_faults = self._system.session("soak", self._needs)
                    held.callback(self._of_faults.close)
                for number in range(1, 10**9):
                    following = self._begun(number)
                    if running is not None:
                        looking.append(at_the_end.submit(self._end, *running))
                    running = following
                    self._keep_going(*running)
                    if self._is_over:
                        break
            except KeyboardInterrupt as signalled:
                ending = SoakEnding(stopped=str(signalled) or "SIGINT")
            except SystemUnreachable as gone:
                ending = SoakEnding(gone=gone)
            except SetUpFailed as failed:  # a fault was not possible, or the broker does not serve after it
                ending = SoakEnding(gone=SystemUnreachable(str(failed)))
            if running is not None:
                looking.append(at_the_end.submit(self._end, *running))
            for look in looking:
                look.result()
        return ending

    @property
    def _is_virtual(self) -> bool:
        return "virtual-time" in self._handshake.capabilities

    @property
    def _is_over(self) -> bool:
        return time.monotonic() - self._began >= self._asked.seconds

    def _begun(self, number: int) -> tuple[SoakSegment, Threads | None]:
        session = self._system.session(f"soak {number}", self._needs)
        self._clock.move_to(session.time)
        name = self._claimed.place(f"{HISTORIES}/segment-{number:04}.jsonl")
        segment = SoakSegment(number, session, name, self._asked.writers, self._asked.seed, self.figures, self._misbehaviour).prepare()
        self._spans[number] = self.figures.elapsed_s, self.figures.elapsed_s
        return segment, None if self._is_virtual else Threads(segment, self._asked.rate)

    def _keep_going(self, segment: SoakSegment, threads: Threads | None) -> None:
        """Load the system for as long as a segment lasts, and inject the faults that are due."""
        begin_s = self.figures.elapsed_s
        while self.figures.elapsed_s - begin_s < self._asked.segment_s and not self._is_over:
            if threads is None:
                step_by_turns(segment, self._chance, self._asked.rate)
            else:
                time.sleep(_TICK_S)
                threads.check()
            if (fault := self._schedule.take(self.figures.elapsed_s)) is not None:
                self._inflict(fault, segment)
            if time.monotonic() - self._status_at >= _STATUS_S:
                self._status()
        self._spans[segment.number] = begin_s, self.figures.elapsed_s

    def _inflict(self, fault: str, segment: SoakSegment) -> None:
        begin_s = self.figures.elapsed_s
        whose = segment.session.faults if self._is_virtual else self._of_faults.faults
        fault_schedule.inflict(fault, whose, segment.session, segment.writers, self._chance)
        self.figures.faults.append(SoakMark(begin_s, self.figures.elapsed_s, fault))

    def _end(self, segment: SoakSegment, threads: Threads | None) -> None:
        """Let the clients finish, read every log once more, and pass the history to the judge."""
        try:
            if threads is not None:
                threads.stop()
            segment.look_last()
        finally:
            segment.close()
        self._judge.take(segment.number, segment.history.path)

    def _status(self) -> None:
        self._status_at = time.monotonic()
        verdicts, totals = self._judge.verdicts, self.figures.totals
        red = sum(verdict.is_red for verdict in verdicts)
        elapsed = self._status_at - self._began
        self._screen.write_line(
            f"  {elapsed:5.0f} s: {totals.total():,} calls ({totals.total() / elapsed:.0f} a second): {totals[OK]:,} answered, "
            f"{totals[REFUSED]:,} refused, {totals[UNKNOWN]:,} of unknown outcome; {counted(len(self.figures.faults), 'fault')}; "
            f"{counted(len(verdicts), 'segment')} judged, {red or 'none'} with an anomaly",
            red=bool(red),
        )
        self.write(verdicts, None)

    def write(self, verdicts: list[SegmentVerdict], ending: SoakEnding | None) -> None:
        """Write `soak.json` and the page; `ending` is None while the run goes on."""
        said = document(self._system.name, self._handshake.version, self._asked, self.figures, verdicts, self._spans, ending)
        self._claimed.put(DOCUMENT, json.dumps(said, indent=1) + "\n")
        self._claimed.put(PAGE, soak_page.render(said))
