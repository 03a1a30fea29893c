"""Battles: golden values, invariance, existence of estimates, files and the command."""

from __future__ import annotations

import json
import random
from itertools import pairwise, permutations
from math import log10
from pathlib import Path
from typing import Any

import pytest

from scorio import InvalidInput, io, rank
from scorio.cli import main
from scorio.rank.battles import table

CELLS = "AB 6 2 3, BA 2 1 4, AC 5 1 2, CA 3 2 4, BC 4 3 2, CB 3 1 3"
WINNERS = ("model_a", "tie", "model_b")


def rows(text: str = CELLS) -> list[tuple[str, str, str]]:
    """Battles by their numbers: "AB 6 2 3" is 6 wins of A, shown first, 2 ties and 3 wins of B."""
    parts = [part.split() for part in text.split(",")]
    return [(p[0][0], p[0][1], w) for p in parts for w, n in zip(WINNERS, p[1:], strict=True) for _ in range(int(n))]


GOLDEN = [
    ("half", False, 0.352405067272734, -0.108718656158905, None, None),
    ("half", True, 0.344706535329024, -0.103233086912478, 0.175912268548904, None),
    ("davidson", False, 0.442729592877274, -0.136579841018255, None, 0.506881728742334),
    ("davidson", True, 0.433854905802129, -0.129972979407125, 0.221756990339106, 0.509988043217608),
    ("rao_kupper", False, 0.374097703760074, -0.118778642181052, None, 1.52031944923411),
    ("rao_kupper", True, 0.366902233671252, -0.117333071362957, 0.182795305686246, 1.52533099833295),
]


@pytest.mark.parametrize(("ties", "bias", "a", "b", "eta", "tie"), GOLDEN)
def test_ratings_equal_those_of_another_program(
    ties: str, bias: bool, a: float, b: float, eta: float | None, tie: float | None
) -> None:
    """Check golden values that another program computed."""
    r = rank.bradley_terry(rows(), ties, position_bias=bias)
    assert (r.theta[0], r.theta[1]) == pytest.approx((a, b), abs=1e-14)
    assert (r.bias, r.tie) == (
        pytest.approx(eta, abs=1e-14) if eta else None,
        pytest.approx(tie, abs=1e-13) if tie else None,
    )


def test_variances_equal_golden_values() -> None:
    r = rank.win_probability(rows(), "A", "B")
    assert (r.p, r.sigma**2, r.df + 1) == pytest.approx((0.613280720694, 0.131739144382, 34.433602510840), abs=1e-11)
    columns: dict[str, Any] = dict(
        zip(("model_a", "model_b", "winner"), map(list, zip(*rows(), strict=True)), strict=True)
    )
    columns["question"] = [a + b for a, b, _ in rows()]
    r = rank.win_probability(columns, "A", "B", cluster="question")
    assert (r.sigma**2, r.df + 1) == pytest.approx((0.043429952193, 3.691378490778), abs=1e-11)
    r = rank.win_probability(rows("AB 7 1 2"), "A", "B")
    assert (r.theta, r.sigma**2, r.df) == pytest.approx((1.0986122886681098, 208 / 405, 9), abs=1e-14)


def random_battles(seed: int, L: int, n: int) -> list[tuple[str, str, str]]:
    """Random battles in which every model wins and loses."""
    r = random.Random(seed)
    names = [f"m{i}" for i in range(L)]
    return [(*r.sample(names, 2), r.choice(WINNERS)) for _ in range(n)] + [
        (a, b, w) for a, b in pairwise([*names, names[0]]) for w in ("model_a", "model_b")
    ]


