"""Mutation test of the oracle: find single changes that no vector detects, such as a misreading of the definitions.

    python spec/oracle/mutate.py [--number 200] [--seed 1] [--seconds 15] [MODULE ...]

A place is a comparison, a sign, an operation (not with a constant or a list at its left), a whole number, min, max,
any, all, `in`, `and`, `or` or `not`. For each change a separate process computes the vectors of up to six functions
that reach the line, until one differs or a call fails ("found"), or the processor time is used up ("unsure"). If all
agree, the change survives: it changes no result of these functions, or a vector is missing. A missing vector is added
in cases_readings.py.
"""
import argparse
import ast
import copy
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from time import process_time

HERE = Path(__file__).resolve().parent
VECTORS = {p.stem: json.loads(p.read_text())["cases"] for p in sorted((HERE.parent / "vectors").glob("*.json"))}
# modules that are not changed, by the start of their name
EXCLUDED = ("cases", "invalid", "check", "crosscheck", "examples", "mutate", "write", "files", "quad", "receipts", "exact", "draws", "__")
CACHE = HERE / "__pycache__" / "reached.json"  # the lines that each function runs; recomputed when a file changes
OPERATORS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Add: ast.Sub,
             ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


class ChangedModuleLoader(importlib.machinery.SourceFileLoader):
    """Loader that runs a module from a changed syntax tree."""

    tree = None

    def get_code(self, fullname):
        return compile(self.tree, self.path, "exec")


class ModuleFinder:
    """Import hook that finds the changed module first."""

    def __init__(self, name, tree):
        self.name, self.tree = name, tree

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        loader = ChangedModuleLoader(name, str(HERE / f"{name}.py"))
        loader.tree = self.tree
        return importlib.util.spec_from_file_location(name, loader.path, loader=loader)


# ---------------------------------------------------------------- places

def changes(tree):
    """Yield every change: the index of its node in ast.walk(), that of the operator in a comparison, a description."""
    for i, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Compare):
            yield from ((i, k, type(op).__name__) for k, op in enumerate(node.ops) if type(op) in OPERATORS)
        elif isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in OPERATORS and not isinstance(getattr(node, "left", None), (ast.Constant, ast.List)):
            yield i, 0, type(node.op).__name__
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
            yield i, 0, type(node.op).__name__
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield i, 0, f"{node.value} + 1"
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield i, 0, node.id


def changed_tree(tree, place, part):
    """A copy of the tree with one change, and the line of the change."""
    tree = copy.deepcopy(tree)
    node = list(ast.walk(tree))[place]
    if isinstance(node, ast.Compare):
        node.ops[part] = OPERATORS[type(node.ops[part])]()
    elif isinstance(node, (ast.BinOp, ast.BoolOp)):
        node.op = OPERATORS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()
    elif isinstance(node, ast.Constant):
        node.value += 1
    else:
        node.id = NAMES[node.id]
    return tree, node.lineno


# ---------------------------------------------------------------- one change

def ordered_cases(cases):
    """The cases in the order of use: the last six, which often detect misreadings, then strides of seven."""
    return [*cases[:-7:-1], *(c for start in range(7) for c in cases[:-6][start::7])]


def first_difference(names, seconds):
    """Id of the first case whose result differs from the vectors; "unsure" if time is used up, None if all agree."""
    end = process_time() + seconds
    import pairing
    import write
    from files import from_json, to_json
    queues = [(name, iter(ordered_cases(VECTORS[name]))) for name in names]
    while queues:
        for name, cases in list(queues):
            case = next(cases, None)
            if case is None:
                queues.remove((name, cases))
            elif process_time() > end:
                return "unsure"
            else:
                got = write.expected_result(name, pairing.resolve_arguments(name, from_json(case["args"])))
                if json.loads(json.dumps(to_json(got))) != case["want"]:
                    return case["id"]
    return None


