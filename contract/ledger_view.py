"""What a scenario may look at on the disk of a system: with `entry-counts` the entries of a log can be counted there."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class ShowsLedgers(Protocol):
    """A session with a system that offers `entry-counts`."""

    def length_of(self, log: str) -> int:
        """How many entries a log has, by its name in the system, whatever they are and whether or not readers may see them."""
        ...
