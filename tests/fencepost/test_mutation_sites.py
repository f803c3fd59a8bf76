"""Mutation sites: which changes of the source there are, how each is named, and which are drawn."""

import pytest
from mutant_places import places

from fencepost.contract.errors import WrongUsage
from fencepost.proof.mutants import mutation_run, reference_sources
from fencepost.proof.mutants.mutation_run import Drawn
from fencepost.proof.mutants.mutation_sites import draw

CHANGES = {
    "a < b": "a <= b",
    "a >= b": "a > b",
    "a == b": "a != b",
    "a is not b": "a is b",
    "a not in b": "a in b",
    "a and b": "a or b",
    "not a": "(a)",
    "a + b": "a - b",
    "a % b": "a * b",
    "True": "False",
    "41": "42",
    "-1": "-2",
    "[x for x in a if b]": "[x for x in a if not (b)]",
    "a if b else c": "a if not (b) else c",
}


UNTOUCHED = ("a(throttle_time=0)", "zip(a, b, strict=True)", '"a"', 'f"{a + 1}"', '"a" + b', "a.b(c)", "lambda: a", "{a for a in count()}")


STATEMENTS = {
    "raise E(a)": "dropped raise",
    "a.b = c": "dropped statement",
    "a.b: int = c": "dropped statement",
    "a[b] = c": "dropped statement",
    "a += c": "dropped statement",
    "del a.b": "dropped statement",
    "a.b(c)": "dropped statement",
}


KEPT = ('rule("KIP890-060")', 'a.crash_points.reach("after-marker-written")', "a = c", "return a", "b: int", '"""Of a class, 3."""')


@pytest.mark.parametrize("before", CHANGES)
def test_an_expression_is_changed_in_one_place(before: str) -> None:
    """Operators, conditions and constants each become another one, and the rest of the line stays."""
    (place,) = [place for place in places(f"def f():\n    return {before}\n") if place.kind != "loop"]

    assert place.key.change == f"return {CHANGES[before]}"
    assert place.applied(f"def f():\n    return {before}\n".encode()) == f"def f():\n    return {CHANGES[before]}\n".encode()


@pytest.mark.parametrize("loop", ["for x in {}: a(x)", "{{x for x in {}}}", "any(x for x in {})"])
def test_a_loop_passes_over_items(loop: str) -> None:
    """The first item alone, or all but the last of several: one item is taken either way."""
    changed = [place.key.change for place in places(f"def f():\n    {loop.format('b')}\n") if place.kind == "loop"]

    assert changed == [loop.format("(lambda all_: all_[:-1] or all_)(list(b))"), loop.format("list(b)[:1]")]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_may_be_anything_is_no_place(text: str) -> None:
    """Texts, and what is put into them, are left alone, and so is what a broker may choose."""
    assert places(f"def f():\n    return {text}\n") == []


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_that_does_something_can_be_dropped(statement: str) -> None:
    """It stays behind `if 0:`, so that its names mean what they meant."""
    (place,) = places(f"def f(a, b, c):\n    {statement}\n")

    assert (place.kind, place.key.change) == (STATEMENTS[statement], "(dropped)")
    assert place.applied(f"def f(a, b, c):\n    {statement}\n".encode()).decode().splitlines()[1] == f"    if 0: {statement}"


@pytest.mark.parametrize("statement", KEPT)
def test_other_statements_are_kept(statement: str) -> None:
    """Without a local variable or an answer the function would only break; a rule is for readers, and a crash point for scenarios."""
    assert places(f"def f(a, c):\n    {statement}\n") == []


def test_an_attribute_gets_its_first_value() -> None:
    """Without it nothing runs at all, and so nothing is learnt."""
    assert places("class A:\n    def __init__(self, b):\n        self.b = b\n") == []


def test_annotations_and_decorators_are_no_places() -> None:
    """They decide nothing."""
    assert places("@d(1)\ndef f(a: Literal[1]) -> Literal[2]: ...\n") == []


def test_a_condition_that_is_a_comparison_has_one_opposite() -> None:
    """`a != b` and `not (a == b)` are one mutant, not two."""
    assert [place.key.change for place in places("def f():\n    if a == b: pass\n")] == ["if a != b: pass"]


def test_a_place_is_known_wherever_its_line_stands() -> None:
    """Lines above it do not change its name; two that are alike in one function are numbered."""
    text = "def f():\n    a.b()\n    a.b()\n"

    first, second = places(text)
    moved, _ = places(f"import x\n\n{text}")

    assert (first.key, first.number, moved.number) == (moved.key, 2, 4)
    assert (first.key.nth, second.key.nth) == (1, 2)


