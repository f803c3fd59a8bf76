"""`fencepost verify`: the verdicts of a run again, from what it recorded, without a broker.

Each scenario is played on a session that gives the recorded answers; the checks are those of `fencepost run`. The files of
the folder must agree: verdicts of requirements with those of their scenarios, totals, junit.xml, and histories with exchanges.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from fencepost import __version__
from fencepost.adapters import registry
from fencepost.adapters.replay import played_again
from fencepost.adapters.replay.played_again import PlayedAgain
from fencepost.adapters.replay.replay_programs import Lines, protocol_of
from fencepost.contract import history_files, proposals, register
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.rights import right_refused
from fencepost.contract.verdict import Expectation, ScenarioResult, Verdict, judge, totals
from fencepost.contract.verdict import RequirementResult as Judged
from fencepost.contract.waiting import waited_in
from fencepost.results.compliance_document import FILE, Compliance, RequirementEntry, ScenarioEntry, read
from fencepost.results.results_folder import EXCHANGES, HISTORIES, JUNIT
from fencepost.run import verdicts
from fencepost.run.plays import Play, error_of, plays_of
from fencepost.run.selection import Selection
from fencepost.run.verdicts import Judgement
from fencepost.steps.player import player_of

from .recorded_red import lines_of

_ASKED_NOTHING = frozenset({Verdict.NOT_OFFERED, Verdict.NOT_RUN, Verdict.EXCLUDED})
_SHOWN_AT_MOST = 20
_EXAMPLE = re.compile(r", example \d+$")
"""What junit.xml adds to the name of an outline's row."""


@dataclass
class Verified:
    """What came of it: how many scenarios were judged again, what was changed, and what could not be judged again, with the reason."""

    is_our_version: bool = True
    """Whether the run is of this version, which sends the same requests to a system whose time is virtual."""
    again: int = 0
    excused: int = 0
    changed: list[str] = field(default_factory=list)
    left: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def lines(self) -> Iterator[str]:
        yield from self.changed[:_SHOWN_AT_MOST]
        if len(self.changed) > _SHOWN_AT_MOST:
            yield f"and {len(self.changed) - _SHOWN_AT_MOST} more"
        for reason, names in sorted(self.left.items(), key=lambda one: -len(one[1])):
            yield f"not judged again: {len(names)}, {reason} ({names[0]}{' and others' if len(names) > 1 else ''})"
        if self.excused:
            yield f"known deviations: {self.excused}, whose violation is the recorded one; whether the list excuses it is not judged again"
        found = f"contradictions: {len(self.changed)}" if self.changed else "nothing was changed"
        yield f"scenarios judged again from their recorded answers: {self.again}; {found}"


def show(results: Path) -> int:
    """Verify a results folder, print what was found, and return the exit code. Raises WrongUsage where nothing can be judged again."""
    run = read(results)
    found = verify(results, run)
    for line in found.lines():
        print(line)
    if found.changed:
        return Exit.DOES_NOT
    if not run.complete:
        print(f"the run did not finish{f': {run.stopped}' if run.stopped else ''}; this is about the scenarios that it judged")
        return Exit.NOT_FINISHED
    return Exit.CONFORMS


def _why_unknown(run: Compliance) -> str:
    """Why a scenario of a run is none of ours."""
    if run.fencepost == __version__:
        return "no bundled feature has this scenario, as it is from a file that --feature or --features named"
    return f"fencepost {__version__} has no such scenario; the run is of {run.fencepost}"


def verify(results: Path, run: Compliance) -> Verified:
    """Judge again what a run recorded. Raises WrongUsage where it recorded nothing that can be."""
    if not (results / EXCHANGES).is_dir():
        raise WrongUsage(
            f"{results} has no {EXCHANGES}/, which has the recorded answers: a run of this version keeps them, so run it again"
        )
    found = Verified(is_our_version=run.fencepost == __version__)
    _agree(results, run, found)
    ours = _plays(run)
    waiting: dict[str, list[ScenarioEntry]] = defaultdict(list)
    for row in run.requirements:
        for scenario in row.scenarios:
            waiting[f"{row.id} {scenario.name}"].append(scenario)
    for path in sorted((results / EXCHANGES).glob(f"*{history_files.ENDING}")):
        lines, is_whole = lines_of(path)
        play = ours.get((path.name, protocol_of(lines))) or next((play for (name, _), play in ours.items() if name == path.name), None)
        if play is None:
            found.left[_why_unknown(run)].append(path.name)
        else:
            _judge(results, path, lines, play, waiting[f"{play.requirement} {play.name}"], found, is_whole=is_whole)
    names = {f"{play.requirement} {play.name}" for play in ours.values()}
    for name in sorted(names & waiting.keys()):
        for scenario in waiting[name]:
            if scenario.verdict not in _ASKED_NOTHING:
                found.changed.append(
                    f"{name}: {FILE} says {scenario.verdict.words}, and {EXCHANGES}/ has nothing of it: was a file removed?"
                )
    if not found.again and not found.changed:
        why = "; ".join(found.left) or f"{EXCHANGES}/ is empty"
        raise WrongUsage(f"{results}: nothing can be judged again: {why}")
    return found


