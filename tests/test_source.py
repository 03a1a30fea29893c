"""Check the source for forbidden patterns and words, and its graph of imports, and run its examples."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys

import public_names
import pytest
import spec
from lengths import scaled

import julia
import scorio
from scorio.arithmetic.jit import WITHOUT_KERNELS

PACKAGE = spec.ROOT / "python" / "scorio"
SOURCES = sorted(PACKAGE.rglob("*.py"))
BIT_EQUAL = (
    "double_double", "distributions", "hypergeometric", "posterior", "variance", "mean", "choice",
    "metric", "rate_mixture", "difference", "estimator", "judges",
)  # fmt: skip


def modules() -> list[str]:
    return [m.name for m in pkgutil.walk_packages(scorio.__path__, "scorio.")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_no_sum_of_floats_has_an_unspecified_order(path: object) -> None:
    """Check that no module has fast-math, parallel loops, fused operations or fsum.

    The modules in BIT_EQUAL, which compute the results that are bit-equal in Julia, also take no product, mean or
    cumulative sum from NumPy, and import by name from math only functions that are exact or correctly rounded.
    (distributions also uses math.log and others, for the starts of iterations and for p-values in doubles.)
    """
    tree = ast.parse(path.read_text())  # type: ignore[attr-defined]
    names = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    names |= {k.arg for n in ast.walk(tree) if isinstance(n, ast.Call) for k in n.keywords if k.arg}
    assert not names & {"fastmath", "parallel", "fma", "fsum"}
    if path.stem in BIT_EQUAL:  # type: ignore[attr-defined]
        assert not names & {"dot", "prod", "mean", "einsum", "matmul", "cumsum", "cumprod"}
        imported = {
            a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "math" for a in n.names
        }
        assert imported <= {"floor", "frexp", "ldexp", "sqrt", "isqrt", "lcm", "comb"}


LEVELS = (
    "errors version saving", "display", "page", "arithmetic", "arguments results", "outcomes",
    "metrics", "inference", "eval simulate utils", "rank sinf items", "converge rubric readers receipts ledger",
    "analysis harness", "plot", "commands", "evaluation julia", "io cli plugins", "__main__", "scorio",
)  # fmt: skip
LEVEL = {part: i for i, parts in enumerate(LEVELS) for part in parts.split()}


def imports() -> dict[str, set[str]]:
    """Modules of the package that each of its modules imports, anywhere in its code."""
    root = spec.ROOT / "python"
    files = {".".join(p.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): p for p in SOURCES}
    graph: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                source = ".".join([*base, *([node.module] if node.module else [])])
                imported = {f"{source}.{alias.name}" for alias in node.names}
                graph[name] |= {x if x in files else source for x in imported}
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and "." in node.value
                and node.value in files
            ):
                graph[name].add(node.value)  # import_module("scorio.x"), wherever the name stands
    return graph


def part(module: str) -> str:
    """Module or subpackage of scorio to which a module belongs."""
    return module.split(".")[1] if "." in module else module


def test_imports_point_down() -> None:
    """Check that a module imports only modules of lower levels, by the map of CONTRIBUTING.md."""
    edges = {(a, b) for a, imported in imports().items() for b in imported if part(a) != part(b)}
    assert len(edges) > 200
    wrong = sorted(f"{a} imports {b}" for a, b in edges if LEVEL[part(b)] >= LEVEL[part(a)])
    assert not wrong, wrong


def test_parts_outside_the_hash_have_no_kernels() -> None:
    """Check that modules outside the hash of the kernel cache have no kernel, and no kernel module imports them."""
    kernels = {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for path in SOURCES
        if re.search(r"^@jit", path.read_text(), re.M)
    }
    assert len(kernels) > 5
    assert not kernels & WITHOUT_KERNELS
    imported_parts = {part(b) for a, imported in imports().items() if part(a) in kernels for b in imported}
    assert not imported_parts & WITHOUT_KERNELS


def test_imports_have_no_cycle() -> None:
    """Check that modules, also within a package, have an order in which each imports only earlier ones."""
    remaining = {a: imported - {a} for a, imported in imports().items()}
    while ready := [a for a, imported in remaining.items() if not imported & remaining.keys()]:
        for a in ready:
            del remaining[a]
    assert not remaining, {a: sorted(imported & remaining.keys()) for a, imported in remaining.items()}


UNCLEAR_OPENINGS = re.compile(r"(?:Of|The same|As|What|Those|It|In|Not)\b")  # not clear if read alone
VAGUE = {"found", "said", "asked", "told"}  # names that do not say what a thing is
RETIRED = {  # former names, replaced by the field's terms
    "Asked", "Gather", "Again", "Tallied", "Place", "HOPELESS", "Named", "Apart", "Given", "Spread",
    "Side", "by_law", "draw_of", "on_different", "on_same", "strays", "tail_of", "turned", "w_given",
    "law", "laws",
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_docstrings_are_clear_and_names_are_not_vague(path: object) -> None:
    """Check that docstrings begin with words that are clear if read alone, and that no name is vague or retired."""
    tree = ast.parse(path.read_text())  # type: ignore[attr-defined]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(x) or "" for x in ast.walk(tree) if isinstance(x, documented)]
    assert not [x for x in docstrings if UNCLEAR_OPENINGS.match(x)]
    names = {getattr(x, field, None) for x in ast.walk(tree) for field in ("id", "arg", "attr", "name")}
    unclear = names & (VAGUE | RETIRED)
    assert not unclear, f"names that do not say what a thing is: {unclear}"


@pytest.mark.parametrize("path", [x for x in SOURCES if x.parent.name == "eval"], ids=lambda p: p.name)
def test_eval_does_not_loop_over_questions(path: object) -> None:
    """Check that modules of eval have neither loops over questions nor kernels: metrics and outcomes have these."""
    text = path.read_text()  # type: ignore[attr-defined]
    assert "range(counts.M)" not in text
    assert "@jit" not in text


@pytest.mark.parametrize("name", ["scorio", *modules()])
def test_examples_print_what_they_show(name: str) -> None:
    """Run every example of every docstring, and compare its output."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as e:
        if name != f"scorio.plugins.{e.name}":
            raise
        pytest.skip(f"{e.name} is not installed")
    result = doctest.testmod(module)
    assert result.failed == 0


