"""The folder spec/: schemas, regeneration, independence of the oracle, agreement with the package's functions."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import spec
from lengths import LONG, scaled

import scorio
from scorio.eval.table import NOT_METRICS, PARAMETERS
from scorio.metrics import metric

ORACLE = spec.SPEC / "oracle"


def load(path: str) -> Any:
    """Load a JSON file of spec/, and refuse duplicate keys."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len({k for k, _ in pairs}) == len(pairs)
        return dict(pairs)

    return json.loads((spec.SPEC / path).read_text(), object_pairs_hook=unique)


LEAST = {kind: load(f"schema/{kind}.json")["properties"]["cases"]["minItems"] for kind in ("vectors", "invalid")}
FILES = [f"{n}.json" for n in ("functions", "errors", "rubric", "receipts")]
FILES += [f"{folder}/{n}.json" for folder in ("vectors", "invalid") for n in sorted(spec.FUNCTIONS)]


@cache
def validator(kind: str) -> jsonschema.Draft202012Validator:
    """The validator of a kind of files, whose schema is checked once."""
    schema = load(f"schema/{kind}.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    if kind in LEAST:
        del schema["properties"]["cases"]["minItems"]  # a part of the cases is validated
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES)
def test_files_match_their_schemas(path: str) -> None:
    """Check every file against its strict schema; of many cases, without --long, every tenth."""
    kind, content = path.split("/")[0].removesuffix(".json"), load(path)
    if kind in LEAST:
        assert len(content["cases"]) >= LEAST[kind]
        content["cases"] = content["cases"][:: scaled(1, 10)]
    validator(kind).validate(content)


@pytest.mark.parametrize("path", sorted(ORACLE.glob("*.py")), ids=lambda p: p.name)
def test_oracle_is_independent(path: object) -> None:
    """Check that the oracle imports only the standard library, mpmath and itself."""
    own = {p.stem for p in ORACLE.glob("*.py")}
    for node in ast.walk(ast.parse(path.read_text())):  # type: ignore[attr-defined]
        names = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            root = name.split(".")[0]
            assert root in own | {"mpmath", ""} | set(sys.stdlib_module_names), f"{path}: {name}"
        assert not (isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval")), path


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """Run a Python script in the folder of the repository."""
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, cwd=spec.ROOT, timeout=900)


@pytest.mark.slow
def test_regenerated_equals_committed() -> None:
    """Check that the oracle writes the committed vectors, byte for byte; without --long it computes every 20th case."""
    result = run(str(ORACLE / "write.py"), "--check", *([] if LONG else ["--every", "20"]))
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


QUICK = ("floating point", "by doubles", "golden", "printed", "runs, equal calls")  # groups of check.py, of seconds


@pytest.mark.slow
def test_oracle_checks_itself() -> None:
    """Run the oracle's own checks, without --long some: subset enumeration, quadrature, worked examples."""
    result = run(str(ORACLE / "check.py"), *([] if LONG else QUICK))
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    passed, failed = map(int, re.findall(r"(\d+) passed, (\d+) failed", result.stdout)[-1])
    assert passed > scaled(100_000, 2_000)
    assert failed == 0


@pytest.mark.parametrize("name", sorted(spec.FUNCTIONS))
def test_refused_calls_are_listed(name: str) -> None:
    """Check that `refuse` has exactly the codes and arguments of invalid/, each with one phrase."""
    entry, phrases = spec.FUNCTIONS[name], spec.TABLE["refusals"]
    listed = [(code, x) for code, names in entry["refuse"].items() for x in names]
    assert {(c["error"]["code"], c["error"]["argument"]) for c in spec.refused_calls(name)["cases"]} == {*listed}
    for code, x in listed:
        assert len(spec.refusal_phrases(phrases, entry, code, x)) == 1, (code, x)


