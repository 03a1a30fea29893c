"""Logs of kinds that strangers have: the page reads each as its own command does, or says how it is read."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from typing import Any

import devtools
import pytest
from web_pages import READY, check_command, check_leaderboard, marks, read, texts

import scorio
from scorio.cli.reading import columns_of_option

pytestmark = marks
