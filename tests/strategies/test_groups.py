"""Tests of nbs/strategies/15_groups.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pandas as pd
import pytest
from reject_nb.strategies.certified import certified_risk
from scipy.stats import binom

from reject_nb.strategies.groups import certified_groups, certified_risks, certify_groups

def _draw(n, rng, slopes):
    "Scores, groups and 0/1 losses with probability slope times score."
    s, g = rng.random(n), np.arange(n) % len(slopes)
    return s, np.array(["a", "b", "c"])[g], (rng.random(n) < np.array(slopes)[g]*s).astype(float)


def test_groups_are_certified_one_by_one():
    s, g, losses = _draw(3000, np.random.default_rng(2), (.1, .2, .4))
    for together, level in ((True, .1/3), (False, .1)):
        found = certified_groups(losses, s, g, .05, .1, together=together)
        for name in "abc":
            alone = certified_risk(losses[g == name], s[g == name], .05, level)
            assert found.threshold[name] == alone.threshold and found.selections[name].delta == level
        accept = found(s, g) > .5
        assert found.coverage == accept.mean() and found.selective_risk == losses[accept].mean()
    one = certified_groups(losses, s, np.zeros(3000, int), .05, .1)
    assert one.threshold == {0: certified_risk(losses, s, .05, .1).threshold} and one.n == 3000


@pytest.mark.parametrize("together", [True, False])
def test_promises_are_kept_in_every_group(together):
    "300 samples at delta .2: more than 84 failures have probability below .001."
    rng, any_broken, each_broken = np.random.default_rng(3), 0, np.zeros(2)
    for _ in range(300):
        s, g, losses = _draw(700, rng, (.2, .4))
        found = certified_groups(losses, s, g, .05, .2, together=together)
        broken = np.array([slope*min(found.threshold[name], 1)/2 > .05
                           for name, slope in (("a", .2), ("b", .4))])
        any_broken += broken.any()
        each_broken += broken
    assert each_broken.max() <= binom.ppf(.999, 300, .2) and (not together
                                                              or any_broken <= binom.ppf(.999, 300, .2))
    assert each_broken.max() > 0


def test_groups_without_examples_are_rejected():
    found = certified_groups(np.zeros(200), np.arange(200.), ["x"]*200, .05)
    assert found([1., 1.], ["x", "y"]).tolist() == [1., 0.] and found([], []).tolist() == []
    none = certified_groups(np.ones(200), np.arange(200.), ["x"]*100 + ["y"]*100, .05)
    assert none.status == "infeasible" and np.isnan(none.certified) and none.coverage == 0
    assert np.isnan(none.selective_risk) and none.message.startswith("0 of 2")


def test_one_risk_alone_and_the_strictest_of_several():
    rng = np.random.default_rng(4)
    s = rng.random(2000)
    losses = {"wrong": (rng.random(2000) < s/5).astype(float), "cost": s*rng.beta(1, 4, 2000)}
    alone = certified_risks({"wrong": losses["wrong"]}, s, {"wrong": .05}, .1)
    same = certified_risk(losses["wrong"], s, .05, .1)
    assert alone.threshold == same.threshold and alone.certified == .05 and alone.status == "certified"
    both = certified_risks(losses, s, {"wrong": .05, "cost": .05}, .1)
    each = [certified_risk(l, s, .05, .05).threshold for l in losses.values()]
    assert 0 < both.threshold <= min(each) and both.risks["cost"] < .05
    np.testing.assert_allclose(both.risks["wrong"], losses["wrong"][s <= both.threshold].mean())
    loose = certified_risks(losses, s, {"wrong": .05, "cost": 1.}, .1)
    assert loose.threshold == certified_risk(losses["wrong"], s, .05, .05).threshold
    nothing = certified_risks(losses, s, {"wrong": .05, "cost": 0.}, .1)
    assert nothing.status == "infeasible" and nothing([0.]).tolist() == [0.]
    assert np.isnan(nothing.risks["cost"])
    scaled = certified_risks({"wrong": 100*losses["wrong"]}, s, {"wrong": 5.}, .1, {"wrong": 100.})
    assert scaled.threshold == same.threshold and scaled.risks["wrong"] == 100*alone.risks["wrong"]
    assert certified_risks({"a": np.zeros(300)}, s[:300], {"a": .1}).status == "trivial"


def test_several_promises_are_kept():
    "Two losses that cross their targets at .5 and .4; 300 samples at delta .2."
    rng, broken = np.random.default_rng(5), 0
    for _ in range(300):
        s = rng.random(600)
        losses = {"a": (rng.random(600) < .2*s).astype(float), "b": (rng.random(600) < .25*s).astype(float)}
        found = certified_risks(losses, s, {"a": .05, "b": .05}, .2)
        broken += found.threshold > .4
    assert broken <= binom.ppf(.999, 300, .2)

GOOD = dict(losses={"a": [0., 1], "b": [0., 0]}, scores=[0., 1], target_risks={"a": .1, "b": .1})

@pytest.mark.parametrize("change, name", [
    (dict(losses=[0., 1]), "losses"), (dict(losses={}), "losses"),
                                          (dict(losses={"a": [0.], "b": [0., 1]}), "losses"),
    (dict(target_risks={"a": .1}), "target_risks"), (dict(target_risks=.1), "target_risks"),
    (dict(bounds={"c": 1.}), "bounds"), (dict(bounds={"a": -1.}), "bound"), (dict(delta=0), "delta"),
    (dict(scores=[0.]), "scores"), (dict(losses={"a": [0., 2], "b": [0., 0]}), "losses")])
def test_arguments_of_several_risks_are_named(change, name):
    with pytest.raises(ValueError, match=name): certified_risks(**{**GOOD, **change})


@pytest.mark.parametrize("change, name", [
    (dict(groups=["a"]), "groups"), (dict(groups=None), "groups"), (dict(groups=[np.nan, 1.]), "groups"),
    (dict(together=1), "together"), (dict(target_risk="x"), "target_risk"), (dict(losses=[0., 2.]), "losses"),
    (dict(scores=[np.nan, 0]), "scores"), (dict(delta=2), "delta")])
def test_arguments_of_groups_are_named(change, name):
    with pytest.raises(ValueError, match=name):
        certified_groups(**{**dict(losses=[0., 1], scores=[0., 1], groups=["a", "b"], target_risk=.1),
                            **change})
    with pytest.raises(ValueError, match="certify_one"): certify_groups("x", [0.], [0.], ["a"])

WAYS = {"series": pd.Series, "objects": lambda g: np.array(g, dtype=object), "array": np.array, "list": list,
        "categories": lambda g: pd.Series(g).astype("category"), "categorical": pd.Categorical,
        "tuple": tuple, "numpy text": lambda g: np.array([np.str_(v) for v in g], dtype=object)}

@pytest.mark.parametrize("way", WAYS)
def test_groups_come_as_people_hold_them(way):
    losses, scores, names = [0]*100 + [0, 1]*50, list(range(100))*2, ["u"]*100 + ["v"]*100
    plain = certified_groups(losses, scores, names, .05, .1)
    found = certified_groups(losses, scores, WAYS[way](names), .05, .1)
    assert found.threshold == plain.threshold == {"u": np.inf, "v": -np.inf}
    assert [type(name) for name in found.threshold] == [str, str]
    assert found([50., 50, 50], WAYS[way](["u", "v", "w"])).tolist() == [1., 0., 0.]


@pytest.mark.parametrize("names, kind", [([1, 2], int), ([1.5, 2.5], float), ([True, False], bool)], ids=str)
def test_keys_are_values_of_python(names, kind):
    for groups in (names*50, np.array(names*50), np.array(names*50, dtype=object), pd.Series(names*50)):
        found = certified_groups([0]*100, range(100), groups, .2)
        assert set(found.threshold) == set(names) and {type(name) for name in found.threshold} == {kind}
        assert found([1.], pd.Series(names[:1])).tolist() == [1.]


@pytest.mark.parametrize("pair", [[1, "a"], [True, "a"], [True, 2], [(1,), "a"], ["a", b"a"]], ids=repr)
def test_groups_of_mixed_type_are_refused(pair):
    column = np.empty(100, dtype=object)
    column[:] = pair*50
    fitted = certified_groups([0]*100, range(100), ["a"]*100, .2)
    for groups in (pair*50, column, pd.Series(column)):
        if isinstance(groups, list) and isinstance(pair[0], tuple): continue    # ragged: refused before
        with pytest.raises(ValueError, match="^groups must be (labels of one kind|a vector)"):
            certified_groups([0]*100, range(100), groups, .2)
        with pytest.raises(ValueError, match="^groups must be (labels of one kind|a vector)"):
            fitted([1.]*100, groups)


def test_groups_that_cannot_be_sorted_are_refused():
    with pytest.raises(ValueError, match="^groups must be labels that can be sorted"):
        certified_groups([0, 0], [1, 2], np.array([1j, 2j], dtype=object), .2)