def test_every_phrase_of_a_refusal_is_used() -> None:
    """Check that every phrase for a kind, an argument or a member is used by some refusal."""
    phrases, used = spec.TABLE["refusals"], set()
    for entry in spec.FUNCTIONS.values():
        kinds = {p["name"]: p["kind"] for p in entry["params"]}
        for code, names in entry["refuse"].items():
            for x in names:
                (phrase,) = spec.refusal_phrases(phrases, entry, code, x)
                used.add((phrase["when"], code, kinds[x] if "kinds" in phrase else x))
    listed = {
        (p["when"], p["code"], x) for p in phrases for key in ("kinds", "arguments", "members") for x in p.get(key, ())
    }
    assert used == listed


def leaves(x: object) -> list[object]:
    """All entries of a field, those of nested lists included."""
    return [z for y in x for z in leaves(y)] if isinstance(x, list) else [x]


@pytest.mark.parametrize("name", sorted(spec.FUNCTIONS))
def test_words_and_nulls_are_listed(name: str) -> None:
    """Check that text results list their words, and that fields that may be null say when."""
    entry, cases = spec.FUNCTIONS[name], spec.vectors(name)["cases"]
    values = {x: [y for c in cases if x in c["want"] for y in leaves(c["want"][x])] for x in entry["types"]}
    nulls = [x for fields in entry.get("null", {}) for x in fields.split(", ")]
    assert sorted(nulls) == sorted(x for x, kind in entry["types"].items() if "?" in kind)
    assert {x for x, seen in values.items() if None in seen and "row" not in entry["types"][x]} <= {*nulls}
    texts = {x for x, kind in entry["types"].items() if "text" in kind} | {"verdict"} & {*entry["types"]}
    assert texts == {*entry.get("words", {})}
    for x, words in entry.get("words", {}).items():
        assert isinstance(words, str) or {y for y in values[x] if y is not None} == {*words}, x


def public() -> set[str]:
    """Names of all public functions in the form of functions.json."""
    names, metrics = {"tally", *scorio.eval.__all__}, {*PARAMETERS, *NOT_METRICS}
    for part in ("rank", "sinf", "items", "utils", "converge", "simulate", "rubric"):
        module = getattr(scorio, part)
        for name in filter(lambda n: inspect.isfunction(getattr(module, n)), module.__all__):
            names.add(f"{part}.{name}" if part == "rubric" or (part == "rank" and name in metrics) else name)
    return names


def test_the_package_has_the_functions_of_the_table() -> None:
    """Check names, parameters, kinds and defaults of the package against functions.json."""
    assert public() == set(spec.FUNCTIONS)
    assert set(scorio.eval.__all__) == {*PARAMETERS, *NOT_METRICS}
    for name, entry in spec.FUNCTIONS.items():
        parameters = inspect.signature(spec.implementation(name)).parameters.values()
        parameters = [p for p in parameters if p.name not in spec.TABLE["beside"]]
        assert [p.name for p in parameters] == [p["name"] for p in entry["params"]], name
        for p, s in zip(parameters, entry["params"], strict=True):
            keyword = p.kind is inspect.Parameter.KEYWORD_ONLY
            assert keyword == (s.get("keyword") is True), (name, p.name)
            assert ("default" in s) == (p.default is not inspect.Parameter.empty), (name, p.name)
            if "default" in s:
                default = list(p.default) if isinstance(p.default, tuple) else p.default
                assert default == s["default"], (name, p.name)


def test_error_codes_are_a_closed_list() -> None:
    """Check that errors.json lists every code of the package, and that every entry is used."""
    codes = {e["code"] for e in load("errors.json")["errors"]}  # type: ignore[index]
    used = set()
    for path in (spec.ROOT / "python" / "scorio").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("InvalidInput", "_error"):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant):
                    used.add(first.value)
    assert used == codes


def test_the_table_of_metrics_is_that_of_the_specification() -> None:
    """Check names, aliases, `takes` and `where` of Python's table of metrics against functions.json."""
    expected = {m["name"]: (sorted(m["aliases"]), m["takes"], {*m["where"]}) for m in spec.METRICS.values()}
    assert expected == {
        f.name: (sorted({f.alias} - {f.name}), list(f.takes), {*f.where} - {"default"}) for f in metric.TABLE
    }


