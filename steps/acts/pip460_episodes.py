"""Acts of PIP-460 that are complete in themselves, since they need separate topics: unknown names, other topics next to this one, sizes
of layouts, producers that send again, dispatching, and names of consumers. Each comes once in a sequence.
"""

from collections.abc import Iterable, Iterator

from . import episodes
from .act import Act, ActLine
from .episodes import Episode
from .pip460_lines import LINES, named
from .pip460_model import TOPIC, Layouts

_CRASH, _POINTS, _BROKERS, _TIME = "crash", "crash-points", "more-brokers", "virtual-time"
_PLACED = (
    "a segment that does not exist",
    "the first segment by hashes that it has not",
    "the first segment by its number alone",
    "the first segment by decimal hashes",
)
_OPENINGS = ("opens a producer of", "subscribes to")
_FEW, _MANY = ("a", "b"), ("a", "b", "c", "d", "e", "f", "g")


def _of_names() -> Iterator[Episode]:
    for absence in _PLACED:
        for opening in _OPENINGS:
            yield Episode((f"odd is {absence} of {TOPIC}",), f"a client {opening} odd", ("it is refused",), "26")
    for opening in _OPENINGS:
        for domain in ("", " as a persistent topic"):
            yield Episode((), f"a client {opening} {TOPIC}{domain}", ("it is refused for good",), "48")
        asked = f"a client {opening} payments"
        yield Episode(("payments is a scalable topic that does not exist",), asked, ("it is refused",), "48")
    missing = ("payments is a scalable topic that does not exist",)
    asked, due = (
        "client X begins to watch payments",
        ("it is refused with TopicNotFound", "payments is not among the scalable topics of its namespace"),
    )
    yield Episode(missing, asked, due, "31")
    yield Episode((f"payments is the topic by a name that has no namespace of {TOPIC}",), asked, ("it is refused",), "31")


def _of_sizes() -> Iterator[Episode]:
    for count in (1, 3, 4, 7):
        due = (
            "it is done",
            f"payments has {count} equal segments of its first epoch",
            "payments is among the scalable topics of its namespace",
        )
        made = f'an administrator makes the scalable topic "payments" of {named(_MANY[:count])}'
        yield Episode((), made, (*due, "at every epoch payments has each hash in one active segment"), "02")
    made = f'the scalable topic "payments" of {named(_MANY[:3])}'
    for name in _MANY[:3]:
        yield Episode((made,), f"{name} is split into one and two", (f"the hashes of {name} are those of one and two, half each",), "05")
        whole = ("at every epoch payments has each hash in one active segment",)
        yield Episode((made,), f"{name} is split into one and two", whole, "24")
    thin = ('the scalable topic "payments" of segment "a"', "a has been split into one and two, {} times")
    asked = "one is split into three and four"
    yield Episode((thin[0], thin[1].format(15)), asked, ("the hashes of one are those of three and four, half each",), "05")
    hashless = ("it is refused as something that cannot be done", 'readers of one see "h1"')
    yield Episode((thin[0], thin[1].format(16), '"h1" has been written to one'), "a split of one is asked for", hashless, "09")


def _of_topics() -> Iterator[Episode]:
    made = f'the scalable topic "payments" of {named(_FEW)}'
    written = '"h1" has been written to a'
    deleted = "payments has been deleted as a whole"
    again = f'an administrator makes the scalable topic "payments" of {named(_FEW)}'
    fresh = ("payments has 2 equal segments of its first epoch", "readers of a see nothing")
    watched = f"client X has begun to watch the namespace of {TOPIC}"
    yield Episode(
        (made,),
        "an administrator deletes payments as a whole",
        ("it is done", "payments is not among the scalable topics of its namespace"),
        "46",
    )
    yield Episode(
        (made, watched), "an administrator deletes payments as a whole", (f"client X is notified of {TOPIC} and not of payments",), "46"
    )
    yield Episode((made, deleted, watched), again, ("payments is among the scalable topics of its namespace",), "46")
    for between, needs in ((), ""), (("a has been split into one and two",), ""), (("the system has crashed and restarted",), _CRASH):
        yield Episode((made, written, *between, deleted), again, fresh, "47", frozenset(filter(None, (needs,))))
    pruned = ("a has been split into one and two", "the retention of sealed segments has passed")
    yield Episode((made, written, *pruned, deleted), again, fresh, "47", frozenset({_TIME}))
    unfinished = ("the system will crash after-terminate", "a split of a has been tried", "the system has restarted", deleted, made)
    yield Episode((made, *unfinished), "the retention of sealed segments passes", fresh[:1], "47", frozenset({_POINTS, _TIME}))
    registered = 'subscription "clerks" has been registered for payments'
    yield Episode((made, registered, deleted, made), '"h1" is written to a', ('subscription "clerks" has nothing waiting in a',), "47")
    received = 'the consumer of shared subscription "clerks" has received "h1" from a'
    asked = "an administrator deletes payments as a whole"
    yield Episode((made, written, received), asked, ("it is done", 'the consumer of "clerks" is notified that it is closed'), "47")
    yield Episode((made, written), asked, ("it is done", "the producer of a is notified that it is closed"), "47")
    split = (made, "a has been split into one and two", deleted)
    for name, opening in (("one", _OPENINGS[0]), ("a", _OPENINGS[1])):
        yield Episode(split, f"a client {opening} {name}", ("it is refused",), "47")
    joined = ('gil has joined "clerks" of payments', "gil has been cut off", deleted, made)
    yield Episode((made, *joined), 'hal joins "clerks" of payments', ("each active segment of payments is assigned once to hal",), "47")
    beyond = 'the scalable topic "payments" of segment "a", in a namespace whose name begins with that of others'
    due = (
        f"payments is not among the scalable topics of the namespace of {TOPIC}",
        "payments is among the scalable topics of its namespace",
    )
    yield Episode((beyond,), f"an administrator looks at the layout of {TOPIC}", due, "46")
    yield Episode(
        (beyond,), f"client X begins to watch the namespace of {TOPIC}", (f"it is notified of {TOPIC} and not of payments",), "46"
    )
    longer = f'the scalable topic "payments" of {named(_FEW)}, under a name that begins with that of the first one'
    other = 'an administrator makes the scalable topic "ledger" of segment "s"'
    yield Episode((longer, written), other, ('readers of a see "h1"', "payments is among the scalable topics of its namespace"), "46")


