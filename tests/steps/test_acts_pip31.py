"""Acts of PIP-31: what is due follows from what clients were answered, and nothing is claimed where the proposal leaves a choice."""

import pytest

from fencepost.contract.evidence import Violation
from fencepost.steps.acts.act import ActLine, script_of
from fencepost.steps.acts.pip31 import TABLE


def said(*acts: str) -> list[str]:
    """The lines of these acts, all of which have come."""
    script = script_of(TABLE, acts)
    assert script.acts == list(acts)
    return [line.text for line, _ in script.lines]


CONFLICT = "it is refused with TransactionConflict or InvalidTxnStatus"


@pytest.mark.parametrize(
    ("acts", "answer"),
    [
        (("A acknowledges i1 for workers", "B acknowledges i1 for workers"), CONFLICT),
        (("A acknowledges i1 for workers", "A aborts", "B acknowledges i1 for workers"), "it is done"),
        (("A acknowledges i1 for workers", "A commits", "B acknowledges i1 for workers"), CONFLICT),
        (("i1 is acknowledged for workers plainly", "A acknowledges i1 for workers"), CONFLICT),
        (("A acknowledges everything up to i2 for auditors", "B acknowledges everything up to i1 for auditors"), CONFLICT),
        (("A acknowledges i1 for workers", "a crash", "B acknowledges i1 for workers"), CONFLICT),
        (("A acknowledges i1 for workers", "B acknowledges i1 and i2 for workers"), CONFLICT),
    ],
)
def test_an_acknowledgement_is_answered_according_to_who_holds_the_message(acts: tuple[str, ...], answer: str) -> None:
    """A transaction that holds it, or its deletion, is a conflict; a redelivered message is not."""
    script = script_of(TABLE, acts)

    assert script.acts == list(acts)
    assert [line.text for line, act in script.lines if act == acts[-1]][-1] == answer


@pytest.mark.parametrize(("before", "may_come"), [("", True), ("inputs is unloaded", False), ("a crash", False)])
def test_what_was_there_before_an_unload_is_not_due_to_a_new_consumer_of_a_removed_subscription(before: str, may_come: bool) -> None:
    """Pulsar deletes a ledger that is closed, as by an unload, when no subscription needs it."""
    comes = "another consumer takes over auditors and is looked at"
    acts = [*([before] if before else []), "auditors are removed", comes]

    assert (comes in script_of(TABLE, ["A acknowledges i1 for auditors", "A aborts", *acts]).acts) is may_come


@pytest.mark.parametrize(
    ("acts", "left"),
    [
        (("A acknowledges i1 for workers",), 'has "i2", "b1", "b2" left'),
        (("A acknowledges i1 for workers", "A aborts"), 'has "i1", "i2", "b1", "b2" left'),
        (("A acknowledges everything up to i2 for auditors",), 'has "b1", "b2" left'),
        (("i1 is acknowledged for workers plainly", "a crash"), 'has at least "i2", "b1", "b2" left'),
        (("A acknowledges i1 for workers", "i1 is acknowledged for workers plainly", "A aborts"), 'has "i1", "i2", "b1", "b2" left'),
        (
            ("A acknowledges i1 for workers", "workers are removed", "another consumer takes over workers"),
            'has "i1", "i2", "b1", "b2" left',
        ),
        (("A acknowledges i1 for auditors", "B acknowledges everything up to i2 for auditors"), 'has at least "b1", "b2" left'),
        (("A acknowledges everything up to i1 for auditors", "B tries i2 beside a cumulative one for auditors"), "agrees with the answers"),
    ],
)
def test_what_is_left_follows_from_the_ends(acts: tuple[str, ...], left: str) -> None:
    """An open transaction is committed at last. A plain acknowledgement may be lost in a crash. Where two answers are in order, the line
    goes by that which was given, or speaks of what is left in either case."""
    assert any(text.endswith(left) for text in said(*acts))


def test_what_is_open_is_looked_at_and_not_shown() -> None:
    """And plain messages after it only where a system can show them."""
    texts = said("A writes to orders", "a plain write to orders", "a look at orders behind what is open")

    assert 'readers of orders see "plain1"' in texts
    assert script_of(TABLE, ["A writes to orders", "a plain write to orders", "a look at orders"]).acts[-1] == "a plain write to orders"
    assert TABLE.by_name["a look at orders behind what is open"].needs == {"sidecar-buffer"}


def test_which_of_two_ends_won_stays_unknown() -> None:
    """So only the answers may depend on it."""
    texts = said("A writes to orders", "A commits and aborts at once")

    assert "orders agrees with the answers" in texts
    assert not any(text.startswith(("readers of orders", "A is COMMITTED", "A is ABORTED")) for text in texts)
    assert (
        script_of(TABLE, ["A writes to orders", "A commits and aborts at once", "A commits again"]).acts[-1]
        == "A commits and aborts at once"
    )


@pytest.mark.parametrize(
    ("acts", "line", "seen", "requirement"),
    [
        (("A writes to orders", "A aborts"), "readers of orders see nothing", '"a1"', "PIP31-02"),
        (("A writes to orders", "A commits"), 'readers of orders see "a1"', "nothing", "PIP31-01"),
        (("A writes to orders", "A commits"), 'readers of orders see "a1"', '"a1", "a1"', "PIP31-36"),
        (("A acknowledges i1 for workers", "A commits"), 'subscription "workers" has "i2" left', '"i1", "i2"', "PIP31-59"),
        (("A acknowledges i1 for workers", "A aborts"), 'subscription "workers" has "i1" left', '"i2"', "PIP31-58"),
        (("A acknowledges everything up to i1 for auditors", "A commits"), 'subscription "auditors" has nothing left', '"i1"', "PIP31-83"),
        (("A writes to orders",), "readers of orders see nothing", "no values at all", "PIP31-01"),
    ],
)
def test_what_was_seen_says_which_requirement_is_violated(acts: tuple[str, ...], line: str, seen: str, requirement: str) -> None:
    """It follows from what is superfluous or missing; otherwise it is that of the line."""
    script = script_of(TABLE, acts)
    why = "PIP31-59" if line.startswith("subscription") else "PIP31-01"

    assert TABLE.means(script.model, ActLine("Then", line, why), Violation("x", seen, what="y")) == requirement
