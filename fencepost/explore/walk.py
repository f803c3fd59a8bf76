"""Every sequence to a depth, played so that what several begin with is played once.

A walk plays one act after the other on a session that stays open. The state after each act is kept, and put back for the next act that may
come there. Everything that any act uses is made at the beginning, and each sequence is ended and looked at as it would be by itself.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fencepost.contract.played import PlayedStep
from fencepost.steps.acts.act import Act, ActLine, Script, Table, begun

from .deadline import TimeIsUp
from .kept_state import CannotBeKept, KeptState
from .trial import ScriptResult, SequenceResult, Trials


def walked(trials: Trials, depth: int) -> Iterator[SequenceResult]:
    """What every sequence of at most so many acts shows, the shortest first. A generated case is a sequence by itself."""
    parts = list(_offered_at_once(trials.table))
    for length in range(1, depth + 1):
        for number, needs in enumerate(parts):
            acts = trials.table.acts if length == 1 else [act for act in trials.table.acts if not act.is_case]
            yield from _Walk(trials, needs, parts[:number], acts).sequences(length)


def _offered_at_once(table: Table[Any]) -> Iterator[frozenset[str]]:
    """The capabilities that acts need, as many as one system offers at a time."""
    needed = frozenset().union(*(act.needs for act in table.acts))
    special = frozenset().union(*table.at_once)
    groups = dict.fromkeys(group & needed for group in table.at_once) or {frozenset[str](): None}
    for group in groups:
        if not any(group < other for other in groups):
            yield needed - special | group


class _Walk:
    """Goes through the sequences that need no more than `needs`, and more than each of `done`, which others have gone through."""

    def __init__(self, trials: Trials, needs: frozenset[str], done: Iterable[frozenset[str]], acts: Iterable[Act[Any]]) -> None:
        self._trials, self._done = trials, tuple(done)
        self._acts = [act for act in acts if act.needs <= needs]
        self._used = frozenset().union(*(act.arguments for act in self._acts))
        self._script: Script[Any] = Script(trials.table)
        self._scene = trials.scene(needs)
        self._steps: list[PlayedStep] = []

    def sequences(self, length: int) -> Iterator[SequenceResult]:
        """What every sequence of exactly so many acts shows."""
        with self._scene:
            if self._play((line, None) for line in self._script.table.opens(self._used)) is None:
                yield from self._below((), length)
            else:  # not all of it can be made, so each sequence makes what it uses
                yield from self._alone((), length)

    def _below(self, names: tuple[str, ...], left: int) -> Iterator[SequenceResult]:
        """What those show that begin with what was played, and have so many acts more."""
        try:
            here = KeptState(self._scene, self._script, self._steps)
        except CannotBeKept:
            yield from self._alone(names, left)
            return
        following = list(self._script.possible(self._acts))
        for number, act in enumerate(following, 1):
            failed = self._go(act)
            if left > 1 and failed is None:
                yield from self._below((*names, act.name), left - 1)
            elif left == 1 and self._is_mine(self._script.needs):
                yield self._confirmed(failed or self._end())
            try:
                here.restore()
            except CannotBeKept:
                for other in following[number:]:
                    yield from self._alone((*names, other.name), left - 1)
                return

    def _alone(self, names: tuple[str, ...], left: int) -> Iterator[SequenceResult]:
        """The same, with each played from its beginning."""
        script = begun(self._trials.table, names)
        if left:
            for act in script.possible(self._acts):
                yield from self._alone((*names, act.name), left - 1)
        elif self._is_mine(script.needs):
            yield self._trials.play(names)

    def _is_mine(self, needs: frozenset[str]) -> bool:
        return not any(needs <= done for done in self._done)

    def _go(self, act: Act[Any]) -> SequenceResult | None:
        """Let an act come next, and return what did not hold."""
        played = len(self._script.lines)
        self._script.add(act)
        lines = self._script.lines[played:]
        del self._script.lines[played:]
        return self._play(lines)

    def _end(self) -> SequenceResult:
        closing = self._script.table.closes(self._script.model)
        return self._play((line, None) for line in closing) or SequenceResult.held(self._script)

    def _play(self, lines: Iterable[tuple[ActLine, str | None]]) -> SequenceResult | None:
        coming = list(lines)
        said = [line.step for line, _ in coming]
        for number, line in enumerate(coming):
            self._script.lines.append(line)
            self._steps.append(step := self._scene.play(said[number], said[number + 1 :]))
            if step.error is not None:
                return self._trials.judged(self._script, ScriptResult(tuple(self._steps), self._scene.stage.session))
        return None

    def _confirmed(self, tried: SequenceResult) -> SequenceResult:
        """The finding as the sequence shows it by itself, where it does."""
        if tried.finding is None:
            return tried
        try:
            alone = self._trials.play(tried.finding.acts)
        except TimeIsUp:
            return tried
        return alone if alone.finding else tried
