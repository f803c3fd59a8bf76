"""Whether a segment is sealed, for defects that treat sealed segments otherwise than all others."""

from fencepost.reference.kernel.journal import Disk


def is_sealed(disk: Disk, segment: str) -> bool:
    """Whether the segment of that topic name accepts no messages any more."""
    return len(disk.journal(f"terminated {segment}")) > 0
