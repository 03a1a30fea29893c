"""Groups of rows, by a table of all keys or by sorting, are those of a dictionary; rows of frames in any order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio.errors import InvalidInput
from scorio.io import from_frame
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
        order = sorted(range(len(first)), key=lambda i: rows[first[i]])
        by_code = columns.grouped_rows(keys, by_code=True)
        assert by_code[0].tolist() == [first[i] for i in order]
        assert by_code[1].tolist() == [order.index(i) for i in groups]
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


FRAME = pd.DataFrame(
    [(m, f"q{q}", t, (q * t) % 2) for m in ("b", "a") for q in (10, 9, 2) for t in (3, 1, 2)],
    columns=["model", "question", "trial", "outcome"],
)
# a row, and other values of its columns; of two such rows the error is about the first in the order of ids
FAULTS = {
    "none": [],
    "duplicates": [("b", "q9", 1, 0, ""), ("a", "q10", 2, 0, ""), ("a", "q2", 3, 0, "")],
    "outcomes": [("b", "q2", 7, "x", ""), ("a", "q9", 8, "x", "")],
    "clusters": [("b", "q2", 7, 0, "z"), ("a", "q10", 8, 0, "z")],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rows_of_frames_in_any_order_give_one_reading_or_error(fault: str) -> None:
    further = pd.DataFrame(FAULTS[fault], columns=[*FRAME.columns, "cluster"])
    rows = pd.concat([FRAME.assign(cluster="c"), further.replace({"cluster": {"": "c"}})]).astype({"outcome": str})

    def reading(frame: pd.DataFrame) -> object:
        try:
            e = from_frame(frame, trials=False, missing="drop")
        except InvalidInput as error:
            return error.code, error.reason
        return [(m, x.ids, x.counts.table.tolist()) for m, x in e.pooled().logs.items()], e.benchmark().run_variation

    in_order = reading(rows.sort_values(["model", "question", "trial"], kind="stable"))
    assert isinstance(in_order[0], str) is (fault != "none")
    for seed in range(9):
        assert reading(rows.sample(frac=1, random_state=seed)) == in_order
