"""Counts of outcomes: large input, threads, memory, missing outcomes, saving, and errors that name the entry."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lengths import part

import scorio
from scorio import Counts, InvalidInput, eval, tally
from scorio.arithmetic import jit
from scorio.outcomes import tally as tally_module


@pytest.mark.slow
@pytest.mark.parametrize("C", [1, 4])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, bool, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_matrices_are_counted_with_and_without_threads(
    C: int, dtype: type, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check counts against NumPy above the size at which threads share the rows, and with one thread."""
    C = 1 if dtype is bool else C
    R = np.asarray(np.random.default_rng(5).integers(0, C + 1, (40_001, 61)), dtype=dtype, order=order)
    assert R.size > tally_module.PARALLEL_SIZE
    want = np.stack([(j == R).sum(axis=1) for j in range(C + 1)], axis=1)
    counts = tally(R, C)
    assert np.array_equal(counts.table, want)
    monkeypatch.setattr(jit, "THREADS", 1)
    assert tally(R, C) == counts


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("row", [0, 20_000, 40_000])
def test_a_bad_entry_of_a_large_matrix_is_named(order: str, row: int) -> None:
    R = np.zeros((40_001, 61), np.int8, order=order)
    R[row, 17] = -3
    with pytest.raises(InvalidInput, match=rf"R\[{row}, 17\] = -3") as e:
        eval.bayes(R)
    assert e.value.code == "category"


def test_tally_allocates_for_rows_only() -> None:
    """Check that a tally allocates memory for the rows of a matrix, not for its entries, and copies nothing."""
    R = np.zeros((20_000, 500), np.int8)
    for form in (R, np.asfortranarray(R), R[:, ::2]):
        tally(form, 1)
        peaks = []
        for _ in range(3):  # a thread of another test may allocate during one of them
            tracemalloc.start()
            tally(form, 1)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert min(peaks) < 8 * 20_000 * 5 < R.size / 10


@pytest.mark.slow
def test_a_memory_mapped_file_is_read(tmp_path: Path) -> None:
    """Check a read-only file mapped into memory."""
    R = np.random.default_rng(0).integers(0, 2, (300, 40)).astype(np.int8)
    np.save(tmp_path / "R.npy", R)
    assert eval.bayes(np.load(tmp_path / "R.npy", mmap_mode="r")) == eval.bayes(R)


def test_data_frames_are_read_by_their_values() -> None:
    """Check that data frames are read by their values, with the missing values of each library."""
    data = {"a": [0, 1, 1], "b": [1, 1, None]}
    for frame in (pd.DataFrame(data), pd.DataFrame(data).astype("Int64"), pl.DataFrame(data)):
        with pytest.raises(InvalidInput, match=r"R\[2, 1\] is missing"):
            tally(frame)
        assert tally(frame, missing="drop").table.tolist() == [[1, 1], [0, 2], [0, 1]]


MISSING_FORMS = {
    "nan": [[0.0, np.nan, 1.0], [1.0, 1.0, np.nan]],
    "none": [[0, None, 1], [1, 1, None]],
    "masked": np.ma.array([[0, 9, 1], [1, 1, 9]], mask=[[0, 1, 0], [0, 0, 1]]),
    "ragged": [[0, 1], [1, 1]],
    "code": np.array([[0, -1, 1], [1, 1, -1]], np.int8),
}


@pytest.mark.parametrize("form", MISSING_FORMS)
def test_each_form_of_missing_entries_follows_the_policy(form: str) -> None:
    """Check each form of a missing entry under each policy."""
    R = MISSING_FORMS[form]
    code = -1 if form == "code" else None
    if form != "ragged":
        with pytest.raises(InvalidInput, match=r"R\[0, 1\] is missing"):
            tally(R, missing_code=code)
        assert tally(R, missing=1, missing_code=code).table.tolist() == [[1, 2], [0, 3]]
        assert tally(R, missing=0, missing_code=code).table.tolist() == [[2, 1], [1, 2]]
    dropped = tally(R, missing="drop", missing_code=code)
    assert dropped.table.tolist() == [[1, 1], [0, 2]]
    assert dropped.missing == (0 if form == "ragged" else 2)
    assert eval.avg(dropped).mu == 0.75


def test_rows_of_unequal_length_keep_their_numbers_of_trials() -> None:
    """Check that each question has the average of its own trials, and that k may not exceed the fewest trials."""
    R = [[1, 0, 1, 1], [0, 1]]
    assert eval.avg(R, missing="drop").mu == 0.625
    assert eval.pass_at_k(R, 2, missing="drop") == 1.0
    with pytest.raises(InvalidInput, match="above the 2 trials of question 1"):
        eval.pass_at_k(R, 3, missing="drop")


def test_saved_counts_are_loaded_unchanged(tmp_path: Path) -> None:
    """Check that saved Counts are loaded unchanged, and that other files are refused."""
    counts = tally([[0, 2, None], [1, 1, 2]], missing="drop")
    counts.save(tmp_path / "counts.csv")
    loaded = Counts.load(tmp_path / "counts.csv")
    assert loaded == counts
    assert loaded.missing == 1
    for text in ("n0,n1\n1,2\n", "n0,n1,missing\n1,x,0\n", "n0,n1,missing\n1,2\n", "n0,n1,missing\n", "\xff"):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(InvalidInput) as e:
            Counts.load(tmp_path / "bad.csv")
        assert e.value.code == "format"


