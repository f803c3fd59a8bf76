"""The machine that a broker runs on."""

from dataclasses import dataclass

from .clock import Clock
from .crash import CrashPoints
from .journal import Disk
from .network import Network


@dataclass(frozen=True)
class Machine:
    """What is there before a broker starts and after it has crashed."""

    clock: Clock
    disk: Disk
    network: Network
    crash_points: CrashPoints