def _of_classic_topics() -> Iterator[Episode]:
    made, written = 'the classic topic "ledger"', '"h1" has been written to ledger'
    own = f'the scalable topic "payments" of {named(_FEW)}'
    split, deleted = "a has been split into one and two", "payments has been deleted as a whole"
    yield Episode((made, written, own, split), '"h2" is written to ledger', ('readers of ledger see "h1", "h2"',), "49")
    yield Episode((made, written, own, deleted), '"h2" is written to ledger', ('readers of ledger see "h1", "h2"',), "49")
    received = 'the consumer of shared subscription "clerks" has received "h1" from ledger'
    due = ('the consumer of "clerks" receives "h1" and nothing else',)
    yield Episode((made, written, received, own, split), 'another consumer takes over "clerks"', due, "49")
    tried = "a scalable topic under the name of ledger has been tried"
    yield Episode((made, written, tried), "a client opens a producer of ledger", ("it is done", 'readers of ledger see "h1"'), "49")


def _of_producers() -> Iterator[Episode]:
    made, sent = 'the deduplicated scalable topic "payments" of segments "a" and "b"', 'shop has sent "h1" to a as number 1'
    split, nothing = "a has been split into one and two", "readers of {} see nothing"
    for child in ("one", "two"):
        yield Episode((made, sent, split), f'shop sends "h1" to {child} as number 1', ("it is done", nothing.format(child)), "50")
        yield Episode((made, sent, split), f'shop sends "h2" to {child} as number 2', ("it is done", f'readers of {child} see "h2"'), "50")
        yield Episode(
            (made, sent, split), f"shop comes to {child}", ("it is done", "it is answered that its last message was number 1"), "50"
        )
    twice = f"{split}, 2 times"
    yield Episode((made, sent, twice), 'shop sends "h1" to one as number 1', ("it is done", nothing.format("one")), "50")
    cut = ("a split of a has been cut short after-layout", "one and two came of a")
    yield Episode(
        (made, sent, *cut), 'shop sends "h1" to one as number 1', ("it is done", nothing.format("one")), "50", frozenset({_POINTS})
    )
    merged = "one and two have been merged into three"
    both = ('shop has sent "h1" to one as number 1', 'shop has sent "h3" to two as number 3')
    yield Episode((made, split, *both, merged), 'shop sends "h2" to three as number 2', ('readers of three see "h2"',), "50")
    one = ('shop has sent "h2" to one as number 2',)
    yield Episode((made, split, *one, merged), 'shop sends "h1" to three as number 1', ('readers of three see "h1"',), "50")
    inside = ("transaction P", 'shop has sent "h1" to a as number 1, in P', split, 'shop has sent "h1" to one as number 1, in P')
    yield Episode((made, *inside), "P commits", ('readers of a see "h1"', nothing.format("one")), "50")


