"""Counts with ids and clusters: refusals, what operations preserve, pairing of models, and files."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio import Answers, Counts, InvalidInput, eval, io, items, rank, sinf, tally
from scorio.io import Benchmark

A = Counts([[1, 3], [2, 2], [4, 0], [3, 1]], ids=["q1", "q2", "q3", "q4"], clusters=["x", "x", "y", "z"])
B = Counts([[0, 4], [3, 1], [2, 2], [1, 3]], ids=["q3", "q1", "q4", "q2"])
SPECIAL = [  # ids that a file must quote, or that look like something else
    "a,b", 'say "x"', "two\nlines", "back\r\n", "é\u2028", " lead", "nan", "#", "'", "\ud800", "0,1\n",
]  # fmt: skip


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    """Code and argument of the error that a call must raise."""
    with pytest.raises(InvalidInput) as e:
        call()
    return e.value.code, e.value.argument


@pytest.mark.parametrize(
    ("code", "argument", "options"),
    [
        ("duplicate", "ids", {"ids": ["a", "a"]}),
        ("duplicate", "ids", {"ids": ["1", 1]}),
        ("length", "ids", {"ids": ["a"]}),
        ("missing", "ids", {"ids": ["a", ""]}),
        ("missing", "ids", {"ids": ["a", " \n"]}),
        ("type", "ids", {"ids": "ab"}),
        ("type", "ids", {"ids": {"a": 1, "b": 2}}),
        ("type", "ids", {"ids": ["a", None]}),
        ("type", "ids", {"ids": [True, False]}),
        ("type", "ids", {"ids": [0.5, 1.5]}),
        ("type", "ids", {"ids": 3}),
        ("length", "clusters", {"clusters": ["a"]}),
        ("type", "clusters", {"clusters": ["a", 0.5]}),
        ("type", "clusters", {"clusters": False}),
    ],
)
def test_invalid_ids_and_clusters_are_refused(code: str, argument: str, options: dict[str, Any]) -> None:
    assert refusal(lambda: Counts([[1, 1], [1, 1]], **options)) == (code, argument)
    assert refusal(lambda: Counts.from_successes([1, 1], [2, 2], **options)) == (code, argument)


def test_ids_are_texts_that_cannot_be_changed() -> None:
    """Check that ids are texts (integers as their digits) and cannot be set later."""
    x = Counts([[1, 1], [1, 1]], ids=np.array([7, 10**12]), clusters=[1, "b"])
    assert x.ids == ("7", "1000000000000")
    assert x.clusters == ("1", "b")
    for name in ("ids", "clusters"):
        with pytest.raises(AttributeError):
            setattr(x, name, None)
    assert Counts([[1, 1]]).ids is None
    assert tally([[0, 1]]).clusters is None


def test_operations_preserve_ids() -> None:
    """Check that select, padded, pickles, copies, tally and a wider scale preserve ids; equality and repr use them."""
    selected = A.select([2, 0])
    assert selected.ids == ("q3", "q1")
    assert selected.clusters == ("y", "x")
    assert selected.table.tolist() == [[4, 0], [1, 3]]
    assert A.select(np.array([True, False, False, True])).ids == ("q1", "q4")
    assert refusal(lambda: A.select([0, 0])) == ("duplicate", "keep")
    for x in (
        A.padded(3),
        tally(A),
        tally(A, 4),
        pickle.loads(pickle.dumps(A)),
        copy.deepcopy(A),
        A.padded(3)._truncated(1),
    ):
        assert (x.ids, x.clusters) == (A.ids, A.clusters)
    assert pickle.loads(pickle.dumps(A)) == A != A._labelled(A.ids, None)
    assert A._labelled(None, A.clusters) != A
    assert repr(selected) == "Counts(2 questions, 4 trials, categories 0..1, ids 'q3', 'q1', 2 clusters)"


def test_counts_are_added_by_id_or_by_row() -> None:
    """Check addition: by id where both have ids, by row where neither has; else refused."""
    both = A + B
    assert both.ids == A.ids
    assert both.clusters == A.clusters
    assert both.table.tolist() == [[4, 4], [3, 5], [4, 4], [5, 3]]
    assert (B + A).ids == B.ids
    assert (B + A).clusters == ("y", "x", "z", "x")
    assert sum([A, B]) == both
    without_ids = Counts(A.table)
    assert (without_ids + Counts(B.table)).ids is None
    assert refusal(lambda: A + without_ids) == ("conflict", "other")
    assert refusal(lambda: without_ids + A) == ("conflict", "other")
    assert refusal(lambda: A + B.select([0, 1, 2])) == ("missing", "other")
    assert refusal(lambda: A.select([0]) + B) == ("missing", "self")
    other = B._labelled(B.ids, ("y", "y", "z", "x"))
    assert refusal(lambda: A + other) == ("conflict", "other")
    with pytest.raises(InvalidInput, match="question 'q1' is in cluster 'y' for other"):
        A + other
    with pytest.raises(InvalidInput, match=r"'q5', 'q6', 'q7', \.\.\."):
        A + Counts([[1, 1]] * 8, ids=["q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8"])


# --- pairing ----------------------------------------------------------------------------------------


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Counts, Counts, list[int]]:
    """Two models on the same questions row by row, and an order of these questions."""
    M, C = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    row = st.lists(st.integers(0, 5), min_size=C + 1, max_size=C + 1).filter(any)
    rows = st.lists(row, min_size=M, max_size=M)
    clusters = draw(st.none() | st.lists(st.sampled_from("xyz"), min_size=M, max_size=M))
    ids = [f"q{i}" for i in range(M)]
    a, b = (Counts(draw(rows), ids=ids, clusters=clusters) for _ in range(2))
    return a, b, list(draw(st.permutations(range(M))))


def output(call: Callable[[], Any]) -> str:
    """Representation of a result with all its digits, or code and argument of the refusal."""
    try:
        return repr(call())
    except InvalidInput as e:
        return f"{e.code} of {e.argument}"


@pytest.mark.slow
@given(pairs(), st.sampled_from(["fixed", "sampled"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_order_of_questions_changes_no_bit(case: tuple[Counts, Counts, list[int]], questions: Any) -> None:
    """Check that models paired by id, in any order, give the result of equally ordered rows with explicit clusters."""
    a, b, order = case
    w, options = [j / a.C for j in range(a.C + 1)], {"questions": questions}
    without_ids = [Counts(x.table) for x in (a, b)]
    row_options = options | ({"clusters": a.clusters} if questions == "sampled" and a.clusters else {})
    permuted = b.select(order)
    without_clusters = permuted._labelled(permuted.ids, None)
    for other in (permuted, without_clusters):
        assert output(lambda x=other: sinf.compare(a, x, w=w, **options)) == output(
            lambda: sinf.compare(*without_ids, w=w, **row_options)
        )
        assert output(lambda x=other: sinf.gate(a, x, w=w, margin=0.25, **options)) == output(
            lambda: sinf.gate(*without_ids, w=w, margin=0.25, **row_options)
        )
        for call in (rank.ranges, sinf.compare_all, rank.winners):
            assert output(lambda x=other, f=call: f([a, x], w=w, **options)) == output(
                lambda f=call: f(without_ids, w=w, **row_options)
            )
    assert output(lambda: rank.bayes([a, permuted], w)) == output(lambda: rank.bayes(without_ids, w))
    assert output(lambda: eval.bayes(a, w, R0=permuted)) == output(
        lambda: eval.bayes(without_ids[0], w, R0=without_ids[1])
    )
    permuted_options = options | ({"clusters": [a.clusters[i] for i in order]} if "clusters" in row_options else {})
    assert output(lambda: eval.interval(permuted, w=w, **options)) == output(
        lambda: eval.interval(without_ids[1].select(order), w=w, **permuted_options)
    )


def test_questions_of_one_model_only_are_refused_or_left_out() -> None:
    """Check questions of one model only: refused with their ids, or left out of the pair and listed by index."""
    b = B.select([0, 1, 2])
    other = Counts([*b.table.tolist(), [2, 2]], ids=[*b.ids, "q9"])
    for call in (
        lambda **x: sinf.compare(A, other, questions="fixed", **x),
        lambda **x: sinf.gate(A, other, margin=0.1, questions="fixed", **x),
        lambda **x: sinf.questions_needed(A, other, **x),
        lambda **x: rank.ranges({"a": A, "b": other}, questions="fixed", **x),
        lambda **x: sinf.suite({"t": {"a": A, "b": other}}, questions="fixed", **x),
        lambda **x: items.items([A, other, A], **x),
    ):
        code, argument = refusal(call)
        assert code == "missing"
        assert argument in ("A", "candidate", "R", "models", "benchmarks")
        assert refusal(lambda f=call: f(missing=0))[0] == "missing"
        call(missing="drop")
    with pytest.raises(InvalidInput, match="""A does not have 1 question of the others, 'q9': missing="drop" """):
        sinf.compare(A, other, questions="fixed")
    got = sinf.compare(A, other, questions="fixed", missing="drop")
    assert got.dropped == [1, 4]
    rows = [0, 2, 3]
    want = sinf.compare(Counts(A.table[rows]), Counts(other._reindexed(A.ids).table[rows]), questions="fixed")
    assert got._replace(dropped=[]) == want
    disjoint = Counts([[1, 1]] * 2, ids=["s", "t"])
    assert refusal(lambda: sinf.compare(A, disjoint, questions="fixed", missing="drop")) == ("no_trials", "A")
    for x in ("raise", "drop"):  # one rank per model cannot state which questions were left out
        assert refusal(lambda x=x: rank.bayes([A, other], missing=x)) == ("missing", "R")


def test_ids_of_only_some_models_are_refused() -> None:
    """Check that a mix of models with and without ids is refused."""
    without_ids = Counts(B.table)
    assert refusal(lambda: sinf.compare(A, without_ids, questions="fixed")) == ("conflict", "B")
    assert refusal(lambda: sinf.compare(without_ids, A, questions="fixed")) == ("conflict", "B")
    assert refusal(lambda: sinf.compare(A, [[0, 1]] * 4, questions="fixed")) == ("conflict", "B")
    assert refusal(lambda: rank.ranges([A, B, without_ids], questions="fixed")) == ("conflict", "models")
    assert refusal(lambda: eval.bayes(A, R0=without_ids)) == ("conflict", "R0")
    with pytest.raises(InvalidInput, match="model 0 of models has ids of its questions, model 2 of models has none"):
        rank.ranges([A, B, without_ids], questions="fixed")
    assert sinf.compare(A, without_ids, questions="sampled", paired=False, clusters=False).df > 0


def test_clusters_of_counts_are_used_for_sampled_questions() -> None:
    """Check clusters of counts: used for sampled questions, replaced by explicit ones, ignored if fixed or False."""
    options: dict[str, Any] = {"questions": "sampled"}
    without_ids, labels, n_different = [Counts(x.table) for x in (A, B._reindexed(A.ids))], list(A.clusters or ()), 0
    for f, both in (  # both: f takes two models
        (sinf.compare, True),
        (eval.interval, False),
        (eval.mean_ci, False),
        (lambda *x, **y: sinf.gate(*x, margin=0.2, **y), True),
        (lambda *x, **y: rank.winners(x, **y), True),
        (lambda *x, **y: sinf.compare_all(x, **y), True),
        (lambda *x, **y: rank.ranges(x, **y), True),
        (lambda x, **y: sinf.prob_above(x, 0.3, **y), False),
        (lambda *x, **y: sinf.suite({"t": dict(enumerate(x))}, **_clusters_of_benchmark("t", y)), True),
        (lambda *x, **y: sinf.gate_suite({"t": x[0]}, {"t": x[1]}, margin=0.2, **_clusters_of_benchmark("t", y)), True),
        (lambda *x, **y: sinf.Monitor(planned=9, questions="sampled").look(*x, **_without_questions(y)), True),
        (lambda *x, **y: sinf.questions_needed(*x, **_without_questions(y)), True),
        (lambda *x, **y: sinf.questions_needed(*x, half_width=0.1, **_without_questions(y)), False),
    ):
        with_ids, rows = ([A, B], without_ids) if both else ([A], without_ids[:1])
        assert f(*with_ids, **options) == f(*rows, **options, clusters=labels)
        n_different += f(*with_ids, **options) != f(*rows, **options)
        assert f(*with_ids, **options, clusters=False) == f(*rows, **options)
        assert f(*with_ids, **options, clusters=["s", "s", "t", "t"]) == f(
            *rows, **options, clusters=["s", "s", "t", "t"]
        )
    assert n_different >= 10  # clusters change most of the 13 results
    assert sinf.compare(A, B, questions="fixed", clusters=False) == sinf.compare(*without_ids, questions="fixed")
    assert refusal(lambda: sinf.compare(A, B, questions="fixed", clusters=labels)) == ("conflict", "clusters")
    assert refusal(lambda: sinf.compare(A, B, questions="sampled", clusters=True)) == ("type", "clusters")
    assert refusal(lambda: sinf.compare(A, B, questions="sampled", paired=False)) == ("conflict", "clusters")
    assert refusal(lambda: eval.interval(A, questions="sampled", pool=9)) == ("conflict", "pool")
    assert eval.interval(A, questions="sampled", pool=9, clusters=False).units == 4


def _clusters_of_benchmark(name: str, options: dict[str, Any]) -> dict[str, Any]:
    x = options.get("clusters")
    return options if x is None or x is False else {**options, "clusters": {name: x}}


def _without_questions(options: dict[str, Any]) -> dict[str, Any]:
    return {k: x for k, x in options.items() if k != "questions"}


def test_clusters_that_contradict_or_are_missing_are_refused() -> None:
    """Check that two clusters of one question, or a question without a cluster among others with one, are refused."""
    other = B._labelled(B.ids, ("y", "y", "z", "x"))
    for f, argument in (
        (lambda **x: sinf.compare(A, other, **x), "B"),
        (lambda **x: rank.ranges([A, other], **x), "models"),
    ):
        assert refusal(lambda f=f: f(questions="sampled")) == ("conflict", argument)
        f(questions="fixed")
        f(questions="sampled", clusters=False)
    c = Counts([[1, 3], [1, 3], [2, 2], [2, 2]], ids=["q1", "q3", "q8", "q9"])
    d = Counts([[2, 2], [1, 3], [0, 4], [2, 2]], ids=["q9", "q8", "q1", "q3"])
    options: dict[str, Any] = {"questions": "sampled", "missing": "drop"}
    assert refusal(lambda: rank.ranges({"a": A, "c": c, "d": d}, **options)) == ("conflict", "clusters")
    assert rank.ranges({"a": A, "c": c, "d": d}, **options, clusters=False)["a"].best == 1
    rows = Counts(A.table, clusters=A.clusters), Counts(B.table, clusters=["x", "x", "y", "w"])
    assert refusal(lambda: sinf.compare(*rows, questions="sampled")) == ("conflict", "B")


def test_answers_have_no_ids() -> None:
    """Check that votes, which need the answers, are paired row by row."""
    x = Answers([["4", "4", "5"], ["9", "3", "9"]], ["4", "3"])
    assert sinf.compare(x, x, "plurality@k", 3, questions="sampled").mu == 0.0
    assert refusal(lambda: sinf.compare(A.select([0, 1]), x, questions="fixed")) == ("conflict", "B")


# --- data frames and logs ---------------------------------------------------------------------------


def test_the_index_of_a_frame_gives_ids() -> None:
    """Check that the index of a frame gives ids, unless it is the default index."""
    R = [[1, 0], [1, 1], [0, 0]]
    for index in (None, [0, 1, 2], pd.RangeIndex(3)):
        assert tally(pd.DataFrame(R, index=index)).ids is None
    for index, ids in (
        (["b", "a", "c"], ("b", "a", "c")), ([2, 1, 0], ("2", "1", "0")), (pd.RangeIndex(5, 8), ("5", "6", "7")),
        (pd.MultiIndex.from_tuples([("t", 1), ("t", 2), ("u", 1)]), ("t/1", "t/2", "u/1")),
        ([0.5, 1.5, 2.0], ("0.5", "1.5", "2.0")),
    ):  # fmt: skip
        assert tally(pd.DataFrame(R, index=index)).ids == ids
    assert refusal(lambda: tally(pd.DataFrame(R, index=["a", "b", "a"]))) == ("duplicate", "R")
    assert refusal(lambda: eval.bayes(pd.DataFrame(R, index=["a", None, "b"]))) == ("missing", "R")
    assert tally(pl.DataFrame(R, orient="row")).ids is None
    assert tally(pd.Series([0, 1, 1], index=["a", "b", "c"])).ids is None


def test_logs_carry_ids() -> None:
    """Check that counts of a log carry its question ids and clusters, also when these are replaced."""
    log = io.Log(["q1", "q2"], Counts([[1, 3], [2, 2]]), clusters=["x", "y"])
    assert (log.counts.ids, log.counts.clusters) == (("q1", "q2"), ("x", "y"))
    assert log._replace(ids=["s", "t"]).counts.ids == ("s", "t")
    assert log.only([1]).counts.ids == ("q2",)
    assert pickle.loads(pickle.dumps(log)).counts == log.counts
    assert refusal(lambda: io.Log(["q", "q"], Counts([[1, 3], [2, 2]]))) == ("duplicate", "ids")
    other = io.Log(["q2", "q1"], Counts([[0, 4], [3, 1]]))
    part = Benchmark("", {"a": log, "b": other})
    assert sinf.compare(log.counts, other.counts, questions="sampled").df == 1.0
    assert part.aligned()["b"].table.tolist() == [[3, 1], [0, 4]]
    assert part.aligned()["b"].clusters == ("x", "y")
    assert {m: x.ids for m, x in part.shared().logs.items()} == {"a": ["q1", "q2"], "b": ["q1", "q2"]}


# --- files ------------------------------------------------------------------------------------------


@given(
    st.lists(
        st.sampled_from(SPECIAL) | st.text(st.characters(exclude_categories=[]), min_size=1), min_size=1, unique=True
    ),
    st.data(),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_files_preserve_ids(tmp_path_factory: pytest.TempPathFactory, ids: list[str], data: st.DataObject) -> None:
    """Check that ids and clusters of any text are the same when read back from a file."""
    path = tmp_path_factory.mktemp("counts") / "counts.csv"
    ids = [x if x.strip(" \t\n\v\f\r") else f"x{x}" for x in ids]  # blank ids are refused
    ids = list(dict.fromkeys(ids))
    rows = data.draw(
        st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=len(ids), max_size=len(ids))
    )
    clusters = data.draw(st.none() | st.lists(st.text(), min_size=len(ids), max_size=len(ids)))
    for given_ids in (ids, None):
        x = Counts(rows, absent=[1] * len(ids), ids=given_ids, clusters=clusters)
        x.save(path)
        back = Counts.load(path)
        assert back == x
        assert back.missing == len(ids)


def test_files_have_format_2_and_format_1_is_read(tmp_path: Path) -> None:
    """Check the bytes of format 2; format 1 is read; other files, and later formats, are refused."""
    path = tmp_path / "counts.csv"
    Counts([[1, 3], [2, 2]], [0, 5], ids=["a,b", 'say "x"'], clusters=["", "y"]).save(path)
    head = b"# scorio counts, format 2\n"
    assert path.read_bytes() == head + b'id,cluster,n0,n1,missing\n"a,b","",1,3,0\n"say ""x""","y",2,2,5\n'
    Counts([[1, 3]]).save(path)
    assert path.read_bytes() == head + b"n0,n1,missing\n1,3,0\n"
    path.write_text("n0,n1,missing\n1,3,0\n2,2,5\n")
    assert Counts.load(path) == Counts([[1, 3], [2, 2]], absent=[0, 5]) != Counts([[1, 3], [2, 2]])
    path.write_bytes(head + b"id,n0,n1,missing\r\nq,1,3,0\r\n")
    assert Counts.load(path) == Counts([[1, 3]], ids=["q"])
    first = head.decode()
    for text in (
        "# scorio counts, format 3\nn0,n1,missing\n1,2,0\n", "id,n0,n1,missing\nq,1,2,0\n",
        *(first + x for x in (
            "", "id,n0,n1,missing\n", "id,missing\n", 'id,n0,n1,missing\n"q,1,2,0\n', "id,n0,n1,missing\nq,1,2\n",
            "cluster,id,n0,n1,missing\n", "id,n0,n1,missing\nq,1,-2,0\n", "id,n0,n1,missing\nq,1,2,0\n\n",
            "id,id,n0,n1,missing\nq,q,1,2,0\n",
        )),
    ):  # fmt: skip
        path.write_text(text)
        assert refusal(lambda: Counts.load(path)) == ("format", "path"), text
    path.write_text(first + "id,n0,n1,missing\nq,1,2,0\nq,1,2,0\n")
    assert refusal(lambda: Counts.load(path)) == ("duplicate", "ids")


def test_a_mapping_of_counts_keeps_their_ids_and_clusters() -> None:
    """Check that a mapping of counts with questions in another order is paired by id, as in a file."""
    a = Counts([[2, 2], [4, 0]], ids=["q1", "q2"], clusters=["u", "v"])
    b = Counts([[4, 0], [2, 2]], ids=["q2", "q1"])
    e = io.read({"a": a, "b": b})
    assert (e["a"].ids, e["a"].clusters, e["b"].ids) == (("q1", "q2"), ("u", "v"), ("q2", "q1"))
    assert e.compare("a", "b").verdicts[0].difference == 0.0
