"""Layout of the scores of models under rubric schemata."""

from __future__ import annotations

from ..analysis.rubric import RubricScores
from ..display.text import number, span
from .document import Block, Column, Document, Lines, Paragraph, Table, title
from .numbers import aligned


def document(x: RubricScores) -> Document:
    """Document with a table of ranks and one of mu and sigma; columns are schemata, numbered by a list below."""
    by_cell = {(r.model, r.schema): r for r in x.table}
    schemata = list(dict.fromkeys(r.schema for r in x.table))
    models = sorted(x.about.models, key=lambda m: (sum(by_cell[m, s].rank for s in schemata), m))
    lead = [Column("model", models, "left", names=True)]
    ranks = [[Column(f"{j}", [str(by_cell[m, s].rank) for m in models])] for j, s in enumerate(schemata, 1)]
    means = []
    for j, s in enumerate(schemata, 1):
        mu, sigma = (aligned(f"{getattr(by_cell[m, s], name):.3f}" for m in models) for name in ("mu", "sigma"))
        means.append([Column(f"{j}:\nmu sigma", [f"{a} {b}" for a, b in zip(mu, sigma, strict=True)])])
    legend = Lines([f"{j:>2} {name}" for j, name in enumerate(schemata, 1)])
    blocks: list[Block] = [
        Paragraph("ranks by schema:"),
        Table(lead, ranks, "Ranks"),
        Table(lead, means, "Bayes@N"),
        legend,
    ]
    trials = f"{span(x.trials_min, x.trials_max)} {'trial' if x.trials_max == 1 else 'trials'} per question"
    head = title(x.about, number(len(models), "model"), number(x.n_questions, "question"), trials)
    return Document(head, blocks, (), _left_out(x))


def _left_out(x: RubricScores) -> list[str]:
    out = [f"Left out: {schema}, because signal {signal} is missing." for schema, signal in x.left_out.items()]
    if x.unknown:
        done = "left out" if isinstance(x.about.missing, str) else f"counted as category {x.about.missing}"
        most = number(x.unknown, "attempt")
        unknown = f"Because signals are missing, the category of up to {most} per schema is unknown"
        out.append(f"{unknown}: these are {done}.")
    return out
