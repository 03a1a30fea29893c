"""JSON Schemas of what commands print with --json, made from the types of results: docs/*.schema.json.

python tests/json_schemas.py            lists the files that differ from the types
python tests/json_schemas.py --write    writes them anew
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scorio.commands.schema import results, schema

DOCS = Path(__file__).resolve().parents[1] / "docs"


def texts() -> dict[Path, str]:
    """Text of each schema file, by path."""
    return {DOCS / f"{name}.schema.json": json.dumps(schema(x), indent=1) + "\n" for name, x in results().items()}


def main() -> int:
    """Compare the schema files with the types, or write them."""
    different = [path for path, text in texts().items() if not path.exists() or path.read_text() != text]
    for path in different:
        if "--write" in sys.argv:
            path.write_text(texts()[path])
        else:
            print(f"{path.name} differs from the type: python {sys.argv[0]} --write")
    return int(bool(different) and "--write" not in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
