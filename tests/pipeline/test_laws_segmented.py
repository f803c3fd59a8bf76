"""Operations on rows that belong together, each beside the plain loop that it stands for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fencepost.pipeline.laws.columns import NONE, WordColumn
from fencepost.pipeline.laws.segmented import RowGroups, among, counted_until, numbered, pairs, pairs_within

KEYS = st.integers(0, 2)
ROWS = st.lists(st.tuples(KEYS, st.integers(0, 4), st.sampled_from([NONE, 1, 2, 3]), st.booleans()), max_size=12)
Row = tuple[int, int, int, bool]


def grouped(rows: list[Row]) -> tuple[RowGroups, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows by their key, in the order of their second number; and their columns."""
    key, at, v, flag = (np.array([row[n] for row in rows], np.bool_ if n == 3 else np.int64) for n in range(4))
    return RowGroups(key, order=(at,)), key, at, v, flag


def earlier(rows: list[Row], this: int) -> list[int]:
    """The rows before this one in its group: at a smaller place, or at the same one and given before."""
    before = [n for n, row in enumerate(rows) if row[0] == rows[this][0] and (row[1], n) < (rows[this][1], this)]
    return sorted(before, key=lambda n: (rows[n][1], n))


@given(ROWS)
def test_a_group_has_its_least_its_greatest_and_its_ends(rows: list[Row]) -> None:
    """What is missing counts as missing; the ends are the rows of the smallest and largest order, ties as they were given."""
    groups, _, _, v, flag = grouped(rows)
    keys = sorted({row[0] for row in rows})
    of_key = {key: [n for n, row in enumerate(rows) if row[0] == key] for key in keys}

    known = [[rows[n][2] for n in of_key[key] if rows[n][2] != NONE and rows[n][3]] for key in keys]
    assert groups.least(v, flag).tolist() == [min(some, default=NONE) for some in known]
    assert groups.most(v, flag).tolist() == [max(some, default=NONE) for some in known]
    assert groups.least(v).tolist() == [min((rows[n][2] for n in of_key[key] if rows[n][2] != NONE), default=NONE) for key in keys]
    assert groups.first.tolist() == [min(of_key[key], key=lambda n: (rows[n][1], n)) for key in keys]
    assert groups.last.tolist() == [max(of_key[key], key=lambda n: (rows[n][1], n)) for key in keys]
    assert groups.count(flag).tolist() == [sum(rows[n][3] for n in of_key[key]) for key in keys]
    assert groups.any(flag).tolist() == [any(rows[n][3] for n in of_key[key]) for key in keys]
    assert groups.all(flag).tolist() == [all(rows[n][3] for n in of_key[key]) for key in keys]
    assert groups.number.tolist() == [keys.index(row[0]) for row in rows]


@given(ROWS)
def test_what_came_before_a_row_is_of_its_own_group(rows: list[Row]) -> None:
    """The row right before it, the last one that counts, the greatest of them, and how many count."""
    groups, _, _, v, flag = grouped(rows)
    before = [earlier(rows, n) for n in range(len(rows))]

    assert groups.row_before.tolist() == [some[-1] if some else -1 for some in before]
    assert groups.before(v).tolist() == [rows[some[-1]][2] if some else NONE for some in before]
    assert groups.rank.tolist() == [len(some) for some in before]
    assert groups.latest(flag).tolist() == [next((n for n in reversed(some) if rows[n][3]), -1) for some in before]
    assert groups.counted(flag).tolist() == [sum(rows[n][3] for n in some) for some in before]
    greatest = [max((rows[n][2] for n in some if rows[n][3]), default=None) for some in before]
    assert [None if n < 0 else rows[n][2] for n in groups.greatest(v, where=flag)] == greatest


@given(ROWS)
def test_the_row_after_is_the_other_way_round(rows: list[Row]) -> None:
    """Whose row before is this one."""
    groups, *_ = grouped(rows)
    numbers = np.arange(len(rows))

    after = groups.after(numbers, -1)

    assert [(a, b) for a, b in enumerate(after) if b >= 0] == sorted((a, b) for b, a in enumerate(groups.row_before) if a >= 0)


@given(ROWS)
def test_rows_in_one_place_see_each_other(rows: list[Row]) -> None:
    """Where ties count as one place, the greatest so far is that of all rows at it or before."""
    groups, _, at, v, flag = grouped(rows)
    upto = [[n for n, row in enumerate(rows) if row[0] == this[0] and row[1] <= this[1] and row[3]] for this in rows]

    found = groups.greatest_with_ties(v, where=flag, order=(at,))

    assert [None if n < 0 else rows[n][2] for n in found] == [max((rows[n][2] for n in some), default=None) for some in upto]


def test_two_keys_at_one_offset_are_two_groups() -> None:
    """Values at one offset of two logs are not taken for one, and the greatest of two columns is that of the first."""
    log, o = np.array([1, 1, 2, 2]), np.array([5, 5, 5, 6])
    epoch, op = np.array([1, 2, 2, 1]), np.array([9, 3, 4, 9])
    everything = np.ones(4, np.bool_)

    assert RowGroups(log, o).sizes.tolist() == [2, 1, 1]
    assert RowGroups(log).greatest_with_ties(epoch, op, where=everything).tolist() == [0, 1, 2, 2]
    assert len(set(numbered(log, o).tolist())) == 3


@given(ROWS, ROWS)
def test_rows_meet_those_of_the_same_keys(left: list[Row], right: list[Row]) -> None:
    """Every pair once, whether there is any, and how many of them happened until then."""
    (_, one, at, _, _), (_, other, happened, _, _) = grouped(left), grouped(right)

    rows, partners = pairs((one,), (other,))

    assert sorted(zip(rows.tolist(), partners.tolist(), strict=True)) == [
        (a, b) for a, row in enumerate(left) for b, another in enumerate(right) if row[0] == another[0]
    ]
    assert among((one,), (other,)).tolist() == [any(row[0] == another[0] for another in right) for row in left]
    assert counted_until((one,), at, (other,), happened).tolist() == [
        sum(row[0] == another[0] and another[1] <= row[1] for another in right) for row in left
    ]


@given(ROWS, ROWS)
def test_rows_meet_those_of_the_same_keys_within_bounds(left: list[Row], right: list[Row]) -> None:
    """Every pair once that lies from the lower bound to the higher one; where they are crossed nothing does."""
    (_, one, low, high, _), (_, other, at, _, _) = grouped(left), grouped(right)

    rows, partners = pairs_within((one,), low, high, (other,), at)

    assert sorted(zip(rows.tolist(), partners.tolist(), strict=True)) == [
        (a, b) for a, row in enumerate(left) for b, another in enumerate(right) if row[0] == another[0] and row[1] <= another[1] <= row[2]
    ]


def test_words_are_numbers_and_have_an_order() -> None:
    """The order is that of the letters, not that in which they came; what is missing is none of them."""
    words = WordColumn.of(["b", None, "a", "b", "c"])

    assert words.codes.tolist() == [0, -1, 1, 0, 2]
    assert words.among("a", "c").tolist() == [False, False, True, False, True]
    assert words.texts(words.codes) == ["b", None, "a", "b", "c"]
    assert words.ranks(words.codes).tolist() == [2, 0, 1, 2, 3]
