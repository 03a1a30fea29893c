"""Write and read the JSON files of spec/, in the formats that spec/README.md describes."""
import json
import re
from pathlib import Path

SPEC = Path(__file__).resolve().parent.parent
METRICS = json.loads((SPEC / "functions.json").read_text())["metrics"]
MAX_INTEGER = 2**53  # larger integers are written as text, since not all of them are doubles
INTEGER = re.compile(r"-?[1-9][0-9]{15,}")
MAX_LINE = 2000  # characters


class Repeated(str):
    """Text made of repeated parts; to_json writes it as {"repeat": parts}."""

    def __new__(cls, *parts):
        self = super().__new__(cls, "".join(text * times for text, times in parts))
        self.parts = [list(p) for p in parts]
        return self


def to_json(x):
    """A value as JSON: integers beyond 2^53 as text, repeated texts as their parts."""
    if isinstance(x, dict):
        return {k: to_json(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [to_json(y) for y in x]
    if isinstance(x, Repeated):
        return {"repeat": x.parts}
    return str(x) if type(x) is int and abs(x) > MAX_INTEGER else x


def from_json(x):
    """The value that a JSON value encodes."""
    if isinstance(x, dict):
        return "".join(text * times for text, times in x["repeat"]) if set(x) == {"repeat"} else {k: from_json(v) for k, v in x.items()}
    if isinstance(x, list):
        return [from_json(y) for y in x]
    return int(x) if isinstance(x, str) and INTEGER.fullmatch(x) else x


def case_text(case):
    """A case as JSON on one line; one longer than MAX_LINE characters is broken after commas outside texts."""
    line = json.dumps(to_json(case), ensure_ascii=False, allow_nan=False)
    if len(line) <= MAX_LINE:
        return line
    pieces = re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^",])+,? ?', line)
    lines = [""]
    for piece in pieces:
        if len(lines[-1]) + len(piece) > MAX_LINE // 2:
            lines[-1] = lines[-1].rstrip(" ")
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def one_case_per_line(head, cases):
    """The object `head` with the cases as JSON text, one case per line (case_text breaks long ones)."""
    text = json.dumps(head, ensure_ascii=False, indent=1)
    lines = ",\n".join(map(case_text, cases))
    return f'{text[:-2]},\n "cases": [\n{lines}\n]}}\n'


def vectors(name):
    """The content of the vector file of a function, with decoded values."""
    return from_json(json.loads((SPEC / "vectors" / f"{name}.json").read_text()))


def refused_calls():
    """Yield (function, case) for every refused call, with decoded arguments."""
    for path in sorted((SPEC / "invalid").glob("*.json")):
        file = json.loads(path.read_text())
        for case in file["cases"]:
            yield file["function"], {**case, "args": from_json(case["args"])}