@pytest.mark.parametrize(("ties", "bias"), [("half", False), ("davidson", True), ("rao_kupper", False)])
def test_order_and_names_do_not_matter(ties: str, bias: bool) -> None:
    """Check that shuffled rows, renamed models and (without a position bias) reversed pairs change no bit."""
    data = random_battles(1, 5, 40)
    want = rank.bradley_terry(data, ties, position_bias=bias)
    new = dict(zip(want.models, ["z", "b", "y", "a", "k"], strict=True))
    other = [(new[a], new[b], w) for a, b, w in random.Random(2).sample(data, len(data))]
    if not bias:
        other = [(b, a, WINNERS[2 - WINNERS.index(w)]) for a, b, w in other]
    got = rank.bradley_terry(other, ties, position_bias=bias)
    for field in ("theta", "rating", "lo", "hi", "best", "worst"):
        ratings = dict(zip(got.models, getattr(got, field), strict=True))
        assert [ratings[new[m]] for m in want.models] == getattr(want, field), field
    assert (got.bias, got.tie) == (want.bias, want.tie)


def test_unrated_models_change_no_rating() -> None:
    """Check that unbeaten and winless models have no rating and leave the ratings of the others unchanged."""
    battles = rows("BC 5 2 3, CD 2 1 1")
    r, without_unrated = (
        rank.bradley_terry([*battles, *rows("AB 4 0 0, AC 3 0 0, DE 2 0 0")]),
        rank.bradley_terry(battles),
    )
    assert r.status == ["unbeaten", "rated", "rated", "rated", "winless"]
    assert r.rating == [None, *without_unrated.rating, None]
    assert (r.lo[1:4], r.hi[1:4]) == (without_unrated.lo, without_unrated.hi)
    assert (r.best[0], r.worst[0]) == (1, 5)


def test_score_tests_equal_golden_values() -> None:
    """Check golden values for an unbeaten model, t = 3 for nine wins and no loss, and ranks by the tests."""
    battles = rows("AB 4 0 0, AC 3 0 0, BC 5 2 3")
    for b, t, E in (("B", 2.589957378223, 7.442085788773), ("C", 2.814857173203, 8.276035227361)):
        x, y = rank.score_test(battles, "A", b), rank.score_test(battles, b, "A")
        assert (x.t, x.df + 1) == pytest.approx((t, E), abs=2e-12)
        assert (y.t, y.df) == (-x.t, x.df)
        assert x.p_value + y.p_value == pytest.approx(1)
    assert rank.score_test(rows("AB 9 0 0"), "A", "B")[:2] == (3, 8)
    assert rank.score_test(rows("AB 1 0 0"), "A", "B") == (None, None, None)
    many_wins = rank.bradley_terry(rows("AB 40 0 0, AC 30 0 0, BC 5 2 3"))
    assert (many_wins.status[0], many_wins.best, many_wins.worst) == ("unbeaten", [1, 2, 2], [1, 3, 3])
    with pytest.raises(InvalidInput, match="no chain of wins or ties connects 'A' and 'C'"):
        rank.score_test(rows("AB 3 1 2, CD 3 1 2"), "A", "C")


@pytest.mark.parametrize("seed", range(20))
def test_the_stronger_side_has_a_positive_score(seed: int) -> None:
    """Check that t is positive where wins lead from a to b and none back, whatever the names and order of rows."""
    r, names = random.Random(seed), "ABCDE"
    data = [(a, b, r.choice(WINNERS)) for a, b in ("AB", "DE") for _ in range(r.randint(2, 6))]
    wins = [("A", "C"), ("B", "C"), ("C", "D"), ("C", "E"), ("A", "D")]
    data += [(a, b, "model_a") for a, b in wins for _ in range(3)]
    new = dict(zip(names, r.sample(names, 5), strict=True))
    other = [(new[a], new[b], w) for a, b, w in r.sample(data, len(data))]
    for a, b in ("AC", "BE", "CD", "AE"):
        result = rank.score_test(data, a, b)
        assert result.t is not None
        assert result.t > 0
        assert rank.score_test(other, new[a], new[b]) == result


