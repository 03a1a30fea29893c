"""Write the page as one self-contained file: the modules of web/src in order, each in a function of its own.

python3 web/build.py            writes web/scorio.html
python3 web/build.py FILE       writes another file

It needs nothing but Python. A module may import names from modules beside it, and export constants, functions and
classes, each where it is declared: anything else is refused.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "src"
EXAMPLES = {  # of spec/examples, with what they are
    "coins.csv": "four models, 40 questions",
    "tau_bench_gpt4o_airline.csv": "one agent, tau-bench",
    "langchain_tool_use.csv": "nine models, one trial each",
}
IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+\.js)";$', re.M)
REEXPORT = re.compile(r'^export \{([^}]*)\} from "(\.[^"]+\.js)";$', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function\*?|class) (\w+))", re.M)


def script(entry: str) -> str:
    """A module and all that it imports, as one script; each module is a function that returns what it exports."""
    names: dict[Path, str] = {}
    parts: list[str] = []
    _add((SOURCE / entry).resolve(), names, parts, [])
    return '"use strict";\n' + "\n".join(parts)


def _add(file: Path, names: dict[Path, str], parts: list[str], above: list[Path]) -> None:
    """Add a module after those that it imports."""
    if file in above:
        raise SystemExit(f"{file.name} imports itself through {', '.join(x.name for x in above)}")
    text, exported = file.read_text(), dict[str, str]()
    for match in [*IMPORT.finditer(text), *REEXPORT.finditer(text)]:
        other = (file.parent / match[2]).resolve()
        if other not in names:
            _add(other, names, parts, [*above, file])

    def imported(match: re.Match[str]) -> str:
        pairs = re.sub(r"(\w+) as (\w+)", r"\1: \2", " ".join(match[1].split()))
        return f"const {{ {pairs} }} = {names[(file.parent / match[2]).resolve()]};"

    def passed_on(match: re.Match[str]) -> str:
        for pair in filter(None, (x.strip() for x in match[1].split(","))):
            name, _, alias = pair.partition(" as ")
            exported[alias or name] = f"{names[(file.parent / match[2]).resolve()]}.{name}"
        return ""

    text = IMPORT.sub(imported, REEXPORT.sub(passed_on, text))
    exported |= {name: name for name in EXPORT.findall(text)}
    text = EXPORT.sub("", text)
    if wrong := re.search(r"^(?:import|export)\b.*", text, re.M):
        raise SystemExit(f"{file.name}: not a form that this script reads: {wrong[0]}")
    if "</script" in text or "<!--" in text:
        raise SystemExit(f"{file.name}: a script of a page cannot contain </script or <!--")
    names[file] = f"module{len(names)}"
    returned = ", ".join(name if name == x else f"{name}: {x}" for name, x in exported.items())
    relative = file.relative_to(SOURCE).as_posix()
    parts.append(f"// {relative}\nconst {names[file]} = (() => {{\n{text.strip()}\nreturn {{ {returned} }};\n}})();\n")


def page() -> str:
    """The text of the page."""
    folder = SOURCE.parents[1] / "spec" / "examples"
    tables = {name: {"label": label, "text": (folder / name).read_text()} for name, label in EXAMPLES.items()}
    examples = json.dumps(tables).replace("</", "<\\/")
    parts = {
        "STYLE": (SOURCE / "style.css").read_text(),
        "EXAMPLES": examples,
        "WORKER": script("worker.js"),
        "APP": script("app.js"),
    }
    text = (SOURCE / "page.html").read_text()
    return re.sub(r"/\*(STYLE|EXAMPLES|WORKER|APP)\*/", lambda x: parts[x[1]], text)


def main(file: Path) -> int:
    """Write the page to a file, and say how large it is."""
    text = page()
    file.write_text(text)
    print(f"{file}: {len(text.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE.parent / "scorio.html"))