def test_every_public_function_has_an_example() -> None:
    """Check that the docstrings of evaluate and of every function of spec/ have their sections and an example."""
    for name in [*spec.FUNCTIONS, "evaluate"]:
        doc = (scorio.evaluate if name == "evaluate" else spec.implementation(name)).__doc__
        for section in ("Parameters", "Returns", "Raises", "Examples", ">>> "):
            assert section in doc, (name, section)


def imported_by(code: str, **env: str) -> set[str]:
    """Modules that a new process has imported after running the code."""
    code += "\nimport sys; print(*sys.modules)"
    run = [sys.executable, "-c", code]
    out = subprocess.run(run, capture_output=True, text=True, check=True, env=os.environ | env).stdout
    return set(out.splitlines()[-1].split())


def test_import_is_lean() -> None:
    """Check that importing scorio loads only its version, and its modules load neither extras nor Numba nor SciPy."""
    assert not {m for m in imported_by("import scorio") if m.startswith("scorio.")} - {"scorio.version"}
    help_code = "from scorio.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not {"numpy", "scorio.io"} & imported_by(help_code)
    code = "import scorio; scorio.eval, scorio.rank, scorio.sinf, scorio.converge, scorio.rubric, scorio.utils"
    imported = imported_by(code)
    assert "scorio.eval" in imported
    assert not {"numba", "scipy", "pandas", "polars", "rich", "mpmath"} & imported


def results_of_small_vectors(every: int) -> list[str]:
    """Results of every nth vector, except large and slow ones, as bits."""
    lines = []
    for name in sorted(spec.FUNCTIONS):
        for case in spec.vectors(name)["cases"][::every]:
            small = "recipe" not in case["args"].get("R", "") and len(str(case["args"])) < 400
            slow = case["args"].get("shape") == "beta" or case["args"].get("L", 0) > 100
            if small and (case["args"].get("k") or 1) <= 12 and not slow:
                lines.append(f"{case['id']} {julia.bits(spec.fields(name, spec.call(name, case['args'])))}")
    return lines


@pytest.mark.slow
def test_results_without_numba_have_the_same_bits() -> None:
    """Check that results without Numba have the bits of those of this process, on a part of the vectors."""
    every = scaled(10, 20)
    code = f"import test_source; print(*test_source.results_of_small_vectors({every}), sep='\\n')"
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    assert out.splitlines() == results_of_small_vectors(every)
    assert len(out.splitlines()) > 200


def test_the_table_of_names_is_complete() -> None:
    """Check that docs/api/names.md has every public name with the first line of its docstring."""
    _, mark, tables = public_names.PAGE.read_text().partition(public_names.TABLES)
    assert mark
    assert tables == "\n" + public_names.text(), "python tests/public_names.py"
