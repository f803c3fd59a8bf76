"""Which Java runs Spark: the one that JAVA_HOME names, else the first usable one on the machine.

A Java that Spark cannot use is passed over, and when none is left the error lists all that were found, and what to install.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import WrongUsage

OLDEST, NEWEST = 17, 25
PLACES = ("/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines")


@dataclass(frozen=True)
class Java:
    """A Java installation; `version` is None when its `java` does not run."""

    home: Path
    version: int | None

    @property
    def usable(self) -> bool:
        return self.version is not None and OLDEST <= self.version <= NEWEST

    def __str__(self) -> str:
        return f"{self.home} ({'does not run' if self.version is None else f'version {self.version}'})"


def find(places: tuple[str, ...] = PLACES) -> Java:
    """The Java to use; `WrongUsage` reports what was found instead, and the remedy."""
    found = []
    for home in _homes(places):
        java = Java(home, _version_of(home))
        if java.usable:
            return java
        found.append(java)
    seen = "found only " + ", ".join(map(str, found)) if found else "found none"
    raise WrongUsage(
        f"Spark needs Java {OLDEST} to {NEWEST}: {seen}. "
        "Install one (apt-get install openjdk-17-jre-headless, brew install openjdk@17), or let JAVA_HOME name it"
    )


def _homes(places: tuple[str, ...]) -> Iterator[Path]:
    """JAVA_HOME first, then the `java` of the PATH, then where systems keep theirs."""
    named = os.environ.get("JAVA_HOME")
    candidates = [Path(named)] if named else []
    candidates += [on_path] if (on_path := _on_path()) else []
    candidates += [home for place in places for pattern in ("*", "*/Contents/Home") for home in sorted(Path(place).glob(pattern))]
    seen = set()
    for home in candidates:
        if home.resolve() not in seen and (home / "bin/java").exists():
            seen.add(home.resolve())
            yield home


def _on_path() -> Path | None:
    found = shutil.which("java")
    return Path(found).resolve().parents[1] if found else None


def _version_of(home: Path) -> int | None:
    """What `java -version` reports: 8 calls itself 1.8."""
    try:
        said = subprocess.run([home / "bin/java", "-version"], capture_output=True, text=True, timeout=30, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(match[1]) if match else None
