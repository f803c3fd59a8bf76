"""Texts are found by words: `fencepost list --find`, `fencepost sentences --find`."""

import pytest

from fencepost.catalogue.word_search import SearchedText, find

TEXTS = {
    "layout": SearchedText("A broker notifies a client that watches a layout of each change.", "The client follows the topic."),
    "switch": SearchedText("With verification switched off, a leader accepts old clients.", "A lookup costs time."),
    "pending": SearchedText("An abort redelivers the messages that the transaction has acknowledged."),
    "last": SearchedText("Compaction never moves the last stable offset back.", "The cleaner follows the layout of the log."),
}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("messages abort", ["pending"]),
        ("ABORTED acknowledgements", ["pending"]),
        ("ack", ["pending"]),
        ("the DAG of a topic", ["layout"]),
        ("turn off verification", ["switch"]),
        ("disable verification", ["switch"]),
        ("LSO", ["last"]),
        ("layout", ["layout", "last"]),
    ],
)
def test_words_find_each_text_that_has_all_of_them(words: str, names: list[str]) -> None:
    """In any order and form, and by the proposal's word; a title with the word is first."""
    found = find(words, TEXTS)

    assert (list(found.names), found.has_all, found.unknown) == (names, True, ())


def test_the_nearest_texts_are_found_if_none_has_all_words() -> None:
    """With the words that no text has."""
    found = find("zombie broker notifies watch", TEXTS)

    assert (list(found.names), found.has_all, found.unknown) == (["layout"], False, ("zombie",))


def test_words_that_no_text_has_find_none() -> None:
    """Nothing is nearest then."""
    assert find("xyzzy", TEXTS).names == ()
