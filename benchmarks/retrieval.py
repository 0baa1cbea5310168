"""How long the two searches take to index passages and to answer, on synthetic text of Zipf's law.

    python benchmarks/retrieval.py [PASSAGES] [WORDS]

By default 100,000 passages of 60 words, and 100 queries of six words under each policy.
"""

import sys
from time import perf_counter

import numpy as np
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.dense import Dense
from stoprule.retrieval.lexical import Lexical
from stoprule.retrieval.request import Request
from stoprule.retrieval.units import Collection, Snapshot, Unit

VOCABULARY = 50_000
QUERIES = 100


def passages(number: int, words: int, seed: int = 0) -> Collection:
    """Passages of ``words`` words, the k-th most frequent word drawn with weight 1 / (k + 10)."""
    rng = np.random.default_rng(seed)
    weights = 1 / (np.arange(VOCABULARY) + 10)
    drawn = rng.choice(VOCABULARY, size=(number, words), p=weights / weights.sum())
    return Collection(Unit(str(place), " ".join(f"w{word}" for word in row)) for place, row in enumerate(drawn))


def main(number: str = "100000", words: str = "60") -> None:
    collection = passages(int(number), int(words))
    view = Snapshot.of(collection)
    tools, seconds = {}, {}
    for name, build in (("lexical", Lexical.build), ("dense", Dense.lsa)):
        start = perf_counter()
        tools[name] = build(collection)
        seconds[f"index, {name}"] = perf_counter() - start
    controller = Controller(tools)
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 2000, 6)) for _ in range(QUERIES)]
    for policy in ("lexical", "dense", "always"):
        start = perf_counter()
        for place, text in enumerate(texts):
            controller.run(Request(query=text, id=str(place), view=view), policy)
        seconds[f"one query, {policy}"] = (perf_counter() - start) / QUERIES
    for what, taken in seconds.items():
        print(f"{what:20} {taken:9.4f} s")


if __name__ == "__main__":
    main(*sys.argv[1:3])
