"""The same vectors through juliacall, in one process, where it can be set up; where not, the summary says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import spec

PROGRAM = """
import json, sys
sys.path[:0] = [sys.argv[1]]
import spec, julia
import numpy as np
import scorio.julia as bridge
try:
    version = str(bridge.module(sys.argv[2]) and __import__("juliacall").Main.VERSION)
except ImportError as e:
    print(json.dumps({"why": str(e)})); raise SystemExit
done, differing = 0, []
for name in sorted(spec.FUNCTIONS):
    positional = [p["name"] for p in spec.FUNCTIONS[name]["params"]]
    for case in spec.vectors(name)["cases"] if spec.FUNCTIONS[name]["room"] == "eval" and name != "mean_ci" else []:
        args = case["args"]
        if set(args) <= {"R", "k", "tau", "w"} and "counts" not in args["R"] and "missing" not in str(args):
            R = np.asarray(spec.outcomes(args["R"]))
            rest = [args[p] for p in ("k", "tau", "w") if p in args and p in positional]
            rest = [np.array(x) if isinstance(x, list) else x for x in rest]
            got, want = bridge.call(name, R, *rest), spec.call(name, args)
            want = want if isinstance(want, float) else tuple(want)
            done += 1
            if julia.bits(list(np.atleast_1d(got))) != julia.bits(list(np.atleast_1d(want))):
                differing.append(case["id"])
print(json.dumps({"version": version, "done": done, "differing": differing}))
"""


def test_same_bits_through_juliacall(record_property: Any) -> None:
    """NumPy arrays in place, results as Python numbers."""
    env = os.environ | {"PYTHON_JULIACALL_HANDLE_SIGNALS": "yes"}
    command = [sys.executable, "-c", PROGRAM, str(spec.ROOT / "tests"), str(spec.ROOT / "julia")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, env=env)
    assert run.returncode == 0, run.stderr[-2000:]
    result = json.loads(run.stdout.splitlines()[-1])
    if "why" in result:
        record_property("bridge juliacall", f"did not run: {' '.join(result['why'].split())[:200]}")
        return
    assert result["done"] > 300
    assert not result["differing"]
    record_property("bridge juliacall", f"Julia {result['version']}, {result['done']} cases of spec/: no bit differs")
