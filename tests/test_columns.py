"""Groups of rows, by a table of all keys or by sorting, are those of a dictionary; limits of narrow integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio.readers import check, columns, counting
from scorio.readers.columns import Keys, narrow


@st.composite
def tables(draw):
    """Columns of codes, each with its number of labels, which may exceed the number of rows."""
    n, widths = draw(st.integers(0, 60)), draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    codes = st.lists(st.tuples(*(st.integers(0, width - 1) for width in widths)), min_size=n, max_size=n)
    rows = np.array(draw(codes), np.int64).reshape(n, len(widths))
    return [(narrow(column), width) for column, width in zip(rows.T.tolist(), widths, strict=True)]


def first_and_group(rows: list[tuple]) -> tuple[list[int], list[int]]:
    """First row of each group and group of each row, found with a dictionary."""
    number: dict[tuple, int] = {}
    groups = [number.setdefault(x, len(number)) for x in rows]
    return [groups.index(i) for i in range(len(number))], groups


@given(tables(), st.sampled_from((1, 2, 7, 1 << 16)), st.sampled_from((-(10**6), 8)), st.data())
def test_groups_are_those_of_a_dictionary(table, block, max_entries, data):
    rows = list(zip(*(codes.tolist() for codes, _ in table), strict=True))
    first, groups = first_and_group(rows)
    times = data.draw(st.lists(st.integers(0, 2**40), min_size=len(rows), max_size=len(rows)))
    with pytest.MonkeyPatch.context() as m:
        m.setattr(columns, "BLOCK_ROWS", block)
        m.setattr(columns, "MAX_ENTRIES", max_entries)  # negative: always sort
        keys = Keys(*table)
        result = columns.grouped_rows(keys)
        assert (result[0].tolist(), result[1].tolist()) == (first, groups)
        mask = np.array(data.draw(st.lists(st.booleans(), min_size=table[0][1], max_size=table[0][1])))
        selected = [x for x in rows if mask[x[0]]]
        assert counting._all_distinct(keys, table[0][0], mask) == (len(set(selected)) == len(selected))
        key = [int(np.ravel_multi_index(x, [w for _, w in table])) for x in rows]
        for weights, counts in ((None, [1] * len(rows)), (np.array(times, np.int64), times)):
            distinct, sums = columns.summed(keys, weights)
            assert distinct.tolist() == sorted(set(key))
            assert sums.tolist() == [
                sum(t for x, t in zip(key, counts, strict=True) if x == k) for k in sorted(set(key))
            ]
        codes = narrow(data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows))))
        differing = [i for i, g in enumerate(groups) if codes[i] != codes[first[g]]]
        assert check.first_difference(codes, *result) == (differing[0] if differing else None)
        assert check.first_difference(table[0][0], *result) is None


@pytest.mark.parametrize("largest", [0, 126, 127, 128, 32766, 32767, 2**31 - 2, 2**31 - 1, 2**53])
def test_narrow_integers_can_hold_the_largest_code_plus_one(largest):
    assert (narrow([-1, largest]) + 1).tolist() == [0, largest + 1]


@pytest.mark.parametrize("n", [126, 127, 128, 200])
def test_numbers_of_outcomes_around_the_limits_of_a_byte_are_counted(n):
    rows = columns.Rows(
        {"model": ["m"], "task": [""], "question": ["q"]},
        *(np.zeros(n + 1, np.int8) for _ in range(3)),  # model, task and question of each row
        outcome=narrow([-1, *range(n)]),
    )
    ((*_, outcome_counts),), copies, _ = counting.count(rows)
    assert outcome_counts.outcome.tolist() == list(range(n))
    assert outcome_counts.absent.tolist() == [1]
    assert copies == 0
