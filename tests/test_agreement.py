"""Agreement of raters: published numbers, invariances, coverage, and the command."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scorio
from scorio import Counts, InvalidInput, eval
from scorio.cli import main

RATINGS = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=2, max_size=12)


def test_results_equal_those_of_published_examples() -> None:
    """Check Fleiss' example of ten subjects and Krippendorff's of twelve units, as published."""
    fleiss = ["0 0 0 0 14", "0 2 6 4 2", "0 0 3 5 6", "0 3 9 2 0", "2 2 8 1 1", "7 7 0 0 0", "3 2 6 3 0", "2 5 3 2 2",
              "6 5 2 1 0", "0 2 2 3 7"]  # fmt: skip
    assert (
        round(eval.agreement(Counts([[int(x) for x in row.split()] for row in fleiss])).fleiss_kappa or 0, 3) == 0.210
    )
    units = ["11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3.."]
    R = [[None if x == "." else int(x) for x in row] for row in units]
    x = eval.agreement(R, missing="drop")
    assert (round(x.alpha or 0, 3), x.items, x.ratings, x.dropped) == (0.743, 11, 40, [11])
    assert round(eval.agreement(R, [0, 1, 2, 3, 4, 5], missing="drop").alpha or 0, 3) == 0.849


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(RATINGS, st.permutations(range(4)))
def test_orders_names_and_linear_maps_change_nothing(R: list[list[int]], names: list[int]) -> None:
    """Check that orders and linear maps of scores change nothing, and numbers of categories no estimate."""
    x = eval.agreement(R)
    assert x == eval.agreement([row[::-1] for row in R[::-1]])
    y = eval.agreement([[names[c] for c in row] for row in R])
    assert x[:4] == y[:4]
    table = Counts([[row.count(c) for c in range(4)] for row in R])
    assert eval.agreement(table)[:6] == x[:6]
    scored = eval.agreement(table, [0, 1, 2, 4])
    assert scored == eval.agreement(table, [3, 1, -1, -5])
    assert eval.agreement(table, [0, 0, 0, 0]).alpha is None
    for z in (x, scored):
        if z.alpha is not None:
            assert z.lo is not None
            assert z.hi is not None
            assert -1.0 <= z.lo <= z.alpha <= z.hi <= 1.0
    assert (eval.cohen_kappa(R) or 0) == (eval.cohen_kappa([row[::-1] for row in R]) or 0)


def test_alpha_of_two_ratings_follows_from_fleiss_kappa() -> None:
    """Check alpha against Fleiss' kappa, and Cohen's kappa against the textbook, for two ratings in two categories."""
    for a, b, c in permutations((3, 5, 8)):
        R = [[0, 0]] * a + [[0, 1]] * b + [[1, 1]] * c
        x, n = eval.agreement(R), 2 * (a + b + c)
        assert x.fleiss_kappa is not None
        assert x.alpha is not None
        assert x.alpha == pytest.approx(1 - (1 - x.fleiss_kappa) * (n - 1) / n, abs=1e-14)
        p, q = (a + b) / (a + b + c), a / (a + b + c)
        chance = p * q + (1 - p) * (1 - q)
        assert eval.cohen_kappa(R) == pytest.approx(((a + c) / (a + b + c) - chance) / (1 - chance), abs=1e-14)


def test_a_rare_category_gives_a_wide_interval() -> None:
    """Check perfect agreement: 29 items of one category and one of another have a wide interval, 200 of each do not."""
    x = eval.agreement([[1, 1]] * 29 + [[0, 0]])
    assert (x.alpha, x.lo, x.hi) == (1.0, -1.0, 1.0)
    y = eval.agreement([[1, 1]] * 200 + [[0, 0]] * 200)
    assert (y.lo or 0) > 0.95


def test_ratings_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InvalidInput, match="it needs two") as error:
        eval.cohen_kappa(np.zeros((4, 3), int))
    assert error.value.code == "shape"
    with pytest.raises(InvalidInput, match="no item of R has two ratings"):
        eval.agreement([[1], [0]])


def test_the_agreement_command_gives_the_results_of_the_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check a long table of ratings, one item rated twice by one rater, as text, Markdown, HTML, LaTeX and JSON."""
    ratings = [(i, who, int(i % 3 == 0) if who == "cy" else i % 2) for i in range(30) for who in ("ann", "bob", "cy")]
    ratings.append((0, "ann", 1))
    (tmp_path / "r.csv").write_text(
        "\n".join(["item,rater,rating", *(f"{i},{who},{c}" for i, who, c in ratings)]) + "\n"
    )
    names = "question=item,model=rater,outcome=rating"
    columns = dict(pair.split("=") for pair in names.split(","))
    x = scorio.read(tmp_path / "r.csv", columns=columns, missing="drop").agreement()
    rows = [(row.model, row.items, row.ratings, row.left_out) for row in x.table]
    assert rows == [("ann", 1, 2, 29), (None, 30, 91, 0)]
    y = eval.agreement(Counts([[sum(rating[::2] == (i, c) for rating in ratings) for c in (0, 1)] for i in range(30)]))
    row = x.table[1]
    assert (row.percent_agreement, row.fleiss_kappa, row.ac1, row.alpha, row.lo, row.hi) == y[:6]
    assert x.table[0].alpha == 0.0
    for text in (str(x), x.to_markdown(), x._repr_html_(), x.to_latex()):
        assert "between models" in text
        assert f"{y.alpha:.3f}".lstrip("0") in text
    assert main(["agreement", str(tmp_path / "r.csv"), "--columns", names, "--missing", "drop", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][1]["alpha"] == y.alpha
    with pytest.raises(InvalidInput, match="two raters, or two trials"):
        scorio.read({"m": [[1], [0]]}).agreement()


def test_ratings_of_one_category_give_no_number() -> None:
    """Check that ratings of a single category give no number, since chance agreement is undefined."""
    x = scorio.read({"m": [[1, 1, 1]] * 5}).agreement()
    assert x.table[0].alpha is None
    assert "all ratings are the same" in str(x)


def test_two_raters_have_cohens_kappa() -> None:
    """Check that two models with one rating of each question have Cohen's kappa, and repeated ratings have none."""
    judge, human = [1, 1, 0, 1, 0, 0, 1, 1], [1, None, 0, 0, 0, 0, 1, 0]
    e = scorio.read({"judge": [[x] for x in judge], "human": [[x] for x in human]}, missing="drop")
    x = e.agreement()
    rated_by_both = [pair for pair in zip(judge, human, strict=True) if pair[1] is not None]
    assert x.table[0].cohen_kappa == eval.cohen_kappa(rated_by_both)
    assert x.to_dict()["rows"][0]["cohen_kappa"] == x.table[0].cohen_kappa
    assert "(Cohen)" in str(x)
    graded = [[0, 2, 1, 1], [0, 1, 1, 2]]
    e = scorio.read({m: [[y] for y in row] for m, row in zip("ab", graded, strict=True)}, w=[0, 0.5, 1])
    assert e.agreement().table[0].cohen_kappa == eval.cohen_kappa(np.transpose(graded), [0, 0.5, 1])
    repeated = scorio.read({"a": [[1, 0], [1, 1]], "b": [[1, 0], [0, 1]]}).agreement()
    assert all(row.cohen_kappa is None for row in repeated.table)
    assert "Cohen" not in str(repeated).replace("kappa (Fleiss)", "").partition("Trials of")[0]
