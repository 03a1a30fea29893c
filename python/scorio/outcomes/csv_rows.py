"""Rows of CSV, whose cells may be longer than the 131,072 characters that the module csv reads by default."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec

LONGEST_CELL = 1 << 28  # characters; a cell is in memory as a whole

# The limit of the module csv is that of the whole process. This second instance of its compiled part has a limit of its
# own, so that neither other code nor another thread sees it change.
_spec = find_spec("_csv")
assert _spec is not None
assert _spec.loader is not None
_csv = module_from_spec(_spec)
_spec.loader.exec_module(_csv)
_csv.field_size_limit(LONGEST_CELL)

reader, Error = _csv.reader, _csv.Error
