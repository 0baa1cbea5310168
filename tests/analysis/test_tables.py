"""Tables of an evaluation in four formats."""

from xml.etree import ElementTree

import pytest
from stoprule.analysis.evaluation import evaluate
from stoprule.analysis.evaluation_tables import (
    breakdown_table,
    cells_by_rules,
    differences,
    evaluation_tables,
    long_frame,
    transfer_table,
)
from stoprule.analysis.tables import Table, html_table, latex, markdown
from stoprule.rules.named import fixed
from stoprule.rules.text import parse

SMALL = Table(
    caption="locked: a_1 > 0.5 & b < 2 | c",
    stub="cell",
    groups=(("n", ("",)), ("locked", ("f1", "calls")), ("fixed(2)", ("f1", "calls"))),
    rows=(("x", "3", "50.0 [1.0, 99.0]", "1.50", "40.0", "2.00"), ("a|b", "4", "-", "1.00", "-", "2.00")),
)
FLAT = Table(caption="c", stub="against", groups=(("p", ("",)), ("50%", ("",))), rows=(("fixed(1)", "0.05", "1"),))


class TestMarkdown:
    def test_by_hand(self):
        """Pipes in names are escaped; the caption stands below."""
        assert markdown(SMALL) == (
            "| cell | n | locked f1 | locked calls | fixed(2) f1 | fixed(2) calls |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: |\n"
            "| x | 3 | 50.0 [1.0, 99.0] | 1.50 | 40.0 | 2.00 |\n"
            "| a\\|b | 4 | - | 1.00 | - | 2.00 |\n"
            "\n"
            "locked: a_1 > 0.5 & b < 2 \\| c\n"
        )


class TestLatex:
    def test_by_hand(self):
        """Booktabs rules, groups over their columns, every special sign escaped."""
        assert latex(SMALL) == "\n".join(
            [
                r"% \usepackage{booktabs}",
                r"\begin{table}",
                r"\centering",
                r"\caption{locked: a\_1 \textgreater{} 0.5 \& b \textless{} 2 \textbar{} c}",
                r"\begin{tabular}{lrrrrr}",
                r"\toprule",
                r" & \multicolumn{1}{c}{n} & \multicolumn{2}{c}{locked} & \multicolumn{2}{c}{fixed(2)} \\",
                r"\cmidrule(lr){3-4} \cmidrule(lr){5-6}",
                r"cell &  & f1 & calls & f1 & calls \\",
                r"\midrule",
                r"x & 3 & 50.0 [1.0, 99.0] & 1.50 & 40.0 & 2.00 \\",
                r"a\textbar{}b & 4 & - & 1.00 & - & 2.00 \\",
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def test_without_groups_there_is_one_line_of_headings(self):
        """Nothing to span."""
        assert "against & p & 50\\% \\\\\n\\midrule" in latex(FLAT)
        assert "cmidrule" not in latex(FLAT)


class TestHtml:
    def test_is_well_formed_and_says_what_heads_what(self):
        """Every heading has its scope, a group spans its columns, signs are escaped."""
        page = ElementTree.fromstring(html_table(SMALL))
        assert page.find("caption").text == SMALL.caption
        first, second = page.findall("thead/tr")
        assert [(cell.text, cell.get("scope"), cell.get("colspan"), cell.get("rowspan")) for cell in first] == [
            ("cell", "col", None, "2"),
            ("n", "col", None, "2"),
            ("locked", "colgroup", "2", None),
            ("fixed(2)", "colgroup", "2", None),
        ]
        assert [cell.text for cell in second] == ["f1", "calls"] * 2
        assert [cell.text for cell in page.findall("tbody/tr")[0]] == list(SMALL.rows[0])
        assert page.find("tbody/tr/th").get("scope") == "row"

    def test_without_groups_there_is_one_row_of_headings(self):
        """Nothing to span."""
        assert len(ElementTree.fromstring(html_table(FLAT)).findall("thead/tr")) == 1


class TestOfAnEvaluation:
    @pytest.fixture
    def content(self, table):
        """Two cells of three questions, as evaluation.json holds them."""
        t = table(
            [[0.0, 1.0], [1.0, 1.0], [0.5, 0.0]] * 2,
            margin=[[0.9, 0.9], [0.1, 0.9], [0.9, 0.1]] * 2,
            cell=["x"] * 3 + ["y"] * 3,
            question=["a", "b", "c"] * 2,
            labels={"kind": ["one", "two", "one"] * 2},
        )
        found = evaluate(t, parse("margin > 0.5"), baselines=[fixed(1), fixed(2)], draws=50)
        return {**found.to_dict(), "transfer": None}

    def test_cells_by_rules(self, content):
        """A row a cell and one for macro; quality with its interval and cost for every rule."""
        found = cells_by_rules(content)
        assert [row[0] for row in found.rows] == ["x", "y", "macro"]
        assert [group for group, _ in found.groups] == ["n", "locked", "fixed(1)", "fixed(2)", "oracle"]
        assert found.groups[1][1] == ("f1", "calls")
        x = content["cells"]["x"]["intervals"]["quality"]
        assert found.rows[0][1:4] == ("3", f"50.0 [{100 * x['low']:.1f}, {100 * x['high']:.1f}]", "1.33")
        assert all(len(row) == 2 + 2 * 4 for row in found.rows)

    def test_differences(self, content):
        """Signed, with p-values; the oracles have none."""
        rows = {row[0]: row[1:] for row in differences(content).rows}
        assert rows["fixed(1)"][:2] == ("+0.0", "1")
        assert rows["oracle"][1] == "-"

    def test_transfer(self, content):
        """Retention and regret of each cell's rule in each cell."""
        entry = {"value": 0.5, "low": 0.4, "high": 0.6, "degenerate": False, "reason": None}
        entries = [
            {"locked_in": a, "evaluated_in": b, "rule": "fixed(1)", "retention": entry, "quality_regret": None}
            for a in ("all cells", "x")
            for b in ("x", "y")
        ]
        found = transfer_table({**content, "transfer": {"reference": "fixed(2)", "entries": entries}})
        assert found.groups == (("rule", ("",)), *((cell, ("retention", "regret")) for cell in "xy"))
        assert found.rows[1] == ("x", "fixed(1)", *["0.500 [0.400, 0.600]", "-"] * 2)

    def test_only_what_there_is(self, content):
        """No transfer, no table of it."""
        assert list(evaluation_tables(content)) == ["cells", "differences", "breakdown"]

    def test_breakdown(self, content):
        """Small groups carry a star."""
        found = breakdown_table(content)
        assert [row[:2] for row in found.rows] == [("kind = one", "2 *"), ("kind = two", "1 *")]
        assert breakdown_table({**content, "breakdown": {}}) is None

    def test_long_frame(self, content):
        """One row a cell and rule, macro first; the locked rule has no difference to itself."""
        frame = long_frame(content)
        assert frame["cell"].to_list() == [""] * 4 + ["x"] * 4 + ["y"] * 4
        assert frame["rule"].to_list()[:4] == ["margin > 0.5", "fixed(1)", "fixed(2)", "oracle"]
        own, first = frame.row(0, named=True), frame.row(1, named=True)
        assert own["quality"] == content["quality"]
        assert own["quality_difference"] is own["p"] is None
        assert first["quality_difference_low"] == content["comparisons"]["fixed(1)"]["quality_difference"]["low"]
        assert first["p_holm"] == content["comparisons"]["fixed(1)"]["p_holm"]
