"""Reports of tests, files of single tasks, hidden files, pointers of Git LFS, archives in folders."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from written import evalplus_log, read, refused, tables

import scorio
from scorio import InvalidInput
from scorio.cli import main
from scorio.commands.battles import battles


def save(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = content if path.suffix == ".jsonl" and isinstance(content, list) else [content]
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
    return path


def evalplus_of_2023(plus: bool = True) -> dict[str, Any]:
    outcomes = {"T/0": ("success", "success"), "T/1": ("success", "failed"), "T/2": ("failed", "success")}
    tasks = {
        q: {"nfiles": 1, "base": [[base, [1]]], "plus": [[more, [1]]] if plus else []}
        for q, (base, more) in outcomes.items()
    }
    return {"date": "2023-09-01 10:00", "hash": "x", "eval": tasks}


def test_evalplus_of_2023(tmp_path):
    path = save(tmp_path / "m_eval_results.json", evalplus_of_2023())
    refused(path, "choice", "which", "'base', 'plus'")
    assert tables(read(path, which="base")) == {"m": {"T/0": [0, 1], "T/1": [0, 1], "T/2": [1, 0]}}
    assert tables(read(path, which="plus")) == {"m": {"T/0": [0, 1], "T/1": [1, 0], "T/2": [1, 0]}}
    log = evalplus_of_2023(plus=False)
    log["eval"]["T/0"]["base"].append(["timeout", []])
    path = save(path, log)
    assert tables(read(path, missing="drop")) == {"m": {"T/0": [1, 1], "T/1": [0, 1], "T/2": [1, 0]}}
    log["eval"]["T/0"]["base"][0][0] = "passed"
    refused(path := save(path, log), "format", "path", "['T/0'].base[0][0]: base is 'passed', not one of success")
    log = evalplus_of_2023()
    log["eval"]["T/1"]["plus"] *= 2
    refused(save(path, log), "format", "path", "base and plus have 1 and 2 answers", which="plus")


def test_ids_of_instances_tell_swe_bench_pro(tmp_path):
    log = {"instance_NodeBB__NodeBB-04998908ba-vnan": True, "instance_ansible__ansible-39bd8b99ec": False}
    path = save(tmp_path / "m" / "eval_results.json", log)
    assert tables(read(path)) == {"m": {q: [1 - x, x] for q, x in log.items()}}
    for other in ({"a-1": True}, log | {"x": True}, log | {next(iter(log)): 1}):
        refused(save(path, other), "format", "path", "not a log of a known format")


PYTEST = {"summary": {"passed": 1, "failed": 1, "total": 4}, "tests": [
    {"nodeid": "t.py::a", "outcome": "passed", "call": {"duration": 1.5}}, {"nodeid": "t.py::b", "outcome": "failed"},
    {"nodeid": "t.py::c", "outcome": "error"}, {"nodeid": "t.py::d", "outcome": "skipped"},
]}  # fmt: skip


@pytest.mark.parametrize("name", ["suite.json", ".report.json"])
def test_pytest_json_report(tmp_path, name):
    path = save(tmp_path / "suite" / name, PYTEST)
    assert "tests[2]" in refused(path, "missing", "outcome")
    counts = {"t.py::a": [0, 1], "t.py::b": [1, 0], "t.py::c": [0, 0], "t.py::d": [0, 0]}
    assert tables(read(path, missing="drop")) == {"suite": counts}
    assert tables(read(tmp_path, missing="drop")) == {"suite": counts}
    tests = PYTEST["tests"][:2]
    refused(save(path, {"summary": {"total": 3}, "tests": tests}), "missing", "path", "summary.total 3")
    save(path, {"summary": {}, "tests": [{"nodeid": "a", "outcome": "green"}]})
    refused(path, "type", "outcome", "tests[0]: outcome 'green' is not a number: say what it is worth")
    assert read(path, outcomes={"green": 1}).models == ("suite",)


JUNIT = """<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="4">
<testcase classname="t" name="a[1]" time="0.5"/><testcase classname="t" name="a[2]"><failure message="x"/></testcase>
<testcase name="b"><error/></testcase><testsuite><testcase classname="t" name="c"><skipped/></testcase></testsuite>
</testsuite></testsuites>"""


def test_junit(tmp_path):
    path = save(tmp_path / "m.xml", JUNIT)
    assert "testsuite[0].testcase[2]" in refused(path, "missing", "outcome")
    counts = {"t/a[1]": [0, 1], "t/a[2]": [1, 0], "b": [0, 0], "t/c": [0, 0]}
    assert tables(read(path, missing="drop")) == {"m": counts}
    alone = JUNIT.replace("<testsuites>", "").replace("</testsuites>", "")
    assert tables(read(save(path, alone), missing="drop")) == {"m": counts}
    assert tables(scorio.read(path.open("rb"), missing="drop")) == {"m": counts}


def suites(
    *names: str, cases: str = '<testcase classname="c" name="t"/><testcase name="u"><failure/></testcase>'
) -> str:
    inner = "".join(f'<testsuite name="{x}"><testsuite>{cases}</testsuite></testsuite>' for x in names)
    return f'<testsuites name="all">{inner}</testsuites>'


def test_cases_of_one_name_in_different_suites_of_junit_are_different_questions(tmp_path):
    path = save(tmp_path / "m.xml", suites("gpt", "claude"))
    counts = {f"{s}/{q}": x for s in ("gpt", "claude") for q, x in (("c/t", [0, 1]), ("u", [1, 0]))}
    e = read(path)
    assert tables(e) == {"m": counts}
    assert e.provenance.remarks == (
        "Test cases whose name is in several suites: 4. The suite is part of their question.",
    )
    twice = tables(read(save(path, suites("gpt", "gpt", "claude", "claude"))))["m"]
    assert twice == {q: [2 * y for y in x] for q, x in counts.items()}
    for i in range(2):
        save(tmp_path / "runs" / f"run{i}.xml", suites("gpt"))
    assert tables(read(tmp_path / "runs", files_are_runs=True)) == {"runs": {"c/t": [0, 2], "u": [2, 0]}}


@pytest.mark.parametrize(
    "state",
    ['status="notrun" result="suppressed"', 'status="disabled"', 'status="run" result="skipped"', 'status="error"'],
)
def test_cases_of_junit_that_did_not_run_are_missing(tmp_path, state):
    cases = f'<testcase name="a" status="run" result="completed"/><testcase name="b" {state}/>'
    path = save(tmp_path / "m.xml", f'<testsuite name="s" tests="2" disabled="1">{cases}</testsuite>')
    assert "testcase[1]" in refused(path, "missing", "outcome")
    assert tables(read(path, missing="drop")) == {"m": {"a": [0, 1], "b": [0, 0]}}


def test_a_case_of_junit_whose_status_is_failed_fails(tmp_path):
    path = save(tmp_path / "m.xml", '<testsuite><testcase name="a" status="Failed"/><testcase name="b"/></testsuite>')
    assert tables(read(path)) == {"m": {"a": [1, 0], "b": [0, 1]}}


def test_cases_that_junit_counts_but_does_not_contain_are_missing(tmp_path):
    cases = '<testcase name="a"/><testcase name="b"><failure/></testcase>'
    for counts, n in (('tests="10" failures="4"', 10), ('tests="2"', 2), ('tests="1"', 2), ('tests=""', 2)):
        for around in ("{}", "<testsuites>{}</testsuites>", '<testsuites tests="0">{}<testsuite/></testsuites>'):
            path = save(tmp_path / "m.xml", around.format(f'<testsuite name="s" {counts}>{cases}</testsuite>'))
            if n == 2:
                assert not read(path).provenance.remarks
                continue
            refused(path, "missing", "path", "the log states tests 10, the outcomes that were read give 2")
            remarks = read(path, missing="drop").provenance.remarks
            assert any("states failures 4" in x for x in remarks) == ("<testsuite/>" not in around)
    nested = f'<testsuite tests="4">{cases}<testsuite tests="2">{cases}</testsuite></testsuite>'
    assert sum(map(sum, tables(read(save(path, nested), missing="drop"))["m"].values())) == 4


def test_the_reports_of_scorio_itself_are_no_logs(tmp_path, capsys):
    save(
        tmp_path / "a.csv", "model,question,outcome\n" + "".join(f"{m},q{i},{i % 2}\n" for m in "ab" for i in range(9))
    )
    report = str(tmp_path / "gate.xml")
    assert main(["gate", str(tmp_path / "a.csv"), "a", "b", "--margin", "0.1", "--junit", report]) in (0, 1, 3)
    assert "testsuites" in Path(report).read_text()
    assert read(tmp_path).provenance.skipped == ("gate.xml",)


def exercise(language: str, name: str, tries: list[bool], run: str = "2026-01-02-03-04-05--m") -> dict[str, Any]:
    folder = f"tmp.benchmarks/{run}/{language}/exercises/practice/{name}"
    return {"testdir": folder, "testcase": name, "model": "m", "edit_format": "diff", "tests_outcomes": tries,
            "cost": 0.5, "duration": 3.0}  # fmt: skip


def test_aider(tmp_path):
    for language, name, tries in (("go", "x", [False, True]), ("rust", "x", [False, False]), ("go", "y", [])):
        log = exercise(language, name, tries)
        save(tmp_path / Path(*Path(log["testdir"]).parts[1:]) / ".aider.results.json", log)
    refused(tmp_path, "missing", "outcome")
    assert tables(read(tmp_path, missing=0)) == {"m": {"go/x": [0, 1], "go/y": [1, 0], "rust/x": [1, 0]}}
    assert tables(read(tmp_path, missing="drop", which="pass_rate_1"))["m"]["go/x"] == [1, 0]
    assert read(tmp_path, missing="drop").log("m").costs.unit == "cost"
    again = exercise("go", "x", [True], run="2026-02-02-03-04-05--m")
    save(tmp_path / "again" / ".aider.results.json", again)
    assert tables(read(tmp_path, missing="drop"))["m"]["go/x"] == [0, 2]


@pytest.mark.parametrize("named", [True, False])
def test_an_exercise_of_aider_that_an_exception_ended_is_missing(tmp_path, named):
    ended = {"exception": "Traceback: boom"}
    for language, name, tries in (("go", "x", [True]), ("go", "z", None), ("rust", "x", None), ("rust", "y", [False])):
        log = exercise(language, name, tries or [])
        content = log if tries else ended | ({"testcase": name} if named else {})
        save(tmp_path / Path(*Path(log["testdir"]).parts[1:]) / ".aider.results.json", content)
    refused(tmp_path, "missing", "outcome")
    counts = {"go/x": [0, 1], "go/z": [0, 0], "rust/x": [0, 0], "rust/y": [1, 0]}
    e = read(tmp_path, missing="drop")
    assert (tables(e), e.provenance.skipped) == ({"m": counts}, ())
    assert tables(read(tmp_path, missing="drop", which="pass_rate_1")) == {"m": counts}
    flat = tmp_path / "flat"
    for name, content in (("x", exercise("go", "x", [True]) | {"testdir": "x"}), ("y", ended)):
        save(flat / name / ".aider.results.json", content)
    assert tables(read(flat, missing="drop")) == {"m": {"x": [0, 1], "y": [0, 0]}}
    save(flat / "z" / ".aider.results.json", exercise("go", "z", [True]) | {"model": "other"})
    assert "an exception ended the exercise 'y'" in refused(flat, "missing", "path")
    save(flat / "other.json", ended)
    assert read(flat, missing="drop").provenance.skipped == ("other.json",)


def test_arc(tmp_path):
    log = {"score": 0.5, "total_tasks": 2, "task_results": {"aa": {"score": 1.0, "cost": 1}, "bb": {"score": 0.0}}}
    path = save(tmp_path / "m" / "results.json", log)
    assert tables(read(path)) == {"m": {"aa": [0, 1], "bb": [1, 0]}}
    refused(save(path, log | {"total_tasks": 3}), "missing", "path", "the log states total_tasks 3")


def test_osworld(tmp_path):
    ids = [f"{i:08d}-0000-4000-8000-000000000000" for i in range(3)]
    root = tmp_path / "pyautogui" / "screenshot"
    for m, domain, q, x in (("a", "chrome", 0, "1.0\n"), ("a", "os", 1, "0.0"), ("b", "chrome", 0, "0")):
        save(root / m / domain / ids[q] / "result.txt", x)
    for path in (tmp_path, root):
        e = read(path)
        assert {name: tables(e.select(benchmarks=name)) for name in e.benchmarks} == {
            "chrome": {"a": {ids[0]: [0, 1]}, "b": {ids[0]: [1, 0]}}, "os": {"a": {ids[1]: [1, 0]}},
        }  # fmt: skip
    save(root / "a" / "chrome" / ids[2] / "traj.jsonl", '{"step": 1}\n')  # a task that was not finished
    assert "there is no result.txt" in refused(tmp_path, "missing", "path")
    assert tables(read(tmp_path / "pyautogui", missing=0).select(benchmarks="chrome"))["a"] == {
        ids[0]: [0, 1], ids[2]: [1, 0],
    }  # fmt: skip


def test_files_of_one_number(tmp_path):
    for m, q, x in (("a", "q1", "1"), ("a", "q2", "0"), ("b", "q1", "1"), ("b", "q2", "pass")):
        save(tmp_path / m / q / "result.txt", x)
    refused(tmp_path, "empty", "path", 'layout="{model}/{question}/result.txt"')
    e = read(tmp_path, layout="{model}/{question}/result.txt")
    assert tables(e) == {"a": {"q1": [0, 1], "q2": [1, 0]}, "b": {"q1": [0, 1], "q2": [0, 1]}}


RAGAS = [{"user_input": q, "retrieved_contexts": "['c']", "response": "r", "reference": "g", "faithfulness": x,
          "answer_relevancy": 1 - x} for q, x in (("q1", 1), ("q2", 0))]  # fmt: skip


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.json"])
def test_ragas(tmp_path, name):
    lines = {
        "m.csv": "\n".join(",".join(map(str, x)) for x in (list(RAGAS[0]), *(row.values() for row in RAGAS))),
        "m.jsonl": "\n".join(map(json.dumps, RAGAS)),
        "m.json": json.dumps(RAGAS),
    }
    path = save(tmp_path / name, lines[name])
    refused(path, "choice", "which", "'faithfulness', 'answer_relevancy'")
    for metric, counts in (("faithfulness", [[0, 1], [1, 0]]), ("answer_relevancy", [[1, 0], [0, 1]])):
        assert read(path, which=metric)["m"].table.tolist() == counts


def test_reflexion(tmp_path):
    lines = [{"task_id": f"T/{i}", "prompt": "p", "solution": "s", "is_solved": i != 1} for i in range(2)]
    assert tables(read(save(tmp_path / "m.jsonl", lines))) == {"m": {"T/0": [0, 1], "T/1": [1, 0]}}


def test_averages_of_bfcl_are_skipped(tmp_path):
    answers = "".join(json.dumps({"id": f"multiple_{i}", "result": []}) + "\n" for i in range(2))
    failures = '{"accuracy": 0.5, "correct_count": 1, "total_count": 2}\n{"id": "multiple_1", "valid": false}\n'
    save(tmp_path / "result" / "m-FC" / "BFCL_v4_multiple_result.json", answers)
    save(tmp_path / "score" / "m-FC" / "BFCL_v4_multiple_score.json", failures)
    save(tmp_path / "score" / "data_overall.csv", "Rank,Overall Acc,Model\n1,50.00%,m (FC)\n")
    for path in (tmp_path, tmp_path / "score"):
        assert tables(read(path)) == {"m-FC": {"multiple_0": [0, 1], "multiple_1": [1, 0]}}
    refused(tmp_path / "score" / "data_overall.csv", "format", "path", "this is averages of BFCL")


def test_hidden_files_of_tools_are_read(tmp_path):
    case = {"name": "c", "input": "a", "metricsData": [{"name": "Recall", "success": True, "score": 1.0}]}
    save(tmp_path / ".deepeval" / ".latest_test_run.json", {"testRunData": {"testCases": [case]}})
    save(tmp_path / ".secret" / "a.csv", "question,outcome\nq,1\n")
    for path in (tmp_path, tmp_path / ".deepeval"):
        e = read(path)
        assert e.models == ("latest_test_run",)
        assert len(e.receipt()["files"]) == 1


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.eval", "a.parquet", "a.npy", "a.xml"])
def test_pointers_of_git_lfs_are_named(tmp_path, name):
    path = save(tmp_path / name, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5432\n")
    refused(path, "format", "path", "a pointer of Git LFS, not the file itself: git lfs pull")
    refused(tmp_path, "format", "path", "a pointer of Git LFS, not the file itself: git lfs pull")


def test_archives_in_a_folder_are_named(tmp_path):
    for name in ("a.zip", "b.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as z:
            z.writestr("a.csv", "question,outcome\nq,1\n")
    refused(tmp_path, "empty", "path", "2 archives in it would be read by name, such as 'a.zip'")
    save(tmp_path / "c.csv", "question,outcome\nq,1\n")
    assert any("Archives, which are not read: 2, such as 'a.zip'" in x for x in read(tmp_path).provenance.remarks)


def test_battles_without_a_winner_are_left_out_on_request(tmp_path, capsys):
    rows = [{"instruction": f"i{i}", "generator_1": "base", "generator_2": "m", "preference": x}
            for i, x in enumerate((2, 2, 1, 1, 1, 1, 0, 0, None))]  # fmt: skip
    path = save(tmp_path / "annotations.json", rows)
    with pytest.raises(InvalidInput, match=r'\[8\]: winner is missing \(None\): missing="drop" leaves them out'):
        battles(path)
    assert main(["battles", str(path)]) == 2
    assert "--missing drop" in capsys.readouterr().err
    result = battles(path, missing="drop")
    assert (result.battles, result.without_winner) == (8, 1)
    assert "m wins 0.375 of the battles against base, a tie as half." in str(result)
    assert "Left out: 1 battle without a winner." in str(result)
    table = save(tmp_path / "a.csv", "model_a,model_b,winner\nx,y,x\ny,x,\nx,y,y\n")
    with pytest.raises(InvalidInput, match="winner is missing"):
        battles(table)
    assert battles(table, missing="drop").without_winner == 1
    with pytest.raises(InvalidInput, match="there is no battle with a winner"):
        battles(save(tmp_path / "b.csv", "model_a,model_b,winner\nx,y,\n"), missing="drop")


def test_evalplus_of_today_is_not_that_of_2023(tmp_path):
    path = save(tmp_path / "m_eval_results.json", evalplus_log({"a": [1], "b": [0]}))
    assert tables(read(path)) == {"m": {"a": [0, 1], "b": [1, 0]}}


def test_a_case_of_deepeval_that_was_run_again_is_one_trial(tmp_path):
    def case(i, success):
        return {"name": f"test_{i}", "input": f"question {i}", "success": success,
                "metricsData": [{"name": "Correctness", "success": success, "score": float(success)}]}  # fmt: skip

    cases = [case(0, False), case(0, True), case(1, True), case(2, False)]
    save(tmp_path / "again.json", {"testCases": cases})
    e = read(tmp_path / "again.json")
    assert e.leaderboard().table[0].average.mu == 2 / 3
    assert any("run again after they failed: 1" in x for x in e.provenance.remarks)
    save(tmp_path / "twice.json", {"testCases": [case(i, k == 0) for i in range(3) for k in (0, 1)]})
    assert read(tmp_path / "twice.json").leaderboard().table[0].average.mu == 1 / 2
