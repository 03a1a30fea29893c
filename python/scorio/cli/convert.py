"""``scorio convert``: any log as a table of trials or of counts, or as documents of Every Eval Ever."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import saving
from ..display.text import number, printable
from ..errors import InvalidInput
from . import options, output, receipt

EVERY_EVAL_EVER = "every_eval_ever"
RECEIPT = "scorio.receipt.json"
LONGEST_STEM = 200  # bytes of the name of a file without its ending
EXAMPLES = """examples:
  scorio convert results.json > runs.csv
  scorio convert results.json --to counts --output counts.csv
  scorio convert runs/ --to every_eval_ever --organization us -o documents

"""
MEANING = """long    model, question, trial, outcome (empty where it is missing)
counts  model, question, c, n (c successes in n trials)
every_eval_ever  a JSON document in the schema of Every Eval Ever for each
        model, in the folder --output: averages with their standard errors and
        intervals, and a receipt from which scorio verify computes them again
long and counts have the column task too where the log has several, and
cluster where it names clusters of questions. Commands read long and counts as a
LOG; converge, judge and the plots tau_curve and convergence need long.

"""


def add(parser: options.Parser) -> None:
    """Add the options of the command to its parser."""
    options.set_up(parser, EXAMPLES + MEANING + options.SEE_FILES, run)
    options.add_log(parser)
    parser.set_defaults(missing=None)  # the default depends on --to
    parser.add_argument(
        "--to",
        choices=("long", "counts", EVERY_EVAL_EVER),
        help="form of the CSV (default long, or counts where single trials are unknown), or JSON documents",
    )
    parser.add_argument("--output", "-o", metavar="CSV",
        help="file to write (default: stdout); for every_eval_ever a folder")  # fmt: skip
    options.add_keep_formulas(parser)
    options.add_json(parser)
    parser.add_argument("--organization", metavar="NAME", help="who provides the results (every_eval_ever)")


def run(args: Namespace) -> output.CommandOutput:
    """Read the log and write it as a table or as documents."""
    options.check_output(args)
    # with "drop", missing outcomes are empty cells in a table of trials, and documents state their number; a table of
    # counts would hide them
    is_default = args.missing is None
    if is_default:
        args.missing = "raise" if args.to == "counts" else "drop"
    if args.to == EVERY_EVAL_EVER:
        return _every_eval_ever(args)
    result = options.evaluation(args, trials=True).convert(args.to)
    if is_default and "n" in result.columns and result.about.gaps.absent:
        missing = number(result.about.gaps.absent, "missing outcome")
        raise InvalidInput("missing", "missing", f"a table of counts would hide {missing}", "drop")
    return output.table(result, args)


def _file_names(models: Iterable[str]) -> Iterator[str]:
    """Yield a name for the file of each model: short, visible, unlike the others and the receipt, in lower case too."""
    used = {RECEIPT.lower()}  # some file systems do not distinguish a.json and A.json
    for model in models:
        stem = re.sub(r"[^\w.-]+", "__", model).encode()[:LONGEST_STEM].decode(errors="ignore")
        stem = re.sub(r"^(?=[.-])", "_", stem)
        while f"{stem}.json".lower() in used:
            stem += "_"
        used.add(f"{stem}.json".lower())
        yield f"{stem}.json"


def _every_eval_ever(args: Namespace) -> output.CommandOutput:
    for name in ("organization", "output"):
        if not getattr(args, name):
            raise InvalidInput("missing", name, f"--to {EVERY_EVAL_EVER} needs --{name}")
    e, folder, notes = options.evaluation(args), Path(args.output), list[str]()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".scorio-", dir=folder) as temporary:  # all files are written, or none
        new = Path(temporary)
        try:
            digest: str | None = receipt.write(e.receipt(command=receipt.command(args)), new / RECEIPT)
        except InvalidInput as error:
            digest, notes = None, [f"no receipt is written: {error.on_command_line}"]
        documents = e.every_eval_ever(organization=args.organization, receipt=digest)
        for name, document in zip(_file_names(documents), documents.values(), strict=True):
            saving.write(new / name, json.dumps(document, indent=1) + "\n")
        for file in sorted(new.iterdir()):
            file.replace(folder / file.name)
        if digest is None:
            (folder / RECEIPT).unlink(missing_ok=True)  # that of an earlier run does not fit these documents
    return output.CommandOutput("", [f"{number(len(documents), 'model')} written to {printable(args.output)}", *notes])