def in_child_process(work):
    """The result of a function that runs in a separate process, passed as JSON; the text of its error if it fails."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        sys.stdout = sys.stderr = open(os.devnull, "w")
        try:
            answer = work()
        except Exception as error:
            answer = repr(error)[:60]
        os.write(write, json.dumps(answer).encode()[:60000])
        os._exit(0)
    os.close(write)
    text = b""
    while part := os.read(read, 65536):
        text += part
    os.waitpid(child, 0)
    return json.loads(text) if text else "no answer: out of time or memory"


def result_of_change(module, tree, names, seconds):
    """The result of first_difference() for a changed module on the vectors of some functions."""
    def work():
        signal.setitimer(signal.ITIMER_VIRTUAL, 2 * seconds + 10)  # a change that never ends counts as found
        sys.path.insert(0, str(HERE))
        sys.meta_path.insert(0, ModuleFinder(module, tree))
        return first_difference(names, seconds)
    return in_child_process(work)


# ---------------------------------------------------------------- which functions reach a line

def lines_run_by(name, seconds=1.5):
    """The lines of the oracle that a function runs, by module: on as many of its cases as the seconds allow."""
    def work():
        sys.path.insert(0, str(HERE))
        lines, here = defaultdict(set), str(HERE)

        def trace(frame, event, _):
            file = frame.f_code.co_filename
            if not file.startswith(here):
                return None
            lines[Path(file).stem].add(frame.f_lineno)
            return trace
        import write  # noqa: F401
        sys.settrace(trace)
        try:
            first_difference([name], seconds)
        finally:
            sys.settrace(None)
        return {module: sorted(x) for module, x in lines.items() if not module.startswith(EXCLUDED)}
    return in_child_process(work)


def lines_by_function():
    """The lines that each function runs, but for the aliases, which run those of pass_hat_k and pass_hat_k_ci."""
    newest_change = str(max(p.stat().st_mtime for p in HERE.glob("*.py") if p.stem != "mutate"))
    if CACHE.exists() and (cached := json.loads(CACHE.read_text()))["stamp"] == newest_change:
        return cached["lines"]
    lines = {name: lines_run_by(name) for name in VECTORS if name not in ("unanimous_at_k", "g_pass_at_k", "unanimous_at_k_ci", "g_pass_at_k_ci")}
    CACHE.parent.mkdir(exist_ok=True)
    CACHE.write_text(json.dumps({"stamp": newest_change, "lines": lines}))
    return lines


def main():
    options = argparse.ArgumentParser()
    options.add_argument("modules", nargs="*")
    options.add_argument("--number", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=15)
    args, lines = options.parse_args(), lines_by_function()
    users = defaultdict(set)  # (module, line) -> functions
    for name, reach in lines.items():
        assert isinstance(reach, dict), f"{name}, unchanged: {reach}"
        for module, numbers in reach.items():
            for n in numbers:
                users[module, n].add(name)
    trees = {m: ast.parse((HERE / f"{m}.py").read_text()) for m in args.modules or sorted({m for m, _ in users})}
    places = [(m, *c, line) for m, tree in trees.items() for nodes in [list(ast.walk(tree))] for c in changes(tree)
              if users.get((m, line := nodes[c[0]].lineno))]
    results = defaultdict(list)
    for module, place, part, what, line in Random(args.seed).sample(places, min(args.number, len(places))):
        tree, _ = changed_tree(trees[module], place, part)
        names = sorted(users[module, line], key=lambda name: (len(VECTORS[name]), name))[:6]
        answer = result_of_change(module, tree, names, args.seconds)
        how = "survived" if answer is None else "unsure" if answer == "unsure" else "found"
        results[how].append(f"{module}.py:{line} {what}")
        if how != "found":
            print(how, results[how][-1], "|", (HERE / f"{module}.py").read_text().split("\n")[line - 1].strip()[:110], flush=True)
    print({how: len(x) for how, x in results.items()}, f"of {len(places)} places; {process_time():.0f} s here")


if __name__ == "__main__":
    main()
