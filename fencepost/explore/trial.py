"""A sequence of acts, played on a system: what it showed, and what was found where a line did not hold."""

import contextlib
import copy
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fencepost.adapters.twins.performer import Performer, Undisturbed
from fencepost.contract.brokers import Where, where_of
from fencepost.contract.errors import BrokeOff, Malformed, NotOffered, SystemUnreachable, WrongUsage
from fencepost.contract.evidence import Mismatch, NoAnswer, PointNotReached, SetUpFailed, Violation, sent_what_is_not_allowed
from fencepost.contract.played import PlayedStep, StepEnding
from fencepost.contract.ports import Session
from fencepost.contract.shared_crashes import SharedCrashes, SharesCrashes
from fencepost.contract.symptom import Symptom
from fencepost.contract.waiting import ENOUGH_S, waited_in
from fencepost.deviations.known_deviations import ANY, DeviationEntry, Expectations
from fencepost.run.plays import falls_in, refusal_of
from fencepost.steps.acts.act import DISTURBANCE, ActLine, Script, Table, script_of
from fencepost.steps.kafka.initialising import SHORT_TIMEOUT_MS
from fencepost.steps.player import PlayedScene, player_of

from .deadline import Deadline
from .disturbed import DisturbedTable, disturbance_in

REFUSED = "refused"
"""How a finding shows where a set-up was refused."""


@dataclass(frozen=True)
class ExploredFinding:
    """A line that did not hold: the acts that led to it, every line up to it, and the requirement that is violated.

    `how` says in words that stay whether something was seen that may not be, or a client was refused what it may do.
    """

    acts: tuple[str, ...]
    lines: tuple[ActLine, ...]
    requirement: str
    how: str
    error: BaseException

    @property
    def cause(self) -> tuple[str, str]:
        """What distinguishes two findings."""
        return self.requirement, self.how

    @property
    def disturbance(self) -> str | None:
        """The disturbance without which it does not show."""
        return disturbance_in(self.lines)


@dataclass(frozen=True)
class SequenceResult:
    """What a sequence showed: the acts that were reached, and a finding where a line did not hold.

    `known` is a finding that the system is known to show: of the same requirement, and of the same kind. `unanswered` says what got no
    answer, or is not offered; then no client knows how it went on. `asked` has the requirements of its lines if all of them held.
    """

    acts: tuple[str, ...]
    finding: ExploredFinding | None = None
    known: ExploredFinding | None = None
    unanswered: str | None = None
    asked: frozenset[str] = frozenset()

    @classmethod
    def held(cls, script: Script[Any]) -> "SequenceResult":
        """All lines of this script held."""
        return cls(tuple(script.acts), asked=frozenset(line.requirement for line, _ in script.lines if line.kind != DISTURBANCE))


@dataclass(frozen=True)
class ScriptResult:
    """What a system showed when a script was played: the steps until one failed, and the session; None where no step asked for one."""

    steps: tuple[PlayedStep, ...]
    session: Session | None
    is_disturbed: bool = False
    """Whether its disturbance has done something."""

    @property
    def error(self) -> BaseException | None:
        """Why the last step failed. A system that sends what its protocol does not allow violates what the step is about."""
        error = self.steps[-1].error if self.steps else None
        if isinstance(error, Malformed):
            return sent_what_is_not_allowed(str(error))
        return error


