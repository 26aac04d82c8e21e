"""Tests of nbs/ood/03_single.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.models import CostBasedOOD

from reject_nb.ood.single import brute_force, random_models, random_sample, tune_single_score

def test_every_threshold():
    rng, status = np.random.default_rng(1), set()
    for _ in range(150):
        losses, s, is_ood = random_sample(rng)
        for model in random_models(rng):
            if isinstance(model, CostBasedOOD) and not is_ood.any(): continue
            t, best = tune_single_score(losses, s, is_ood, model), brute_force(losses, s, is_ood, model)
            status.add(t.status)
            assert (t.status == "infeasible") == np.isinf(best)
            if np.isinf(best): continue
            assert abs(t.objective - best) < 1e-12
            on = t.accept(s)
            assert abs((on & ~is_ood).sum()/(~is_ood).sum() - t.tpr) < 1e-15
    assert status == {"optimal", "infeasible"}


def test_nearest_is_attained_and_not_beaten():
    rng, n_checked = np.random.default_rng(2), 0
    for _ in range(100):
        losses, s, is_ood = random_sample(rng)
        if not is_ood.any(): continue
        m = BoundedTPRFPR(rng.uniform(.5, 1), rng.uniform(0, .3))
        t = tune_single_score(losses, s, is_ood, m)
        if t.status == "infeasible":
            n_checked += 1
            assert tune_single_score(losses, s, is_ood, BoundedTPRFPR(m.min_tpr, t.nearest["fpr"])).status == "optimal"
            if t.nearest["tpr"] > 0: assert tune_single_score(losses, s, is_ood, BoundedTPRFPR(t.nearest["tpr"], m.max_fpr)).status == "optimal"
            assert t.nearest["fpr"] > m.max_fpr and t.nearest["tpr"] < m.min_tpr
    assert n_checked > 20


def test_edges():
    losses, ood = np.array([0., 1, 0, 0]), np.array([False, False, True, True])
    t = tune_single_score(losses, np.ones(4), ood, BoundedTPRFPR(.5, .5))              # a constant score accepts all or nothing
    assert t.status == "infeasible" and t.nearest == {"tpr": 0., "fpr": 1.}
    assert "lower" not in t.message and "raise max_fpr to 1" in t.message
    t = tune_single_score(losses, np.ones(4), ood, BoundedTPRFPR(0, 0))                # a selective risk needs an accepted ID input
    assert t.status == "infeasible" and "one ID input" in t.message
    assert tune_single_score(losses, np.ones(4), ood, BoundedTPRFPR(1, 1)).selective_risk == .5
    t = tune_single_score(losses, [1, 2, np.inf, np.inf], ood, BoundedTPRFPR(1, 0))    # infinite likelihood ratios
    assert t.status == "optimal" and t.fpr == 0 and t.tpr == 1
    t = tune_single_score(losses, [1, 2, 3, 4], [False]*4, BoundedTPRFPR(.5, 0))       # no OOD: bounded abstention
    assert t.status == "optimal" and t.selective_risk == .25 and t.fpr == 0
    assert tune_single_score(losses, [1, 2, 3, 4], [False]*4, BoundedPrecisionRecall(1, .25)).selective_risk == 0
    with pytest.raises(ValueError, match="every input"): tune_single_score(losses, [1, 2, 3, 4], [True]*4, BoundedTPRFPR(.5, 0))
    with pytest.raises(ValueError, match="NaN"): tune_single_score(losses, [1, np.nan, 3, 4], ood, BoundedTPRFPR(.5, 0))
    with pytest.raises(ValueError, match="model"): tune_single_score(losses, [1, 2, 3, 4], ood, "tpr")
    with pytest.raises(ValueError, match="prior"): tune_single_score(losses, [1, 2, 3, 4], [False]*4, CostBasedOOD(.1, 1., 0., .5))
    with pytest.raises(ValueError, match="NaN"): tune_single_score(losses, [1, 2, 3, 4], ood, BoundedTPRFPR(1, 1)).accept([np.nan])
