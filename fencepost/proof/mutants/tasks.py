"""The tasks of processes: to note what the scenarios of a profile reach, and to judge a mutant."""

import gc
import importlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType

from . import reference_sources
from .code_swap import Functions
from .line_coverage import Line, Noted
from .mutant_verdicts import SCENARIO_S, Judging, Outcome, Verdicts
from .mutation_sites import MutationSite
from .prepared_scenarios import Suite


@dataclass(frozen=True)
class Honest:
    """The verdicts of one profile's scenarios without a change, and which lines each reaches."""

    profile: str
    verdicts: Mapping[str, str]
    lines: Mapping[str, frozenset[Line]]


@dataclass(frozen=True)
class Note:
    """Run all scenarios of a profile on the unchanged reference."""

    profile: str

    def run(self, suites: Sequence[Suite], noted: Noted) -> Honest:
        verdicts, lines = {}, {}
        suite = next(one for one in suites if one.profile == self.profile)
        for name, result in suite.run(suite.names, noted.forget):
            verdicts[name], lines[name] = result.verdict.value, noted.taken()
        return Honest(self.profile, verdicts, lines)


@dataclass(frozen=True)
class MutantJudge:
    """Judge a mutant by these scenarios; `usual` are their verdicts without it."""

    place: MutationSite
    asked: Mapping[str, Sequence[str]]
    usual: Verdicts
    thorough: bool
    scenario_s: float = SCENARIO_S

    def run(self, suites: Sequence[Suite], functions: Functions) -> Outcome:
        """Judge in a process that holds the suites, and that is used for nothing else afterwards."""
        began = time.process_time()
        _go_on()
        gc.disable()  # the process is short, and collecting garbage takes a fifth of its time
        functions.change(self.place, self._source())
        judging = self._judging()
        for suite in suites:
            judging.ask(suite)
        return self._outcome(judging, began)

    def run_from_import(self) -> Outcome:
        """Judge in a process that has not imported the reference."""
        began = time.process_time()
        reference_sources.Changing(self._compiled).install()
        try:
            _go_on()
        except Exception as error:
            return self._outcome(self._judging(), began, f"the reference cannot be imported: {error!r}"[:300])
        judging = self._judging()
        for profile in self.asked:
            if not judging.is_decided():
                try:
                    judging.ask(Suite(profile))
                except Exception as error:
                    return self._outcome(judging, began, f"the suite cannot be started: {error!r}"[:300])
        return self._outcome(judging, began)

    def _judging(self) -> Judging:
        return Judging(self.usual, self.asked, self.thorough, self.scenario_s)

    def _outcome(self, judging: Judging, began: float, died: str | None = None) -> Outcome:
        return Outcome(self.place, tuple(judging.reds), judging.scenarios, died, time.process_time() - began)

    def _source(self) -> bytes:
        return reference_sources.files()[self.place.key.file].read_bytes()

    def _compiled(self, file: str, source: bytes) -> CodeType:
        text = self.place.applied(source) if file == self.place.key.file else source
        return compile(text, str(reference_sources.root().parent / file), "exec")


def _go_on() -> None:
    """An error in a mutant's code closes the connection, as when it is served and as with any broker: the suite judges what it sees."""
    importlib.import_module("fencepost.reference.kernel.reference_broker").ReferenceBroker.raises = False
