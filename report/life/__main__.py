"""`python -m fencepost.report.life HISTORY [TRANSACTION]`: print the picture of a transaction."""

import sys
from pathlib import Path

from fencepost.contract.errors import WrongUsage

from .life_picture import drawn
from .transaction_life import read


def main(arguments: list[str]) -> int:
    """Answers the exit code: 0, or 2 for wrong usage."""
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m fencepost.report.life HISTORY [TRANSACTION]", file=sys.stderr)
        return 2
    try:
        print(drawn(read(Path(arguments[0]), *arguments[1:])), end="")
    except WrongUsage as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