def test_the_name_of_a_place_has_no_comment() -> None:
    """A reworded comment is no other place, and the bytes to change stay where they are; a hash sign in a text is no comment."""
    text = "def f():\n    a.b('#', 1)  # §1, the first\n"

    one, two = places(text)

    assert {one.key.line, two.key.line} == {"a.b('#', 1)"}
    assert places(text.replace("§1, the first", "§2"))[0].key == one.key
    assert b"a.b('#', 2)  # \xc2\xa71, the first\n" in next(p for p in (one, two) if p.kind == "constant").applied(text.encode())


def test_a_change_over_several_lines_keeps_the_number_of_each() -> None:
    """The lines after it keep their numbers, and the name of the place is one line."""
    text = "def f():\n    return g(\n        a,\n    ) and b\n"

    (place,) = places(text)

    assert place.key.line == ") and b"
    assert place.applied(text.encode()).count(b"\n") == text.count("\n")


def test_a_seed_draws_the_same_places_everywhere() -> None:
    """Another seed draws others, and a place that goes takes no other with it."""
    everything = places("def f(a):\n" + "".join(f"    a.b{number}()\n" for number in range(50)))

    drawn = draw(everything, 10, 7)
    without = draw([place for place in everything if place != drawn[3]], 9, 7)

    assert [place.number for place in drawn] == [6, 36, 14, 43, 45, 40, 19, 46, 47, 21]
    assert without == [*drawn[:3], *drawn[4:]]
    assert draw(everything, 10, 8) != drawn


def test_every_place_of_the_reference_can_be_applied() -> None:
    """Each of a hundred drawn ones is Python, and leaves each function the names that it takes from outside."""
    for place in draw(mutation_run.places_of_files(), 100, 3):
        source = reference_sources.files()[place.key.file].read_bytes()
        before, after = (compile(text, place.key.file, "exec") for text in (source, place.applied(source)))

        more = set(free_names(after)) - set(free_names(before))
        assert all(place.kind == "loop" and name.endswith("<lambda>") and not free for name, free in more), place


def free_names(code: object) -> list[tuple[str, tuple[str, ...]]]:
    found = []
    for constant in getattr(code, "co_consts", ()):
        if hasattr(constant, "co_freevars"):
            found += [(constant.co_qualname, constant.co_freevars), *free_names(constant)]
    return found


def test_the_defects_and_the_server_are_not_changed() -> None:
    """The first are wrong already, and the second is no part of a run in process."""
    assert {name.split("/")[1] for name in reference_sources.files()} == set(reference_sources.FOLDERS)
    assert not {"defects", "serving"} & set(reference_sources.FOLDERS)


def test_what_is_there_for_another_store_and_the_troubles_of_stores_are_not_changed() -> None:
    """No run in process comes across the first, and the second are the suite's own tools; the store in memory is changed."""
    changed = {name.removeprefix("reference/metadata/") for name in reference_sources.files(["reference/metadata"])}
    assert {"memory_store.py", "memory_data.py", "plain.py", "plain_entries.py"} <= changed
    assert not any(name.startswith(("oxia", "faults", "rooted", "timely", "troubled")) for name in changed)


def test_only_may_name_a_folder_or_a_file_and_a_kind() -> None:
    """A missing folder or file is refused, so that an empty selection never means everything."""
    assert set(reference_sources.files(["reference/kafka/end_txn_rules.py"])) == {"reference/kafka/end_txn_rules.py"}
    assert {name.split("/")[1] for name in reference_sources.files(["reference/pulsar/"])} == {"pulsar"}
    with pytest.raises(WrongUsage, match="--only reference/kafk: no file of the reference is changed there"):
        reference_sources.files(["reference/kafk"])
    loops = Drawn.of(5, 1, ["loop", "reference/pulsar"])
    assert {(place.kind, place.key.file.split("/")[1]) for place in loops.places} == {("loop", "pulsar")}


def test_those_that_are_listed_as_harmless_are_drawn_by_name() -> None:
    """All of them, loops too, or those of a folder; an entry that is killed is then found without luck."""
    listed = Drawn.of(10**6, 1, ["harmless"])
    assert {place.key for place in listed.places} == set(listed.known.harmless)
    of_pulsar = Drawn.of(10**6, 1, ["harmless", "reference/pulsar"])
    assert {place.key.file.split("/")[1] for place in of_pulsar.places} == {"pulsar"}
    assert of_pulsar.possible < listed.possible