def test_counts_give_the_same_results_as_the_matrix() -> None:
    """Check that every metric gives the same bits for Counts as for the matrix."""
    R = np.random.default_rng(3).integers(0, 2, (7, 6))
    counts = Counts.from_successes(R.sum(1), np.full(7, 6))
    assert counts == tally(R)
    public = {name: getattr(scorio.eval, name) for name in scorio.eval.__all__}
    del public["cohen_kappa"]  # counts do not record who rated
    for name, f in ((n, f) for n, f in public.items() if next(iter(inspect.signature(f).parameters)) == "R"):
        args = {"k": 3} if "_k" in name else {}
        args |= {"tau": 0.5} if "tau" in name else {}
        args |= {"weights": [0.2, 0.3, 0.5]} if "threshold" in name else {}
        args |= {"questions": "fixed"} if name in ("mean_ci", "interval") else {}
        args |= {"metric": "pass_at_k", "k": 9} if name.startswith("extrapolate") else {}
        assert f(R, **args) == f(counts, **args), name


def test_counts_are_checked() -> None:
    for table, code in [
        ([[-1, 2]], "range"),
        ([[0.5, 1]], "type"),
        ([1, 2], "shape"),
        (np.zeros((0, 2), int), "empty"),
    ]:
        with pytest.raises(InvalidInput) as e:
            Counts(table)
        assert e.value.code == code
    with pytest.raises(InvalidInput, match=r"c\[1\] = 5 is not in 0..n\[1\] = 4"):
        Counts.from_successes([1, 5], [4, 4])
    with pytest.raises(InvalidInput, match="they must be the same ones"):
        tally([[0, 1]]) + tally([[0, 1], [1, 1]])


def test_questions_without_trials_are_dropped_or_named() -> None:
    """Check that mean_ci drops questions without trials and reports them, and that an error of bayes names them."""
    R = [[1, 0], [None, None], [1, 1]]
    r = eval.mean_ci(R, questions="fixed", missing="drop")
    assert (r.mu, r.units, r.dropped) == (0.75, 2, [1])
    with pytest.raises(InvalidInput, match="question 1 has no trial"):
        eval.bayes(R, missing="drop")


@pytest.mark.parametrize(
    ("R", "words"),
    [
        ([[0, 1], [1, 7]], "entry [1, 1] of R is category 7"),
        ([[0, 1.5]], "R[0, 1] = 1.5 is not a whole number"),
        ([[0, -2]], "R[0, 1] = -2 is negative"),
        ([[0, -(10**30)]], "R[0, 1], an integer beyond 2^62, is negative"),
        ([[0, float("inf")]], "R[0, 1] = inf is not finite"),
        ([[0, "x"]], "R[0, 1] = 'x' is not a number"),
        ([[0, 1], [1]], "R[1] has 1 trials, another row 2"),
        ([[0, None]], "R[0, 1] is missing"),
        (np.zeros((2, 2, 2)), "not 3-D"),
    ],
)
def test_messages_name_the_value_and_its_index(R: object, words: str) -> None:
    with pytest.raises(InvalidInput) as e:
        eval.pass_at_k(R, 1)
    assert words in str(e.value)


def test_a_short_w_is_an_error_of_w() -> None:
    with pytest.raises(InvalidInput, match=r"w has 2 scores, but entry \[0, 2\] of R is category 2") as e:
        eval.bayes([[0, 1, 2]], [0, 1])
    assert (e.value.code, e.value.argument) == ("length", "w")


@pytest.mark.slow
def test_stale_kernels_are_not_used(tmp_path: Path) -> None:
    """Check that a changed helper in one file invalidates cached kernels in another that inlined it."""
    shutil.copytree(
        Path(scorio.__file__).parent,
        tmp_path / "scorio",
        ignore=shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc"),
    )
    env = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")}
    env |= {"PYTHONPATH": str(tmp_path), "SCORIO_JIT": "1"}
    run = [sys.executable, "-c", "import scorio; print(scorio.eval.pass_at_k([[0, 1, 1]], 2))"]
    assert subprocess.run(run, capture_output=True, text=True, env=env, cwd=tmp_path).stdout == "1.0\n"
    module_file = tmp_path / "scorio" / "arithmetic" / "double_double.py"
    source = module_file.read_text()
    changed = source.replace("(1.0, 0.0, 0.0)", "(2.0, 0.0, 0.0)", 1)
    assert changed != source
    module_file.write_text(changed)
    assert subprocess.run(run, capture_output=True, text=True, env=env, cwd=tmp_path).stdout == "2.0\n"