WITH_METRIC = {name: f for name, f in spec.FUNCTIONS.items() if any("metrics" in p for p in f["params"])}
EXAMPLES = {  # an argument of each kind
    "outcomes": [[1, 0, 1]] * 3, "suite": {"x": [[1, 0]] * 3}, "models": {"a": [[1, 0]] * 3, "b": [[1, 1]] * 3},
    "benchmarks": {"x": {"a": [[1, 0]] * 3, "b": [[1, 1]] * 3}}, "text": "fixed", "real": 0.5, "integer": 9,
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_METRIC)
def test_functions_take_exactly_their_metrics(name: str) -> None:
    """Check that a function accepts exactly the metrics that functions.json lists for its parameter."""
    params = {p["name"]: p for p in WITH_METRIC[name]["params"]}
    args = {x: EXAMPLES[p["kind"]] for x, p in params.items() if "default" not in p and x != "metric"}
    assert len(WITH_METRIC) == 17
    for m in spec.METRICS.values():
        refused = False
        try:
            spec.implementation(name)(**args, metric=m["name"])
        except scorio.InvalidInput as error:
            refused = (error.code, error.argument) == ("choice", "metric")
        assert refused != bool({*m["where"]} & {*params["metric"]["metrics"]}), m["name"]


PORT = """
import spec

class Function:
    def __init__(self, name, shift):
        self.name, self.shift = name, shift
    def __call__(self, **args):
        got = spec.fields(self.name, spec.call(self.name, args))
        return {x: y + self.shift if isinstance(y, float) else y for x, y in got.items()}

def __getattr__(name):
    known = {f.replace(".", "_"): f for f in spec.FUNCTIONS}
    if name not in known:
        raise AttributeError(name)
    return Function(known[name], SHIFT)
"""


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 2.0**-52])
def test_the_runner_needs_only_the_vectors(tmp_path: Path, shift: float) -> None:
    """Check that run.py and the vectors alone can test a port: results off by 2^-52 or a file cut short are noticed."""
    names = ["pass_at_k", "boundaries", "lehmer_hash", "rubric.categories"]
    for folder in ("vectors", "invalid"):
        (tmp_path / folder).mkdir()
        for name in names:
            shutil.copy(spec.SPEC / folder / f"{name}.json", tmp_path / folder)
    shutil.copy(spec.SPEC / "run.py", tmp_path)
    (tmp_path / "port.py").write_text(PORT.replace("SHIFT", repr(shift)))
    command = [sys.executable, str(tmp_path / "run.py"), "port", *names]
    path = os.pathsep.join([str(spec.ROOT / "tests"), os.environ.get("PYTHONPATH", "")])  # PORT imports tests/spec.py
    process = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=300, env={**os.environ, "PYTHONPATH": path}
    )
    cases = sum(len(read(name)["cases"]) for read in (spec.vectors, spec.refused_calls) for name in names)
    # the shift changes every Pass@k, the only results here that are a single float
    passing = cases if shift == 0 else cases - len(spec.vectors("pass_at_k")["cases"])
    assert (process.stdout.splitlines() or [process.stderr])[-1] == f"{passing} of {cases} cases pass"
    assert process.returncode == (shift > 0)
    assert (re.search(r"pass_at_k-\d+ .*: value: [\d.]+, wanted [\d.]+", process.stdout) is not None) == (shift > 0)
    truncated = json.loads((tmp_path / "vectors" / "pass_at_k.json").read_text())
    truncated["cases"].pop()
    (tmp_path / "vectors" / "pass_at_k.json").write_text(json.dumps(truncated))
    process = subprocess.run(
        [*command[:3], "pass_at_k"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert "pass_at_k.json is cut short" in process.stderr
    assert process.returncode == 1
