"""Logs at URLs that fsspec opens (s3://, gs://, hf://, https://), copied to a temporary folder."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from ..errors import InvalidInput

NEEDS = "a URL needs fsspec, and what it needs for this kind (s3fs, gcsfs, huggingface_hub): pip install fsspec"
T = TypeVar("T")


def is_url(path: Any) -> bool:
    """Whether a path is text such as s3://bucket/runs."""
    start, sign, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return bool(sign) and start.replace("+", "").replace("::", "").isalnum() and len(start) > 1


def fetched(urls: list[str], read: Callable[[list[Path]], T]) -> T:
    """Read copies of these URLs; error messages name the URLs."""
    with TemporaryDirectory(prefix="scorio-") as folder:
        names: dict[str, str] = {}
        paths = []
        for i, url in enumerate(urls):
            here = Path(folder, str(i))
            here.mkdir()
            for path in _copied(url, here):
                names[str(path)] = url if path.name == url.rstrip("/").rpartition("/")[2] else f"{url} ({path.name})"
                paths.append(path)
        try:
            return read(paths)
        except InvalidInput as e:
            raise InvalidInput(e.code, e.argument, renamed(e.reason, names), e.hint) from None


def renamed(text: str, names: dict[str, str]) -> str:
    """A message that names the sources in place of their copies."""
    for path, url in names.items():
        text = text.replace(path, url)
    return text


def _copied(url: str, folder: Path) -> list[Path]:
    """Copies of the files and folders of a URL, under their own names."""
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{url}: {NEEDS}") from None
    try:
        system, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as e:
        raise ImportError(f"{url}: {e}") from None
    roots = sorted(system.glob(root)) if any(c in root for c in "*?[") else [root]
    if not roots or not all(system.exists(x) for x in roots):
        raise FileNotFoundError(2, "No such file or directory", url)
    copies = []
    above = posixpath.commonpath([posixpath.dirname(x.rstrip("/")) for x in roots])
    for x in roots:
        there = x.rstrip("/")
        target = folder / there[len(above) :].lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if system.isdir(x):
            for file in system.find(x):
                to = target / file[len(there) :].lstrip("/")
                to.parent.mkdir(parents=True, exist_ok=True)
                system.get_file(file, str(to))
        else:
            system.get_file(x, str(target))
        copies.append(target)
    return copies
