"""Write the files of vectors, refused calls and receipts.

    python spec/oracle/write.py [--check] [--every N] [--times] [NAME ...]

NAME: a function (which writes its aliases too), "invalid" or "receipts"; without one all are written. --check only compares with the committed files,
--every N computes one case of N and takes the results of the others from the committed files,
--times prints the seconds of each.
"""
import json
import sys
import time
from multiprocessing import Pool
from zlib import crc32

import agreement
import beyond
import cases_beyond
import answers
import cases_answers
import battle_plans
import battles
import bounding
import cases_battles
import cases_bounds
import cases_certificates
import cases_converge
import cases_counts
import cases_hypergeometric
import cases_intervals
import cases_items
import cases_judges
import cases_latent
import cases_ledger
import cases_looks
import cases_models
import cases_pairing
import cases_rank
import cases_readings
import cases_rubric
import cases_runs
import cases_schemata
import cases_simulate
import cases_sinf
import cases_suites
import cases_ties
import cases_utils
import certificates
import changes
import comparing
import convergence
import decisions
import examples
import hashes
import intervals
import invalid
import items
import judging
import ledger
import looks
import metrics
import multiplicity
import ordering
import pairing
import planning
import raters
import receipts
import rubric
import runs
import simulation
import suites
from cases import NOTES
from exact import Fraction, Real, number
from files import SPEC, one_case_per_line

VERSION = "1"
SOURCE = "spec/oracle: definitions in fractions and arbitrary precision"
ALIAS = {"unanimous_at_k": "pass_hat_k", "g_pass_at_k": "pass_hat_k",
         "unanimous_at_k_ci": "pass_hat_k_ci", "g_pass_at_k_ci": "pass_hat_k_ci"}
CASES = [cases_counts, cases_hypergeometric, cases_latent, cases_intervals, cases_rank, cases_models, cases_sinf, cases_utils,
         cases_converge, cases_simulate, cases_rubric, cases_schemata, cases_looks, cases_judges,
         cases_suites, cases_items, cases_certificates, cases_beyond, cases_answers, cases_battles, cases_runs, cases_ledger]  # modules of cases
DEFINITIONS = [bounding, metrics, intervals, ordering, comparing, multiplicity, planning, decisions, agreement, hashes, convergence, simulation, rubric, looks, judging, raters, suites, items, changes, certificates, beyond, answers, battles, battle_plans, runs, ledger]  # modules of definitions
ULPS = {f["name"]: f["ulp"] for f in json.loads((SPEC / "functions.json").read_text())["functions"]}


def find(modules, name):
    """The function of this name in the first module that has it; BY_NAME has the names that are not identifiers."""
    for module in modules:
        f = getattr(module, "BY_NAME", {}).get(name) or getattr(module, name, None)
        if callable(f):
            return f
    raise KeyError(name)


def field_json(x):
    """A field of a result as JSON: real numbers become pairs, everything else is unchanged."""
    if isinstance(x, (list, tuple)):
        return [field_json(y) for y in x]
    return number(x) if isinstance(x, (Fraction, Real, float)) else x


def expected_result(name, args):
    """The exact result of a call with resolved arguments (pairing.py), as JSON."""
    return {field: field_json(x) for field, x in find(DEFINITIONS, name)(**args).items()}


def notes_of(cases):
    used = {flag for c in cases for flag in c["flags"]}
    return {flag: meaning for flag, meaning in NOTES.items() if flag in used}


def committed_results(name, every):
    """Committed results by arguments, without one case of ``every``, chosen by a hash of its arguments."""
    cases = json.loads((SPEC / f"vectors/{name}.json").read_text())["cases"] if every > 1 else []
    results = {json.dumps(case["args"]): case["want"] for case in cases}
    return {key: want for key, want in results.items() if crc32(key.encode()) % every}


