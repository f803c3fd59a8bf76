"""`docs/museum.md`: a paragraph for each bug. `python -m fencepost.museum.museum_page` prints it."""

import sys
from collections.abc import Iterator

from fencepost.reference.defects import DEFECTS

from .bugs import Bug, BugKind, Museum, bundled

_HEAD = """\
# The museum of real bugs

The museum has bugs in transactions of released brokers and clients, in our words; the links lead to where they were reported or fixed.
This page is made from `fixtures/museum.yaml`.

`fencepost prove --museum` plays the defects of the reference that make a bug again.
A bug is caught if the scenarios of each requirement that its defects break are red with the symptom that the defect states.
"""


def page(museum: Museum) -> str:
    """The page as Markdown."""
    return "\n".join(_lines(museum))


def _lines(museum: Museum) -> Iterator[str]:
    yield _HEAD
    yield f"These are {len(museum.bugs)} bugs of {len(museum.systems)} systems:"
    yield ""
    yield f"- {len(museum.played)} are made again by defects;"
    yield f"- {len(museum.waiting)} wait for something that the reference or the vocabulary lacks;"
    for kind in BugKind:
        if bugs := museum.out_of_reach(kind):
            yield f"- {len(bugs)} are not played, since they take {kind.in_words};"
    for system, bugs in museum.systems.items():
        yield f"\n## {system}\n"
        for bug in bugs:
            yield from (_paragraph(bug), "")


def _paragraph(bug: Bug) -> str:
    also = f", also {', '.join(bug.also)}" if bug.also else ""
    date = f", {bug.date}" if bug.date else ""
    name = f"[{bug.id}]({bug.link})" if bug.link else bug.id
    return f"**{name}**{also}{date}.\n{bug.symptom}\n*Trigger:* {bug.trigger}\n{_fate(bug)}"


def _fate(bug: Bug) -> str:
    if bug.waits_for:
        return f"*Waits for:* {bug.waits_for}"
    if bug.out_of_reach:
        return f"*Not played:* {bug.because}"
    made_by = (f"`{name}`, which breaks {' and '.join(DEFECTS[name].breaks)}" for name in bug.defects)
    return f"*Made again by* {'; '.join(made_by)}."


if __name__ == "__main__":
    sys.stdout.write(page(bundled()))
