"""The small histories of `tests/pipeline/check_cases`: of each anomaly some that show it (`broken`), may show it (`maybe`), and do not
(`sound`), in the notation of check_histories.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

FOLDER = Path(__file__).parents[1] / "pipeline/check_cases"
INFERRING = "cycles_inferred"
"""The family that is judged with inferred edges."""


class Case(NamedTuple):
    """A history with what it is to show."""

    anomaly: str
    kind: str
    name: str
    text: str
    infer: bool

    @property
    def run(self) -> str:
        """What its run is called."""
        return f"{self.anomaly}/{self.kind}/{self.name}"


def cases() -> list[Case]:
    """All of them, family by family."""
    return list(_read())


def _read() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.yaml")):
        for anomaly, kinds in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            for kind, histories in kinds.items():
                for name, text in histories.items():
                    yield Case(anomaly, kind, name, text, path.stem == INFERRING)
