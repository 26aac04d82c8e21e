"""Tests of nbs/ood/12_guarantees.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.experiments.synthetic import synthetic_example
from reject_nb.ood.sample import score_on_line

from reject_nb.ood.guarantees import certify_targets

def _values_of_law(law, angle, threshold):
    "TPR, FPR and selective risk of the law itself, on a fine grid."
    p_id, p_ood, risk = law.cells(6000)
    on = score_on_line(risk, p_ood/p_id, angle) <= threshold
    return p_id@on, p_ood@on, (p_id*risk)@on/max(p_id@on, 1e-300)


def test_violations_are_rare():
    "300 calibrations at delta = .2: binomial, the count stays below 60 + 5 standard deviations of 7."
    law, angle, bad, certified = synthetic_example(2.), .1, 0, 0
    for seed in range(300):
        s = law.sample(600, 1000 + seed)
        c = certify_targets(s.losses, score_on_line(s.s_r, s.s_g, angle), s.is_ood, .6, .35, .18, .2)
        if c.status == "infeasible": continue
        certified += 1
        tpr, fpr, risk = _values_of_law(law, angle, c.threshold)
        bad += tpr < .6 - 1e-3 or fpr > .35 + 1e-3 or risk > .18 + 1e-3
    assert certified > 100 and bad <= 60 + 35


@pytest.mark.parametrize("asked, n_asked", [(dict(min_tpr=.5), 1), (dict(max_fpr=.3), 1),
                                            (dict(min_tpr=.5, max_fpr=.6), 2)])
def test_each_statement_gets_its_share_of_delta(asked, n_asked):
    "The threshold is the extreme one that order statistics at delta over the number of statements allow."
    from scipy.stats import beta
    rng = np.random.default_rng(0)
    s, ood = rng.normal(size=200) + np.repeat([0, 1.5], 100), np.repeat([False, True], 100)
    c = certify_targets(np.zeros(200), s, ood, **asked, delta=.1)
    own, other, k = np.sort(s[~ood]), np.sort(s[ood]), np.arange(1, 101)
    low = own[np.flatnonzero(beta.cdf(asked.get("min_tpr", 0), k, 101 - k) <= .1/n_asked)[0]]
    high = np.inf
    if "max_fpr" in asked:
        high = other[np.flatnonzero(beta.sf(asked["max_fpr"], k, 101 - k) <= .1/n_asked)[-1]]
    assert c.threshold == (low if "max_fpr" not in asked else own[own < high][-1]) and c.status == "certified"
    assert (c.tpr, c.fpr) == ((s <= c.threshold)[~ood].mean(),
                              (s <= c.threshold)[ood].mean()) and c.selective_risk == 0

FOUR = dict(losses=[0., 1, 0, 0], scores=[1., 2, 3, 4], is_ood=[False, False, True, True])

@pytest.mark.parametrize("targets, status, threshold", [
    (dict(min_tpr=.9), "certified", np.inf),            # too few inputs: only accepting all is sure
    (dict(min_tpr=1), "certified", np.inf), (dict(max_fpr=.1), "infeasible", -np.inf),
    (dict(max_fpr=0), "infeasible", -np.inf),
    (dict(min_tpr=0, max_fpr=1), "certified", 2.), (dict(max_fpr=1.), "certified", 2.),
    (dict(min_tpr=0), "certified", 1.),
    (dict(min_tpr=1, max_fpr=.9), "infeasible", -np.inf), (dict(target_risk=.1), "infeasible", -np.inf)])
def test_edges(targets, status, threshold):
    c = certify_targets(**FOUR, **targets)
    accepted = [True, True, threshold > 9] if status == "certified" else [False]*3
    assert c.status == status and c.threshold == threshold
    assert c.accept([-np.inf, 0., 9.]).tolist() == accepted


def test_words_and_rates():
    assert certify_targets(**FOUR, max_fpr=1.).message.endswith("new inputs have FPR at most 1")
    c = certify_targets(**FOUR, min_tpr=.9)
    assert c.tpr == 1 and c.fpr == 1 and c.selective_risk == .5 and c.delta == .05
    none = certify_targets(**FOUR, max_fpr=.1)
    assert none.tpr == none.fpr == 0 and np.isnan(none.selective_risk) and "2 ID and 2 OOD" in none.message


@pytest.mark.parametrize("change, named", [
    (dict(), "min_tpr"), (dict(min_tpr=2), "min_tpr"), (dict(max_fpr="a"), "max_fpr"),
    (dict(target_risk="abc", max_fpr=0), "target_risk"), (dict(min_tpr=.5, delta=1), "delta"),
    (dict(min_tpr=.5, losses=None), "losses"), (dict(min_tpr=.5, scores=[1, 2, np.nan, 4]), "scores"),
    (dict(max_fpr=.2, is_ood=[False]*4), "is_ood"),
    (dict(target_risk=.5, losses=[0, 3, 0, 0]), "losses")])
def test_bad_input_is_named(change, named):
    with pytest.raises(ValueError, match=named): certify_targets(**{**FOUR, **change})


@pytest.mark.parametrize("scores", [["1"], [np.nan], None, np.zeros((2, 2))])
def test_accept_names_bad_scores(scores):
    with pytest.raises(ValueError, match="scores"): certify_targets(**FOUR, min_tpr=.5).accept(scores)
