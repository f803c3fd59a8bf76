"""`python -m fencepost.pipeline.layouts HISTORY [TOPIC]`: print the picture of a topic's layout."""

import json
import sys
from pathlib import Path

from fencepost.contract import history_files

from .layout_picture import drawn
from .story import happenings, story


def main(arguments: list[str]) -> int:
    """Returns the exit code: 0, or 2 for wrong usage."""
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m fencepost.pipeline.layouts HISTORY [TOPIC]", file=sys.stderr)
        return 2
    path = Path(arguments[0])
    try:
        events = [json.loads(line) for line in history_files.text_of(path).splitlines()]
        reported = story(happenings(events), arguments[1] if arguments[1:] else None)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{path} is no history: {error!r}; expected a file of history/ in the results of a run", file=sys.stderr)
        return 2
    if reported is None or not reported.segments:
        print(f"{path} has no scalable topic whose layout changed; expected the history of a scenario of PIP-460", file=sys.stderr)
        return 2
    print(drawn(reported), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
