"""Wide tables: which column is what; rows that sum up others, in tables of any form."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.readers import engine

MODELS = "Columns that are models: "


@pytest.fixture(params=["file", "frame"])
def read(request, tmp_path):
    """A function that reads a wide table from a file or a frame: the rates of models, and the further remarks."""

    def read_table(text: str, **options):
        path = tmp_path / "table.csv"
        path.write_text(text)
        source = path if request.param == "file" else pd.read_csv(path, dtype=str, sep=None, engine="python")
        e = scorio.read(source, **{"wide": True, **options})
        return rates(e), " ".join(x for x in e.provenance.remarks if not x.startswith(MODELS))

    return read_table


def rates(e: scorio.Evaluation) -> dict[str, tuple[int, int, int]]:
    """The number of questions, of successes and of trials of each model."""
    return {m: (e[m].M, int(e[m].table[:, 1].sum()), int(e[m].table.sum())) for m in e.models}


TWO = {"a": (2, 2, 2), "b": (2, 1, 2)}


@pytest.mark.parametrize(
    ("text", "options", "want", "remark"),
    [
        ("id,kind,a,b\nq1,x,1,0\nq2,x,1,1\n", {}, TWO, "Questions: column id. Columns that are not read: 'kind'"),
        ("name,a,b\nq1,1,0\nq2,1,1\n", {}, TWO, "Questions: column name."),
        ("a,name,b\n1,q1,0\n1,q2,1\n", {}, TWO, "Questions: column name."),
        ("a,name,b\n1,q1,0\n1,q2,1\n", {"columns": {"question": "name"}}, TWO, ""),
        ("id,hard,a,b\nq1,3,1,0\nq2,4,1,1\n", {"columns": {"hard": None}}, TWO, "Questions: column id."),
        ("question,tokens,a,b\nq1,3,1,0\nq2,4,1,1\n", {}, TWO, "not read: 'tokens'"),
        ("model,q0,q1\na,1,1\nb,0,1\n", {}, TWO, "Rows are models (column model), columns are questions."),
        ("llm,q0,q1\na,1,1\nb,0,1\n", {}, TWO, "Rows are models (column llm)"),
        ("who,q0,q1\na,1,1\nb,0,1\n", {"columns": {"model": "who"}}, TWO, "Rows are models (column who)"),
        ("question,a_run1,a_run2,b_run1,b_run2\nq,1,1,1,0\n", {}, {"a": (1, 2, 2), "b": (1, 1, 2)}, "trials of 'a, b'"),
        ("question,a (run 1),a (run 2)\nq,1,0\n", {}, {"a": (1, 1, 2)}, "trials of 'a'"),
        ("question,a_1,a_2\nq,1,0\n", {}, {"a": (1, 1, 2)}, "Columns that are trials of 'a': 'a_1, a_2'."),
        ("question,a,a.1\nq,1,0\n", {}, {"a": (1, 1, 2)}, "trials of 'a'"),
        ("model,id,run1,run2\na,q,1,0\nb,q,1,1\n", {}, {"a": (1, 1, 2), "b": (1, 2, 2)}, "are trials"),
        ("question,model,run1,run2\nq,a,1,0\nq,b,1,1\n", {}, {"a": (1, 1, 2), "b": (1, 2, 2)}, "are trials"),
        ("question,gpt-3,gpt-4\nq,1,0\n", {}, {"gpt-3": (1, 1, 1), "gpt-4": (1, 0, 1)}, ""),
        ("question,model_1,model_2\nq,1,0\n", {}, {"model_1": (1, 1, 1), "model_2": (1, 0, 1)}, ""),
        ("question,v_2,v_3\nq,1,0\n", {}, {"v_2": (1, 1, 1), "v_3": (1, 0, 1)}, ""),
        ("question,a,b\nq,yes,no\nq,yes,yes\n", {}, {"a": (1, 2, 2), "b": (1, 1, 2)}, ""),
        ("question,a,b\nq1,4/4,0/4\nq2,2/4,3/4\n", {}, {"a": (2, 6, 8), "b": (2, 3, 8)}, ""),
    ],
)  # fmt: skip
def test_columns_are_what_their_cells_say(read, text, options, want, remark):
    found, remarks = read(text, **options)
    assert found == want
    assert remark in remarks
    assert remark or not remarks


@pytest.mark.parametrize(
    ("text", "options", "way_on"),
    [
        ("id,hard,a,b\nq1,3,1,0\nq2,4,1,1\n", {}, "--columns hard=-"),
        ("id,difficulty,a,b\nq1,1,1,0\nq2,0,1,1\n", {}, "--columns difficulty=-"),
        ("id,hard,a,b\nq1,3,.5,0\nq2,4,1,1\n", {"w": "levels"}, "--columns hard=-"),
        ("id,words,a,b\nq1,300,5,0\nq2,40,1,1\n", {"scale": (0, 5)}, "--columns words=-"),
        ("a,b\n1,0\n0,1\n", {}, "question"),
        ("x,y,a\nq1,r1,1\nq2,r2,0\n", {}, "--columns question=x"),
        ("who,q0,q1\na,1,1\nb,0,1\n", {}, "--columns model=who"),
        ("question,model,x,y\nq,a,1,0\nq,b,1,1\n", {}, "--columns model=-"),
        ("question,a,b\nq1,1,0\nq2,good,1\n", {}, "--outcomes good=1"),
        ("question,a,b\nq1,1,0\nq2,1,1\n", {"columns": {"cluster": "z"}}, ""),
        ("question,a,b\nq1,1,0\nq2,1,1\n", {"columns": {"outcome": "a"}}, ""),
    ],
)
def test_a_column_that_may_be_something_else_is_an_error_with_its_way_on(read, text, options, way_on):
    with pytest.raises(InvalidInput) as e:
        read(text, **options)
    assert way_on in e.value.on_command_line


def test_columns_of_a_row_of_models_are_listed_where_one_may_be_no_question(read):
    found, remarks = read("model,provider,open,q1,q2\na,x,1,1,0\nb,y,0,1,1\n")
    assert found == {"a": (3, 2, 3), "b": (3, 2, 3)}
    assert "Columns that are questions: 'open, q1, q2'; --columns NAME=- leaves one out." in remarks
    found, remarks = read("model,provider,open,q1,q2\na,x,1,1,0\nb,y,0,1,1\n", columns={"open": None})
    assert found == {"a": (2, 1, 2), "b": (2, 2, 2)}
    assert "Columns that are questions" not in remarks


def test_text_is_the_cluster_on_request(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("id,category,a\nq1,x,1\nq2,x,0\nq3,y,1\n")
    e = scorio.read(path, wide=True, columns={"question": "id", "cluster": "category"})
    assert e.log("a").clusters == ["x", "x", "y"]


# --- rows of different conditions ---------------------------------------------------------------------


LANGS = "question,lang,a,b\n1,en,1,0\n1,de,0,1\n2,en,1,1\n2,de,1,0\n"
SHOTS = "question,shots,a,b\nq1,0,1,0\nq1,5,0,1\nq2,0,1,1\nq2,5,1,0\n"
PROMPTS = "model,prompt,q1,q2\na,cot,1,0\na,direct,0,0\nb,cot,1,1\nb,direct,1,1\n"


@pytest.mark.parametrize(
    ("text", "options", "task", "further"),
    [
        ("category,id,a,b\nmath,1,1,0\nmath,2,0,1\ncode,1,1,1\ncode,2,1,0\n", {},
         {"question": "id", "task": "category"}, {"question": "id+category"}),
        (LANGS, {}, {"task": "lang"}, {"question": "question+lang"}),
        (LANGS, {"columns": {"lang": None}}, {"task": "lang"}, {"question": "question+lang"}),
        (LANGS.replace("lang", "temperature").replace("en", ".1").replace("de", "1"), {}, {"task": "temperature"},
         {"question": "question+temperature"}),
        (SHOTS.replace("5", "1"), {}, {"task": "shots"}, {"question": "question+shots"}),
        (SHOTS.replace("5", "1").replace("shots", "use_cot"), {}, {"task": "use_cot"},
         {"question": "question+use_cot"}),
        (SHOTS, {"columns": {"shots": None}}, {"task": "shots"}, {"question": "question+shots"}),
        (PROMPTS, {}, {"task": "prompt"}, {"model": "model+prompt"}),
        (PROMPTS.replace("model", "who"), {"columns": {"model": "who"}}, {"model": "who", "task": "prompt"},
         {"model": "who+prompt"}),
    ],
)  # fmt: skip
def test_rows_of_different_conditions_are_refused_with_the_options_that_read_them(read, text, options, task, further):
    with pytest.raises(InvalidInput, match="have others: rows of different conditions are not trials") as e:
        read(text, **options)
    for columns in (task, further):
        assert f"--columns {','.join(f'{x}={y}' for x, y in columns.items())}" in e.value.on_command_line
    of_further = read(text, columns=further)[0].values()
    assert sum(trials for _, _, trials in of_further) == 8
    assert all(questions == trials for questions, _, trials in of_further)
    field = next(x for name, x in task.items() if name == "task")
    others = {name: x for name, x in task.items() if name != "task"}
    assert [x[::2] for x in read(text, columns=others, runs_by=field)[0].values()] == [(2, 4), (2, 4)]


def test_conditions_of_wide_tables_are_benchmarks_or_runs(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(LANGS)
    e = scorio.read(path, wide=True, columns={"task": "lang"})
    assert {name: part.ids for name, part in e.benchmarks.items()} == {"en": ("1", "2"), "de": ("1", "2")}
    assert rates(scorio.read(path, wide=True, runs_by="lang")) == {"a": (2, 3, 4), "b": (2, 2, 4)}
    with pytest.raises(InvalidInput, match=r"no field 'lan' here.*did you mean 'lang'"):
        scorio.read(path, wide=True, runs_by="lan")


@pytest.mark.parametrize(
    ("text", "options", "remark"),
    [
        ("question,trial,a,b\nq1,1,1,0\nq1,2,0,1\nq2,1,1,1\nq2,2,1,0\n", {}, ""),
        ("question,seed,a,b\nq1,0,1,0\nq1,1,0,1\nq2,0,1,1\nq2,1,1,0\n", {"columns": {"trial": "seed"}}, ""),
        ("question,seed,a,b\nq1,0,1,0\nq1,1,0,1\nq2,0,1,1\nq2,1,1,0\n", {}, "Trials: column seed."),
        ("question,run,a,b\nq1,r1,1,0\nq1,r2,0,1\nq2,r1,1,1\nq2,r2,1,0\n", {}, "Trials: column run."),
        ("question,epoch,a,b\nq1,1,1,0\nq1,2,0,1\nq2,1,1,1\nq2,2,1,0\n", {"columns": {"epoch": None}}, "column epoch."),
        ("model,trial,q1,q2\na,1,1,0\na,2,1,1\nb,1,0,1\nb,2,1,0\n", {}, "Rows are models (column model)"),
    ],
)  # fmt: skip
def test_columns_that_number_trials_are_no_conditions(read, text, options, remark):
    found, remarks = read(text, **options)
    assert found == {"a": (2, 3, 4), "b": (2, 2, 4)}
    assert remark in remarks
    assert remark or not remarks
    assert "is left out" not in remarks


@pytest.mark.parametrize("cells", ["1 1", "0 1", "42 42"])
@pytest.mark.parametrize("name", ["trial", "run", "Seed", "epoch", "trial_id", "repeat", "rerun"])
def test_a_column_of_trials_or_runs_is_no_model_whatever_its_numbers_are(read, name, cells):
    one, two = cells.split()
    found, remarks = read(f"question,{name},a,b\nq1,{one},1,0\nq2,{two},1,1\n")
    assert found == TWO
    assert name == "trial" or name in remarks


def test_a_trial_that_a_wide_table_has_twice_is_refused_as_in_long_tables(read):
    twice = "question,trial,a,b\nq1,t1,1,0\nq1,t1,0,1\n"
    for text in (twice, twice.replace("t1", "1")):
        with pytest.raises(InvalidInput, match=r"duplicate trial 't?1' of question 'q1' of 'a'"):
            read(text)
    runs = "question,trial,a_run1,a_run2\nq1,t1,1,0\nq1,t2,0,1\nTotal,,2,2\n"
    assert read(runs)[0] == {"a": (1, 2, 4)}
    assert read(twice, columns={"trial": None})[0] == {"a": (1, 1, 2), "b": (1, 1, 2)}


def test_trials_of_columns_of_counts_stay_apart_within_runs(read):
    counts = "question,seed,run1,run2\nq1,0,1/2,2/2\nq1,1,1/2,1/2\n"
    assert [*read(counts, runs_by="seed")[0].values()] == [(1, 5, 8)]


def test_letters_are_labels_beside_other_outcomes(read):
    assert read("question,grade,a,b\nq1,A,1,0\nq2,F,1,1\n") == (TWO, "Columns that are not read: 'grade' (--columns "
                                                                 "cluster=grade groups questions by one).")  # fmt: skip
    with pytest.raises(InvalidInput, match="column 'b' has 'X' in row 2"):
        read("question,a,b\nq1,C,I\nq2,I,X\n")


def test_successes_and_trials_of_each_model_may_be_two_columns(read):
    found, remarks = read(
        "question,gpt_correct,gpt_n,llama num_correct,llama total\nq1,3,4,0,2\nq2,1,4,,2\n", missing="drop"
    )
    assert found == {"gpt": (2, 4, 8), "llama": (1, 0, 2)}
    of_columns = "Columns of successes and trials: 'gpt_correct, gpt_n, llama num_correct, llama total'."
    assert remarks == f"{of_columns} Counts that are missing, and were left out: 1."


def test_counts_that_are_missing_obey_the_policy(read):
    text = "question,a,b\nq1,3/4,1/4\nq2,,2/4\n"
    with pytest.raises(InvalidInput, match=r"outcome is missing: missing=.bounds."):
        read(text)
    assert read(text, missing="drop")[0] == {"a": (1, 3, 4), "b": (2, 3, 8)}
    assert read(text, missing=0)[0] == {"a": (2, 3, 8), "b": (2, 3, 8)}


def test_rows_that_are_runs_may_have_columns_of_trials(read):
    found, remarks = read("question,seed,run1,run2\nq1,0,1,0\nq1,1,1,1\nq2,0,1,0\nq2,1,0,1\n")
    assert [*found.values()] == [(2, 5, 8)]
    assert remarks == "Columns that are trials: 'run1, run2'."


def test_a_seed_that_is_no_integer_is_noted_as_not_read():
    frame = pd.DataFrame({"question": ["q1", "q1", "q2", "q2"], "seed": [0.0, 1, 0, 1], "a": [1, 0, 1, 1]})
    e = scorio.read(frame, wide=True)
    assert rates(e) == {"a": (2, 3, 4)}
    assert [x for x in e.provenance.remarks if not x.startswith(MODELS)] == ["Columns that are not read: 'seed'."]


def test_columns_that_are_models_are_listed_since_any_may_be_something_else():
    frame = pd.DataFrame({"question": ["q1", "q2"], "a": [1, 0], "has_image": [1, 1]})
    remarks = scorio.read(frame, wide=True).provenance.remarks
    assert remarks == ("Columns that are models: 'a, has_image'; --columns NAME=- leaves one out.",)


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("-1", "if -1 means that there is no outcome, --missing-code=-1; .*if the column is no model, .*a=-$"),
        ("2", "if 2 means that there is no outcome, --missing-code=2; if outcomes are scores, state --scale LO,HI; "),
        ("0.5", "if it is no model, leave it out, --columns a=-; if its outcomes are scores, state --scale LO,HI$"),
        ("n.b.", "say what it is worth, --outcomes n.b.=1 for a success"),
    ],
)
def test_one_odd_cell_in_a_column_of_a_model_does_not_cost_the_column(tmp_path, capsys, cell, hint):
    path = tmp_path / "table.csv"
    path.write_text(f"id,a,b,c\nq1,1,0,1\nq2,{cell},1,0\nq3,0,1,1\n")
    assert main(["leaderboard", str(path)]) == 2
    assert capsys.readouterr().err.rstrip().endswith("--wide")
    assert main(["leaderboard", str(path), "--wide"]) == 2
    assert re.search(hint, capsys.readouterr().err.rstrip())


def test_a_column_that_was_left_out_and_differs_by_chance_is_noted(read):
    words = "question,hours,a\nq1,3,1\nq1,3,0\nq1,4,0\nq2,5,1\nq2,5,0\nq2,5,1\nq3,7,1\nq3,8,0\nq3,8,0\n"
    found, remarks = read(words, columns={"hours": None})
    assert found == {"a": (3, 4, 9)}
    assert remarks == "Column hours is left out: rows of one question that differ in it are trials."


# --- rows that sum up others ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    ["Total,2,1", "average,100%,50%", "Gesamt,100,50", "MITTELWERT,1,.5", "overall accuracy,1.00,0.50", "Summe,2,3",
     ",2,1", "last,1.0,0.5", "mean,oops,1"],
)  # fmt: skip
def test_a_row_of_a_wide_table_that_sums_up_others_is_left_out(read, row):
    found, remarks = read(f"question,a,b\nq1,1,0\nq2,1,1\n{row}\n")
    assert found == TWO
    assert f"Left out, since it sums up other rows: {row.split(',')[0]}" in remarks or "rows: the last" in remarks


def test_a_mean_beside_missing_outcomes_is_left_out(read):
    assert read("question,a,b\nq1,1,0\nq2,,1\nMean,1.0,0.5\n", missing="drop")[0] == {"a": (2, 1, 1), "b": (2, 1, 2)}


def test_a_question_called_total_stays(read):
    assert read("question,a,b\nq1,1,0\nq2,1,1\ntotal,0,1\n") == ({"a": (3, 2, 3), "b": (3, 2, 3)}, "")
    assert read("question,a,b\nq1,1,0\nq2,1,1\nq3,1,0\n") == ({"a": (3, 3, 3), "b": (3, 1, 3)}, "")
    assert read("question,a,average\nq1,1,0\nq2,0,1\n")[0] == {"a": (2, 1, 2), "average": (2, 1, 2)}


def test_a_question_that_says_of_what_it_is_the_mean_sums_up_others(read):
    found, remarks = read("question,a,b\nq1,1,0\nq2,1,1\nmmlu (avg),1,0.5\nq3,1,1\n", w="levels")
    assert found["a"] == (4, 0, 4)
    assert not remarks
    found, remarks = read("question,a,b\nq1,1,0\nq2,1,1\nmmlu (avg),1,0.5\n", w="levels")
    assert found.keys() == {"a", "b"}
    assert remarks == "Left out, since it sums up other rows: mmlu (avg)."


def test_counts_of_a_last_row_are_both_sums(read):
    counts = "question,a,b\nq1,2/4,3/4\nq2,2/4,3/4\n"
    assert read(counts + "q3,2/4,3/4\n") == ({"a": (3, 6, 12), "b": (3, 9, 12)}, "")
    found, remarks = read(counts + "all questions,4/8,6/8\n")
    assert found == {"a": (2, 4, 8), "b": (2, 6, 8)}
    assert remarks == "Left out, since it sums up other rows: the last, all questions."
    assert read("question,a,b\nq1,2/2,3/3\nq2,2/2,3/3\nall of them,4/4,6/6\n")[0] == {"a": (2, 4, 4), "b": (2, 6, 6)}


def test_a_model_of_counts_that_equals_the_only_other_one_stays(read):
    tasks = "task,question,ensemble,a\nx,q1,3/4,3/4\ny,q1,3/4,3/4\n"
    assert read(tasks, task="y") == ({"a": (1, 3, 4), "ensemble": (1, 3, 4)}, "")


def test_what_sums_up_others_in_one_task_does_so_in_all(read):
    remarks = read("task,question,a,b,mean\nx,q1,1,0,.5\ny,q1,1,1,1\n")[1]
    assert remarks == "Left out, since it sums up other rows: mean."


def test_a_column_that_sums_up_models_is_left_out(read):
    assert read("question,a,b,mean\nq1,1,0,.5\nq2,1,1,1\n")[0] == TWO
    assert read("model,q0,q1,average\na,1,1,1\nb,0,1,.5\n")[0] == TWO
    assert read("question,a,b,mean\nq1,1,0,.5\nq2,1,1,1\nTotal,2,1,1.5\n")[0] == TWO
    levels = read("question,a,b,mean\nq1,1,.5,.75\nq2,.5,.5,.5\nTotal,1.5,1,1.25\n", w="levels")
    assert [*levels[0]] == ["a", "b"]
    assert levels[1] == "Left out, since it sums up other rows: mean. Left out, since it sums up other rows: Total."
    assert read("model,q0,q1\na,1,1\nb,0,1\naverage,.5,1\n")[0] == TWO


def test_a_model_that_equals_here_the_sum_and_there_the_mean_of_others_stays(read):
    votes = "question,gpt,claude,ensemble\n1,1,0,1\n2,0,0,0\n3,1,1,1\n4,0,1,1\n"
    assert read(votes) == ({"gpt": (4, 2, 4), "claude": (4, 2, 4), "ensemble": (4, 3, 4)}, "")
    rows = "model,q1,q2,q3,q4\ngpt,1,0,1,0\nclaude,0,0,1,1\nensemble,1,0,1,1\n"
    assert read(rows)[0] == {"gpt": (4, 2, 4), "claude": (4, 2, 4), "ensemble": (4, 3, 4)}


def test_outcomes_that_may_as_well_be_a_sum_stay_with_a_note(read):
    found, remarks = read("question,a,b\nreverse,1,0\nprime,1,0\nmean,1,0\nmedian,1,0\nmode,1,0\n")
    assert found == {"a": (5, 5, 5), "b": (5, 0, 5)}
    assert "mean is read as outcomes, though it equals the sum or the mean of others: if it is that, remove" in remarks
    totals = "question,a,b,Total\n1,1,0,1\n2,0,1,1\n3,1,0,1\n"
    found, remarks = read(totals)
    assert found["Total"] == (3, 3, 3)
    assert remarks.endswith("if it is that, leave it out, --columns Total=-.")
    assert read(totals, columns={"Total": None}) == ({"a": (3, 2, 3), "b": (3, 1, 3)}, "")
    assert read("question,a,b,Sum,Mean\n1,1,1,2,1\n2,0,1,1,.5\n")[0] == {"a": (2, 1, 2), "b": (2, 2, 2)}


@pytest.mark.parametrize("way", ["rows", "engine", "frame"])
@pytest.mark.parametrize(
    ("header", "rows", "others", "left_out"),
    [
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,total,2 b,total,1", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,mean,1 b,mean,0.5", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,overall,1 b,overall,0", False),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,overall,1 b,overall,1", False),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,overall,100% b,overall,50%", True),
        ("model,question,c,n", "a,q1,1,1 a,q2,1,1 b,q1,0,1 b,q2,1,1", "a,all,2,2 b,all,1,2", True),
        ("model,question,c,n", "a,q1,1,1 a,q2,1,1 b,q1,0,1 b,q2,1,1", "a,all,1,1 b,all,1,1", False),
        ("model,question,outcome", "a,q1,1/1 a,q2,1/1 b,q1,0/1 b,q2,1/1", "a,all,2/2 b,all,1/2", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "average,q1,0.5 average,q2,1", True),
        ("model,question,c,n", "a,q1,1,1 a,q2,1,1 b,q1,0,1 b,q2,1,1", "all,q1,1,2 all,q2,2,2", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,Accuracy,1.0 b,Accuracy,0.5", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,final_score,2 b,final_score,1", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,accuracy,1 b,accuracy,0", False),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "a,pass@1,1.0 b,pass@1,0.5", True),
        ("model,question,outcome", "a,q1,1 a,q2,1 b,q1,0 b,q2,1", "average,overall,0.75", True),
    ],
)
def test_rows_of_long_tables_that_sum_up_others_are_left_out(
    tmp_path, monkeypatch, way, header, rows, others, left_out
):
    path = tmp_path / "long.csv"
    path.write_text("\n".join([header, *rows.split(), *others.split()]) + "\n")
    if way == "engine":
        monkeypatch.setattr(engine, "MIN_BYTES", 0)
    e = scorio.read(pd.read_csv(path, dtype=str) if way == "frame" else path)
    assert (rates(e) == TWO) is left_out
    assert any("sums up other rows" in x for x in e.provenance.remarks) is left_out
    assert left_out or e["a"].M == 3


@pytest.mark.parametrize(("last", "n"), [("0", 2), ("1", 3)])
def test_a_task_that_has_the_outcomes_of_all_others_is_left_out(tmp_path, last, n):
    path = tmp_path / "tasks.csv"
    rows = ["x,q1,1", "y,q1,0", "y,q2,0", "overall,q1,1", "overall,q2,0", f"overall,q3,{last}"]
    path.write_text("\n".join(["task,question,outcome", *rows]) + "\n")
    e = scorio.read(path)
    assert len(e.benchmarks) == n
    assert any("the outcomes of the other tasks: overall" in x for x in e.provenance.remarks) is (n == 2)


@pytest.mark.parametrize(("median", "questions"), [("0.61", 3), ("0.25", 4)])
def test_a_score_that_no_other_question_has_is_another_statistic(tmp_path, median, questions):
    path = tmp_path / "long.csv"
    path.write_text(f"question,outcome\nq1,.5\nq2,0.25\nq3,1\nmedian,{median}\n")
    assert len(scorio.read(path, w="levels").benchmarks[""].ids) == questions


def test_an_inspected_score_without_a_sum_stays(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("question,outcome\nq1,3\nq2,4\ntotal,9\n")
    assert scorio.read(path, scale=(0, 10))["long"].M == 3


@pytest.mark.parametrize(
    "text",
    ["question,a,b\nq1,1,0\nq2,1,1\nTotal,2,1\n", "id,hard,a,b\nq1,3,1,0\nq2,4,1,1\n", "id,a_run1,a_run2\nq1,1,0\n"],
)
def test_a_wide_table_is_recognised_beside_totals_and_other_numbers(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput) as e:
        scorio.read(path)
    assert e.value.on_command_line.endswith("--wide")
