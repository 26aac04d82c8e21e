"""Tests of nbs/ood/10_metrics.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.sample import read_sample

from reject_nb.ood.metrics import (
    angles_of, ccr_fpr_curve, highest, polygon, precision_recall_curve, roc_curve, values_at,
)

def _pairs(rng, digits):
    "(double scores, is_ood, losses) of a small sample."
    n = int(rng.integers(4, 40))
    is_ood = rng.random(n) < .4
    is_ood[:2] = False, True
    return np.round(rng.normal(size=(n, 2)) + is_ood[:, None], digits), is_ood, rng.random(n)


@pytest.mark.parametrize("trial", range(8))
def test_envelope_is_the_pointwise_maximum(trial):
    rng = np.random.default_rng(trial)
    fine = (np.arange(20_000) + .5)/20_000
    def at(x, y):
        return np.interp(fine, x, y)               # no point of a curve lies in `fine` but crossings
    for _ in range(5):
        S, is_ood, losses = _pairs(rng, trial % 2)
        by_angle = [s for _, s in angles_of(read_sample(S, is_ood), 5)]
        assert abs(np.max([at(*roc_curve(s, is_ood)[:2]) for s in by_angle],
                          axis=0) - at(*roc_curve(S, is_ood, 5)[:2])).max() < 1e-12
        for c in ("conditional", "joint"):
            one = [at(*ccr_fpr_curve(losses, s, is_ood, c)) for s in by_angle]
            assert abs(np.max(one, axis=0) - at(*ccr_fpr_curve(losses, S, is_ood, c, 5))).max() < 1e-12
        for positive in ("id", "ood"):
            precision, recall, none = precision_recall_curve(S, is_ood, .2, positive, 5)
            points = [precision_recall_curve(s, is_ood, .2, positive)[:2] for s in by_angle]
            assert none is None and (np.diff(precision) <= 0).all()
            for p, r in zip(precision, recall):
                assert abs(max(q[s >= r - 1e-12].max() for q, s in points) - p) < 1e-12


@pytest.mark.parametrize("positive, prior", [("id", None), ("ood", None), ("id", .1), ("ood", .1),
                                             ("id", 0.)])
def test_curves_by_definition(positive, prior):
    rng = np.random.default_rng(1)
    for _ in range(20):
        S, is_ood, losses = _pairs(rng, 0)
        s, p = S[:, 0], is_ood.mean() if prior is None else prior
        fpr, tpr, cuts = roc_curve(s, is_ood)
        assert cuts[0] == -np.inf and (cuts[1:] == np.unique(s)).all()
        for x, y, cut in zip(fpr, tpr, cuts):
            assert (x, y) == ((s <= cut)[is_ood].mean(), (s <= cut)[~is_ood].mean())
        for q, r, cut in zip(*precision_recall_curve(s, is_ood, prior, positive)):
            on = s <= cut if positive == "id" else s >= cut
            good, bad = (1 - p)*on[~is_ood].mean(), p*on[is_ood].mean()
            if positive == "ood": good, bad = bad, good
            assert abs(q - (good/(good + bad) if good + bad
                            else 1)) < 1e-12 and abs(r - on[is_ood == (positive == "ood")].mean()) < 1e-15


def test_polygons_that_jump():
    a = polygon(np.array([0., .5, .5, 1]), np.array([0., 0, 1, 1]))
    b = polygon(np.array([0., 1]), np.array([.5, .5]))
    assert [v.tolist() for v in values_at(a, np.array([.25, .5, .75]))] == [[0, 0, 1], [0, 1, 1],
                                                                            [False, True, False]]
    top = highest(a, b)
    assert all((x == y).all() for x, y in zip(top, highest(b, a)))
    assert top.x.tolist() == [0, .5, 1] and top.before.tolist() == [.5, .5, 1] and top.after.tolist() == [.5,
                                                                                                          1,
                                                                                                          1]

BAD = [(roc_curve, dict(scores=[1, np.nan, 2]), "scores"), (roc_curve, dict(is_ood=[False]*3), "is_ood"),
       (roc_curve, dict(n_angles=0), "n_angles"),
       (precision_recall_curve, dict(prior=1.), "prior"), (precision_recall_curve, dict(prior="a"), "prior"),
       (precision_recall_curve, dict(positive="both"), "positive"),
       (ccr_fpr_curve, dict(losses=[0, 2., 0]), "losses"), (ccr_fpr_curve, dict(losses=None), "losses"),
       (ccr_fpr_curve, dict(convention="mixed"), "convention")]

@pytest.mark.parametrize("f, change, named", BAD)
def test_bad_input_is_named(f, change, named):
    good = dict(scores=[1., 2, 3], is_ood=[True, False, False],
                **({"losses": [0, 1, 0]} if f is ccr_fpr_curve else {}))
    with pytest.raises(ValueError, match=f"^{named} must be"): f(**{**good, **change})
