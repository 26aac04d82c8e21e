"""Tests of nbs/ood/02_metrics.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.models import CostBasedOOD
from sklearn.metrics import average_precision_score
from sklearn.metrics import roc_auc_score

from reject_nb.ood.metrics import (
    angles_of, aupr, auroc, best_area, ccr_fpr_curve, oscr, oscr_by_definition, roc_curve,
    selective_risk_at,
)

def test_against_definitions_and_scikit_learn():
    rng = np.random.default_rng(2)
    for _ in range(60):
        n = int(rng.integers(4, 60))
        is_ood = rng.random(n) < .4
        is_ood[:2] = False, True
        s = rng.normal(size=n) + is_ood
        if rng.random() < .6: s = np.round(s, int(rng.integers(0, 2)))
        losses = (rng.random(n) < .3).astype(float) if rng.random() < .5 else rng.random(n)
        pairs = (s[is_ood][:, None] > s[~is_ood]) + .5*(s[is_ood][:, None] == s[~is_ood])
        assert abs(auroc(s, is_ood) - pairs.mean()) < 1e-12 and abs(auroc(s, is_ood) - roc_auc_score(is_ood, s)) < 1e-12
        assert abs(aupr(s, is_ood) - average_precision_score(~is_ood, -s)) < 1e-12
        assert abs(aupr(s, is_ood, positive="ood") - average_precision_score(is_ood, s)) < 1e-12
        weight = np.where(is_ood, .1/is_ood.mean(), .9/(1 - is_ood.mean()))
        assert abs(aupr(s, is_ood, prior=.1) - average_precision_score(~is_ood, -s, sample_weight=weight)) < 1e-12
        for convention in ("conditional", "joint"):
            assert abs(oscr(losses, s, is_ood, convention) - oscr_by_definition(losses, s, is_ood, convention)) < 1e-12


def test_order_and_monotone_maps_do_not_matter():
    rng = np.random.default_rng(3)
    n = 300
    is_ood, s, losses = rng.random(n) < .3, np.round(rng.normal(size=n), 1), (rng.random(n) < .2).astype(float)
    p = rng.permutation(n)
    for f in (auroc, aupr): assert abs(f(s, is_ood) - f(np.exp(s[p]), is_ood[p])) < 1e-12
    assert abs(oscr(losses, s, is_ood) - oscr(losses[p], s[p], is_ood[p])) < 1e-12


def test_constant_and_infinite_scores():
    is_ood = np.array([0, 0, 1, 1, 0])
    assert auroc(np.ones(5), is_ood) == .5 and abs(aupr(np.ones(5), is_ood) - .6) < 1e-15
    assert auroc([0, 1, np.inf, np.inf, 2], is_ood) == 1
    assert auroc([np.inf, 0, np.inf, np.inf, 2], is_ood) == (2*2 + 2*.5)/6


def test_double_scores():
    rng = np.random.default_rng(4)
    n = 400
    is_ood = rng.random(n) < .3
    S = np.column_stack([rng.normal(size=n) + .5*is_ood, rng.normal(size=n) + is_ood])
    losses = (rng.random(n) < .3).astype(float)
    for f in (auroc, aupr):
        singles = [f(S[:, 0], is_ood), f(S[:, 1], is_ood)]
        envelope, best = f(S, is_ood), f(S, is_ood, double="best angle")
        assert envelope >= best - 1e-12 and best >= max(singles) - 1e-12
        assert abs(f(np.column_stack([S[:, 0]]*2), is_ood, double="best angle") - singles[0]) < 1e-12
        assert abs(f(S*[1e-6, 1e6], is_ood, double="best angle") - best) < 1e-12
    for convention in ("conditional", "joint"):
        assert oscr(losses, S, is_ood, convention, double="best angle") >= max(oscr(losses, S[:, k], is_ood, convention) for k in (0, 1)) - 1e-12


def test_envelope_is_the_pointwise_maximum():
    rng = np.random.default_rng(6)
    for trial in range(40):
        n = int(rng.integers(4, 40))
        is_ood = rng.random(n) < .4
        is_ood[:2] = False, True
        S = np.round(rng.normal(size=(n, 2)) + is_ood[:, None], int(rng.integers(0, 2)))
        losses, fine = rng.random(n), (np.arange(20_000) + .5)/20_000
        by_angle = [s for _, s in angles_of(S, 5)]
        def at(x, y): return np.interp(fine, x, y)               # no point of a curve lies in `fine` but crossings
        assert abs(np.max([at(*roc_curve(s, is_ood)[:2]) for s in by_angle], axis=0) - at(*roc_curve(S, is_ood, 5)[:2])).max() < 1e-12
        areas = [("auroc", auroc(S, is_ood, n_angles=5), auroc(S, is_ood, "best angle", 5))]
        for c in ("conditional", "joint"):
            assert abs(np.max([at(*ccr_fpr_curve(losses, s, is_ood, c)) for s in by_angle], axis=0) - at(*ccr_fpr_curve(losses, S, is_ood, c, 5))).max() < 1e-12
            areas.append((c, oscr(losses, S, is_ood, c, n_angles=5), oscr(losses, S, is_ood, c, "best angle", 5)))
        for positive in ("id", "ood"):
            for how in ("step", "trapezoid"): areas.append((positive + how, *(aupr(S, is_ood, positive=positive, interpolation=how, double=d, n_angles=5) for d in ("envelope", "best angle"))))
        for name, whole, one in areas: assert one - 1e-12 <= whole <= 1 + 1e-12, name


def test_equal_curves_have_their_own_curve_as_envelope():
    is_ood, Z = np.arange(10) % 2 == 1, np.zeros((10, 2))
    assert auroc(Z, is_ood) == .5 and abs(oscr(np.zeros(10), Z, is_ood, "joint") - .5) < 1e-15 and oscr(np.zeros(10), Z, is_ood) == 1
    rng = np.random.default_rng(7)
    is_ood, s, losses = rng.random(300) < .4, rng.integers(0, 5, 300)*.25, rng.random(300)
    two = np.column_stack([s, s])
    assert abs(auroc(two, is_ood) - auroc(s, is_ood)) < 1e-12
    for c in ("conditional", "joint"): assert abs(oscr(losses, two, is_ood, c) - oscr(losses, s, is_ood, c)) < 1e-12


def test_infinite_double_scores_with_ood_positive():
    rng = np.random.default_rng(8)
    is_ood = rng.random(200) < .4
    S = rng.normal(size=(200, 2)) + 2*is_ood[:, None]
    S[np.argsort(S[:, 0])[-20:]] = np.inf
    by_angle = [np.minimum(s, 1e6) for _, s in angles_of(S, 31)]
    for positive, label, sign in (("id", ~is_ood, -1), ("ood", is_ood, 1)):
        best = max(average_precision_score(label, sign*s) for s in by_angle)
        assert abs(aupr(S, is_ood, positive=positive, double="best angle", n_angles=31) - best) < 1e-12
        assert best - 1e-12 <= aupr(S, is_ood, positive=positive, n_angles=31) < best + .02   # the envelope of 31 similar curves


def test_best_area_is_certified():
    rng = np.random.default_rng(5)
    for trial in range(12):
        n = int(rng.integers(8, 40))
        is_ood = rng.random(n) < .4
        is_ood[:2] = False, True
        S = np.column_stack([rng.normal(size=n) + .5*is_ood, rng.normal(size=n) + is_ood])
        if trial % 2: S = np.round(S)
        losses = (rng.random(n) < .3).astype(float) if trial % 3 else None
        area = (lambda s: auroc(s, is_ood)) if losses is None else (lambda s: oscr(losses, s, is_ood, "joint"))
        i, o = S[~is_ood][:, None], S[is_ood]
        d = (o - i).reshape(-1, 2)                              # every angle at which a pair ties, and between
        d = d[d[:, 0]*d[:, 1] < 0]
        cuts = np.unique(np.concatenate([[0, np.pi/2], np.arctan2(abs(d[:, 0]), abs(d[:, 1]))]))
        middle = (cuts[1:] + cuts[:-1])/2
        true = max(area(S[:, 0]), area(S[:, 1]), *(area(np.round(np.cos(a)*S[:, 0] + np.sin(a)*S[:, 1], 11)) for a in np.append(cuts, middle)))
        best, _, bound = best_area(S, is_ood, losses, 1e-2)
        assert best <= true + 1e-12 and true <= bound + 1e-12
        if trial % 2 == 0: assert bound - best <= 1e-2 + 1e-12  # with rounded scores several pairs turn at one angle, and the gap cannot close
        first = best_area(S, is_ood, losses, 0., max_arcs=3)    # stopped early it still holds
        assert first[0] - 1e-12 <= true <= first[2] + 1e-12
    with pytest.raises(ValueError, match="shape"): best_area(S[:, 0], is_ood)
    with pytest.raises(ValueError, match="-inf"): best_area(np.where(S == S.min(), -np.inf, S), is_ood)


def test_bad_input_is_named():
    ood = np.array([True, False, False])
    for call, said in ((lambda: auroc([1, np.nan, 2], ood), "NaN"), (lambda: auroc([1, 2, 3], [True]*3), "every input"), (lambda: auroc([1, 2, 3], [False]*3), "no input"),
                       (lambda: auroc([1, 2], ood), "is_ood"), (lambda: auroc([1, 2, 3], [0, 1, 2]), "True and False"), (lambda: oscr([0, np.nan, 0], [1, 2, 3], ood), "losses"),
                       (lambda: aupr([1, 2, 3], ood, prior=1.), "prior"), (lambda: aupr([1, 2, 3], ood, prior="a"), "prior"), (lambda: oscr([0, 1, 0], [1, 2, 3], ood, "mixed"), "convention"),
                       (lambda: auroc(np.zeros((3, 3)), ood), "scores"), (lambda: oscr([0, 5., 5.], [1, 2, 3], ood), "losses must lie in"), (lambda: ccr_fpr_curve([0, 2., 0], [1, 2, 3], ood), "losses must lie in"),
                       (lambda: oscr(None, [1, 2, 3], ood), "losses must be given"), (lambda: ccr_fpr_curve(None, [1, 2, 3], ood), "losses must be given"), (lambda: selective_risk_at(None, [1, 2, 3], ood, BoundedTPRFPR(.5, .5)), "losses must be given"),
                       (lambda: auroc(["1", "2", "3"], ood), "scores"), (lambda: auroc([1, 2, 3j], ood), "scores"), (lambda: auroc([1, 2, None], ood), "scores"), (lambda: oscr(["0"]*3, [1, 2, 3], ood), "losses"),
                       (lambda: auroc(np.zeros((3, 2)), ood, n_angles=0), "n_angles"), (lambda: oscr([0]*3, np.zeros((3, 2)), ood, double="best angle", n_angles=2.5), "n_angles"),
                       (lambda: best_area(np.zeros((3, 2)), ood, [0, 2., 0]), "losses must lie in"), (lambda: selective_risk_at([0]*3, [1, 2, 3], ood, CostBasedOOD(.1, 1.)), "model"),
                       (lambda: auroc(np.array([[0, 1], [-np.inf, 0], [1, 1]]), ood), "-inf")):
        with pytest.raises(ValueError, match=said): call()
    assert oscr([np.nan, 0, 1], [1, 2, 3], ood) >= 0          # the loss of an OOD input is not read
