"""Averages of runs: the functions of sinf, and the command."""

from __future__ import annotations

import json

import pytest

from scorio import InvalidInput, sinf
from scorio.cli import main
from scorio.commands.runs import runs

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
    assert (x["schema"], x["significant"], x["rows"][0]["runs"]) == ("scorio.runs/1", True, 3)
    assert "The means are not significantly different" in str(runs([0.5, 0.75], [0.25, 0.75], scale=(0, 1)))
    assert runs(A, scale=(0, 100)).difference is None


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
