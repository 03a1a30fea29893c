"""Averages of runs: the functions of sinf, and the command."""

from __future__ import annotations

import json

import pytest

from scorio import InvalidInput, read, sinf
from scorio.cli import main
from scorio.commands.interval import averages

A, B = [71.2, 70.8, 71.5], [69.9, 70.1, 70.3]


def test_the_results_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for a, b in ((A, B), ([0.5, 0.75], [0.25, 0.5, 0.125, 0.25]), ([0.1] * 3, B)):
        x, want = sinf.compare_runs(a, b), stats.ttest_ind(a, b, equal_var=False)
        assert (x.p_value, x.df) == (pytest.approx(want.pvalue), pytest.approx(want.df))
        low, high = want.confidence_interval(0.95)
        assert (x.lo, x.hi) == (pytest.approx(low), pytest.approx(high))
        y = sinf.mean_of_runs(b)
        assert (y.lo, y.hi) == pytest.approx(stats.t.interval(0.95, len(b) - 1, y.mu, stats.sem(b)))


def test_an_interval_excludes_0_exactly_if_the_difference_is_significant() -> None:
    for step in range(1, 60):
        x = sinf.compare_runs([0.5, 0.625, 0.5625], [0.5 - step / 256, 0.5625 - step / 256, 0.625 - step / 200])
        assert x.significant is (x.lo > 0.0 or x.hi < 0.0)


def test_the_command_prints_means_and_their_difference(capsys) -> None:
    assert main(["compare", "71.2,70.8,71.5", "69.9,70.1,70.3", "--scale", "0,100"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "71.167 [70.294, 72.039]" in out
    assert "The mean of the first is significantly higher than that of the second at 5% (difference 1.067" in out
    assert main(["interval", "69.9,70.1,70.3", "71.2,70.8,71.5", "--scale", "0,100", "--json"]) == 0
    x = json.loads(capsys.readouterr().out)
    assert (x["schema"], x["significant"], x["rows"][0]["runs"]) == ("scorio.averages/1", True, 3)
    assert "The means are not significantly different" in str(averages([0.5, 0.75], [0.25, 0.75], scale=(0, 1)))
    assert averages(A, scale=(0, 100)).difference is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("71.2,70.8", "--scale 0,100"),
        ("47/50 --scale 0,1", "counts such as 47/50 have none"),
        ("47/50 71.2,70.8 --scale 0,100", "state the same for both"),
        ("71.2,70.8 --scale 0,1", "71.2 is not from 0.0 to 1.0"),
        ("71,71 --scale 0,100", "all averages of a model are equal"),
        ("71,70 71,70 71,70 --scale 0,100", "one model or of two"),
    ],
)
def test_what_has_no_answer_is_refused(capsys, line, message) -> None:
    assert main(["interval", *line.split()]) == 2
    assert message in capsys.readouterr().err


def test_one_run_is_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["interval", "71.2", "--scale", "0,100"])
    assert "averages of two runs or more" in capsys.readouterr().err
    with pytest.raises(InvalidInput) as e:
        sinf.mean_of_runs([71.2])
    assert (e.value.code, e.value.argument) == ("length", "averages")


# --- tables that have only averages of runs ------------------------------------------------------------

LONG = "model,seed,accuracy\na,0,71.2\na,1,70.8\nb,0,69\nb,1,70\n"
WIDE = "seed,a,b\n0,71.2,69\n1,70.8,70\n"
MAPPED = {"question": "seed", "outcome": "accuracy"}


@pytest.mark.parametrize(
    ("text", "options"),
    [(LONG, {}), (LONG, {"columns": MAPPED, "scale": (0, 100)}), (WIDE, {"wide": True}),
     (WIDE, {"wide": True, "columns": {"question": "seed"}, "scale": (0, 100)})],
)  # fmt: skip
def test_a_table_of_averages_of_runs_is_sent_to_interval(tmp_path, text, options) -> None:
    path = tmp_path / "seeds.csv"
    path.write_text(text)
    frame = pytest.importorskip("pandas").read_csv(path)
    for source in (path, frame) if options else (path,):
        with pytest.raises(InvalidInput, match=r"scorio interval 71.2,70.8 69,70 --scale=0,100 \(a and b\)"):
            read(source, **options)


@pytest.mark.parametrize(
    ("text", "options"),
    [("id,seed,a,b\n1,0,1,0\n2,0,1,1\n", {}), ("id,seed,a,b,Total\n1,0,1,0,1\n2,0,1,1,2\n", {}),
     ("run,temperature,a,b\nr1,x,1,0\nr2,x,1,1\n", {}), ("run,lang,a,b\nr1,x,1,0\nr2,x,,1\n", {"missing": "drop"}),
     ("run,a,b\nr1,1,0\nr2,,1\n", {"missing": "drop"}),
     ("run,a,b\n1,1/2,2/2\n2,1/2,1/2\n", {"columns": {"question": "run"}}),
     ("model,seed,q1,q2\na,0,.5,.2\na,1,.3,.4\nb,0,1,1\nb,1,1,1\n", {"w": "levels"})],
)  # fmt: skip
def test_wide_tables_of_outcomes_beside_a_column_of_runs_are_read(tmp_path, text, options) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(text)
    e = read(path, wide=True, **options)
    assert {e[m].M for m in e.models} == {2}


def test_averages_are_stated_without_ids_conditions_and_totals(tmp_path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "seed,epoch,temperature,Task,a,b,Total\n0,1,0.7,1,71.2,69,140\n1,1,0.7,1,70.8,,\n2,1,1,1,71,70,141\n"
    )
    with pytest.raises(InvalidInput, match=r"interval 71.2,70.8,71 69,70 --scale=0,100 \(a and b\)"):
        read(path, wide=True)


def test_json_lines_of_averages_are_sent_to_interval(tmp_path) -> None:
    path = tmp_path / "seeds.jsonl"
    rows = [{"model": "a", "seed": i, "accuracy": x} for i, x in enumerate((71.2, 70.8))]
    path.write_text("".join(json.dumps(x) + "\n" for x in rows))
    with pytest.raises(
        InvalidInput, match=r"seeds.jsonl: the rows are .* scorio interval 71.2,70.8 --scale=0,100 \(a\)"
    ):
        read(path)


def test_other_tables_with_a_column_of_runs_are_read(tmp_path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("run,question,outcome\n0,q,1\n1,q,0\n")
    assert read(path)["runs"].table.tolist() == [[1, 1]]
    path.write_text("model,run,correct\na,0,1\na,1,0\n")
    with pytest.raises(InvalidInput, match="say which columns they are"):
        read(path)
    assert read(path, columns={"question": "run", "outcome": "correct"})["a"].M == 2
