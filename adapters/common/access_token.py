"""A token by which a client logs in: read again for each login, so that its issuer can replace one that expires.

It comes from a file, the environment or a command, and is never on a command line of fencepost. No message contains it, nor the command's
output, which may quote it.
"""

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import AccessRefused, WrongUsage

TOKEN = "token"  # noqa: S105 - the name of an option
TOKEN_HELP = "where the token is that logs in: file:PATH, env:VARIABLE, or command:CMD, a program with arguments that prints it"  # noqa: S105
_KINDS = ("file", "env", "command")
_ENDS_WITHIN_S = 30.0
_SHOWN_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,40}")
"""A variable that a message may name. Other text may be the token itself, if a shell has expanded `env:$TOKEN`."""


@dataclass(frozen=True)
class Token:
    """The source of a token: `kind` is file, env or command, `where` the path, the variable or the command line."""

    kind: str
    where: str

    def __repr__(self) -> str:
        return f"Token({self.kind})"

    @classmethod
    def of(cls, text: str) -> "Token":
        """The source in --token. Raises WrongUsage, which does not show what may be the token itself."""
        kind, is_notified, where = text.partition(":")
        if kind not in _KINDS or not is_notified or not where:
            raise WrongUsage(
                f"--{TOKEN} (not shown): expected file:PATH, env:VARIABLE or command:CMD; the process list would show the token itself"
            )
        return cls(kind, where)

    def read(self) -> str:
        """The token, without blanks around it. Raises AccessRefused."""
        token = {"file": self._of_file, "env": lambda: os.environ.get(self.where, ""), "command": self._of_command}[self.kind]().strip()
        if not token:
            raise self._failed("there is nothing in it")
        if any(not ("!" <= letter <= "~") for letter in token):
            raise self._failed("it has blanks or letters that no token has")
        return token

    def _of_file(self) -> str:
        try:
            return Path(self.where).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise self._failed(getattr(error, "strerror", None) or "it is no text") from None

    def _of_command(self) -> str:
        try:
            words = shlex.split(self.where)
            # The user's own command; what it writes to stderr may quote the token.
            ended = subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_ENDS_WITHIN_S)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise self._failed(f"it did not end within {_ENDS_WITHIN_S:g} s") from None
        except subprocess.CalledProcessError as error:
            raise self._failed(f"it ended with exit code {error.returncode}") from None
        except OSError as error:
            raise self._failed(f"it cannot be run: {error.strerror}") from None
        except ValueError:
            raise self._failed("it cannot be split into words, or did not print a text") from None
        return ended.stdout

    def _failed(self, why: str) -> AccessRefused:
        where = "its program (run it by hand to see its output)" if self.kind == "command" else self.where
        if self.kind == "env" and not _SHOWN_VARIABLE.fullmatch(where):
            where, why = "that variable (not shown)", f"{why}; expected the variable's name without $, such as env:TOKEN"
        return AccessRefused(f"--{TOKEN} {self.kind}: no token comes from {where}: {why}")
