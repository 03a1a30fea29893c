"""Random logs, whose averages, Pass@k and differences a few independent lines of Python compute in fractions.

Nothing of scorio is used for the expected numbers; --long runs 30 times as many logs.
"""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from math import comb
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from lengths import scaled

from scorio.cli import main

Log = dict[str, dict[str, dict[str, list[int | None]]]]  # by task, model and question: outcomes, None where missing
SHARDS, PER_SHARD = 4, 40


def random_log(rng: random.Random) -> Log:
    """One to three tasks, two or three models; trials and questions may be missing."""
    log: Log = {}
    whole = rng.random() < 0.3  # nothing is missing
    for task in rng.choice([[""], ["x"], ["x", "y"], ["x", "y", "z"]]):
        n = rng.randint(1, 6)
        questions = [f"{rng.choice('qé#')}{i}" for i in range(rng.randint(2, 7))]
        log[task] = {}
        for model in ["a", "b/c", "d e"][: rng.choice([2, 2, 3])]:
            rate = rng.random()
            chosen = [q for q in questions if whole or rng.random() < 0.9] or questions
            log[task][model] = {
                q: [None if not whole and rng.random() < 0.05 else int(rng.random() < rate)
                    for _ in range(n if whole or rng.random() < 0.9 else rng.randint(1, n))] for q in chosen
            }  # fmt: skip
    return log


def written(log: Log, path: Path, rng: random.Random) -> Path:
    """The log as CSV or JSON lines, its rows in any order."""
    rows = [
        {"model": m, "task": t, "question": q, "trial": i, "outcome": x}
        for t, models in log.items() for m, questions in models.items() for q, xs in questions.items()
        for i, x in enumerate(xs)
    ]  # fmt: skip
    rng.shuffle(rows)
    if "" in log:
        for row in rows:
            del row["task"]
    if rng.random() < 0.5:
        path = path.with_suffix(".jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = [",".join(rows[0]), *(",".join("" if x is None else str(x) for x in r.values()) for r in rows)]
        path.write_text("\n".join(lines) + "\n")
    return path


def complete(models: dict[str, dict[str, list[int | None]]], policy: str) -> dict[str, dict[str, list[int]]] | None:
    """The outcomes of one task under a policy for missing ones; None where they are refused."""
    out: dict[str, dict[str, list[int]]] = {}
    every = list(dict.fromkeys(q for questions in models.values() for q in questions))
    for model, questions in models.items():
        longest = max(map(len, questions.values()))
        if policy == "raise" and any(None in xs or len(xs) < longest for xs in questions.values()):
            return None
        out[model] = {}
        for q in every if policy in "01" else questions:
            xs = [x for x in questions.get(q, []) if x is not None]
            if policy in "01":
                xs += [int(policy)] * (longest - len(xs))
            if xs:
                out[model][q] = xs
    return out


def pass_at_k(xs: list[int], k: int) -> Fraction:
    n, c = len(xs), sum(xs)
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def average(questions: dict[str, list[int]]) -> Fraction:
    return mean(Fraction(sum(xs), len(xs)) for xs in questions.values())


def printed(capsys: Any, *command: str) -> tuple[int, Any]:
    code = main([*command, "--json"])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else None


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_logs_have_the_numbers_of_an_independent_script(shard: int, tmp_path, capsys) -> None:
    """Check averages, Pass@k, missing outcomes and differences of random logs, or that the log is refused."""
    for i in range(PER_SHARD * scaled(30, 1)):
        rng = random.Random(f"{shard} {i}")
        log, policy = random_log(rng), rng.choice(["raise", "drop", "0", "1"])
        path = str(written(log, tmp_path / f"{i}.csv", rng))
        tasks = {t: complete(models, policy) for t, models in log.items()}
        code, board = printed(capsys, "leaderboard", path, "--missing", policy)
        place = f"{shard} {i}: {path}"
        if any(x is None or not all(x.values()) for x in tasks.values()):
            assert code == 2, place
            continue
        assert code == 0, place
        each = {(row["benchmark"], row["model"]): row for row in board["each"]}
        for t, models in tasks.items():
            assert models is not None
            for m, questions in models.items():
                row = each[t, m]
                assert row["average"] == float(average(questions)), place
                assert row["n_questions"] == len(questions), place
                assert [row["trials_min"], row["trials_max"]] == [f(map(len, questions.values())) for f in (min, max)]
                for name in (x for x in row if re.fullmatch(r"pass@\d+", x) and row[x] is not None):
                    k = int(name.removeprefix("pass@"))
                    assert row[name] == float(mean(pass_at_k(xs, k) for xs in questions.values())), place

        one, two = (m for m in ("a", "b/c"))
        lacking = any({*tasks[t][one]} != {*tasks[t][two]} for t in tasks)  # type: ignore[index]
        shared = {t: [q for q in tasks[t][one] if q in tasks[t][two]] for t in tasks}  # type: ignore[index]
        code, x = printed(capsys, "compare", path, one, two, "--missing", policy)
        if not all(len(qs) > 1 for qs in shared.values()):  # of such a benchmark nothing may be said
            assert code in (0, 2), place
            continue
        assert code == (2 if lacking else 0), place
        if lacking:
            code, x = printed(capsys, "compare", path, one, two, "--missing", policy, "--shared")
            alone = {
                m: sum(q not in tasks[t][o] for t in tasks for q in tasks[t][m])  # type: ignore[index]
                for m, o in ((one, two), (two, one))
            }
            assert (code, x["unshared_questions"]) == (0, {m: n for m, n in alone.items() if n}), place
        parts = [[average({q: tasks[t][m][q] for q in qs}) for m in (one, two)] for t, qs in shared.items()]  # type: ignore[index]
        assert x["verdicts"][0]["difference"] == float(mean(a - b for a, b in parts)), place
        assert x["shared_questions"] == sum(map(len, shared.values())), place
