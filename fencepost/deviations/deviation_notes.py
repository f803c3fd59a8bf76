"""What a run says of the user's own known deviations: which entries it was not held against, and what its baseline has."""

import os
from collections import Counter

import pytest

from fencepost.contract.errors import WrongUsage
from fencepost.results.run_results import Results

from .baseline import TO_BE_WRITTEN, Baseline
from .user_deviations import OwnExpectations, unmatched

_MOST = 10
"""So many entries are named; more are counted."""


class KnownDeviations:
    """The part of the plugin that hears the end of a run, in the process that collects the verdicts."""

    def __init__(self, own: OwnExpectations, baseline: Baseline | None, results: Results) -> None:
        self.own, self.baseline, self.results = own, baseline, results

    @pytest.hookimpl(trylast=True)  # once it is known whether the run was finished
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.results.complete:
            self.results.notes += self._unmatched()
        self.results.notes += self._without_a_reason()
        if self.baseline is None:
            return
        if not self.results.complete:
            self.results.notes.append(f"no baseline was written to {os.path.relpath(self.baseline.path)}: the run was not finished")
            return
        try:
            self.results.notes.append(f"baseline: {self.baseline.write(self.results.scenarios, self.results.register)}")
        except WrongUsage as error:
            self.results.notes.append(str(error))
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _without_a_reason(self) -> list[str]:
        """A warning where nobody has written yet why a deviation is known."""
        files = Counter(one.file for one in self.own.known if one.entry.reason == TO_BE_WRITTEN)
        told = "have no reason yet; write it in place of TO BE WRITTEN"
        return [f"warning: {number} entries of {file} {told}" for file, number in files.items()]

    def _unmatched(self) -> list[str]:
        register, chosen = self.results.register, self.results.selection
        selected = (row.id for row in register.rows() if chosen.holds(row, register.spec_of(row.id)))
        handshake = self.results.handshake
        version = (handshake.judged_as or ("", handshake.version))[1] if handshake else ""
        found = list(unmatched(self.own, self.results.scenarios, selected, version))
        more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
        return [f"{len(found)} known deviations were not looked for: {'; '.join(found[:_MOST] + more)}"] if found else []
