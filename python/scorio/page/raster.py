"""Heat maps as small pictures: a pixel for each number, which the page stretches."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

# cividis at 0, 0.1, ..., 1: dark for low, light for high, also for the colour-blind and in black and white
CIVIDIS = (
    (0, 34, 78), (8, 51, 112), (53, 69, 108), (79, 87, 108), (102, 105, 112), (125, 124, 120), (148, 142, 119),
    (174, 163, 113), (200, 184, 102), (229, 207, 82), (254, 232, 56),
)  # fmt: skip
GREY = (187, 187, 187)  # colour of missing values


def shade(share: float) -> tuple[str, str]:
    """Colour of a share 0..1, and that of text on it: black or white, whichever has more contrast.

    Examples
    --------
    >>> from scorio.page import raster
    >>> raster.shade(0.0), raster.shade(1.0)
    (('#00224e', '#fff'), ('#fee838', '#000'))
    """
    colour = colours(np.array([share]))[0]
    # sRGB to linear light, then the luminance, as WCAG defines them; at 0.179 black and white text have equal contrast
    linear = np.where(colour <= 10, colour / 255 / 12.92, ((colour / 255 + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ np.array([0.2126, 0.7152, 0.0722]))
    return "#" + bytes(colour.tolist()).hex(), "#000" if luminance > 0.179 else "#fff"


def colours(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Colours of shares 0..1, grey for NaN, as three bytes on a further axis."""
    stops = np.linspace(0.0, 1.0, len(CIVIDIS))
    clipped = np.clip(np.nan_to_num(shares), 0.0, 1.0)
    channels = [np.interp(clipped, stops, [c[i] for c in CIVIDIS]) for i in range(3)]
    pixels = np.where(np.isnan(shares)[..., None], GREY, np.stack(channels, axis=-1))
    return np.rint(pixels).astype(np.uint8)


def png(shares: npt.NDArray[np.float64]) -> bytes:
    """PNG image of rows of shares 0..1, a pixel for each.

    Examples
    --------
    >>> import numpy as np
    >>> from scorio.page import raster
    >>> raster.png(np.array([[0.0, 0.5, 1.0]]))[1:4]
    b'PNG'
    """
    high, wide = shares.shape
    filters = np.zeros((high, 1), np.uint8)  # the first byte of each line: 0, no filter
    lines = np.concatenate([filters, colours(shares).reshape(high, 3 * wide)], axis=1)
    header = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)  # 8 bits for each of red, green and blue
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
