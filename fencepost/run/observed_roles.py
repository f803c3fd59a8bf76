"""Makes the observations of two plays of one scenario comparable: an identity is replaced by its role.

A disturbance, or another system, may change some values that a broker chooses, and no others: which member id it assigns, which epoch its
coordinator has, at what time it acts. Each becomes the number of its first appearance, so that equal values stay equal, and different ones
still differ.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple


class Role(NamedTuple):
    """Values that are compared by their order of appearance; `pattern` has the value as its group `value`, and why it may differ."""

    name: str
    pattern: re.Pattern[str]
    reason: str


ROLES = (
    Role("member", re.compile(r"\b(?P<value>member-[\d-]+)"), "a group coordinator makes up each member id"),
    Role(
        "coordinator-epoch",
        re.compile(r"coordinator[ _]epoch(?:[ =]|: )(?P<value>-?\d+)"),
        "an epoch counts the starts and moves of a coordinator",
    ),
    Role(
        "producer",
        re.compile(r"producer[ _]id(?:[ =]|: )(?P<value>\d+)"),
        "a coordinator assigns each producer id once",
    ),
    Role("timestamp", re.compile(r"\b(?P<value>\d{13})\b"), "milliseconds since 1970: time passes while a system starts"),
    Role("checksum", re.compile(r"\b(?P<value>0x[0-9a-f]{8})\b"), "a checksum is also one of timestamps"),
    Role(
        "topic-id",
        re.compile(r"\b(?P<value>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b"),
        "a topic id is made up when the topic is made, and other topics may have been made before",
    ),
    Role("position", re.compile(r"\b(?P<value>\d+:\d+)\b"), "a topic goes on in another ledger after a restart"),
    Role(
        "ledger",
        re.compile(r"\(\((?P<value>\d+), \d+\), (?:True|False)\)"),
        "ledgers are numbered through the whole system, and others may have been made before",
    ),
    Role("duration", re.compile(r"no longer open (?P<value>\d+) ms after"), "a look finds an end at the first time that it looks after it"),
    Role("looks", re.compile(r"\bin (?P<value>\d+) looks"), "how often a log is looked at follows from when other requests come"),
    Role(
        "in-flight",
        re.compile(r"(?P<value>\d+ of \d+) messages, each once"),
        "how many messages in flight are stored before something happens is a race",
    ),
    Role(
        "listed", re.compile(r"(?:not in it, of|the largest of) (?P<value>\d+)"), "a list of all that there is has others' entries as well"
    ),
    Role("leader-epoch", re.compile(r"leader[ _]epoch(?:[ =]|: )(?P<value>-?\d+)"), "a leader epoch counts the leaders of a partition"),
    Role("epoch", re.compile(r"(?<!coordinator[ _])epoch(?:[ =]|: )(?P<value>\d+)"), "an epoch counts the transactions of a producer"),
    Role("offset", re.compile(r"(?:offset|watermark)(?:[ =]|: )(?P<value>\d+)"), "what a broker writes by itself has offsets too"),
    Role(
        "place",
        re.compile(
            r"(?:(?:offsets?|watermark)(?:[ =]|: |, )|offset of \"[^\"]*\", "
            r"|success with |\[| at | to |-1 or |: (?=\d+;)|, (?=\d+[,\]]))(?P<value>\d+)\b"
        ),
        "where a log begins, all of its offsets begin, in whatever words",
    ),
    Role(
        "transaction",
        re.compile(
            r"(?P<value>\(\d+,\d+\)|coordinator_bits=\d+, sequence=\d+|(?<=/txn/op/)\d+_\d+"
            r"|(?<=low watermark: )less than \d+: -?\d+)"
        ),
        "a coordinator numbers transactions, and others may have come before",
    ),
)
_MOVED = frozenset({"epoch", "leader-epoch", "listed", "offset", "place", "transaction"})
"""The roles that only some disturbances declare to move, and that differ between two systems; elsewhere the values must be the same."""
BETWEEN_SYSTEMS = _MOVED - {"leader-epoch", "listed", "place"}
"""Those of them that two systems may number differently."""
_LISTED_EPOCHS = re.compile(r"^(coordinator epochs of .*?: epochs that never fall, [^:]*:).*", re.DOTALL)
"""A sentence that judges a whole list of coordinator epochs; the list depends on how often the system was started."""


def places_in(text: str) -> list[int]:
    """The offsets that an observation has, in its order."""
    return [int(found["value"]) for found in next(role for role in ROLES if role.name == "place").pattern.finditer(text)]


def by_role(observations: Iterable[str], moves: Collection[str] = ()) -> Iterator[str]:
    """The observations of a play with the values of each role numbered by appearance; `moves` are the roles that are moved here."""
    roles = [role for role in ROLES if role.name not in _MOVED or role.name in moves]
    seen: dict[str, dict[str, int]] = {role.name: {} for role in roles}
    for text in observations:
        text = _LISTED_EPOCHS.sub(r"\1 ...", text)
        for role in roles:
            known = seen[role.name]

            def named(found: re.Match[str], role: Role = role, known: dict[str, int] = known) -> str:
                number = known.setdefault(found["value"], len(known) + 1)
                start, end = (place - found.start() for place in found.span("value"))
                return f"{found[0][:start]}<{role.name} {number}>{found[0][end:]}"

            text = role.pattern.sub(named, text)
        yield text
