"""The names of the files that a run keeps of a scenario: bounded, different, and found by the scenario's title."""

from fencepost.contract.history_files import ENDING, name_of

_LONG = "CORE-43-[1] " + "A takes input; " * 40


def test_short_titles_are_names() -> None:
    """A reader finds the file by its title."""
    assert name_of('CORE-43-[1] A takes "i1" (kafka)-example-2') == f"CORE-43-1-A-takes-i1-kafka-example-2{ENDING}"


def test_no_title_is_too_long_for_a_file_system() -> None:
    """Also with the suffix of a file that is being written."""
    assert len(f".{name_of(f'{_LONG}-example-12')}.tmp") < 255


def test_long_titles_that_end_otherwise_have_different_names() -> None:
    """The part that is cut off makes a difference."""
    assert len({name_of(f"{_LONG}{last}") for last in ("A commits", "A aborts", "")}) == 3


def test_an_example_is_found_by_the_title_of_its_outline() -> None:
    """As its histories are looked up, whether the title is cut off or not."""
    for title in ("CORE-43-[1] short", _LONG):
        assert name_of(f"{title}-example-3").startswith(f"{name_of(title).removesuffix(ENDING)}-example-3")
