"""Reports for tests: random outcomes, evaluations made from outcomes, and checks of the form of a page."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser

import numpy as np

import scorio
from scorio import simulate
from scorio.commands.report import report
from scorio.evaluation import Evaluation
from scorio.io import Log
from scorio.readers.evaluation import Benchmark, Provenance

VOID = {"meta", "img", "br", "hr", "link", "input", "wbr"}  # elements without an end tag
QUICK = {"date": "2026-01-02", "replicates": 20}


class Page(HTMLParser):
    """Parser that checks the form of an HTML page and collects its text, tables and pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.second_lines: list[list[str]] = []  # the second line of each cell of these rows
        self.headings: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes[x] for x in ("src", "href", "action", "data", "srcset") if x in attributes]
        if tag == "img":
            self.images.append(attributes)
        if tag == "tr":
            self.rows.append([])
            self.second_lines.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.second_lines[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            return
        self.words.append(data)
        if self.open and (
            self.open[-1] in ("td", "th") or self.open[-2:] == ["td", "a"] or self.open[-2:] == ["th", "a"]
        ):
            self.rows[-1][-1] += data
        if self.open[-2:] in (["td", "span"], ["th", "span"]):
            self.second_lines[-1][-1] += data
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            self.headings.append(self.open[-1])

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def joined(self, row: list[str]) -> list[str]:
        """Cells of a row, each joined with its second line."""
        second_lines = next(y for x, y in zip(self.rows, self.second_lines, strict=True) if x is row)
        return [f"{x} {y}".strip() for x, y in zip(row, second_lines, strict=True)]


def page(e, **options) -> Page:
    """Parsed HTML page of a report, after checks that it is well formed and loads nothing from elsewhere."""
    parsed = Page(report(e, **{**QUICK, **options}).to_html())
    assert len(parsed.source) < 2_000_000
    assert len(set(parsed.ids)) == len(parsed.ids)
    internal_links = [x[1:] for x in parsed.links if x.startswith("#")]
    assert set(internal_links) <= set(parsed.ids)  # targets of links within the page exist
    assert options.get("link") or all(x.startswith(("data:image/", "#")) for x in parsed.links)
    assert not {"link", "iframe", "object"} & parsed.tags
    assert parsed.source.count("<script") == 1  # the script that sorts tables
    assert "@import" not in parsed.source
    assert "url(" not in parsed.source
    assert parsed.source.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert parsed.headings[0] == "h1"
    assert parsed.headings.count("h1") == 1
    for image in parsed.images:
        assert len(image["alt"]) > 20
        kind, data = image["src"].split(";base64,")
        content = b64decode(data)
        assert (kind == "data:image/png") == content.startswith(b"\x89PNG")
        assert not re.findall(rb'(?:href|src)="(?!#|data:)', content)
    return parsed


def benchmark_of(R, missing: str | int = "raise", w=None, name: str = "") -> Benchmark:
    """Benchmark from outcomes, with trials in their order."""

    def log(x):
        counts = scorio.tally(x, len(w or [0, 1]) - 1, missing=missing)
        outcomes = np.array([[-1 if y is None else y for y in row] for row in x])
        return Log([f"q{i}" for i in range(counts.M)], counts, outcomes, None, (outcomes < 0).sum(axis=1))

    return Benchmark(name, {m: log(x) for m, x in R.items()}, w=None if w is None else tuple(w))


def evaluation_of(R, missing: str | int = "raise", w=None) -> Evaluation:
    """Evaluation from the outcomes of one benchmark."""
    return Evaluation({"": benchmark_of(R, missing, w)}, Provenance(("runs.csv",), missing=missing))


def with_log(e: Evaluation, **logs) -> Evaluation:
    """Copy of the evaluation with other logs of some models."""
    part = e.benchmark()
    return Evaluation({"": Benchmark("", {**part.logs, **logs}, w=part.w)}, e.provenance)


def coins(L, M=12, N=6):
    """Outcomes of L models of falling skill on M questions, N trials each."""
    rates = np.clip(np.linspace(0.1, 0.9, M)[None] + np.linspace(0.2, -0.2, L)[:, None], 0, 1)
    return {f"model-{chr(97 + i)}": x.tolist() for i, x in enumerate(simulate.coins(rates, N, seed=1))}
