"""Rules as JSON."""

import json

import pytest
from hypothesis import given, settings
from stoprule.rules.jsonform import from_json, to_json
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError

from .strategies import ANY_CUTS, ANY_NAMES, rules_strategy


class TestForm:
    """Every node is an object with keys of its own."""

    @pytest.mark.parametrize(
        ("text", "tree"),
        [
            ("margin > 0.25", {"compare": {"signal": "margin"}, "op": ">", "cut": 0.25}),
            ("round >= 3", {"compare": "round", "op": ">=", "cut": 3}),
            ("cost < inf", {"compare": "cost", "op": "<", "cut": "inf"}),
            ('signal("inf") > ?', {"compare": {"signal": "inf"}, "op": ">", "cut": "?"}),
            ("~done", {"not": {"flag": "done"}}),
            ("repeat(answer)", {"streak": 2}),
            ("missing(change(margin))", {"missing": {"change": {"signal": "margin"}}}),
            ("a & b", {"and": [{"flag": "a"}, {"flag": "b"}]}),
            ("at_least(1, a, b)", {"at_least": 1, "of": [{"flag": "a"}, {"flag": "b"}]}),
            (
                "total(a, clip(b, -inf, 2)) > 1",
                {
                    "compare": {"total": [{"signal": "a"}, {"clip": {"signal": "b"}, "low": "-inf", "high": 2}]},
                    "op": ">",
                    "cut": 1,
                },
            ),
        ],
    )
    def test_spells(self, text, tree):
        """Write each kind of node, and read it back."""
        assert to_json(parse(text)) == tree
        assert from_json(tree) == parse(text)

    def test_reads_any_form_as_canonical(self):
        """Bring what others wrote into canonical form."""
        tree = {"not": {"or": [{"flag": "b"}, {"flag": "a"}, {"flag": "b"}]}}
        assert str(from_json(tree)) == "~a & ~b"

    @settings(max_examples=300)
    @given(rules_strategy(signals=ANY_NAMES, flags=ANY_NAMES, cuts=ANY_CUTS))
    def test_round_trip(self, rule):
        """Come back to every rule through standard JSON, whatever the order of its keys."""
        text = json.dumps(to_json(rule), allow_nan=False, sort_keys=True)
        assert from_json(json.loads(text)) == rule


class TestErrors:
    """Each mistake is one line that names the place in the object."""

    @pytest.mark.parametrize(
        ("tree", "message"),
        [
            (5, 'at $: a node such as {"signal": "margin"} is expected, not 5'),
            ("rounds", "at $: a node such as"),
            ("round", "at $: `round` is a number where a rule is expected"),
            ({}, "at $: one of the keys signal, flag,"),
            ({"flg": "a"}, "is expected, not ['flg'] (did you mean 'flag'?)"),
            ({"and": [], "or": []}, "at $: one of the keys"),
            ({"and": {"flag": "a"}}, "at $.and: a list of nodes is expected"),
            ({"and": []}, "at $: a rule joined by & needs at least one operand"),
            (
                {"compare": "cost", "op": ">"},
                "at $: the keys compare, op, cut are expected, not ['compare', 'op']",
            ),
            ({"compare": "cost", "op": "=>", "cut": 1}, "at $: '=>' is no comparison"),
            ({"compare": "cost", "op": [], "cut": 1}, "at $: [] is no comparison"),
            ({"compare": "cost", "op": ">", "cut": "1"}, "the cut of `cost > ...` must be a number, not '1'"),
            ({"compare": "cost", "op": ">", "cut": None}, "must be a number, not None"),
            (
                {"compare": {"flag": "a"}, "op": ">", "cut": 1},
                "at $: `a` is a rule where a number is expected",
            ),
            (
                {"or": [{"flag": "a"}, {"not": {"flag": 1}}]},
                "at $.or[1].not: the name of a signal must be valid text",
            ),
            ({"at_least": 3, "of": [{"flag": "a"}]}, "a whole number from 1 to 1, not 3"),
            ({"streak": True}, "at $: the length of a streak must be a whole number"),
        ],
    )
    def test_names_the_place(self, tree, message):
        """Say what was expected, and where."""
        with pytest.raises(RuleError) as raised:
            from_json(tree)
        assert str(raised.value).startswith("rule in JSON, at $")
        assert message in str(raised.value)
        assert "\n" not in str(raised.value)

    def test_refuses_deep_nesting(self):
        """Refuse an object of any depth without exhausting the stack."""
        tree = {"flag": "a"}
        for _ in range(5000):
            tree = {"not": tree}
        with pytest.raises(RuleError, match="nests deeper than 50 levels"):
            from_json(tree)

    def test_deepest_text_has_a_json_form(self):
        """Read back the rule with most nodes for each level of its text."""
        rule = parse("total(" * 50 + "a" + " > 1)" * 50 + " > 1")
        assert from_json(to_json(rule)) == rule
