"""The controller's study of this folder, beside the report of `stoprule run`: report.md and study.png in out-report.

    python report.py [FOLDER]

With the folder of the collection (corpus.jsonl, queries.jsonl, qrels/test.tsv) the cases show wording and terms. The
locked rule is shown where `stoprule run study.toml` has locked one.
"""

import sys
from pathlib import Path

from stoprule.analysis.plots import save_figure
from stoprule.retrieval.figure import plot_study
from stoprule.retrieval.formats import read_collection, read_qrels, read_queries
from stoprule.retrieval.recorded import Recorded
from stoprule.retrieval.report import study_report
from stoprule.rules.lockfile import read_lock

HERE = Path(__file__).parent
LOCK = HERE / "out" / "lock.json"
REPORT = HERE / "out-report"


def main(folder: str | None = None) -> None:
    recorded = Recorded.read(HERE / "trajectories.parquet")
    locked = read_lock(LOCK).rule if LOCK.exists() else None
    if folder is None:
        text = study_report(recorded, locked=locked)
    else:
        queries, collection, qrels = read_queries(folder), read_collection(folder), read_qrels(folder)
        text = study_report(recorded, locked=locked, queries=queries, collection=collection, qrels=qrels)
    REPORT.mkdir(exist_ok=True)
    (REPORT / "report.md").write_text(text, encoding="utf-8")
    save_figure(plot_study(recorded, locked=locked), REPORT / "study.png")
    print(text)


if __name__ == "__main__":
    main(*sys.argv[1:2])
