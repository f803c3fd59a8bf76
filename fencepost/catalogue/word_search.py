"""Find texts by words: in any order and form, with the words of the proposals for what the requirements call by another name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

ALIKE = {
    "abortable_error": "transaction_abortabl",
    "ack": "acknowledg",
    "allocat": "new",
    "bump": "rais",
    "cas": "compar",
    "dag": "layout",
    "delay": "late",
    "disabl": "switch",
    "downgrad": "lower",
    "enabl": "switch",
    "lso": "last stable offset",
    "ongo": "open",
    "pid": "producer id",
    "preced": "previou",
    "tb": "transaction buffer",
    "tc": "coordinator",
    "terminat": "clos",
    "turn": "switch",
    "txnid": "transaction id",
}
"""The stem of a proposal's word, and what a requirement may say in its place."""
_PLAIN = (
    "a an and are as at be been by can do does each for from has have if in into is it its may must not of on or shall should that the "
    "their them then there they this to was we were when which will with would"
)
PLAIN = frozenset(_PLAIN.split())
"""Words by which no text is found."""
_MOST = 10
"""How many texts are shown if none has all words."""
_SHARE = 0.35
"""How much such a text has at least, of the weight of all words."""
_SHORTEST = 5
"""How long the beginning of a word is at least, to find the whole one."""


@dataclass(frozen=True)
class SearchedText:
    """What is searched: the text that a reader sees, and what else is known of it."""

    title: str
    rest: str = ""


@dataclass(frozen=True)
class Found:
    """What has all words, best first; or the nearest, and which words no text has."""

    names: tuple[str, ...]
    has_all: bool
    unknown: tuple[str, ...] = ()


def find(words: str, texts: Mapping[str, SearchedText]) -> Found:
    """What the words find. A text that has all of them is found before any that has most of them; nothing, if no text has enough."""
    titles = {name: _stems(text.title) for name, text in texts.items()}
    wholes = {name: titles[name] | _stems(text.rest) for name, text in texts.items()}
    known = frozenset().union(*wholes.values())
    wanted = {word: [[_forms(part, known) for part in parts] for parts in _readings(word)] for word in _words(words)}
    having = {word: {name for name in texts if _has(wholes[name], readings)} for word, readings in wanted.items()}
    weights = {word: log(1 + len(texts) / len(names)) for word, names in having.items() if names}
    points = {name: sum(weight for word, weight in weights.items() if name in having[word]) for name in texts}

    def rank(name: str) -> float:
        in_title = sum(weight for word, weight in weights.items() if _has(titles[name], wanted[word]))
        return (points[name] + in_title / 2) ** 2 / sqrt(1 + len(wholes[name]) / 30)

    best_first = sorted(texts, key=rank, reverse=True)
    if whole := [name for name in best_first if all(name in names for names in having.values())]:
        return Found(tuple(whole), has_all=True)
    near = [name for name in best_first if weights and points[name] >= _SHARE * sum(weights.values())]
    return Found(tuple(near[:_MOST]), has_all=False, unknown=tuple(word for word, names in having.items() if not names))


def _has(stems: frozenset[str], readings: Sequence[Sequence[frozenset[str]]]) -> bool:
    return any(all(not stems.isdisjoint(forms) for forms in parts) for parts in readings)


def _forms(wanted: str, known: frozenset[str]) -> frozenset[str]:
    """The stems that are the wanted one, or a longer or shorter form of it."""
    return frozenset(one for one in known if one == wanted or _begins_alike(wanted, one))


def _readings(word: str) -> Sequence[Sequence[str]]:
    """The stems of a word, or of the parts of a name such as `kip890-060`; and those of the words that requirements have in its place."""
    own = [stem(part) for part in word.split("-")]
    return [own, *(ALIKE[one].split() for one in own if one in ALIKE)]


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, re.findall(r"\w+", text.casefold())))


def _begins_alike(one: str, other: str) -> bool:
    """`acknowledg` and `acknowledgement`, `commit` and `committ`."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and long.startswith(short)


def stem(word: str) -> str:
    """A word without the ending that its forms differ in, and without the end of a request's name."""
    name = re.sub(r"(?<=\w{4})(?:request|response)s?$", "", word)
    short = re.sub(r"(?:ing|ed|es|e|s)$", "", name) if len(name) > _SHORTEST else name.removesuffix("s") if len(name) > 3 else name
    return re.sub(r"(?<=\w{4})y$", "i", short)


def _words(text: str) -> Sequence[str]:
    """The words that count, each once: all of them, if none does."""
    every = list(dict.fromkeys(re.findall(r"\w+(?:-\w+)*", text.casefold())))
    return [word for word in every if word not in PLAIN] or every