class Trials:
    """Plays sequences of a table's acts, each in a separate session."""

    def __init__(
        self,
        table: Table[Any],
        open_session: Callable[[str, frozenset[str]], Session],
        *,
        is_prompt: bool = True,
        known: Expectations | None = None,
        deadline: Deadline | None = None,
        is_there: Callable[[], bool] = lambda: True,
        disturbed: DisturbedTable | None = None,
        system: object = None,
    ) -> None:
        """`is_there` says whether the system still answers; it is asked where a sequence got no answer. `disturbed` is the table with its
        disturbances, where it has some. `system` is whose broker sequences may share, as `contract.brokers` has it.
        """
        self.table = table
        self._disturbed = disturbed
        self._deadline, self._is_there = deadline or Deadline(), is_there
        self._known = known or Expectations()
        self.known_requirements = frozenset(one.entry.requirement for one in self._known.known)
        """The requirements that the system is known to break."""
        self.system = system
        self._numbers = itertools.count(1)
        self._title: str | None = None
        self._crashes: SharedCrashes | None = None
        self._open = open_session
        self._player = player_of(table.spec)
        self.is_prompt = is_prompt
        """Whether the system answers everything that it does not hold back for ever, so that no answer is a finding."""

    def play(self, acts: Iterable[str]) -> SequenceResult:
        """Play these acts, but for those that cannot come where they stand."""
        return self.put(script_of(self.table, acts))

    def brokers(self, needs: frozenset[str]) -> tuple[Where, ...]:
        """The broker on which a sequence with these needs is played."""
        return (where_of(self.system, needs),)

    def new_title(self) -> str:
        """A name for a session."""
        return f"explored-{next(self._numbers)}"

    def sharing(self, title: str, crashes: SharedCrashes) -> "Trials":
        """The same for one sequence, whose session has this title and shares its crashes."""
        one = copy.copy(self)
        one._title, one._crashes = title, crashes
        return one

    def find(self, acts: Iterable[str]) -> ExploredFinding | None:
        """What is found when these acts are played. Where a step breaks off, nothing is found."""
        with contextlib.suppress(BrokeOff):
            return self.play(acts).finding
        return None

    def put(self, script: Script[Any]) -> SequenceResult:
        """Play a script until a line does not hold. Raises TimeIsUp, SystemUnreachable where the system has gone away, and BrokeOff."""
        plain, lines = self.show(script), [line for line, _ in script.lines]
        name = disturbance_in(lines)
        if name is None or plain.error is not None or self._disturbed is None or not self._disturbed.has_place(lines):
            return self.judged(script, plain)
        return self._judged_disturbed(script, name, self._play(lines, script.needs, plain))

    def show(self, script: Script[Any]) -> ScriptResult:
        """Play a script without its disturbance until a line does not hold, and judge nothing. Raises TimeIsUp."""
        return self._play([line for line, _ in script.lines], script.needs, None)

    def _play(self, lines: Sequence[ActLine], needs: frozenset[str], undisturbed: ScriptResult | None) -> ScriptResult:
        """Play lines until one does not hold, with their disturbance if it is known what they are without it."""
        name, steps, performers = disturbance_in(lines), list[PlayedStep](), list[Performer]()
        ahead = deque(line.step for line in lines if line.kind != DISTURBANCE)

        def disturb(session: Session) -> None:
            if undisturbed is not None and name is not None and self._disturbed is not None:
                performers.append(self._disturbed.begin(name, session, Undisturbed.of(undisturbed.session)))

        with self.scene(needs, disturb) as scene:
            for line in lines:
                self._deadline.check(scene.stage.session)
                if line.kind != DISTURBANCE:
                    step = ahead.popleft()
                    falls_next = self._crashes is not None and bool(ahead) and bool(falls_in(self.table.spec, (ahead[0],)))
                    steps.append(scene.play(step, ahead, falls_next=falls_next))
                else:
                    for one in performers:
                        scene.act(one.before_step)
                    steps.append(PlayedStep(line.step, StepEnding.DONE, error=scene.error))
                if steps[-1].error is not None:
                    break
            for one in performers:
                if scene.error is None:
                    scene.act(one.end)
                    steps[-1] = replace(steps[-1], error=scene.error)
                one.look_back()
        return ScriptResult(tuple(steps), scene.stage.session, any(one.acts.total() for one in performers))

    def _judged_disturbed(self, script: Script[Any], name: str, shown: ScriptResult) -> SequenceResult:
        """What a script has shown with its disturbance. What the disturbance may change is no finding."""
        tried = self.judged(script, shown)
        found = tried.finding
        if found is not None and self._disturbed is not None:
            may_differ = self._disturbed.may_differ(name, found.requirement, str(found.error))
            if may_differ or _slowed_s([said for said, _ in script.lines], shown) >= SHORT_TIMEOUT_MS / 1000:
                return SequenceResult(tried.acts)
        if found is not None and (own := self._own_requirement(found)) is not None:
            found = replace(found, requirement=own)
            tried = replace(tried, finding=found)
        if found is not None and found.disturbance is None and shown.is_disturbed:  # it is there throughout
            return replace(tried, finding=replace(found, lines=(ActLine(DISTURBANCE, name, ""), *found.lines)))
        return tried

    def _own_requirement(self, found: ExploredFinding) -> str | None:
        """What a disturbance names that has found it by itself: not the requirement of the line that was said meanwhile."""
        named = found.error.requirement if isinstance(found.error, Violation) else None
        proposal = found.requirement.rpartition("-")[0]
        return named if named is not None and named.rpartition("-")[0] == proposal else None

    def judged(self, script: Script[Any], shown: ScriptResult) -> SequenceResult:
        """What a script has shown, as a finding where a line did not hold."""
        return SequenceResult.held(script) if shown.error is None else self._failed(script, shown, shown.error)

    def shows(self, lines: Sequence[ActLine], finding: ExploredFinding) -> bool:
        """Whether these lines end as those of the finding do; where they are disturbed, only with the disturbance."""
        needs = needs_of(self.table, finding.acts)
        shown = self._play(lines, needs, None)
        if finding.disturbance is not None:
            if shown.error is not None or self._disturbed is None or not self._disturbed.has_place(lines):
                return False
            shown = self._play(lines, needs, shown)
        if len(shown.steps) != len(lines):
            return False
        if finding.how == REFUSED and lines[-1].kind == "Then":  # the set-up that was refused is now what is judged
            return isinstance(shown.error, Violation)
        return type(shown.error) is type(finding.error) and _kind_of(shown.error) == _kind_of(finding.error)

    def meets(self, lines: Sequence[ActLine], finding: ExploredFinding) -> bool:
        """Whether this system does what these lines expect, also with the disturbance of the finding."""
        needs = needs_of(self.table, finding.acts)
        shown = self._play(lines, needs, None)
        if shown.error is None and finding.disturbance is not None:
            shown = self._play(lines, needs, shown)
        return shown.error is None

    def scene(self, needs: frozenset[str], begin: Callable[[Session], None] = lambda _: None) -> PlayedScene:
        """A scenario in a new session, which `begin` gets first, and whose lines are said one by one."""
        name = self._title or self.new_title()

        def opened() -> Session:
            session = self._open(name, needs)
            with contextlib.ExitStack() as on_error:
                on_error.callback(session.close)
                if self._crashes is not None and isinstance(session, SharesCrashes):
                    session.share(self._crashes)
                begin(session)
                on_error.pop_all()
            return session

        return self._player.begin(opened)

    def _failed(self, script: Script[Any], shown: ScriptResult, error: BaseException) -> SequenceResult:
        number = len(shown.steps) - 1
        line = script.lines[number][0]
        reached = tuple(dict.fromkeys(act for _, act in script.lines[: number + 1] if act is not None))
        is_unknown = isinstance(error, NoAnswer) or (isinstance(error, SetUpFailed) and error.error is None and error.code is None)
        # A set-up that no answer refused is no client's trouble, nor is a crash point that the sequence does not come to.
        if isinstance(error, NotOffered | PointNotReached) or (is_unknown and not self.is_prompt):
            if isinstance(error, NoAnswer) and not self._is_there():
                raise SystemUnreachable("the system stopped answering")
            return SequenceResult(reached, unanswered=str(error))
        if isinstance(error, Violation) and 0 < waited_in(shown.session).in_vain_s < ENOUGH_S:
            return SequenceResult(reached, unanswered=f"after a wait of less than {ENOUGH_S:g} s that was in vain, {error} shows nothing")
        if isinstance(error, SystemUnreachable | WrongUsage):
            raise error
        if not isinstance(error, Violation | SetUpFailed | NoAnswer):
            what = f"the step '{line.kind} {line.text}' broke off with {type(error).__name__}: {error}"
            raise BrokeOff(f"{what}; acts: {'; '.join(reached)}") from error
        if not self.is_prompt and _hurried_s([said for said, _ in script.lines], shown.steps) >= SHORT_TIMEOUT_MS / 1000:
            return SequenceResult(reached, unanswered=f"a transaction with a short timeout was open for that long before {error}")
        is_seen = isinstance(error, Violation)
        asked = next(said for said, _ in reversed(script.lines[: number + 1]) if said.kind != DISTURBANCE)
        requirement = asked.requirement
        if isinstance(error, Violation) and line is asked:
            requirement = self.table.means(script.model, line, error)
        how = "violated" if is_seen else REFUSED if isinstance(error, SetUpFailed) else "unanswered"
        lines = tuple(said for said, _ in script.lines[: number + 1])
        finding = ExploredFinding(tuple(script.acts), lines, requirement, how, error)
        return SequenceResult(reached, known=finding) if self._is_known(finding, shown) else SequenceResult(reached, finding)

    def _is_known(self, finding: ExploredFinding, shown: ScriptResult) -> bool:
        """Whether the system is known to break this requirement in this way. What was not answered looks like nothing."""
        error, said = finding.error, shown.session.exchanges() if shown.session else ()
        about = [one.entry for one in self._known.known if one.entry.requirement in (ANY, finding.requirement)]
        if isinstance(error, NoAnswer):
            return any(entry.requirement != ANY for entry in about)
        mismatch = error.mismatch if isinstance(error, Violation) else refusal_of(error, said)
        return any(_is_alike(entry, mismatch) and (entry.answered is None or entry.answered.shows_in(said)) for entry in about)


