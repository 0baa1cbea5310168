"""The garbage collector, which has little to find here and much to go through."""

from __future__ import annotations

import atexit
import gc

# modules, rules and axes are many objects that live on: by default the collector goes through them 1,500 times a run
THRESHOLDS = 50_000, 20, 50


def collect_seldom() -> None:
    """Let the collector of this process run seldom, and not once more at its end."""
    gc.set_threshold(*THRESHOLDS)
    atexit.register(gc.freeze)