def test_existence_agrees_with_all_cycles() -> None:
    """Check existence against its definition: signs of sums over all simple cycles of small graphs."""
    r, seen = random.Random(3), set()
    for _ in range(600):
        L = r.randint(2, 3)
        # of each pair of models, first shown first: whether it has wins of the first, ties, wins of the second
        cells = {(i, j): [r.random() < 0.45 for _ in range(3)] for i in range(L) for j in range(L) if i != j}
        cells = {pair: n for pair, n in cells.items() if any(n)}
        edges = table.edges(cells)
        if not cells or len(table.components(L, {e[:2] for e in edges})) > 1:
            continue
        between: dict[tuple[int, int], list[table.Edge]] = {}
        for e in edges:
            between.setdefault((e.source, e.target), []).append(e)
        sums = {(0, 0)}
        for size in range(2, L + 1):
            for nodes in permutations(range(L), size):
                partial_sums = {(0, 0)}
                for pair in pairwise([*nodes, nodes[0]]):
                    partial_sums = {(a + e.step, b + e.shown) for a, b in partial_sums for e in between.get(pair, ())}
                sums |= partial_sums
        wins, both = max(a for a, _ in sums) > 0, min(b for _, b in sums) < 0 < max(b for _, b in sums)
        rates = {0.0} | {-a / b for a, b in sums if b}
        ratio_exists = any(all(a + b * x <= 1e-9 for a, b in sums) for x in rates)
        tied = any(n[1] for n in cells.values())
        assert table.has_unique_maximum(L, cells, biased=False, tied=True) == wins
        assert table.has_unique_maximum(L, cells, biased=True, tied=False) == both
        assert table.has_unique_maximum(L, cells, biased=True, tied=True) == (wins and both and not ratio_exists)
        seen.add((wins, both, ratio_exists, tied))
    assert len(seen) > 6


@pytest.mark.slow
def test_expected_and_observed_scores_are_equal() -> None:
    """Check that the ratings solve the equations of the maximum."""
    for seed in range(20):
        data = random_battles(seed, 4, 25)
        r = rank.bradley_terry(data)
        p = {m: 10 ** (x / 400) for m, x in zip(r.models, r.rating, strict=True)}
        for m in r.models:
            battles_of_model = [(a, b, w) for a, b, w in data if m in (a, b)]
            got = sum(1 - WINNERS.index(w) / 2 if a == m else WINNERS.index(w) / 2 for a, b, w in battles_of_model)
            assert got == pytest.approx(sum(p[m] / (p[a] + p[b]) for a, b, _ in battles_of_model), rel=1e-12)
        assert sum(400 * log10(x) for x in p.values()) == pytest.approx(4000)


def test_removing_the_influential_battles_changes_the_leader() -> None:
    assert (rank.battles_needed(rows(), "A", "B"), rank.battles_needed(rows(), "A", "B", power=0.5)) == (102, 37)
    removal = rank.influence(rows())
    assert (removal.leader, removal.successor, removal.removed, removal.model_b) == ("A", "B", 6, ["B"])
    remaining = rows()
    for a, b, w, n in zip(removal.model_a, removal.model_b, removal.winner, removal.count, strict=True):
        for _ in range(n):
            remaining.remove(next(x for x in remaining if x in ((a, b, w), (b, a, WINNERS[2 - WINNERS.index(w)]))))
    r = rank.bradley_terry(remaining)
    assert r.models[r.rating.index(max(r.rating))] == "B"


# --- files and the command ---------------------------------------------------------------------------