def _kind_of(error: BaseException | None) -> tuple[object, ...]:
    """In which way a line failed: what was seen to be wrong, and the error of a refusal."""
    said = error.mismatch if isinstance(error, Violation) else error
    return tuple(getattr(said, name, None) for name in ("what", "error", "code"))


def _hurried_s(lines: Sequence[ActLine], steps: Sequence[PlayedStep]) -> float:
    """For how many seconds a transaction that times out soon was open at most, up to the end of the step after it."""
    longest, began = 0.0, None
    for line, step in zip(lines, steps, strict=False):
        began = step.began if line.is_hurried and began is None else began
        longest = longest if began is None else max(longest, step.began + step.seconds - began)
        began = began if line.is_hurried else None
    return longest


def _slowed_s(lines: Sequence[ActLine], shown: ScriptResult) -> float:
    """For how many seconds of the system's clock a transaction that times out soon was open before the last step began: what a disturbance
    does, such as to lose each message between nodes once, takes time there.
    """
    said = shown.session.exchanges() if shown.session else ()
    longest, began, at = 0.0, None, 0
    for line, step in zip(lines, shown.steps, strict=False):
        now = said[at - 1].at_ms / 1000 if at else 0.0
        began = (now if began is None else began) if line.is_hurried else None
        longest = longest if began is None else max(longest, now - began)
        at = max(at, step.said)
    return longest


def _is_alike(entry: DeviationEntry, mismatch: Mismatch | None) -> bool:
    """Whether a violation is of the kind that an entry is about: a refusal with the same error, or none in both.

    What was seen is not compared word by word: an entry names the values of one scenario, and a sequence has others.
    """
    symptom = entry.symptom
    if symptom is None or mismatch is None:
        return False
    if symptom.error is None and symptom.code is None:
        return mismatch.error is None or symptom.shows_in(mismatch)
    return Symptom(error=symptom.error, code=symptom.code).shows_in(mismatch)


def needs_of(table: Table[Any], acts: Sequence[str]) -> frozenset[str]:
    """The capabilities that a sequence needs."""
    by_name = table.by_name
    return frozenset().union(*(by_name[act].needs for act in acts))
