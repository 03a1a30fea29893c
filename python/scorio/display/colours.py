"""Colours, each defined once for the report and the plots, distinct for the colour-blind and in print."""

from __future__ import annotations

BLUE, VERMILION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"  # of the palette of Okabe and Ito
BETTER, WORSE = BLUE, VERMILION


def mixed(colour: str, ground: str, share: float) -> str:
    """Mix of a share of a colour with a ground, both as #rrggbb.

    Examples
    --------
    >>> from scorio.display import colours
    >>> colours.mixed("#000000", "#ffffff", 0.2)
    '#cccccc'
    """
    parts = zip(bytes.fromhex(colour[1:]), bytes.fromhex(ground[1:]), strict=True)
    return "#" + bytes(round(share * a + (1.0 - share) * b) for a, b in parts).hex()
