"""Data sets, URLs, and results in the schema of every_eval_ever."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from scorio import InvalidInput, eval, saving
from scorio.cli import main
from scorio.io import from_frame, read

TEXT = "model,question,trial,outcome\n" + "".join(
    f"org/{m},q{q},{t},{(q + t + (m == 'b')) % 3 % 2}\n" for m in "ab" for q in range(6) for t in range(4)
)


def counts_of(e) -> dict:
    """Ids and counts of the questions of each model."""
    return {m: (e.log(m).ids, e[m].table.tolist()) for m in e}


# --- every_eval_ever ------------------------------------------------------------------------------------

UNCERTAINTY = {
    "type": "object",
    "required": ["standard_error", "confidence_interval", "num_samples"],
    "properties": {
        "standard_error": {"type": "object", "required": ["value", "method"], "properties": {
            "value": {"type": "number"}, "method": {"type": "string"}}},
        "confidence_interval": {"type": "object", "required": ["lower", "upper", "confidence_level", "method"]},
        "num_samples": {"type": "integer"},
    },
}  # fmt: skip
SCHEMA = {  # the parts of the schema that concern what is written here
    "type": "object",
    "additionalProperties": False,
    "required": ["schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
                 "eval_library", "evaluation_results"],
    "properties": {
        "schema_version": {"const": "0.2.2"}, "evaluation_id": {"type": "string"},
        "retrieved_timestamp": {"type": "string"},
        "source_metadata": {"type": "object", "required": ["source_type", "source_organization_name",
                                                           "evaluator_relationship"],
                            "properties": {"source_type": {"enum": ["documentation", "evaluation_run"]}}},
        "model_info": {"type": "object", "required": ["name", "id"]},
        "eval_library": {"type": "object", "required": ["name", "version"]},
        "evaluation_results": {"type": "array", "minItems": 1, "items": {
            "type": "object",
            "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
            "properties": {
                "source_data": {"type": "object", "required": ["dataset_name", "source_type"]},
                "metric_config": {"type": "object", "required": ["lower_is_better", "min_score", "max_score"]},
                "score_details": {"type": "object", "required": ["score", "uncertainty"], "properties": {
                    "details": {"type": "object", "additionalProperties": {"type": "string"}},
                    "uncertainty": UNCERTAINTY}},
            }}},
    },
}  # fmt: skip


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "runs.csv"
    path.write_text(TEXT)
    return path


def test_documents_have_the_intervals_of_the_package(log):
    e = read(log)
    documents = e.every_eval_ever(organization="us", k=2, questions="sampled", timestamp="7")
    assert set(documents) == {"org/a", "org/b"}
    for model, document in documents.items():
        jsonschema.validate(document, SCHEMA)
        assert document["evaluation_id"] == f"benchmark/{model}/7"
        for result, (metric, k) in zip(document["evaluation_results"], (("mean", None), ("pass@k", 2)), strict=True):
            x = eval.interval(e[model], metric, k, questions="sampled")
            details = result["score_details"]
            span = details["uncertainty"]["confidence_interval"]
            assert details["score"] == x.mu
            assert (span["lower"], span["upper"], span["confidence_level"]) == (x.lo, x.hi, 0.95)
            assert details["uncertainty"]["standard_error"]["value"] == x.sigma
            assert "population of similar questions" in span["method"]


def test_each_benchmark_is_a_result(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("task,model,question,outcome\nx,m,1,1\nx,m,2,0\ny,m,1,0\ny,m,3,1\n")
    (document,) = read(path).every_eval_ever(organization="us").values()
    assert [x["evaluation_name"] for x in document["evaluation_results"]] == ["x", "y"]
    for bad, code in (({"organization": ""}, "type"), ({"organization": "us", "relationship": "friend"}, "choice")):
        with pytest.raises(InvalidInput) as e:
            read(path).every_eval_ever(**bad)
        assert e.value.code == code


def test_convert_writes_documents(log, tmp_path, capsys):
    args = ["convert", str(log), "--to", "every_eval_ever", "--organization", "us", "-o", str(tmp_path / "out")]
    assert main(args) == 0
    assert "2 models written" in capsys.readouterr().err
    for name in ("org__a.json", "org__b.json"):
        jsonschema.validate(json.loads((tmp_path / "out" / name).read_text()), SCHEMA)
    assert main(args[:-2]) == 2
    assert "--output" in capsys.readouterr().err


# --- URLs -----------------------------------------------------------------------------------------------


@pytest.fixture
def memory():
    """File system in memory with TEXT as a file for each model and as one file, and with an invalid file."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for name in ("a", "b"):
        text = "\n".join(x for x in TEXT.split("\n") if not x.startswith("org") or f"org/{name}" in x)
        system.pipe(f"/runs/{name}/results.csv", text.encode())
    system.pipe("/one.csv", TEXT.encode())
    system.pipe("/bad.csv", b"question,outcome\nx,7\n")
    yield
    system.rm("/", recursive=True)


@pytest.mark.usefixtures("memory")
def test_urls_are_read_as_files_are(log, tmp_path):
    expected = counts_of(read(log))
    assert counts_of(read("memory://one.csv")) == expected
    assert counts_of(read("memory://runs")) == expected
    assert counts_of(read("memory://runs/*/results.csv")) == expected
    assert counts_of(read(["memory://runs/a/results.csv", "memory://runs/b/results.csv"])) == expected
    assert counts_of(read(f"file://{log}")) == expected
    assert list(read("memory://runs", layout="{model}/results.csv")) == ["a", "b"]
    with pytest.raises(InvalidInput, match=r"^memory://bad\.csv:2: "):
        read("memory://bad.csv")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read("memory://nowhere.csv")
    unfinished = {
        "eval": {"model": "m", "task": "t"},
        "samples": [{"id": 1, "epoch": 1, "scores": {"a": {"value": 1}}}],
    }
    (tmp_path / "unfinished.json").write_text(json.dumps(unfinished))
    url = f"file://{tmp_path / 'unfinished.json'}"
    assert read(url, missing="drop").provenance.unfinished[0].startswith(f"{url}: the evaluation has status 'started'")
    with pytest.raises(ImportError, match="madeup"):
        read("madeup://x.csv")
    assert main(["leaderboard", "memory://one.csv", "--json"]) == 0


