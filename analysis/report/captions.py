"""What each picture shows, in a sentence: its caption, and its text for who cannot see it."""

from __future__ import annotations

CAPTIONS = {
    "frontier": "Every candidate on the selection split, the front, baselines, the oracle and the locked rule.",
    "cells": "The frontier of each cell, and where the locked rule stands in it.",
    "band": "The frontier with its simultaneous band.",
    "threshold": "Quality and cost for every cut of a rule with one cut, with the plateaus where they stay.",
    "plane": "Quality or cost over the plane of two cuts, with the line of the budget.",
    "signals": "How well each signal separates right from wrong.",
    "reliability": "Reliability of the signals: how often the answer is right where the signal says so.",
    "question": "One question: its rounds, its signals, and the moment the rule fires.",
    "final": "The locked rule with its intervals on the final split, beside baselines and the oracle.",
    "stops": "Stop rounds of the locked rule on the final split.",
    "selection-final": "The front's rules on the selection and on the final split: the best regress to the mean.",
    "simplicity": "One-line rules beside the frontier of a learned stopper, with the oracle above both.",
    "transfer": "The rule chosen in each cell, used in every other.",
}


def caption(name: str) -> str:
    """The caption of a picture by its name, of which numbers and the like may follow."""
    kinds = [kind for kind in CAPTIONS if name == kind or name.startswith(f"{kind}-")]
    return CAPTIONS[max(kinds, key=len)] if kinds else f"Picture {name}."