def test_file_formats_agree(tmp_path: Path) -> None:
    """Check that CSV, TSV, JSONL, JSON and Parquet give the same battles, with winners named in several ways."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    objects = [
        {"model_a": "x", "model_b": "y", "winner": "model_a", "question_id": 1, "judge": "u"},
        {"model_a": "y", "model_b": "z", "winner": "tie (bothbad)", "question_id": 2, "judge": "v"},
        {"model_a": "z", "model_b": "x", "winner": "B", "question_id": 2, "judge": "u"},
        {"model_a": "z", "model_b": "y", "winner": "y", "question_id": 3, "judge": "w"},
    ]
    lines = [",".join(objects[0]), *(",".join(map(str, x.values())) for x in objects)]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "a.tsv").write_text("\n".join(lines).replace(",", "\t") + "\n")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(x) + "\n" for x in objects))
    (tmp_path / "a.json").write_text(json.dumps(objects))
    pq.write_table(pa.Table.from_pylist(objects), tmp_path / "a.parquet")
    want = io.read_battles(tmp_path / "a.csv")
    assert want["winner"] == ["model_a", "tie (bothbad)", "model_b", "model_b"]
    assert (want["question"], want["voter"]) == (["1", "2", "2", "3"], ["u", "v", "u", "w"])
    for ending in ("tsv", "jsonl", "json", "parquet"):
        assert io.read_battles(tmp_path / f"a.{ending}") == want, ending
    assert "voter" not in io.read_battles(tmp_path / "a.csv", columns={"voter": None})


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("model_a,model_b\nx,y\n", "missing", "no column winner"),
        ("model_a,model_b,winner\nx,y,z\n", "choice", ":2: winner 'z'"),
        ("model_a,model_b,winner\nx,,tie\n", "missing", ":2: model_b is missing"),
        ("model_a,model_b,winner,winner\nx,y,tie,a\n", "duplicate", "duplicate column"),
        ("model_a,model_b,winner,count\nx,y,tie,1.5\n", "type", "count '1.5' is not an integer"),
        ("model_a,model_b,winner,weight\nx,y,tie,much\n", "type", "weight 'much' is not a number"),
        ("model_a,model_b,winner\n", "empty", "no battle"),
        ("model_a,model_b,winner\nx,y,a\nmodel_a,model_b,winner\n", "format", ":3: a line with a repeated header"),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, text: str, code: str, part: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=part) as e:
        io.read_battles(path)
    assert e.value.code == code
    with pytest.raises(InvalidInput, match=r"not \.txt"):
        io.read_battles(tmp_path / "a.txt")


@pytest.fixture
def arena(tmp_path: Path) -> str:
    path = tmp_path / "arena.csv"
    data = [*random_battles(5, 6, 80), ("first", "m1", "model_a"), ("m2", "last", "model_a")]
    path.write_text(
        "model_a,model_b,winner,voter\n" + "".join(f"{a},{b},{w},{i % 9}\n" for i, (a, b, w) in enumerate(data))
    )
    return str(path)


@pytest.mark.slow
def test_the_battles_command_gives_the_ratings_of_the_package(
    arena: str, capsys: pytest.CaptureFixture[str], plain_terminal: object
) -> None:
    assert main(["battles", arena, "--ties", "davidson", "--position-bias", "--cluster", "voter"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "Not rated: first: unbeaten" in out
    assert "Not rated: last: without a win" in out
    assert "Advantage of being shown first" in out
    assert main(["battles", arena, "--json", "--anchor", "m3"]) == 0
    result = json.loads(capsys.readouterr().out)
    r = rank.bradley_terry(io.read_battles(arena), anchor="m3")
    assert {x["model"]: x["rating"] for x in result["rows"]} == dict(zip(r.models, r.rating, strict=True))
    assert next(x for x in result["rows"] if x["model"] == "m3")["rating"] == 1000
    assert main(["battles", arena, "--cluster", "question"]) == 2
    assert "no column question" in capsys.readouterr().err


def test_a_frame_has_the_ratings_of_its_rows() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows(), columns=["model_a", "model_b", "winner"])
    assert rank.bradley_terry(frame) == rank.bradley_terry(rows())


@pytest.mark.parametrize("invalid", [[("a", "b")], {"model_a": ["a"]}, [("a", "a", "tie")]])
def test_invalid_battles_are_refused(invalid: Any) -> None:
    with pytest.raises(InvalidInput):
        table.count_battles(invalid, "tie", ordered=False)
