"""What a scenario has created, by the names that its sentences use."""

from typing import TypeVar

from fencepost.contract.errors import WrongUsage

V = TypeVar("V")


class NamedThings(dict[str, V]):
    """Things of one kind. A name that no step has created is a mistake of the scenario, such as a team's own feature may have.

    `kind` is the field's word for them, and `made_by` a sentence that creates some. Raises WrongUsage for an unknown name.
    """

    def __init__(self, kind: str, made_by: str) -> None:
        super().__init__()
        self._kind, self._made_by = kind, made_by

    def __missing__(self, name: str) -> V:
        made = f"made so far: {', '.join(sorted(self))}" if self else "none was made so far"
        raise WrongUsage(
            f"the scenario names the {self._kind} {name!r} before a step has made it ({made}); expected first, such as: {self._made_by}"
        )
