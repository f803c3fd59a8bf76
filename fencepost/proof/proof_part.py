"""A part of a proof: `--part I/N`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from fencepost.contract.errors import WrongUsage

T = TypeVar("T")


@dataclass(frozen=True)
class ProofPart:
    """One of several parts of a proof, of about as many brokers each: the `number`-th of `count`, counted from 1."""

    number: int = 1
    count: int = 1

    @classmethod
    def named(cls, name: str) -> "ProofPart":
        """The part that `I/N` names. Raises WrongUsage."""
        found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", name)
        if found is None or int(found[1]) > int(found[2]):
            raise WrongUsage(f"--part {name} is no part: expected I/N, with I from 1 to N, such as 2/3")
        return cls(int(found[1]), int(found[2]))

    def of(self, wanted: Sequence[T]) -> Sequence[T]:
        """Those of this part: every count-th, so that each part has some of each kind. Raises WrongUsage if there is none."""
        own = wanted[self.number - 1 :: self.count]
        if not own:
            raise WrongUsage(f"--part {self} has no broker: there are {len(wanted)}")
        return own

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