def test_nested_masks_are_read() -> None:
    """Check that a mask inside a list of rows, in R0, in w or in a table of counts is not lost."""
    R = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
    m = np.ma.array(R, mask=[[1, 0, 0, 0, 0], [0] * 5])
    for form in (m, [m[0], m[1]], (m[0], [1, 1, 0, 1, 1]), m.astype(float), np.ma.array(m, dtype=np.int8)):
        with pytest.raises(InvalidInput, match=r"R\[0, 0\] is missing"):
            eval.avg(form)
        assert eval.avg(form, missing="drop").mu == 0.775
        assert tally(form, missing="drop").missing == 1
    with pytest.raises(InvalidInput, match=r"R0\[0, 0\] is missing"):
        eval.bayes(R, R0=m)
    with pytest.raises(InvalidInput, match="w has masked entries"):
        eval.bayes(R, w=np.ma.array([0.0, 1.0], mask=[0, 1]))
    with pytest.raises(InvalidInput, match="table has masked entries"):
        Counts(np.ma.array([[1, 2]], mask=[[0, 1]]))


def test_counts_cannot_overflow_or_be_changed() -> None:
    """Check that Counts refuse sums above 2^53 - 1, and that their arrays cannot be written to."""
    with pytest.raises(InvalidInput, match=r"more than 2\^53 - 1 trials"):
        Counts([[2**53 - 1] * 2000])
    half = Counts.from_successes([2**52], [2**52])
    with pytest.raises(InvalidInput, match=r"more than 2\^53 - 1 trials"):
        sum([half, half])
    c = tally([[0, None], [1, 1]], missing="drop")
    assert c.select([1]).missing == 0
    assert c.select([True, False]).missing == 1
    with pytest.raises(ValueError, match="read-only"):
        c.category_counts[:] = 0
    for keep in ([], [9], [True], "a", [[0]], 1.5, [False, False]):
        with pytest.raises(InvalidInput):
            c.select(keep)
    assert sum([c, c]) == c + c


def test_unexpected_arguments_give_short_errors() -> None:
    R = [[0, 1, 1], [1, 1, 0]]

    class Broken:
        def __array__(self, *_: object, **__: object) -> None:
            raise RuntimeError("no")

    huge = 10**5000
    calls = [
        lambda: eval.bayes_ci(R, bounds=[0, [1]]),
        lambda: eval.pass_at_k(R, huge),
        lambda: eval.bayes_ci(R, confidence=huge),
        lambda: eval.avg(R, missing=huge),
        lambda: eval.avg(R, w=[0, huge]),
        lambda: eval.avg(R, w=Broken()),
        lambda: eval.avg(Broken()),
        lambda: Counts(Broken()),
        lambda: Counts([[1, 2], [3]]),
        lambda: Counts.from_successes([1, [2]], [3, 4]),
        lambda: eval.mean_ci(R, questions="sampled", clusters=np.array(3)),
        lambda: eval.mean_ci(R, questions="sampled", clusters=[pd.NA, 1]),
        lambda: eval.mean_ci(R, questions="sampled", clusters=[([1],), 1]),
        lambda: eval.avg(np.ma.array([(1, 2)], dtype=[("a", int), ("b", int)], mask=[(0, 1)])),
        lambda: scorio.evaluate(R, 5),
        lambda: scorio.evaluate(R, ["pass_at_k"], k=[]),
        lambda: scorio.evaluate(R, ["pass_at_k"], k=b"\x02"),
    ]
    for i, call in enumerate(calls):
        with pytest.raises(InvalidInput) as e:
            print(i, call())
        assert 0 < len(str(e.value)) < 400
    assert repr(eval.mean_ci(R, questions="fixed")._replace(lo=0.0)).startswith("MetricInterval(")


@pytest.mark.slow
@pytest.mark.parametrize("home", part([False, True], 2))
def test_a_read_only_package_runs(tmp_path: Path, home: bool) -> None:
    """Check that kernels are cached in the home folder if the package is read-only, and run if there is no home.

    In both cases a changed helper changes the result.
    """
    folder, home_folder = tmp_path / "lib", tmp_path / "home"
    shutil.copytree(Path(scorio.__file__).parent, folder / "scorio", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "scorio" / "__pycache__").write_text("a file in the place of the folder")
    if home:
        home_folder.mkdir()
    else:
        home_folder.write_text("a file in the place of the home folder")
    unset = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_DISABLE_JIT")
    env = {k: v for k, v in os.environ.items() if k not in unset} | {"SCORIO_JIT": "1"}
    env |= {"HOME": str(home_folder), "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    run = [sys.executable, "-c", "import scorio; print(scorio.eval.pass_hat_k([[0, 1, 1, 1]], 2))"]
    out = subprocess.run(run, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert out.stdout == "0.5\n", out.stderr
    assert home == (home_folder.is_dir() and any(home_folder.rglob("*.nbi")))
    module_file = folder / "scorio" / "arithmetic" / "double_double.py"
    before, after = (f"p, q = two_prod(x[0], {y})" for y in ("y[0]", "2.0 * y[0]"))
    module_file.write_text(module_file.read_text().replace(before, after))
    changed = subprocess.run(run, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert changed.stdout not in ("", "0.5\n"), changed.stderr
