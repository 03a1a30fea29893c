"""Logs of kinds that strangers have: the page reads each as the command that it states does, or says what to choose."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

import devtools
import pytest
from lengths import part
from web_pages import READY, cells, check_command, marks, printed, read, texts

pytestmark = marks
RNG = random.Random(4)
MODELS = {"gpt-4o": 0.7, "claude-3": 0.5, "llama": 0.4}


def passes(p: float) -> int:
    """An outcome with this probability of success."""
    return int(RNG.random() < p)


def trials(n: int, trials: Iterable[int] = (1, 2, 3)) -> list[tuple[str, int, int, int]]:
    """Rows of a model, a question, a trial and an outcome."""
    return [(m, q, t, passes(p)) for m, p in MODELS.items() for q in range(n) for t in trials]


def lines(header: str, rows: Iterable[str]) -> str:
    """A table."""
    return "\n".join([header, *rows]) + "\n"


def objects(rows: Iterable[object]) -> str:
    """Lines of JSON."""
    return "".join(json.dumps(x) + "\n" for x in rows)


KINDS = {  # logs, each with notes that are shown, and the options of reading in the command
    "promptfoo.csv": (
        lines("question_id,provider,pass,latency_ms,namedScores",
              (f"t{q},{m},{'true' if y else 'false'},{90 + q},\"{{}}\"" for m, q, _, y in trials(20, [1]))),
        ["Question from column question_id, outcome from column pass and model from column provider."],
        "--columns question=question_id,outcome=pass,model=provider",
    ),
    "sheet.csv": (
        "\ufeff" + lines("model;question;Attempt;score;time\r",
                         (f"{m};A{q};{t};{y},0;{RNG.randint(1, 9)},5\r" for m, q, t, y in trials(15))),
        ["Trials: column Attempt.", "Outcomes are written as '1,0', which was read as 1."],
        "--columns outcome=score",
    ),
    "document.json": (
        json.dumps({"run": "r1", "meta": {"a": 1}, "model": "gpt-4o", "results": [
            {"task_id": f"t{q}", "sample": t, "passed": passes(0.6) > 0} for q in range(9) for t in "abcd"]}),
        ["Rows: results[*].", "Trials: column sample. Column run is not read: it does not number the trials of a "
         "question."],
        "--rows 'results[*]' --columns question=task_id,outcome=passed",
    ),
    "one_line.json": (
        json.dumps({"results": [{"id": f"t{q}", "model": m, "correct": y} for m, q, _, y in trials(12, [1])]}),
        ["Rows: results[*]."],
        "--rows 'results[*]' --columns question=id,outcome=correct",
    ),
    "nested.jsonl": (
        objects({"question_id": q, "model": m, "epoch": t, "score": {"value": y, "why": "because"}, "meta": {"n": 1}}
                for m, q, t, y in trials(15)),
        ["Question from column question_id and outcome from column score.value.", "Trials: column epoch."],
        "--columns question=question_id,outcome=score.value",
    ),
    "samples.csv": (
        lines("task_id,sample_id,model,passed", (f"HE/{q},{t},{m},{y}" for m, q, t, y in trials(20))),
        ["Question from column task_id and outcome from column passed.", "Trials: column sample_id."],
        "--columns question=task_id,outcome=passed",
    ),
    "several.csv": (
        lines("question,model,run,outcome", (f"q{q},{m},{t},{y}" for _ in "xy" for m, q, t, y in trials(10))),
        ["Runs: column run, with several trials of a question in each."],
        "",
    ),
    "seeds.csv": (
        lines("question,seed_1,seed_2", (f"q{q},{passes(0.6)},{passes(0.6)}" for q in range(20))),
        ["Columns that are trials: 'seed_1, seed_2'."],
        "--wide",
    ),
    "seeds_of_models.csv": (
        lines("question,gpt-4o seed1,gpt-4o seed2,claude seed1,claude seed2",
              (f"q{q},{passes(0.6)},{passes(0.6)},{passes(0.4)},{passes(0.4)}" for q in range(20))),
        ["Columns that are trials of 'gpt-4o, claude': 'gpt-4o seed1, gpt-4o seed2, claude seed1, claude seed2'."],
        "--wide",
    ),
    "numbered.csv": (
        lines("model,question,t1,t2,t3",
              (f"{m},q{q},{passes(p)},{passes(p)},{passes(p)}" for m, p in MODELS.items() for q in range(20))),
        ["Columns that are trials: 't1, t2, t3'."],
        "--wide",
    ),
    "copies.csv": (  # as pandas numbers columns of one name
        lines("question,a,b,a.1,b.1", (f"q{q},{passes(0.6)},{passes(0.5)},{q % 2},{passes(0.5)}" for q in range(9))),
        ["Columns that are trials of 'a, b': 'a.1, b.1, a, b'."],
        "--wide",
    ),
    "wide.csv": (
        lines("question,gpt-4o,claude,category", (f"q{q},{passes(0.6)},{passes(0.5)},{'xy'[q % 2]}" for q in range(9))),
        ["Columns that are not read: 'category'.", "A column for each model: gpt-4o and claude."],
        "--wide",
    ),
    "repeated.csv": (  # a question in several rows
        lines("question,seed,A,B", (f"q{q},{t},{passes(0.6)},{passes(0.5)}" for q in range(9) for t in (41, 42, 43))),
        ["A column for each model: A and B.", "Trials: column seed."],
        "--wide",
    ),
    "models_repeated.csv": (
        lines("Model,Run,Note,q1,q2,q3", (f"{m},{t},x y,{passes(p)},{passes(p)},{passes(p)}"
                                          for m, p in MODELS.items() for t in "abcd")),
        ["Columns that are not read: 'Note'.", "Trials: column Run."],
        "--wide",
    ),
    "words.csv": (
        lines("prompt;A;B", (f"is {q}?;{'pass' if q % 3 else 'fail'};{'fail' if q % 2 else 'pass'}" for q in range(9))),
        ["Questions: column prompt.", "A column for each model: A and B."],
        "--wide",
    ),
    "counts.csv": (
        lines("question,A,B", (f"q{q},{q % 5}/4,{q % 3} of 4" for q in range(20))),
        ["A column for each model: A and B."],
        "--wide",
    ),
    "unnamed.csv": (
        lines(",A,B", (f"{q},{passes(0.6)},{passes(0.5)}" for q in range(20))),
        ["Questions: the column without a name.", "A column for each model: A and B."],
        "--wide",
    ),
    "inner.jsonl": (
        objects({"id": q, "model": m, "epoch": t, "result": {"score": {"correct": y > 0}}} for m, q, t, y in trials(9)),
        ["Question from column id and outcome from column result.score.correct.", "Trials: column epoch."],
        "--columns question=id,outcome=result.score.correct",
    ),
    "inner.json": (
        json.dumps({"config": {"model": "gpt"}, "errors": [{"text": "none"}], "data": {"samples": [
            {"id": q, "scores": {"match": {"value": "IC"[passes(0.5)], "answer": "x"}}} for q in range(9)]}}),
        ["Rows: data.samples[*].", "Words: 'C' as a success; 'I' as a failure."],
        "--rows 'data.samples[*]' --columns question=id,outcome=scores.match.value,model=config.model",
    ),
    "by_id.json": (
        json.dumps({f"q{q}": {"correct": passes(0.5) > 0, "note": "x"} for q in range(12)}),
        ["Rows: {question}.", "Outcome from column correct."],
        "--rows '{question}' --columns outcome=correct",
    ),
    "by_id_of_keys.json": (  # whose keys differ
        json.dumps({f"q{q}": {"outcome": passes(0.5), **({"note": "x"} if q % 2 else {})} for q in range(12)}),
        ["Rows: {question}."],
        "--rows '{question}'",
    ),
    "tasks_and_trials.csv": (
        lines("task,trial,correct", (f"t{q},{t},{passes(0.5)}" for q in range(9) for t in "ab")),
        ["Outcome from column correct and question from column task."],
        "--columns outcome=correct,question=task",
    ),
    "of_models.json": (
        json.dumps({m: {f"q{q}": passes(p) for q in range(12)} for m, p in MODELS.items()}),
        ["Rows: {model}.{question}."],
        "--rows '{model}.{question}'",
    ),
    "lists_of_models.json": (
        json.dumps({m: [{"id": f"q{q}", "correct": passes(p)} for q in range(9)] for m, p in MODELS.items()}),
        ["Rows: {model}[*]."],
        "--rows '{model}[*]' --columns question=id,outcome=correct",
    ),
    "trials_within.json": (
        json.dumps([{"id": f"q{q}", "model": m, "trials": [{"passed": passes(p) > 0} for _ in "abc"]}
                    for m, p in MODELS.items() for q in range(9)]),
        ["Rows: [*].trials[*].", "Question from column id and outcome from column passed."],
        "--rows '[*].trials[*]' --columns question=id,outcome=passed",
    ),
    "keys.jsonl": (  # whose keys differ
        objects({"id": f"q{q}", "model": m, "correct": y, **({"note": "x"} if q % 2 else {})}
                for m, q, _, y in trials(12, [1])),
        ["Question from column id and outcome from column correct."],
        "--columns question=id,outcome=correct",
    ),
    "tasks.csv": (  # whose tasks are questions
        lines("model,task,passed,total", (f"{m},t{q},{q % 5},5" for m in MODELS for q in range(12))),
        ["C from column passed, n from column total and question from column task."],
        "--columns c=passed,n=total,question=task",
    ),
    "tasks.tsv": (
        lines("Task\tLLM\tSeed\tResult", (f"T{q}\t{m}\t{t}\t{y}" for m, q, t, y in trials(9))),
        ["Outcome from column Result, model from column LLM and question from column Task.", "Trials: column Seed."],
        "--columns outcome=Result,model=LLM,question=Task",
    ),
    "log.txt": (
        lines("question,model,outcome", (f"q{q},{m},{y}" for m, q, _, y in trials(9, [1]))),
        ["The command reads this file under a name that ends in .csv, .tsv or .jsonl."],
        None,
    ),
    "verdicts.csv": (
        lines("question,model,outcome", (f"q{q},{m},{['Failed', 'passed'][y]}" for m, q, _, y in trials(12, [1]))),
        ["Words: 'passed' as a success; 'Failed' as a failure."],
        "",
    ),
    "models.csv": (
        lines("model," + ",".join(f"q{q}" for q in range(12)),
              (f"{m}," + ",".join(str(passes(p)) for _ in range(12)) for m, p in MODELS.items())),
        ["Rows are models (column model), columns are questions."],
        "--wide",
    ),
}  # fmt: skip


def check_as_its_command(page: devtools.Browser, folder: Path, options: str) -> None:
    """Check the options of the command of the leaderboard, its numbers, and the sentences of each section."""
    command = texts(page, "#section-leaderboard .command pre")[0].split("\n")[0]
    log = texts(page, "#log-title")[0]
    assert command == f"scorio leaderboard {log} {options}".strip()
    rows = json.loads(printed(f"{command} --json", folder))["rows"]
    for row, want in zip(cells(page, "leaderboard"), rows, strict=True):
        value, ends = next(x for x in row if "mu" in x), next(x for x in row if "lo" in x)
        assert row[1]["text"] == want["model"]
        assert [float(x) for x in (value["mu"], ends["lo"], ends["hi"])] == [want[x] for x in ("average", "lo", "hi")]
    for section in ("compare", "gate", "plan", "runs"):
        if page.run(f"document.querySelector('#section-{section} .out')?.childElementCount"):
            assert not texts(page, f"#section-{section} [role=alert]")
            check_command(page, section, folder)


@pytest.mark.parametrize("name", part(KINDS, 2))
def test_a_log_is_read_as_its_command_reads_it(page: devtools.Browser, tmp_path: Path, name: str) -> None:
    content, notes, options = KINDS[name]
    (tmp_path / name).write_text(content, newline="")
    read(page, tmp_path / name)
    assert set(notes) <= set(texts(page, "#log-notes li"))
    if options is not None:
        check_as_its_command(page, tmp_path, options)


def verdicts(words: str) -> str:
    """A table with these words, one after another."""
    cells = words.split()
    rows = [f"q{q},{m},{cells[(q + i) % len(cells)]}" for i, m in enumerate(MODELS) for q in range(12)]
    return lines("question,model,outcome", rows)


LOGS = {  # logs whose columns have to be chosen: the error, what is chosen, and the options of reading then
    "unknown.csv": (
        lines("ref,who,good", (f"q{q},{m},{y}" for m, q, _, y in trials(20))),
        "choose the question and the outcome below",
        {"question": "ref", "outcome": "good", "model": "who"},
        "--columns model=who,question=ref,outcome=good",
    ),
    "two_outcomes.jsonl": (
        objects({"question": f"q{q}", "model": m, "attempt_id": t, "scores": {"exact": y, "judge": 1 - y}}
                for m, q, t, y in trials(15)),
        "choose the outcome below",
        {"outcome": "scores.exact"},
        "--columns outcome=scores.exact",
    ),
    "run_names.csv": (
        lines("run_name," + ",".join(f"q{q}" for q in range(12)),
              (f"{m}," + ",".join(str(passes(p)) for _ in range(12)) for m, p in MODELS.items())),
        "may be questions, and rows models: choose the model, or the question, below",
        {"model": "run_name"},
        "--wide --columns model=run_name",
    ),
    "difficulty.csv": (
        lines("question,difficulty,A,B", (f"q{q},{q % 5},{passes(0.6)},{passes(0.4)}" for q in range(20))),
        "unlike the outcomes of the others: leave this column out of the file, or choose below what it is",
        {"cluster": "difficulty"},
        "--wide --columns cluster=difficulty",
    ),
    "twice.csv": (
        lines("question,model,seed,outcome",
              [*(f"q{q},{m},{t},{y}" for m, q, t, y in trials(10)), *(f"q{q},llama,1,1" for q in range(10))]),
        "duplicate seed '1' of question 'q0' of 'llama': already in line 62: if these are several trials in one seed, "
        "choose none as the trial below",
        {"trial": ""},
        "--runs-by seed",
    ),
    "conditions.csv": (
        lines("question,prompt_style,outcome", (f"q{q},{m},{y}" for m, q, _, y in trials(20, [1]))),
        "choose prompt_style below as the column of benchmarks, of models or of trials",
        {"model": "prompt_style"},
        "--columns model=prompt_style",
    ),
    "wide_conditions.csv": (
        lines("question,judge,A,B", (f"q{q},{j},{passes(0.6)},{passes(0.4)}" for q in range(20) for j in "xy")),
        "choose judge below as the column of benchmarks or of trials, or leave the other rows out of the file",
        {"trial": "judge"},
        "--wide --runs-by judge",
    ),
    "timeout.csv": (
        verdicts("pass fail pass timeout"),
        "outcome 'timeout' beside 'pass': outcomes are numbers of one form, or words of one family: say below what "
        "each word means",
        {"word:timeout": "0"},
        "--outcomes timeout=0",
    ),
    "timeout_missing.csv": (
        verdicts("timeout 0 1 1 1"),
        "outcome 'timeout' is not a number: say below what each word means",
        {"word:timeout": "missing", "missing": "0"},
        "--outcomes timeout=missing --missing 0",
    ),
    "error.csv": (
        verdicts("error 0 1 1 1"),
        "outcome 'error' is missing: choose below whether missing outcomes are left out or count as wrong, or what the "
        "word means",
        {"word:error": "0"},
        "--outcomes error=0",
    ),
    "own_words.csv": (
        verdicts("Win loss Win"),
        "outcome 'Win' is not a number: say below what each word means",
        {"word:Win": "1", "word:loss": "0"},
        "--outcomes win=1,loss=0",
    ),
    "wide_words.csv": (
        lines("question,A,B", (f"q{q},{'timeout' if q % 3 else 'pass'},{'fail' if q % 2 else 'pass'}"
                               for q in range(12))),
        "column 'A' has 'timeout' in row 2, and outcomes in others: say below what each word means",
        {"word:timeout": "0"},
        "--wide --outcomes timeout=0",
    ),
    "loss.csv": (
        lines("question,model,loss,solved_it", (f"q{q},{m},{1 + q % 3}.5,{y}" for m, q, _, y in trials(12, [1]))),
        "of which none is known to have the outcomes: choose the outcome below",
        {"outcome": "solved_it"},
        "--columns outcome=solved_it",
    ),
    "named.jsonl": (  # the models and the questions have usual names
        objects({"id": q, "model": m, "scores": {"exact": y, "f1": y / 2, "why": {"text": "x"}}}
                for m, q, _, y in trials(12, [1])),
        "choose the outcome below",
        {"outcome": "scores.exact"},
        "--columns outcome=scores.exact,question=id",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_columns_are_chosen_after_an_error(page: devtools.Browser, tmp_path: Path, name: str) -> None:
    content, words, chosen, options = LOGS[name]
    (tmp_path / name).write_text(content)
    page.choose("#file", tmp_path / name)
    page.wait("!document.querySelector('#error').hidden")
    assert words in texts(page, "#error [data-code]")[0]
    for i, (column, value) in enumerate(chosen.items()):
        kind, _, word = column.rpartition(":")
        selector = (
            f"[data-word={word}]" if kind else "#missing" if column == "missing" else f"[data-column-of={column}]"
        )
        assert page.run("document.querySelector('#error details').open") or selector != f"[data-column-of={column}]"
        if column == "outcome":  # the columns that may be the outcome come first, with cells of theirs
            first = page.run("document.querySelector('#error [data-column-of=outcome]').options[1].textContent")
            assert first.startswith(f"{value}: ")
        page.run(
            f"(() => {{ const x = document.querySelector('#error {selector}'); x.value = {value!r}; "
            "x.dispatchEvent(new Event('change')); })()"
        )
        page.wait(READY if i == len(chosen) - 1 else "Boolean(document.querySelector('#error details'))")
    check_as_its_command(page, tmp_path, options)
    page.run("window.copied = ''; document.querySelector('#link').click()")  # in which the choices are, too
    link, name = page.wait("window.copied"), texts(page, "#log-title")[0]
    page.run(f"document.querySelector('#results').replaceChildren(); location.hash = {'#' + link.partition('#')[2]!r}")
    page.run("dispatchEvent(new HashChangeEvent('hashchange'))")
    page.wait(READY)
    assert texts(page, "#log-title") == [name]
    check_as_its_command(page, tmp_path, options)