def _plays(run: Compliance) -> Mapping[tuple[str, str], Play]:
    """The plays that the run may have made, by the names of their files and their protocols."""
    rows = register.bundled()
    try:
        spoken = registry.protocols_of(run.system.name, SpecifiedSystem({}))
    except WrongUsage:  # the system of a package that is not installed here
        spoken = ()

    def asked(*of: str) -> Iterator[Play]:
        return plays_of(
            rows, Selection(), lambda id_: tuple(one for one in proposals.bundled().protocols_of(rows.spec_of(id_)) if one in of)
        )

    alone = (play for protocol in sorted(registry.protocols()) for play in asked(protocol))  # a defect of the reference has one protocol
    return {(history_files.name_of(play.run), play.protocol): play for play in (*alone, *asked(*spoken))}


def _judge(results: Path, path: Path, lines: Lines, play: Play, waiting: list[ScenarioEntry], found: Verified, *, is_whole: bool) -> None:
    """Play one scenario on what was recorded of it. The entry that it stands for is taken from `waiting`."""
    title = f"{play.requirement} {play.name}" + (f", example {play.example}" if play.example else "")
    if not is_whole:
        waiting[:1] = []
        found.changed.append(f"{title}: {EXCHANGES}/{path.name} is cut off or damaged after {len(lines)} lines")
        return
    if not played_again.is_whole(lines):
        waiting[:1] = []
        found.left["it was recorded by a version that did not keep what a session began with"].append(title)
        return
    broken = played_again.changed_exchange(lines)
    try:
        recording = PlayedAgain.of(lines, f"{EXCHANGES}/{path.name}")
    except WrongUsage as error:
        waiting[:1] = []
        found.changed.append(f"{title}: {f'{broken}: ' if broken else ''}{error}")
        return
    session = recording.session
    played = player_of(play.feature.spec).play(play.steps, lambda: session)
    parted = recording.parted()
    seen = verdicts.judge(error_of(played), played.evidence)
    may_be_early = waited_in(session).in_vain_s > 0
    entry = next((one for one in waiting if _agree_on(seen, one, may_be_early)), waiting[0] if waiting else None)
    if entry is not None:
        waiting.remove(entry)
    said = None if parted else _contradiction(seen, entry, may_be_early)
    if broken is not None:
        after = f"; played again, {parted}" if parted else f"; {said}" if said else ""
        found.changed.append(f"{title}: {broken} is not as it was written{after}")
    elif parted and found.is_our_version and recording.must_go_the_same_way:
        found.changed.append(f"{title}: played again, it takes another course: {parted}")
    elif parted:
        found.left[f"the play does not go as it was recorded, and nothing recorded was changed: {parted}"].append(title)
    elif said:
        found.changed.append(f"{title}: {said}")
    else:
        found.again += 1
        found.excused += entry is not None and entry.verdict is Verdict.KNOWN_DEVIATION
    if broken is None and not parted and (different := _history(results, path.name, recording, play.run)):
        found.changed.append(f"{title}: {different}")


def _agree_on(seen: Judgement, entry: ScenarioEntry, may_be_early: bool) -> bool:
    """Whether what a play looks like can have been recorded so: known deviations, a short patience and rights that the user of the run may
    have lacked change a verdict afterwards.
    """
    excused = entry.verdict is Verdict.KNOWN_DEVIATION and entry.expectation is not None
    match seen.verdict:
        case Verdict.VIOLATED if entry.verdict is Verdict.INCONCLUSIVE:
            return may_be_early or right_refused(seen.violation) is not None
        case Verdict.VIOLATED:
            return seen.violation == entry.violation and (excused or entry.verdict is Verdict.VIOLATED)
        case Verdict.INCONCLUSIVE:
            return excused or entry.verdict in (Verdict.INCONCLUSIVE, Verdict.BLOCKED)
        case Verdict.MET if entry.verdict is Verdict.HARNESS_ERROR:
            return entry.expectation is not None and entry.expectation.stale
        case verdict:
            return entry.verdict is verdict


