"""What an earlier run of the same system says of how long the next one will take.

The measured seconds of `fixtures/costs.yaml` are those of brokers that conform. One that deviates keeps a run waiting for what never comes,
and how often it does is not known before it is asked; but an earlier run has waited for it already.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import pytest

from fencepost.contract.errors import WrongUsage
from fencepost.results.compliance_document import Compliance, read

from .identity import RunIdentity
from .options import RunOptions

PREVIOUS = pytest.StashKey["PreviousRun | None"]()
"""The run before, read before a pytest session claims its folder."""


@dataclass(frozen=True)
class PreviousRun:
    """An earlier run that came to its end, and the folder of its results."""

    run: Compliance
    folder: Path

    @property
    def most_at_once(self) -> int:
        """How many of its scenarios were played at once."""
        return self.run.concurrency.most if self.run.concurrency else 1

    @property
    def asked(self) -> frozenset[str]:
        """The requirements of which it asked any scenario."""
        return frozenset(row.id for row in self.run.requirements if row.scenarios)

    def seconds(self, asked: Collection[str], share: float) -> float:
        """How long a run takes that asks these requirements, which are `share` of what this one asked, by measured seconds.

        It is never less than the longest scenario of theirs has taken.
        """
        longest = max((one.seconds for row in self.run.requirements if row.id in asked for one in row.scenarios), default=0.0)
        return max(self.run.seconds * share, longest)

    def __str__(self) -> str:
        return f"the run of {self.run.began} in {os.path.relpath(self.folder)}"


def previous_run(options: RunOptions) -> PreviousRun | None:
    """The run in the folder that `--previous` names, else in that of the results.

    None where there is none that came to its end, or it was one of another system.
    """
    folder = options.previous or options.results
    if folder is None:
        return None
    try:
        run = read(folder)
    except WrongUsage:
        return None  # an estimate does without it
    return PreviousRun(run, folder) if run.complete and _is_of(run, options) else None


def _is_of(run: Compliance, options: RunOptions) -> bool:
    """Whether the run judged the system that these options name, as far as that is known before it is asked."""
    now, judged = RunIdentity.of(options.system, options.named, options.defect, None), run.system
    image = options.asked.options.get("container")
    is_named_alike = judged.name == now.name or (image is not None and options.named.name is None)
    return is_named_alike and (judged.image.name if judged.image else None) == image and judged.defect == now.defect