def test_urls_without_fsspec_are_refused(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"^s3://bucket/runs: a URL needs fsspec"):
        read("s3://bucket/runs")
    assert main(["leaderboard", "s3://bucket/runs"]) == 2
    assert "pip install fsspec" in capsys.readouterr().err


# --- data sets ------------------------------------------------------------------------------------------


def stand_in(name: str, **methods) -> object:
    """Stand-in for an object of the library datasets."""
    return type(name, (methods.pop("base", object),), {"__module__": "datasets.fake", **methods})()


def test_stand_ins_for_data_sets_are_read():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"question": ["x", "x", "y", "y"], "outcome": [1, 0, 1, 1]})
    methods = {"with_format": lambda self, kind: self if kind == "arrow" else None}
    dataset = stand_in("Dataset", **methods, __len__=lambda self: 4, __getitem__=lambda self, x: table)
    stream = stand_in("IterableDataset", **methods, iter=lambda self, n: iter([table.slice(0, 3), table.slice(3)]))
    expected = counts_of(from_frame(table))
    assert counts_of(from_frame(dataset)) == counts_of(read(dataset)) == counts_of(from_frame(stream)) == expected
    with pytest.raises(InvalidInput, match="several splits"):
        read(stand_in("DatasetDict", base=dict))
    with pytest.raises(InvalidInput, match="not a data set of rows"):
        read(stand_in("Features"))


def test_data_sets_are_read():
    datasets = pytest.importorskip("datasets")
    columns = {"doc": [1, 1, 2, 2, 3], "acc": [True, False, True, True, None]}
    data = datasets.Dataset.from_dict(columns)
    names = {"question": "doc", "outcome": "acc"}
    expected = {"model": (["1", "2"], [[1, 1], [0, 2]])}
    chosen = data.select(range(4))
    assert counts_of(from_frame(chosen, columns=names)) == counts_of(read(chosen, columns=names)) == expected
    assert counts_of(read(chosen.to_iterable_dataset(), columns=names)) == expected
    with pytest.raises(InvalidInput, match="several splits, 'test'"):
        read(datasets.DatasetDict({"test": data}))


def test_models_with_similar_names_get_files_of_their_own(tmp_path) -> None:
    """Check that no document replaces another where names differ only in case or in characters unfit for files."""
    rows = [f"{m},q{i},{(i + j) % 2}" for j, m in enumerate(("a/b", "a:b", "A__b")) for i in range(4)]
    (tmp_path / "log.csv").write_text("\n".join(["model,question,outcome", *rows]))
    command = ["convert", str(tmp_path / "log.csv"), "--to", "every_eval_ever", "--organization", "o"]
    assert main([*command, "--output", str(tmp_path / "out")]) == 0
    names = {x.name for x in (tmp_path / "out").glob("*.json")}
    assert {"a__b.json", "a__b_.json", "A__b__.json"} <= names


NAMES = ["scorio.receipt", "..", ".", ".hidden", "x" * 300, "x" * 299 + "y", "é" * 200, "A", "a", "-rf", "a/b", "a\\b"]


def test_every_document_has_a_file_of_its_own(tmp_path):
    """Check names of models that are those of other files, too long, hidden or alike: some files were overwritten."""
    path, out = tmp_path / "log.jsonl", tmp_path / "out"
    rows = [{"model": m, "question": q, "outcome": int(m > "b")} for m in NAMES for q in "xy"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["convert", str(path), "--to", "every_eval_ever", "--organization", "o", "-o", str(out)]
    assert main(command) == 0
    files = [json.loads(f.read_text()) for f in out.iterdir() if f.name != "scorio.receipt.json"]
    assert sorted(x["model_info"]["name"] for x in files) == sorted(NAMES)
    assert not [f.name for f in out.iterdir() if f.name.startswith((".", "-"))]
    assert main(["verify", str(out / "scorio.receipt.json")]) == 0


def test_all_documents_are_written_or_none(tmp_path, monkeypatch):
    """Check that files of an earlier run stay whole if one of the new ones cannot be written."""
    path, out = tmp_path / "log.csv", tmp_path / "out"
    path.write_text("model,question,outcome\n" + "".join(f"{m},{q},1\n" for m in "abc" for q in "xy"))
    command = ["convert", str(path), "--to", "every_eval_ever", "--organization", "o", "-o", str(out)]
    assert main(command) == 0
    before = {f.name: f.read_bytes() for f in out.iterdir()}
    write = saving.write

    def full(file, content):
        if str(file).endswith("b.json"):
            raise OSError(28, "No space left on device", str(file))
        write(file, content)

    monkeypatch.setattr(saving, "write", full)
    path.write_text(path.read_text().replace(",1", ",0"))
    assert main(command) == 2
    assert {f.name: f.read_bytes() for f in out.iterdir()} == before


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "JavaScript:x", " javascript:x", "java\tscript:x", "data:text/html,x", "vbscript:x"]
)
def test_links_of_a_report_run_no_code(link):
    e = read("spec/examples/coins.csv")
    with pytest.raises(InvalidInput, match="link = "):
        e.report(link=link)
    for good in ("", "https://x.org/{question}", "logs/{question}.html#a:b", "/x?y=javascript:"):
        e.report(link=good, replicates=2)