def _of_dispatching() -> Iterator[Episode]:
    made = 'the scalable topic "payments" of segment "single"'
    four, keyed = '"h1", "h2", "h3", "h4"', "the consumer of key-shared subscription"
    first, other = (
        f'{keyed} "clerks" has received {{}} from single',
        f'{keyed} "others" has received nothing from single, by the name of "clerks"',
    )
    one = 'one of "clerks" and "others" receives {}, and the other one nothing'
    yield Episode((made, first.format("nothing"), other), f'{four} of key "m" are written to payments', (one.format(four),), "54")
    written = f'{four} of key "m" have been written to payments'
    again = f'the consumer of "clerks" asks for redelivery of {four}'
    yield Episode((made, written, "single has been split into one and two", first.format(four), other), again, (one.format(four),), "54")
    busy = (made, 'the consumer of exclusive subscription "clerks" has received nothing from single')
    yield Episode(busy, 'another consumer tries to join "clerks"', ("it is refused with ConsumerBusy",), "54")
    eight = ", ".join(f'"h{number}"' for number in range(8))
    later = ", ".join(f'"k{number}"' for number in range(8))
    spread = f"{eight} of a key each have been written to payments"
    quiet = ('the consumer of "others" receives nothing for a while',)
    yield Episode((made, spread, first.format(eight), other), f"{later} of these keys are written to payments", quiet, "54")
    pairs = f"{eight} of a key for each pair have been written to payments"
    part = '"h0", "h2", "h4", "h6" has been acknowledged for "clerks" without a transaction'
    four_later = ", ".join(f'"k{number}"' for number in range(4))
    yield Episode((made, pairs, first.format(eight), other, part), f"{four_later} of these keys are written to payments", quiet, "54")
    acknowledged = '"h1" has been acknowledged for "clerks" without a transaction'
    begun = (made, '"h1" of key "m" have been written to payments', first.format('"h1"'), other, acknowledged)
    yield Episode(begun, '"h2", "h3" of key "m" are written to payments', (one.format('"h2", "h3"'),), "54")


def _of_consumers() -> Iterator[Episode]:
    made, split = f'the scalable topic "payments" of {named(_FEW)}', "a is split into one and two"
    once = "each active segment of payments is assigned once to {}"
    for group in ("clerks:1", "team/clerks", "a b", "100%"):
        yield Episode((made, f'gil has joined "{group}" of payments'), split, (once.format("gil"),), "34")
    names = ("host:6650/1", "host%3A6650%2F1", "..", "a/b")
    for name in names:
        due = ("each of its requests is answered", once.format("gil"))
        yield Episode((made,), f'gil joins "clerks" of payments, calling itself "{name}"', due, "34")
    first = f'gil has joined "clerks" of payments, calling itself "{names[0]}"'
    due = ("each of its requests is answered", once.format("gil and hal"))
    yield Episode((made, first), f'hal joins "clerks" of payments, calling itself "{names[1]}"', due, "34")
    joined = 'gil has joined "clerks" of payments'
    removed = ("gil has been cut off", 'subscription "clerks" has been unregistered from payments')
    yield Episode((made, joined, *removed), 'hal joins "clerks" of payments', (once.format("hal"),), "34")
    prefix = ('subscription "clerk" has been registered for payments', joined, 'subscription "clerk" has been unregistered from payments')
    yield Episode((made, *prefix), split, (once.format("gil"),), "36")
    apart = (joined, 'hal has joined "others" of payments', 'subscription "others" has been unregistered from payments')
    yield Episode((made, *apart), split, (once.format("gil"),), "36")
    together = (joined, 'hal has joined "clerks" of payments, over the connection of gil')
    yield Episode((made, *together), split, (once.format("gil and hal"),), "36")
    same = ('gil has joined "clerks" of payments, calling itself "reader"', 'hal has joined "others" of payments, calling itself "reader"')
    yield Episode((made, *same), split, (once.format("gil"), once.format("hal")), "34")
    second = ('the scalable topic "ledger" of segments "c" and "d"', joined, 'hal has joined "clerks" of ledger')
    yield Episode((made, *second), split, (once.format("gil"), "each active segment of ledger is assigned once to hal"), "34")
    single = 'the scalable topic "payments" of segment "a"'
    for here, there in (("gil", "hal"), ("hal", "gil")):
        yield Episode(
            (single, f'{here} has joined "clerks" of payments'), f'{there} joins "clerks" of payments', (once.format("gil and hal"),), "36"
        )
    many = (joined, "a has been split into one and two, 12 times", "b has been split into three and four, 8 times")
    yield Episode((made, *many), "two is split into five and six", (once.format("gil"),), "36")
    watched = ("client X has begun to watch payments", *many[1:])
    yield Episode((made, *watched), "two is split into five and six", ("client X is notified how payments is now",), "28")


_PARTS = (_of_names, _of_sizes, _of_topics, _of_classic_topics, _of_producers, _of_dispatching, _of_consumers)


def acts() -> Iterator[Act[Layouts]]:
    """These, one kind for each theme, so that many of a kind do not crowd out others."""
    for part in _PARTS:
        yield from acts_of(part())


def acts_of(theme: Iterable[Episode]) -> Iterator[Act[Layouts]]:
    """Episodes of one theme as acts of one kind."""
    return episodes.acts_of(theme, _may_come, _said)


def _said(model: Layouts, one: Episode) -> list[ActLine]:
    model.done["episode"] += 1
    text = one.name
    if _CRASH in text or "restarted" in text or _POINTS in one.needs:
        model.go_down()
    if _TIME in one.needs:
        model.pass_time()
    if "controller" in text:
        model.done["session"] += 1
    return one.lines(LINES)


def _may_come(model: Layouts, one: Episode) -> bool:
    """Where a broker goes away, it must not be the one that clients ask first."""
    is_calm = model.may_pass_time and not model.watches and not model.done["episode"] and model.has_all_brokers
    return is_calm and (_BROKERS not in one.needs or (model.is_spread and not model.changes))
