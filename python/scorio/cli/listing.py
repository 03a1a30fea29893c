"""``--dry-run``: what would be read of a log, and as what."""

from __future__ import annotations

from argparse import Namespace

from ..analysis.files import Files, files
from . import options


def run(args: Namespace) -> Files:
    """List the files."""
    return files(args.files if len(args.files) > 1 else args.files[0], **options.how(args))