def vector_files(name, every=1):
    """(file name, text) of the vector files of a function and of its aliases; each case is computed once."""
    computed, out = committed_results(name, every), []
    for alias in [name, *(a for a, b in ALIAS.items() if b == name)]:
        # worked examples of public documents that name an alias; those of the function are among its cases
        printed = list(examples.cases_of(alias)) if alias != name else []
        cases, known_keys = [], set()
        all_cases = [*printed, *find(CASES, name)(), *cases_ties.cases_of(name), *cases_pairing.cases_of(name), *cases_intervals.general_cases(name), *cases_readings.cases_of(name), *cases_bounds.cases_of(name)]
        all_cases += [*pairing.cases_with_stated_k(name, all_cases), *cases_readings.further_cases(name), *cases_runs.cases_of(name)]
        for comment, flags, args in all_cases:
            key = json.dumps(args)
            if key in known_keys:
                continue
            known_keys.add(key)
            try:
                computed[key] = computed.get(key) or expected_result(name, pairing.resolve_arguments(name, args))
            except Exception as err:
                raise RuntimeError(f"{alias}: {comment}: {key[:300]}: {err!r}") from err
            cases.append({"id": f"{alias.replace('.', '_')}-{len(cases) + 1:04d}", "comment": comment, "flags": flags,
                          "args": args, "want": computed[key],
                          # with looks, the level is a result of boundaries and has its error
                          "ulp": ULPS["boundaries"] if args.get("looks") else ULPS[alias]})
        head = {"function": alias, "version": VERSION, "source": SOURCE, "count": len(cases), "notes": notes_of(cases)}
        out.append((f"vectors/{alias}.json", one_case_per_line(head, cases)))
    return out


def invalid_files():
    """(file name, text) of the refused calls of every function."""
    for name, cases in invalid.cases():
        head = {"function": name, "version": VERSION, "source": SOURCE, "count": len(cases), "notes": invalid.notes(cases)}
        yield f"invalid/{name}.json", one_case_per_line(head, cases)


def receipt_files():
    """(file name, text) of the receipts, right and wrong ones."""
    cases = receipts.cases(lambda name: find(DEFINITIONS, name))
    yield "receipts.json", one_case_per_line({"version": VERSION, "source": SOURCE, "count": len(cases)}, cases)


OTHER_FILES = {"invalid": invalid_files, "receipts": receipt_files}  # files other than vectors


def build(name):
    every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    start = time.process_time()
    files = list(OTHER_FILES[name]()) if name in OTHER_FILES else vector_files(name, every)
    return name, files, time.process_time() - start


def all_files(names):
    with Pool(2) as pool:
        for name, files, seconds in pool.imap_unordered(build, names, chunksize=1):
            if "--times" in sys.argv:
                print(f"{seconds:7.2f} s  {name}", file=sys.stderr)
            yield from files


def main():
    selected = [a for a in sys.argv[1:] if not a.startswith("-") and not a.isdecimal()]
    names = selected or [n for n in ULPS if n not in ALIAS] + [*OTHER_FILES]
    differing = []
    generated = dict(sorted(all_files(names[::-1])))  # from the last name, as the slowest functions are the last
    for file, text in generated.items():
        path = SPEC / file
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        elif not path.exists() or path.read_bytes() != text.encode():
            differing.append(file)
    if "--check" in sys.argv and not selected:
        committed = (f"{folder}/{p.name}" for folder in ("vectors", "invalid") for p in (SPEC / folder).glob("*"))
        differing += sorted(file for file in committed if file not in generated)
    if differing:
        print("differs from the oracle:", *differing)
        print("to fix it: python spec/oracle/write.py")
        sys.exit(1)
    print(f"{len(generated)} files, {sum(t.count(chr(10)) for t in generated.values())} lines, "
          f"{sum(map(len, generated.values())) / 1e6:.2f} MB" + (" agree" if "--check" in sys.argv else " written"))


if __name__ == "__main__":
    main()
