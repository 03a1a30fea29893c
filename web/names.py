"""The names and words of scorio's readers, written for the page, so that both take the same columns and outcomes.

python web/names.py            says whether web/src/reading/names.js differs from the Python source
python web/names.py --write    writes it anew
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scorio.readers import check, columns, counting, sums, table, values, wide

FILE = Path(__file__).resolve().parent / "src" / "reading" / "names.js"


def names() -> dict[str, Any]:
    """The lists and patterns, by the names that JavaScript has for them."""
    return {
        "COLUMNS": table.COLUMNS,
        "USUAL": {name: x.split() for name, x in table.USUAL.items()},
        "COUNTS": {name: x.split() for name, x in table.COUNTS.items()},
        "USUAL_NAMES": sorted(table.USUAL_NAMES),
        "NAMES_AND_WORDS": table.NAMES_AND_WORDS.split(),
        "NEEDED": table.NEEDED,
        "RUN": table.RUN.pattern,
        "NUMBERS": table.NUMBERS.pattern,
        "MOST_RUNS": counting.MOST_RUNS,
        "MOST_REPEATED": counting.MOST_REPEATED,
        "TOLD_APART": {kind: x.format("NAME") for kind, x in table.TOLD_APART.items()},
        "AXES": sorted(wide.AXES),
        "OF_MODELS": sorted(wide.OF_MODELS),
        "COLUMN_OF_RUN": wide.RUN.pattern,
        "COLUMN_NUMBERED": wide.NUMBERED.pattern,
        "COLUMN_OF_TRIAL": wide.TRIAL.pattern,
        "COLUMN_OF_CONDITION": wide.CONDITION.pattern,
        "COLUMN_OF_QUESTION": wide.OF_QUESTION.pattern,
        "CONDITIONS": table.CONDITIONS.split(),
        "UNITS": values.UNITS,
        "MISSING": [x for x, value in values.WORDS.items() if value is None],
        "TRUTH": {x: value for x, value in values.WORDS.items() if value is not None},
        "FRACTION": values.FRACTION.pattern,
        "FAMILIES": [[x.split(",") for x in family] for family in values.FAMILIES],
        "NOT_RUN": values.NOT_RUN.split(","),
        "NUMBER": values.NUMBER.pattern,
        "GROUPED": values.GROUPED.pattern,
        "SUMMARY": sorted(sums.SUMMARIES),
        "BESIDE_SUMMARY": sorted(sums.BESIDE_SUMMARIES),
        "MAYBE_SUMMARY": sorted(sums.MAYBE_SUMMARIES),
        "MOST_PARTS": sums.MOST_PARTS,
        "MOST_LEVELS": columns.MOST_LEVELS,
        "MOST_ROWS": check.MOST_ROWS,
        "MOST_INNER": check.MOST_INNER,
        "LONGEST_TEXT": check.LONGEST_TEXT,
        "LONGEST_ID": check.LONGEST_ID,
        "LARGEST_RATIO": check.LARGEST_RATIO,
        "COINCIDENCES": check.COINCIDENCES,
        "SHARE_ALIKE": check.SHARE_ALIKE,
        "SHARE_EQUAL": check.SHARE_EQUAL,
        "TRIAL": check.TRIAL.pattern,
        "HASH": check.HASH.pattern,
        "NUMBERED": check.NUMBERED.pattern,
        "DATED": check.DATED.pattern,
        "RUN_NAMES": sorted(sums.RUN_NAMES),
        "ANSWERS": sorted(check.ANSWERS),
        "OUTCOME": check.OUTCOME,
        "VERDICT": check.VERDICT,
    }


def text() -> str:
    """The module with these names."""
    lines = [f"export const {name} = {json.dumps(x, ensure_ascii=False)};" for name, x in names().items()]
    return "// Written by web/names.py from python/scorio/readers: not edited by hand.\n" + "\n".join(lines) + "\n"


def main() -> int:
    """Compare the file with the Python source, or write it."""
    if FILE.exists() and FILE.read_text() == text():
        return 0
    if "--write" in sys.argv:
        FILE.write_text(text())
        return 0
    print(f"{FILE.name} differs from the readers: python web/names.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
