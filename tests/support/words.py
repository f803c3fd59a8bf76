"""The linter of words: how often each word that is out is still in each top folder, which may only fall.

    python tests/support/words.py            compare with words_left.yaml, as `make lint` does
    python tests/support/words.py --places told    where a word stands, one place a line
    python tests/support/words.py --write    note today's counts, as `make words` does

`fixtures/words.yaml` has the words with what to write instead.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.datafile import load
from fencepost.contract.errors import Exit, UnknownName, WrongUsage
from fencepost.run.house_words import Word, words

CHECKOUT = Path(__file__).resolve().parents[2]
HOUSE = CHECKOUT / "tests" / "house"
LEFT = HOUSE / "words_left.yaml"
_KINDS = (".py", ".md", ".feature", ".yaml", ".j2", ".toml", "Makefile")
_ROOT = "root"
"""The name for files that are in no folder."""
_MADE = re.compile(
    r"docs/(sentences|museum|core|kip\d+|pip\d+|transaction_key)\.md|docs/findings/.*|tests/(house|support)/(test_)?words.*|docs/house-style\.md|fixtures/words\.yaml|tests/fencepost/test_lint\.py|.*_pb2\.py|CHANGELOG\.md"
)
"""What is made from other files, describes the past, or is about the words themselves."""
_MOST = 12
Counts = dict[str, dict[str, int]]
"""How often each word stands in each folder."""


@dataclass(frozen=True)
class Place:
    """Where a word stands."""

    folder: str
    file: str
    line: int
    word: Word

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.word.word}; write instead: {self.word.instead}"


def left() -> Counts:
    """How many of each are allowed yet."""
    return load(LEFT, Counts)


def places(file: str, text: str, known: Sequence[Word]) -> Iterator[Place]:
    """Each of these words in a text."""
    folder = file.partition("/")[0] if "/" in file else _ROOT
    patterns = [(word, word.compiled()) for word in known]
    for word, pattern in patterns:
        yield from (Place(folder, file, text.count("\n", 0, found.end()) + 1, word) for found in pattern.finditer(text))


def found() -> list[Place]:
    """Each place in the files that git knows, or would."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    )
    known = words()
    files = [file for file in listed.stdout.splitlines() if file.endswith(_KINDS) and not _MADE.fullmatch(file)]
    there = [file for file in files if (CHECKOUT / file).is_file()]
    return [place for file in there for place in places(file, (CHECKOUT / file).read_text(encoding="utf-8"), known)]


def counted(those: Sequence[Place]) -> Counts:
    """The places as counts, folders and words in order."""
    counts = Counter((place.folder, place.word.word) for place in those)
    folders = sorted({folder for folder, _ in counts})
    return {
        folder: {word: counts[folder, word] for word in sorted({one for where, one in counts if where == folder})} for folder in folders
    }


def risen(now: Counts, allowed: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str, int, int]]:
    """Each folder and word of which there are more than allowed, with both numbers."""
    return [
        (folder, word, number, most)
        for folder, of_folder in now.items()
        for word, number in of_folder.items()
        if number > (most := allowed.get(folder, {}).get(word, 0))
    ]


def check() -> int:
    """Print what has risen, with the places in changed files; answers the exit code."""
    those = found()
    more = risen(counted(those), left())
    changed = _changed()
    for folder, word, number, most in more:
        print(f"{folder}: {word!r} is there {number} times, {number - most} more than {LEFT.name} allows:")
        here = [place for place in those if (place.folder, place.word.word) == (folder, word)]
        shown = [place for place in here if place.file in changed] or here
        print("\n".join(f"  {place}" for place in shown[:_MOST]))
    total, allowed = len(those), sum(number for of_folder in left().values() for number in of_folder.values())
    if not more:
        print(f"words: {total} left" + (f", {allowed - total} fewer than before; say: make words" if total < allowed else ""))
    return Exit.DOES_NOT if more else Exit.CONFORMS


def write() -> int:
    """Note today's counts, and print the sum of each folder before and now."""
    before, now = left() if LEFT.is_file() else {}, counted(found())
    lines = ["# How often each word that is out still stands in each folder. `make words` writes it; the numbers may only fall.", ""]
    for folder, of_folder in now.items():
        lines += [f"{folder}:", *(f"  {word}: {number}" for word, number in of_folder.items())]
    LEFT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for folder in sorted({*before, *now}):
        print(f"{folder:<12}{sum(before.get(folder, {}).values()):>6} -> {sum(now.get(folder, {}).values())}")
    return Exit.CONFORMS


def show(named: str) -> int:
    """Print each place of a word."""
    matching = [word.word for word in words() if named in word.word]
    if not matching:
        raise UnknownName("word", named, [word.word for word in words()])
    print("\n".join(str(place) for place in found() if place.word.word in matching))
    return Exit.CONFORMS


def _changed() -> set[str]:
    """The files that differ from the last commit."""
    reported = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    )
    return {line[3:] for line in reported.stdout.splitlines()}


def main(arguments: Sequence[str]) -> int:
    """What this module's docstring says."""
    match arguments:
        case []:
            return check()
        case ["--write"]:
            return write()
        case ["--places", named]:
            return show(named)
    raise WrongUsage(f"{' '.join(arguments)}: expected nothing, --write, or --places WORD")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except WrongUsage as error:
        print(f"words: {error}", file=sys.stderr)
        sys.exit(Exit.USAGE)
