"""Documents of JSON, XML and YAML as one kind of tree: objects, lists and plain values."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from xml.parsers import expat

from ..errors import InvalidInput, shown
from .text_files import SourceLocation, document, refuse_utf16

TEXT = "text"  # the key of the text of an element
XML, YAML = "xml", "yaml"


def tree(location: SourceLocation, kind: str) -> Any:
    """The document of a file: an object, a list or a plain value."""
    raw = location.read()
    return {XML: _xml, YAML: _yaml, "text": _text}.get(kind, document)(raw, location)


def _text(raw: bytes, location: SourceLocation) -> str:
    return raw.decode("utf-8", "replace").strip()


def _xml(raw: bytes, location: SourceLocation) -> Any:
    """The root of an XML document: an element is an object of its attributes, its text, and lists of its children.

    Declarations of a document type, which may define entities that expand to any size, are refused.
    """
    root: dict[str, Any] = {}
    stack, texts = [root], [""]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, Any]) -> None:
        element = dict(attributes)
        parent = stack[-1]
        if not isinstance(parent.setdefault(tag, []), list):
            raise InvalidInput("duplicate", "path", f"{shown(tag)} is both an attribute and an element")
        parent[tag].append(element)
        stack.append(element)
        texts.append("")

    def end(tag: str) -> None:
        element, text = stack.pop(), texts.pop().strip()
        if text and element.setdefault(TEXT, text) != text:
            raise InvalidInput("duplicate", "path", f"{shown(tag)} has a text and an attribute called {TEXT}")

    def characters(text: str) -> None:
        texts[-1] += text

    def refuse(*_: Any) -> None:
        raise InvalidInput("format", "path", "XML with a DOCTYPE or an ENTITY is not read: remove the declaration")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as e:
        location.line = e.lineno
        raise InvalidInput("format", "path", f"not XML: {expat.ErrorString(e.code)}") from None
    except InvalidInput:
        location.line = parser.CurrentLineNumber
        raise
    ((element,),) = root.values()
    return element


def _yaml(raw: bytes, location: SourceLocation) -> Any:
    """The value of a YAML document, which PyYAML reads; a key that is there twice is refused."""
    try:
        import yaml  # type: ignore[import-untyped]  # optional
    except ImportError:
        raise InvalidInput("format", "path", "YAML is read by PyYAML: pip install pyyaml") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [x.value for x, _ in node.value if isinstance(x, yaml.ScalarNode)]
            if len(set(names)) < len(names):
                location.line = node.start_mark.line + 1
                raise InvalidInput("duplicate", "path", f"an object has a key twice, among {shown(names)}")
            return super().construct_mapping(node, deep)

    refuse_utf16(raw[:2], location)
    try:
        return yaml.load(raw.decode("utf-8-sig"), Loader)
    except UnicodeDecodeError as e:
        raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        location.line = 0 if mark is None else mark.line + 1
        raise InvalidInput("format", "path", f"not YAML: {getattr(e, 'problem', e)}") from None


def root_of(raw: bytes) -> tuple[str, dict[str, str]]:
    """The tag and the attributes of the first element of an XML document, without parsing the rest; "" for none."""
    roots = list[tuple[str, dict[str, str]]]()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: Any) -> None:
        roots.append((tag, attributes))
        parser.StartElementHandler = None

    parser.StartElementHandler = start
    with suppress(expat.ExpatError):
        parser.Parse(raw[:4096], False)
    return roots[0] if roots else ("", {})