def _contradiction(seen: Judgement, entry: ScenarioEntry | None, may_be_early: bool) -> str | None:
    """What the recorded answers and compliance.json say, where they do not say the same."""
    again = seen.verdict.words + (f" ({seen.reason})" if seen.reason else "")
    if entry is None:
        return f"the recorded answers give {again}, and {FILE} has no such scenario"
    if _agree_on(seen, entry, may_be_early):
        return None
    return f"the recorded answers give {again}, and {FILE} says {entry.verdict.words}" + (
        f" ({entry.violation})" if entry.violation else ""
    )


def _history(results: Path, name: str, recording: PlayedAgain, run: str) -> str | None:
    """How the history differs from that of the exchanges."""
    path = results / HISTORIES / name
    expected = [json.loads(json.dumps(event)) for event in recording.history(run)]
    if not path.is_file():
        return f"{HISTORIES}/{name} is missing" if expected else None
    lines, is_whole = lines_of(path)
    untimed = set() if recording.has_times else {"t_ns"}
    for number, (ours, theirs) in enumerate(zip(expected, lines, strict=False), 1):
        if ours != theirs:
            differing = sorted(key for key in {*ours, *theirs} - untimed if ours.get(key) != theirs.get(key))
            if not differing:
                continue
            return f"{HISTORIES}/{name}, event {number}: {', '.join(differing)} is not what the exchanges say"
    if not is_whole or len(lines) != len(expected):
        damage = "" if is_whole else " and is cut off or damaged"
        return f"{HISTORIES}/{name} has {len(lines)} events{damage}, and the exchanges give {len(expected)}"
    return None


def _agree(results: Path, run: Compliance, found: Verified) -> None:
    """Whether compliance.json agrees with itself, and junit.xml with it."""
    for row in run.requirements:
        if row.scenarios and (worst := _worst(row)) is not row.verdict and not (row.verdict is Verdict.NOT_RUN and not worst.is_red):
            found.changed.append(f"{row.id}: {FILE} says {row.verdict.words}, and its scenarios together give {worst.words}")
    stated = json.loads((results / FILE).read_text(encoding="utf-8")).get("totals") or {}
    counted = totals(Judged(row.id, row.verdict, None) for row in run.requirements if not row.provisional)
    for verdict in counted:
        if verdict in stated and stated[verdict] != counted[verdict]:
            found.changed.append(
                f"{FILE}: totals say {stated[verdict]} {verdict.replace('_', ' ')}, and its requirements give {counted[verdict]}"
            )
    if run.complete:
        _junit(results, run, found)


def _worst(row: RequirementEntry) -> Verdict:
    """The verdict that the scenarios of a requirement give together."""

    def result(one: ScenarioEntry) -> ScenarioResult:
        protocol = one.name.rpartition(" (")[2].rstrip(")") if one.name.endswith(")") else None
        entry = Expectation("", 0, is_own=False, is_stale=one.expectation.stale) if one.expectation else None
        known = protocol if protocol in registry.protocols() else None
        return ScenarioResult(row.id, one.feature, one.name, one.verdict, None, 0, 0, protocol=known, expectation=entry)

    return judge(row.id, map(result, row.scenarios)).verdict


def _junit(results: Path, run: Compliance, found: Verified) -> None:
    try:
        root = Xml.parse(results / JUNIT).getroot()  # noqa: S314 - the user's own results; expat bounds what entities may grow to
    except FileNotFoundError:
        found.changed.append(f"{JUNIT} is missing")
        return
    except (OSError, Xml.ParseError) as error:
        found.changed.append(f"{JUNIT} cannot be read: {error}")
        return
    theirs: Counter[tuple[str, str, str]] = Counter()
    for case in root.iter("testcase"):
        said: dict[str, Any] = {one.get("name", ""): one.get("value", "") for one in case.iter("property")}
        if "verdict" in said:
            theirs[said.get("requirement", ""), _EXAMPLE.sub("", said.get("scenario", "")), _in_junit(said["verdict"])] += 1
    ours = Counter((row.id, one.name, _in_junit(one.verdict.value)) for row in run.requirements for one in row.scenarios)
    for requirement, name, verdict in sorted((theirs - ours) | (ours - theirs)):
        where = JUNIT if theirs[requirement, name, verdict] > ours[requirement, name, verdict] else FILE
        found.changed.append(f"{requirement} {name}: only {where} says {verdict.replace('_', ' ')}")


def _in_junit(verdict: str) -> str:
    """What is blocked is known at the end of a run, when junit.xml has it as inconclusive."""
    return Verdict.INCONCLUSIVE.value if verdict == Verdict.BLOCKED.value else verdict
