"""Fingerprints: which ids and which recorded values something was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

import numpy as np

from .table import Floats, Ints, Trajectories


def fingerprint(ids: Iterable[str]) -> str:
    """Sha256 (hex) of the distinct ids, sorted, as a JSON array in UTF-8 without blanks."""
    return hashlib.sha256(_json(sorted(set(ids)))).hexdigest()


def fingerprint_rows(t: Trajectories) -> str:
    """Sha256 (hex) of all that was recorded in the rows of a table.

    Hashed are the ids, the lengths, and for each column its name and its values at the recorded rounds. Every
    missing value is the same, 0 and -0 are, and of the answers it counts which are equal: neither the order
    of the rows in the file, nor its format, nor padding, nor the codes that answers were given play a part.
    """
    digest = hashlib.sha256()
    for name, payload in _columns(t):
        digest.update(_json([name, len(payload)]))
        digest.update(payload)
    return digest.hexdigest()


def _columns(t: Trajectories) -> Iterator[tuple[list[str], bytes]]:
    for role in ("cell", "question", "group"):
        yield [role], _json(getattr(t, role).tolist())
    yield ["length"], t.length.astype("<i8").tobytes()
    if t.answer is not None:
        yield ["answer"], _by_appearance(t.answer[t.recorded].astype(np.int64)).astype("<i8").tobytes()
    for name in sorted(t.signals):
        kind = "flag" if name in t.booleans else "signal"
        yield [kind, name], _bytes(t.signals[name][t.recorded])
    for name in sorted(t.outcomes):
        yield ["outcome", name], _bytes(t.outcomes[name][t.recorded])
    yield ["cost"], _bytes(t.cost[t.recorded])
    for name in sorted(t.labels):
        yield ["label", name], _json(t.labels[name].tolist())
    for name in sorted(t.measures):
        yield ["measure", name], _bytes(t.measures[name][t.recorded])


def _by_appearance(codes: Ints) -> Ints:
    """The same partition with codes 0, 1, ... in the order of first appearance; -1 stays."""
    values, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    known = values >= 0
    rank = np.full(len(values), -1)
    rank[known] = np.argsort(np.argsort(first[known]))
    return rank[inverse].astype(np.int64)


def _bytes(values: Floats) -> bytes:
    return np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8").tobytes()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
