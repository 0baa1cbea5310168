"""What the fast engine reaches on this machine, with its peers measured in the same run.

    python benchmarks/run.py [--quick] [--cpu]

Prints a table and writes it to benchmarks/results.md. Times are the best of some repeats, warm. On a machine that does
other work at the same time they say little: --cpu counts the seconds that the processors spent on this process, all its
threads together.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
import polars as pl
from data import trajectories
from peers import long_table, looped_bootstrap, numpy_mask, pandas_replay, polars_groups, scipy_bootstrap
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.resampling import resampled_intervals
from stoprule.analysis.rule_differences import rule_differences
from stoprule.enumerate import compiled
from stoprule.enumerate.families import grouped
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.masks import Lookup, Parts, combine, first_set, pack
from stoprule.enumerate.pareto import pareto_mask
from stoprule.enumerate.shapes import open_shape
from stoprule.enumerate.sums import columns
from stoprule.rules.arrays import kleene
from stoprule.rules.text import parse

QUICK, CPU = "--quick" in sys.argv, "--cpu" in sys.argv
clock = process_time if CPU else perf_counter
CORES = os.cpu_count() or 1
HERE = Path(__file__).parent
SIGNALS = ("margin", "confidence", "coverage", "overlap", "gap")


class Line(NamedTuple):
    """One line of the table."""

    work: str
    reach: str
    found: str
    beside_peers: str = ""


def best(work: Callable[[], object], seconds: float = 1.0) -> float:
    """Seconds of the quickest of at least three repeats, after one to warm up."""
    work()
    taken: list[float] = []
    while len(taken) < 3 or (sum(taken) < seconds and len(taken) < 200):
        begin = clock()
        work()
        taken.append(clock() - begin)
    return min(taken)


def once(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    begin = clock()
    work()
    return clock() - begin


def shown(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def one_cut(questions: int, reach: str) -> Iterator[Line]:
    """Every cut of one signal, alone and under a condition."""
    t = trajectories(questions)
    tables = columns(ledger(t))
    alone, under = open_shape(parse("margin > ?"), t), open_shape(parse("repeat(answer) & margin > ?"), t)
    cuts = len(alone.sweep_one().plateaus)
    seconds = best(lambda: alone.sweep_one().sums(tables))
    conditional = best(lambda: under.sweep_one().sums(tables))
    frame = pl.from_pandas(long_table(t))
    mask = best(partial(numpy_mask, t, "margin", ">", 0.5))
    groups = best(partial(polars_groups, frame, "margin", 0.5))
    yield Line(
        f"every cut of `margin > ?`, {questions:,} x 8: {cuts:,} cuts",
        f"under {reach}",
        f"{shown(seconds)}; under `repeat(answer) &` {shown(conditional)}",
        f"a cut: {mask * cuts / seconds:,.0f}x numpy mask, {groups * cuts / seconds:,.0f}x polars group-by",
    )


def two_cuts() -> Iterator[Line]:
    """Every pair of cuts of two signals."""
    first = 0.0
    for questions, reach in ((1000, "under 0.15 s"), (10_000, "no more than 2x that")):
        t = trajectories(questions)
        opened = open_shape(parse("repeat(answer) & margin > ? | confidence > ?"), t)
        work = partial(_grid, opened, columns(ledger(t)))
        pairs = work().shape[1:]
        seconds = best(work)
        first = first or seconds
        rate = pairs[0] * pairs[1] / seconds
        mask = best(partial(numpy_mask, t, "margin", ">", 0.5))
        yield Line(
            f"two signals, {pairs[0]:,} x {pairs[1]:,} cuts, {questions:,} x 8",
            reach,
            f"{shown(seconds)}, {rate / 1e6:.0f} million rules a second; {seconds / first:.1f}x 1,000 x 8",
            f"{mask * rate:,.0f}x numpy mask",
        )


def _grid(opened, tables):
    return opened.sweep_two(10**6).sums(tables)


def many_atoms(atoms: int) -> Iterator[Line]:
    """ORs of three ANDs of up to three atoms."""
    t = trajectories(1000)
    lookup = Lookup.of(columns(ledger(t)))
    rules = [parse(f"{name} > {cut}") for cut in np.linspace(0.1, 1.2, 8) for name in SIGNALS][:atoms]
    ands = [each for size in (1, 2, 3) for each in combinations(range(atoms), size)]
    states = first_set(combine(pack(np.stack([kleene(rule, t).true for rule in rules])), Parts.all_of(ands)))
    count = 200_000
    member = np.random.default_rng(0).integers(0, len(ands), 3 * count)
    ors = Parts(np.arange(count + 1) * 3, member, np.ones(count, dtype=np.int64))
    runs = [ors.take(slice(start, start + 12_500)) for start in range(0, count, 12_500)]
    with ThreadPoolExecutor(CORES) as pool:
        two = best(lambda: list(pool.map(lambda run: lookup.sums(states, run), runs)))
    alone = best(lambda: lookup.sums(states, ors))
    mask = best(partial(numpy_mask, t, "margin", ">", 0.5))
    yield Line(
        f"ORs of three ANDs over {atoms} atoms, 1,000 x 8",
        "over 1 million a second",
        f"{count / two / 1e6:.2f} million a second; by one thread {count / alone / 1e6:.2f}",
        f"{mask * count / two:,.0f}x numpy mask of one atom",
    )


def published() -> Iterator[Line]:
    """The 876 groupings of six atoms with three paired bootstraps each."""
    t = trajectories(300, 5)
    atoms = [parse("repeat(answer)"), *(parse(f"{name} > 0.5") for name in SIGNALS)]
    rules = list(grouped(atoms))
    baseline = parse("fixed(3)")
    figures = ("f1", "em", "calls")

    def ours():
        return rule_differences(rules, t, baseline, draws=1000, seed=42, jobs=CORES)

    frame = long_table(t)
    columns_of = {
        str(atom): frame["repeats"] if i == 0 else frame[SIGNALS[i - 1]] > 0.5 for i, atom in enumerate(atoms)
    }
    fixed = pandas_replay(frame, frame["round"] >= 3)

    def theirs(rule):
        stopped = pandas_replay(frame, _pandas_truth(rule, columns_of))
        pairs = ((stopped[name] - fixed[name].to_numpy()).to_numpy(float) for name in ("f1", "em", "round"))
        return [looped_bootstrap(pair) for pair in pairs]

    sample = range(0, len(rules), 97 if QUICK else 29)
    found = ours().select(f"{name}_{end}" for name in figures for end in ("low", "high")).to_numpy()
    begin = clock()
    expected = np.array([theirs(rules[k]) for k in sample])
    pandas_way = (clock() - begin) / len(sample) * len(rules)
    off = np.abs(found[list(sample)].reshape(-1, 3, 2) - expected).max()
    seconds = best(ours)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Line(
        "876 groupings of 6 atoms, three 1,000-draw paired bootstraps each, 300 x 5",
        "over 1,000x pandas, same to 1e-9",
        f"{shown(seconds)}, {peak / 2**20:.0f} MB; pandas {pandas_way:.0f} s by {len(sample)} rules; "
        f"they differ by {off:.0e}",
        f"{pandas_way / seconds:,.0f}x pandas",
    )


def _pandas_truth(rule, truth_of):
    if str(rule) in truth_of:
        return truth_of[str(rule)]
    inner = [_pandas_truth(part, truth_of) for part in rule.operands]
    joined = inner[0]
    for part in inner[1:]:
        joined = joined | part if " | " in str(rule) else joined & part
    return joined


def fronts() -> Iterator[Line]:
    """The front of a million points."""
    import moocore
    from paretoset import paretoset

    rng = np.random.default_rng(0)
    count = 10**6
    rising = np.sort(rng.random(count))
    sphere = np.abs(rng.normal(size=(count, 3)))
    clouds = {
        "2 objectives, few on it": rng.random((count, 2)),
        "2 objectives, all on it": np.stack([rising, 1 - rising], axis=1)[rng.permutation(count)],
        "2 objectives, many ties": rng.integers(0, 1000, (count, 2)).astype(float),
        "3 objectives, few on it": rng.random((count, 3)),
        "3 objectives, all on it": sphere / np.linalg.norm(sphere, axis=1)[:, None],
    }
    for name, points in clouds.items():
        sense = points.shape[1]
        seconds = best(partial(pareto_mask, points, (True,) * sense))
        others = (
            f"{once(partial(moocore.is_nondominated, points, maximise=True, keep_weakly=True)) / seconds:.1f}x moocore"
        )
        if "all on it" not in name:  # there it compares every point with every other
            others += (
                f", {once(partial(paretoset, points, sense=['max'] * sense, distinct=False)) / seconds:.1f}x paretoset"
            )
        reach = "under 0.6 s" if sense == 2 else "under 1 s"
        yield Line(f"front of 1e6 points, {name}", reach, shown(seconds), others)


def intervals() -> Iterator[Line]:
    """1,000-draw intervals of 10,000 rules."""
    n, rules = 1000, 10_000
    values = np.random.default_rng(0).random((rules, n))
    groups = strata(np.full(n, "", object), np.array([f"q{i:04}" for i in range(n)], object))
    seconds = best(lambda: resampled_intervals(values, groups, draws=1000, seed=42, jobs=CORES))
    scipy = best(partial(scipy_bootstrap, values[0])) * rules
    loop = best(partial(looped_bootstrap, values[0])) * rules
    yield Line(
        "1,000-draw intervals of 10,000 rules, 1,000 questions",
        "under 1.5 s",
        shown(seconds),
        f"{scipy / seconds:,.0f}x scipy.stats.bootstrap, {loop / seconds:,.0f}x a loop of draws",
    )


LARGE_SEARCH = """
import resource, sys
from time import {clock}
sys.path.insert(0, {here!r})
from data import trajectories
from stoprule.enumerate.search import search_result
from stoprule.enumerate.space import space
t = trajectories(1000)
shape = "margin > ? & confidence > ? | coverage > ? & overlap > ? | gap > ? & repeat(answer)"
begin = {clock}()
found = search_result(space(dict(rule=shape, cuts="linspace({cuts})"), t), t, jobs=2)
print(found.tried, found.distinct, {clock}() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def large_search() -> Iterator[Line]:
    """Ten million rules, in a process of their own."""
    code = LARGE_SEARCH.format(here=str(HERE), cuts=13 if QUICK else 26, clock=clock.__name__)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tried, distinct, seconds, peak = map(float, ran.stdout.split())
    yield Line(
        f"search of {tried:,.0f} ORs of ANDs with five cuts, 1,000 x 8: {distinct:,.0f} behaviours",
        "peak under 2 GB",
        f"{peak / 2**20:.2f} GB, {seconds:.1f} s, {tried / seconds / 1e6:.2f} million a second",
    )


def command(*arguments: str, **environment: str) -> float:
    """Seconds of a stoprule command, by the clock."""
    begin = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "stoprule", *arguments],
        capture_output=True,
        check=True,
        env={**os.environ, **environment},
    )
    return perf_counter() - begin


