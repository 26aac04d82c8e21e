"""Tests of nbs/ood/05_guarantees.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.single import linear_score
from reject_nb.ood.synthetic import synthetic_example

from reject_nb.ood.guarantees import certify_targets, values_of_law

def test_violations_are_rare():
    "300 calibrations at delta = .2: binomial, the count stays below 60 + 5 standard deviations of 7."
    law, angle, bad, certified = synthetic_example(2.), .1, 0, 0
    for seed in range(300):
        s = law.sample(600, 1000 + seed)
        c = certify_targets(s.losses, linear_score(s.s_r, s.s_g, angle), s.is_ood, .6, .35, .18, .2)
        if c.status == "infeasible": continue
        certified += 1
        tpr, fpr, risk = values_of_law(law, angle, c.threshold)
        bad += tpr < .6 - 1e-3 or fpr > .35 + 1e-3 or risk > .18 + 1e-3
    assert certified > 100 and bad <= 60 + 35


def test_certificate_edges():
    losses, s, ood = np.array([0., 1, 0, 0]), np.array([1., 2, 3, 4]), np.array([False, False, True, True])
    assert certify_targets(losses, s, ood, min_tpr=.9).threshold == np.inf            # too few inputs: only accepting all is sure
    assert certify_targets(losses, s, ood, max_fpr=.1).status == "infeasible" and certify_targets(losses, s, ood, max_fpr=0).status == "infeasible"
    assert certify_targets(losses, s, ood, min_tpr=0, max_fpr=1).status == "certified"
    assert certify_targets(losses, s, ood, max_fpr=1.).message.endswith("new inputs have FPR at most 1")
    for kw, said in ((dict(), "at least one"), (dict(min_tpr=2), "min_tpr"), (dict(min_tpr=.5, delta=1), "delta")):
        with pytest.raises(ValueError, match=said): certify_targets(losses, s, ood, **kw)
    with pytest.raises(ValueError, match="losses must be given"): certify_targets(None, s, ood, min_tpr=.5)
    with pytest.raises(ValueError, match="scores"): certify_targets(losses, s, ood, min_tpr=.5).accept(["1"])
    with pytest.raises(ValueError, match="no input"): certify_targets(losses, s, [False]*4, max_fpr=.2)
