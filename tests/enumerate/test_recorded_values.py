"""Thirty rules on the recorded HotpotQA trajectories: figures of an independent naive program.

Raw margin, `squad` normaliser; an answer that is empty after normalising never repeats.
"""

from pathlib import Path

import pytest
from stoprule.enumerate.figures import tally
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.replay import replay
from stoprule.rules.text import parse
from stoprule.trajectories.reading import read_trajectories

DATA = Path(__file__).parents[2] / "examples" / "hotpotqa" / "hotpotqa_gemma3_270m.parquet"
CELLS = ("bm25", "dense")

# Under each rule, for bm25 and for dense: F1 and support recall x 100, mean stop round, questions it fired at.
PRINTED = """\
fixed(1)
    25.0030 32.0202 1.0000 495   25.3613 33.6364 1.0000 495
fixed(3)
    22.9859 48.5859 3.0000 495   23.1633 50.0000 3.0000 495
fixed(5)
    19.5833 53.3333 5.0000 495   21.0819 53.5354 5.0000 495
repeat(answer)
    22.7244 47.1717 3.2747 392   25.2102 49.2929 3.1515 396
repeat(answer) & margin > 0.25
    22.0641 47.7778 3.4949 354   24.8262 50.8081 3.3596 367
repeat(answer) & margin >= 1
    21.5888 50.2020 4.1414 204   22.4043 52.2222 4.0768 223
margin > 0.5
    25.2823 38.0808 1.7030 474   24.6100 39.3939 1.7939 466
margin >= 0.5
    25.2823 38.0808 1.7030 474   24.6100 39.3939 1.7939 466
~(margin > 0.5)
    22.1432 42.5253 2.8081 382   24.0106 43.9394 2.7394 375
margin < 0.1 & round >= 2
    20.2246 52.2222 4.5354 132   22.2052 52.0202 4.5616 149
margin > 0.9 | repeat(answer)
    25.2815 40.3030 2.0303 458   25.4997 41.7172 2.0768 454
streak(answer, 3)
    21.8364 51.4141 4.2626 252   22.7021 52.5253 4.2384 248
streak(answer, 3) & margin > 0.2
    21.4296 51.4141 4.3232 237   22.1321 52.5253 4.3152 230
(round == 1 & margin > 2) | repeat(answer)
    23.7488 44.8485 2.8949 407   25.6114 46.7677 2.8525 403
change(margin) < 0.05
    23.9433 46.0606 2.6263 489   25.3263 47.3737 2.6525 491
so_far_max(margin) >= 1.5
    23.2252 47.2727 3.5313 221   22.3418 47.2727 3.5253 220
missing(margin) | repeat(answer)
    22.7244 47.1717 3.2747 392   25.2102 49.2929 3.1515 396
coverage >= 0.8
    23.3871 47.3737 3.1798 344   23.6526 50.9091 3.6949 271
confidence >= 4
    20.1603 52.5253 4.7556 117   21.3554 53.1313 4.8485 89
repeat(answer) & coverage >= 0.8
    21.2372 50.3030 4.0566 262   22.0610 52.3232 4.2889 195
margin > 1 | overlap > 0.15
    26.0932 41.5152 2.1717 429   25.0268 41.8182 2.1273 448
at_least(2, repeat(answer), margin > 0.6, overlap > 0.1, confidence >= 3)
    24.4080 44.9495 2.4263 487   24.6261 45.9596 2.3535 486
total(repeat(answer), clip(margin, 0, 1), overlap) > 1.5
    22.2057 48.2828 3.5859 336   24.4220 50.6061 3.3960 357
(repeat(answer) & gap > 1) | (coverage >= 1 & margin > 0.5 & overlap > 0.05)
    22.8518 49.2929 3.6000 316   21.2418 53.1313 4.7354 79
fixed(2)
    25.2215 42.9293 2.0000 495   25.4232 45.3535 2.0000 495
fixed(4)
    20.0121 51.3131 4.0000 495   22.2047 51.6162 4.0000 495
overlap < 0.05 & round >= 2
    19.7853 53.2323 4.9515 32   21.2819 53.3333 4.9313 28
coverage >= 0.7
    24.9160 44.3434 2.4909 417   25.5127 48.4848 3.0566 352
so_far_max(coverage) >= 0.9 | confidence >= 4
    22.8943 50.4040 3.8768 281   21.7261 52.1212 4.2788 214
~repeat(answer) & round >= 2
    22.3808 47.3737 3.0343 378   22.7844 48.0808 3.0364 380
"""
LINES = PRINTED.splitlines()
RULES = [(rule, figures.split()) for rule, figures in zip(LINES[::2], LINES[1::2], strict=True)]


@pytest.fixture(scope="module")
def recorded():
    return read_trajectories(
        DATA,
        question="qid",
        cell="cell",
        answer="answer",
        quality="f1",
        outcomes=["support_recall"],
        signals=["margin", "confidence", "coverage", "overlap", "gap"],
        normalise="squad",
    )


class TestRecordedValues:
    """Replay gives the printed digits, in both cells and for both outcomes."""

    @pytest.mark.parametrize(("rule", "printed"), RULES, ids=[rule for rule, _ in RULES])
    def test_rule(self, recorded, rule, printed):
        """Equal the independent program to the last printed digit."""
        one = replay(parse(rule), recorded)
        for cell, expected in zip(CELLS, (printed[:4], printed[4:]), strict=True):
            here = recorded.cell == cell
            recall = recorded.outcomes["support_recall"][here, one.stop_round[here] - 1]
            found = [
                f"{100 * one.quality[here].mean():.4f}",
                f"{100 * recall.mean():.4f}",
                f"{one.stop_round[here].mean():.4f}",
                f"{one.fired[here].sum()}",
            ]
            assert found == expected

    def test_macro(self, recorded):
        """Average the cells without weights: equal numbers of questions, so the plain mean of the two."""
        assert len(RULES) == 30
        for rule, printed in RULES:
            figures = tally(replay(parse(rule), recorded).state[None], ledger(recorded))
            f1 = (float(printed[0]) + float(printed[4])) / 2
            calls = (float(printed[2]) + float(printed[6])) / 2
            assert figures.quality[0] * 100 == pytest.approx(f1, abs=1e-4)
            assert figures.calls[0] == figures.cost[0] == pytest.approx(calls, abs=1e-4)
            assert figures.fired[0] == int(printed[3]) + int(printed[7])
