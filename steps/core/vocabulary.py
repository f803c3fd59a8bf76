"""The types of the core's values."""

import re

from fencepost.steps.sentence import ValueType, Vocabulary, choice, listed, quoted, text, unless

_RUN = re.compile(r'"1" up to "([1-9][0-9]{0,2})"')


class NumberRun(tuple[str, ...]):
    """The values "1", "2" and so on, which are written as the first and the last of them."""


def _parse(written: str) -> tuple[str, ...]:
    if run := _RUN.fullmatch(written):
        return NumberRun(str(number) for number in range(1, int(run[1]) + 1))
    return ONE_BY_ONE.parse(written)


def _render(values: tuple[str, ...]) -> str:
    return f'"1" up to "{len(values)}"' if isinstance(values, NumberRun) else ONE_BY_ONE.render(values)


WRITER = text("writer", "[A-Z]", "a client that writes in transactions, one after another")
NAME = quoted("name", "the name of a log")
LOG = text("log", "[a-z]+", "an existing log")
LOGS = listed("logs", LOG, "logs, each of which is meant", separator=" and ")
GROUP = quoted("group", "readers that share their place in a log")
VALUE = quoted("value", "what is written")
ONE_BY_ONE = listed("values", VALUE, "")
VALUES = ValueType(
    "values",
    f"{_RUN.pattern.replace('(', '(?:')}|{ONE_BY_ONE.pattern}",
    "values in their order, one or more; a run of numbers from 1",
    _parse,
    _render,
    '"...", "..."; or "1" up to "20"',
)
CONTENT = unless("nothing", (), "content", VALUES, "values in their order, or nothing", "values, or nothing")
ORDER = choice("order", "in some order", meaning="that the order is not asked for")
TIMEOUT = choice("timeout", "short", meaning="a timeout that is over while a scenario waits; a minute where nothing is said")
END = choice("end", "commit", "abort", meaning="how a transaction is to end")
ENDS = choice("ends", "commits", "aborts", meaning="how a writer ends its transaction")
ENDED = choice("ended", "committed", "aborted", meaning="how a transaction was ended")
MOMENT = choice(
    "moment",
    "right after its answer to",
    "before it decides",
    "when it has decided",
    "when it has notified one of the logs of",
    "when it has notified all of the logs of",
    meaning="where a crash comes in the work on a request",
)

SPEED = choice("speed", "all at once", meaning="that each is sent before the one before it is acknowledged")
POLICY = choice("policy", "deduplicating", meaning="that a log stores a write once that is sent twice, where that must be asked for")
LATE = choice("late", "in the transaction that it ended", meaning="the request reaches the log when the transaction is over")
AGAIN = choice("again", "the same transaction again", meaning="the transaction that was ended last")
OUTCOME = choice("outcome", "done", "refused", meaning="whether a request was answered with success")
RIVAL = choice("rival", "another client", meaning="one that may abort the transaction of the writer")
AHEAD = choice("ahead", "the write first", "the end first", meaning="which of two requests leaves first")
INSTANCE = choice("instance", "writer", "new instance of", meaning="the first instance, or one that takes its place")

CORE = Vocabulary(
    "core",
    types=[
        WRITER,
        NAME,
        LOG,
        LOGS,
        GROUP,
        VALUE,
        VALUES,
        CONTENT,
        ORDER,
        TIMEOUT,
        END,
        ENDS,
        ENDED,
        MOMENT,
        SPEED,
        POLICY,
        LATE,
        AGAIN,
        AHEAD,
        RIVAL,
        OUTCOME,
        INSTANCE,
    ],
)
