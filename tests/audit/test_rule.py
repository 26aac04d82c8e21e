"""Tests of nbs/audit/06_rule.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import polars as pl
import pytest
import tempfile
from pathlib import Path as FilePath
from reject_nb.audit.frontier import MENU
from reject_nb.audit.frontier import certified_ends
from reject_nb.audit.rule import _Choices
from reject_nb.audit.rule import _rule
from reject_nb.audit.sample import SCORE
from reject_nb.audit.sample import Sample
from reject_nb.audit.sample import make_sample
from reject_nb.audit.table import Table
from reject_nb.audit.table import TableError
from reject_nb.core.results import Status
from reject_nb.strategies.band_and_chain import design_band_and_chain
from reject_nb.strategies.certified import certified_risk
from types import SimpleNamespace

from reject_nb.audit.rule import Rule, RuleError, _digest, certify_sample, rule_to_dict

LAWS = {"rising": lambda u: .4*u, "step": lambda u: .3*(u > .4),
        "plateau": lambda u: np.where(u < .6, .052, .3), "weak": lambda u: .04 + .1*u}

def _truth(law, kind, grid=200_000):
    "Risk of the best m of many inputs, for each kind of score: sorted scores and their running mean rate."
    rng = np.random.default_rng(99)
    u = rng.random(grid)
    s = u + {"own": 0., "noisy": .3, "noisier": 1.}[kind]*rng.random(grid)
    order = np.argsort(s)
    return s[order], np.cumsum(LAWS[law](u[order]))/np.arange(1, grid + 1)


def _adversary(law, repetitions, n=600, delta=.1, seed=0):
    "Share of samples in which some rule that could be chosen breaks its promise: (looked, by itself)."
    kinds = ("own", "noisy", "noisier")
    rng, known, broken = np.random.default_rng(seed), {k: _truth(law, k) for k in kinds}, np.zeros(2)
    designs = [[(t, design_band_and_chain(n, t, share)) for t in MENU]
               for share in (delta/len(MENU)/3, delta)]
    ends = np.arange(1, n + 1)
    for _ in range(repetitions):
        u, noise = rng.random(n), rng.random((2, n))
        wrong = rng.random(n) < LAWS[law](u)
        failed = np.zeros(2, bool)
        for kind, s in zip(kinds, (u, u + .3*noise[0], u + 1.*noise[1])):
            order = np.argsort(s)
            errors, place = np.append(0, np.cumsum(wrong[order])), np.searchsorted(known[kind][0], s[order])
            risk = known[kind][1][np.minimum(place, len(known[kind][1]) - 1)]
            for i, some in enumerate(designs):
                failed[i] |= any((certified_ends(errors, ends, d) & (risk > t)).any() for t, d in some if d)
        broken += failed
    return broken/repetitions


def _sample(seed, n=1000, noise=0., bound=1.):
    rng = np.random.default_rng(seed)
    u = rng.random(n)
    scores = {"own": u, "noisy": u + .5*rng.random(n)}
    return Sample(losses=bound*(rng.random(n) < .2*u), scores=scores, bound=bound,
                  groups=(u > .5).astype(int), group_names=("a", "b"))


def test_the_three_ways_to_pay():
    sample = _sample(0, 3000)
    free = certify_sample(sample, .05, score="own", looked=False)
    best = certify_sample(sample, .05, looked=False)
    looked = certify_sample(sample, .05)
    assert free.coverage >= best.coverage >= looked.coverage > 0
    assert (free.n_scores, best.n_scores, looked.n_scores, looked.n_targets) == (1, 2, 2, 10)
    np.testing.assert_allclose(free.coverage,
                               certified_risk(sample.losses, sample.scores["own"], .05, .1).coverage)
    assert "fixed before" in free.statement and "best of 2 scores" in best.statement
    assert "10 targets of the menu and 2 scores" in looked.statement


def test_a_target_between_two_lines_is_served_by_the_lower():
    sample = _sample(1, 3000)
    assert certify_sample(sample, .06).threshold == certify_sample(sample, .05).threshold
    assert certify_sample(sample, .06).target_risk == .06


def test_the_score_named_after_looking_pays_as_well():
    sample = _sample(2, 3000)
    assert certify_sample(sample, .05, score="own").threshold == certify_sample(sample, .05).threshold
    assert certify_sample(sample, .05, score="noisy").coverage <= certify_sample(sample, .05).coverage


def test_each_group_keeps_its_promise():
    sample = _sample(3, 4000)
    rule = certify_sample(sample, .15, per_group=True, looked=False)
    accept = rule.decide(scores=sample.scores, groups=np.array(["a", "b"])[sample.groups])
    assert accept.sum() == rule.n_accepted and rule.thresholds["a"] == np.inf and rule.thresholds["b"] < 1
    for g in (0, 1): assert sample.losses[accept & (sample.groups == g)].mean() <= .15
    assert not rule.decide(scores=sample.scores["own"], groups=["c"]*4000).any()
    with pytest.raises(ValueError, match="groups must be given"): rule.decide(scores=sample.scores)
    with pytest.raises(ValueError, match="no groups were given"): certify_sample(Sample(losses=sample.losses,
        scores=sample.scores), per_group=True)


def test_nothing_and_everything():
    nothing = certify_sample(_sample(4), .001)
    assert nothing.status == Status.infeasible and nothing.threshold == -np.inf and nothing.coverage == 0
    assert "first line of the menu" in nothing.remedy and "0.005" in nothing.remedy
    assert "are needed" in certify_sample(_sample(4), .001, looked=False).remedy
    assert np.isnan(nothing.risk) and not nothing.decide(scores=[0., -np.inf])[0]
    everything = certify_sample(_sample(4), .3)
    assert everything.status == Status.trivial and everything.decide(scores=[1e9, np.inf]).all()
    assert certify_sample(_sample(5), 1.).coverage == 1
    assert "tells mistakes apart" in certify_sample(Sample(losses=np.ones(500),
                                                           scores={"s": np.arange(500.)}), .3).remedy


def test_losses_have_units():
    one, five = certify_sample(_sample(6, 3000), .05), certify_sample(_sample(6, 3000, bound=5.), .25)
    assert one.threshold == five.threshold and five.bound == 5 and five.risk == 5*one.risk


@pytest.mark.parametrize("looked", [True, False])
def test_many_rows(looked):
    rule = certify_sample(_sample(7, 120_000), .05, looked=looked)
    assert .45 < rule.coverage < .5 and "every hundredth" in rule.method


@pytest.mark.parametrize("law", list(LAWS))
def test_choices_after_looking_keep_the_promise(law):
    "More than 29 of 150 at level .1 has probability .0003."
    assert _adversary(law, 150, seed=5)[0] <= 29/150


def test_rules_survive_the_file():
    p = np.random.default_rng(0).beta(5, 1, 2000)
    y = (np.random.default_rng(1).random(2000) < p).astype(int)
    sample = make_sample(y, probabilities=p, groups=np.where(p > .8, "day", "night"))
    with tempfile.TemporaryDirectory() as folder:
        for rule in (certify_sample(sample, .1), certify_sample(sample, .1, per_group=True),
                     certify_sample(sample, .5)):
            path = FilePath(folder)/"rule.json"
            again = Rule.load(str(rule.save(path) and path))
            assert again == rule and again.status.remedy == rule.status.remedy
            chosen = dict(probabilities=p, groups=["day"]*2000)
            assert np.array_equal(again.decide(**chosen), rule.decide(**chosen))
        nothing = certify_sample(sample, .0001).save(path)
        assert Rule.load(path).to_dict() == nothing.to_dict()


def _files():
    "Contents that are no rules, by what is wrong."
    good = json.dumps(rule_to_dict(Rule(**BY_HAND)))
    def edit(**change): return json.dumps(json.loads(good) | change)
    def resealed(**change):
        content = json.loads(good) | change
        return json.dumps(content | {"checksum": _digest(content)})
    strange = {k: v for k, v in json.loads(good).items() if k != "score"}
    return {"empty": "", "cut": good[:-20], "a list": "[1]", "another schema": resealed(schema="x"),
            "newer": resealed(version=2),
            "older": resealed(version=0), "edited": edit(threshold=.4), "a flag": resealed(n=True),
            "not a number": resealed(threshold="nan"), "unknown status": resealed(status="fine"),
            "a field more": resealed(code="import os"), "a constant": good.replace("0.3", "NaN"),
            "a field less": json.dumps(strange | {"checksum": _digest(strange)}), "deep": "["*100_000,
            "long digits": '{"n": ' + "9"*5000 + "}", "version true": resealed(version=True),
            "a huge limit": resealed(threshold=10**400), "a huge number": resealed(target_risk=10**400),
            "a list of limits": resealed(thresholds=[1]), "limits in words": resealed(thresholds="ab"),
            **{f"{k} out of range ({v})": resealed(**{k: v}) for k, v, _ in OUT_OF_RANGE}}

OUT_OF_RANGE = [("kind", "x", "max_probability"), ("loss", "hinge", "zero-one"), ("bound", 0, "above 0"),
                ("target_risk", 0, "above 0"), ("target_risk", 1.5, "at most the bound"),
                ("delta", 0, "in \\(0, 1"), ("delta", 1, "in \\(0, 1"), ("n", 0, "at least 1"),
                ("n_accepted", 101, "from 0 to n"), ("n_accepted", -1, "from 0 to n"),
                ("n_accepted", 59, "n_accepted divided"), ("coverage", .61, "n_accepted divided"),
                ("risk", -.1, "in \\[0, bound"), ("risk", 1.1, "in \\[0, bound"),
                ("risk", None, "in \\[0, bound"), ("status", "infeasible", "certified or trivial"),
                ("status", "optimal", "certified or trivial"),
                ("thresholds", {}, "null or limits"), ("thresholds", {"a": .2}, "null or limits"),
                ("n_scores", 0, "at least 1"), ("n_targets", 0, "at least 1"),
                ("classes", ["a", "a"], "different texts"), ("classes", [1], "different texts")]
BY_HAND = dict(score=SCORE, kind=SCORE, threshold=.3, target_risk=.05, delta=.1, coverage=.6, risk=.03, n=100,
               n_accepted=60,
               method="by hand", status=Status.certified, remedy="",
               statement="answers are wrong at most one time in twenty")
WRONG = {"empty": "JSON", "cut": "JSON", "a list": "schema", "another schema": "schema", "newer": "version 2",
         "older": "version 0",
         "edited": "changed after", "not a number": "threshold must be", "a flag": "n must be",
         "unknown status": "status must be",
         "a field more": "unknown", "a constant": "NaN", "a field less": "missing", "deep": "JSON",
         "long digits": "JSON", "version true": "version True", "a huge limit": "threshold must be",
         "a huge number": "target_risk must be", "a list of limits": "thresholds must be",
         "limits in words": "thresholds must be",
         **{f"{k} out of range ({v})": f"must be .*{words}" for k, v, words in OUT_OF_RANGE}}

@pytest.mark.parametrize("what", list(WRONG))
def test_files_that_are_no_rules_are_named(what):
    with tempfile.TemporaryDirectory() as folder:
        path = FilePath(folder)/"rule.json"
        path.write_text(_files()[what])
        with pytest.raises(RuleError, match=WRONG[what]): Rule.load(path)


def test_a_missing_file_is_named():
    with pytest.raises(RuleError, match="no_such.json"): Rule.load("no_such.json")
    with pytest.raises(ValueError, match="path must"): Rule.load(3)
    with pytest.raises(ValueError, match="^path must be the name of a file"): Rule(**BY_HAND).save(".")


def test_tables_of_all_kinds_are_decided_alike():
    import pandas as pd
    import pyarrow as pa
    rule, cells = Rule(**BY_HAND), {"p_0": [.9, .6, .31], "p_1": [.1, .4, .69], "id": ["a", "b", "c"]}
    asked = dict(probabilities=["p_0", "p_1"])
    with tempfile.TemporaryDirectory() as folder:
        pl.DataFrame(cells).write_csv(FilePath(folder)/"a.csv")
        pl.DataFrame(cells).write_parquet(FilePath(folder)/"a.parquet")
        tables = [pd.DataFrame(cells, index=[5, 6, 7]), pl.DataFrame(cells), pa.table(cells), cells,
                  FilePath(folder)/"a.csv", FilePath(folder)/"a.parquet"]
        for table in tables:
            found = rule.apply(table, **asked)
            assert [bool(a) for a in np.asarray(found["accept"])] == [True, False, False]
            assert [str(r) for r in np.asarray(found["reason"])] == ["answered", "uncertainty 0.4 above 0.3",
                "uncertainty 0.31 above 0.3"]
            assert type(found) is (Table if isinstance(table, (dict, FilePath)) else type(table))
        assert rule.apply(tables[0], **asked).index.tolist() == [5, 6, 7]
        assert rule.apply(tables[4], **asked)["p_0"].tolist() == ["0.9", "0.6", "0.31"]


def test_bad_tables_are_named():
    rule = Rule(**BY_HAND)
    with pytest.raises(TableError, match="column 'p_1', row 2"): rule.apply({"p_0": ["1", ".5"],
        "p_1": ["0", ""]}, probabilities=["p_0", "p_1"])
    with pytest.raises(TableError, match="row 1: probabilities must be one that sums"): rule.apply({"a": [.5],
        "b": [.6]}, probabilities=["a", "b"])
    with pytest.raises(TableError, match="is missing"): rule.apply({"a": [.5]}, scores="b")
    with pytest.raises(TableError, match="there already"): rule.apply({"a": [.5], "accept": [1]}, scores="a")
    with pytest.raises(ValueError, match="must say which columns"): rule.apply({"a": [.5]})
    with pytest.raises(ValueError, match="one of probabilities"): rule.decide()
    other = Rule(**BY_HAND | {"score": "margin", "kind": "given"})
    with pytest.raises(ValueError, match="the rule is about"): other.decide(probabilities=[[.5, .5]])
    with pytest.raises(ValueError, match="scores must be a dict"): other.decide(scores={"s": [1]})


def test_what_is_said_of_a_rule_by_hand():
    "Losses 0, 2, 1 and 3 of four rows of which the first and third are answered: coverage 1/2, risk 1/2."
    sample = Sample(losses=np.array([0., 2., 1., 3.]), scores={"s": np.arange(4.)}, bound=4.)
    found = [SimpleNamespace(threshold=1.5, method="m")]
    def made(accept, looked=False, n_scores=1, found=found, per_group=False):
        return _rule(sample, "s", found, np.array(accept, bool), .8, .2, per_group, looked, n_scores)
    rule = made([1, 0, 1, 0])
    assert (rule.coverage, rule.risk, rule.n, rule.n_accepted) == (.5, .5, 4, 2)
    assert (rule.threshold, rule.thresholds, rule.method, rule.n_targets) == (1.5, None, "m", 1)
    assert (rule.target_risk, rule.delta, rule.bound, rule.status) == (.8, .2, 4., Status.certified)
    assert made([0, 1, 0, 1]).risk == 2.5 and made([0, 0, 0, 1]).risk == 3
    assert made([1]*4).status == Status.trivial and made([1]*4).risk == 1.5
    nothing = made([0]*4)
    assert nothing.status == Status.infeasible and np.isnan(nothing.risk) and nothing.coverage == 0
    assert made([1, 0, 1, 0], looked=True).n_targets == 10 and made([1, 0, 1, 0], n_scores=3).n_scores == 3
    named = Sample(losses=np.zeros(4), scores={"s": np.arange(4.)}, groups=np.array([0, 0, 1, 1]),
                   group_names=("a", "b"))
    both = [SimpleNamespace(threshold=t, method="m") for t in (1.5, 7.)]
    rule = _rule(named, "s", both, np.ones(4, bool), .8, .2, True, False, 1)
    assert rule.thresholds == {"a": 1.5, "b": 7.} and rule.threshold == 7
    assert "in each of the 2 groups at once" in rule.statement


def test_choices_in_words():
    assert str(_Choices(False, 1, 1, 0)) == "The target was fixed before these rows were looked at."
    assert str(_Choices(False, 2, 1,
                        0)) == ("The target was fixed before these rows were looked at, as the best of "
                                            "2 scores, each with its share of delta.")
    words = "This holds even if target and score were chosen after looking at these rows: "
    assert str(_Choices(True, 1, 1, 0)) == words + "all targets hold at once."
    assert str(_Choices(True, 1, 10, 0)) == words + "10 targets of the menu hold at once."
    assert str(_Choices(True, 3, 10, 0)) == words + "10 targets of the menu and 3 scores hold at once."
