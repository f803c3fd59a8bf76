"""The commands of docs/tutorial.md, and running them as a reader would: in order, in one shell.

A block ```sh is commands. Its first line may say `# needs Docker` or `# needs Java`. A command that ends with another exit code than 0
has that after it: `# exit code 1`.
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from commands import CHECKOUT

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit code (\d+)$")
_NEEDS = "# needs "


@dataclass(frozen=True)
class Command:
    """One line, the exit code that the tutorial says it has, and what it needs: Docker, Java, or nothing."""

    line: str
    code: int
    needs: str | None

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line)


def commands() -> list[Command]:
    """All of them, in order."""
    found = []
    for block in _BLOCK.findall((CHECKOUT / "docs/tutorial.md").read_text(encoding="utf-8")):
        lines = block.splitlines()
        needs = lines.pop(0).removeprefix(_NEEDS) if lines[0].startswith(_NEEDS) else None
        for line in lines:
            reported = _EXIT.search(line)
            found.append(Command(_EXIT.sub("", line), int(reported[1]) if reported else 0, needs))
    return found


def here() -> dict[str, str]:
    """An environment in which `fencepost` is this checkout's."""
    return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def run(those: list[Command], folder: Path, environment: dict[str, str], timeout: float) -> str:
    """Run these in one shell; the first that ends otherwise than the tutorial says fails the test. Answers what was printed."""
    script = "".join(
        f"echo {shlex.quote(f'$ {one.line}')}\n{one.line}\n"
        f'code=$?; [ $code = {one.code} ] || {{ echo "ended with $code, expected {one.code}"; exit 99; }}\n'
        for one in those
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=kept | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