def commands() -> Iterator[Line]:
    """How soon the command line answers, and does the whole example in a process that has compiled nothing."""
    yield Line("`stoprule --help`, by the clock", "under 0.3 s", shown(min(command("--help") for _ in range(5))))
    study = HERE.parent / "examples" / "hotpotqa" / "study.toml"
    taken = []
    for _ in range(3):
        with TemporaryDirectory() as nothing:
            taken.append(command("run", str(study), "--out", f"{nothing}/out", NUMBA_CACHE_DIR=f"{nothing}/compiled"))
    yield Line("`stoprule run` on the example, nothing compiled before, by the clock", "under 15 s", shown(min(taken)))


SECTIONS = (
    partial(one_cut, 1000, "2 ms"),
    partial(one_cut, 10_000, "25 ms"),
    two_cuts,
    partial(many_atoms, 6),
    partial(many_atoms, 40),
    published,
    fronts,
    intervals,
    large_search,
    commands,
)


def main() -> None:
    """Measure, print, write."""
    compiled.COMPILES_IN = 0  # warm: as after the first second of a long search
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "polars", "pandas", "scipy"))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {libraries}"
    busy = f"load {os.getloadavg()[0]:.1f} at the start"
    times = "Times are CPU times, all threads together" if CPU else "Times are by the clock"
    print(f"{machine}; {busy}")
    lines = []
    for section in SECTIONS:
        for line in section():
            print(f"{line.work}: {line.found} ({line.reach}). {line.beside_peers}", flush=True)
            lines.append(f"| {' | '.join(line)} |")
    head = [
        "# Benchmarks",
        "",
        f"By `python benchmarks/run.py` on {machine}; {busy}. {times}, the best of some repeats, warm.",
        "A rule has six figures (quality, cost, calls, fired, two words of its behaviour); a peer's has its quality.",
        "",
        "| work | reach | found | beside peers |",
        "| --- | --- | --- | --- |",
    ]
    (HERE / "results.md").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
