"""A part of a proof: `--part I/N`, and `--only NAME`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
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


def only(wanted: Sequence[T], patterns: Sequence[str], name: Callable[[T], str]) -> Sequence[T]:
    """Those whose name one of the patterns matches, such as `replay-pulsar-*`; all without patterns. Raises WrongUsage for none."""
    for pattern in patterns:
        if not any(fnmatchcase(name(one), pattern) for one in wanted):
            raise WrongUsage(f"--only {pattern} matches no broker: there are {', '.join(map(name, wanted[:3]))} and others")
    return [one for one in wanted if not patterns or any(fnmatchcase(name(one), pattern) for pattern in patterns)]
