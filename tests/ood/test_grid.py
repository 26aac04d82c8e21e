"""Tests of nbs/ood/07_grid.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.lines import direction
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.models import CostBasedOOD
from reject_nb.ood.sample import line_score
from reject_nb.ood.sample import read_pair
from reject_nb.ood.single import target_of

from reject_nb.ood.grid import (
    Track, best_of_angles, expected, fast_grid, grid_point, moved, naive_grid, near_order_statistic,
    tied_scores,
)

def _sample(rng, n, ties):
    "A sample whose scores are integers (ties) or continuous."
    ood = rng.random(n) < .4
    ood[0] = False
    r, g = (rng.integers(0, 4, (2, n))*1. if ties else rng.normal(size=(2, n)) + .5*ood)
    losses = (rng.random(n) < .4)*1. if rng.random() < .5 else rng.random(n)
    return read_pair(losses, r, g, ood)


def _model(rng): return BoundedTPRFPR(rng.choice([0, .2, .5, .8, 1.]), rng.choice([0, .2, .5, 1.]))


def _value(on, sample, model):
    "Objective of an acceptance by the definitions."
    own, ood = ~sample.is_ood, sample.is_ood
    tpr, fpr = on[own].mean(), on[ood].mean() if ood.any() else 0.
    if isinstance(model, CostBasedOOD): return model.cost(tpr, fpr, (sample.losses*on)[own].mean())
    if not on[own].any(): return np.inf
    if isinstance(model, BoundedTPRFPR):
        return sample.losses[on & own].mean() if tpr >= model.min_tpr and fpr <= model.max_fpr else np.inf
    p = ood.mean()
    kappa = (1 - p)*tpr/((1 - p)*tpr + p*fpr)
    met = tpr >= model.min_recall and kappa >= model.min_precision - 1e-13
    return sample.losses[on & own].mean() if met else np.inf


@pytest.mark.parametrize("kind", range(3))
def test_grid_keeps_ties(kind):
    "At 0, 45 and 90 degrees integer sums are known exactly."
    rng, infeasible = np.random.default_rng(25), 0
    for _ in range(200):
        sample = _sample(rng, int(rng.integers(2, 12)), True)
        if kind == 2 and not sample.n_ood: continue
        model = (BoundedTPRFPR(.6, .4), BoundedPrecisionRecall(.6, .5), CostBasedOOD(.3, 1., 0., .4))[kind]
        target = target_of(model, sample.n_id, sample.n_ood)
        scores = sample.s_r, sample.s_r + sample.s_g, sample.s_g
        best = min([model.cost(0, 0, 0) if kind == 2 else np.inf,
                    *(_value(s <= x, sample, model) for s in scores for x in np.unique(s))])
        found = grid_point(sample, model, target, np.linspace(0, np.pi/2, 3))
        infeasible += np.isinf(best)
        assert found.objective + target.constant == best or abs(found.objective
                                                                + target.constant - best) < 1e-12
        if np.isfinite(best):
            assert abs(_value(tied_scores(sample.s_r, sample.s_g, found.angle) <= found.threshold, sample,
                              model) - best) < 1e-12
    assert (infeasible > 5) == (kind != 2)


@pytest.mark.parametrize("n", [3, 8, 40, 3000])
@pytest.mark.parametrize("ties", [False, True])
def test_the_fast_way_is_the_paper_s(n, ties):
    rng, angles = np.random.default_rng(n), np.linspace(0, np.pi, 61)
    for _ in range(60 if n < 100 else 4):
        sample, model = _sample(rng, n, ties), _model(rng)
        target = target_of(model, sample.n_id, sample.n_ood)
        fast = grid_point(sample, model, target, angles)
        slow = best_of_angles(sample, model, angles, tied_scores)
        assert fast.objective == slow.objective or abs(fast.objective - slow.objective) < 1e-12


def test_the_fast_way_uncompiled():
    import reject_nb.ood.grid as module
    rng, angles = np.random.default_rng(4), np.linspace(0, np.pi/2, 25)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "fast_grid", fast_grid.py_func)
        for n in (5, 20, 20, 60):
            sample, model = _sample(rng, n, False), _model(rng)
            target = target_of(model, sample.n_id, sample.n_ood)
            found = module.grid_point(sample, model, target, angles)
            slow = best_of_angles(sample, model, angles)
            assert found.objective == slow.objective or abs(found.objective - slow.objective) < 1e-12


@pytest.mark.parametrize("guess, margin", [(0., .1), (0., np.inf), (5., .1), (0., 1e-9), (.3, .4)])
def test_an_order_statistic_does_not_depend_on_the_guess(guess, margin):
    r, g = np.random.default_rng(0).normal(size=(2, 50))
    for k in (0, 20, 25, 49):
        assert near_order_statistic(r, g, direction(.6), k, guess, margin,
                                    np.empty(51)) == np.sort(r*np.cos(.6) + g*np.sin(.6))[k]


@pytest.mark.parametrize("values, guess, margin",
                         [((1., 2.), 3., 1.), ((1., 2., 3.5), 5., 2.0015), ((1., 2., 3., 3.), 3., 4.)])
def test_tracks(values, guess, margin):
    track = Track(0., 0., 0., 0)
    for v in values: track = moved(track, v)
    assert np.allclose(expected(track), (guess, margin), atol=1e-15) and track.seen == len(values)
    assert expected(Track(1., 0., .1, 1))[1] == np.inf


def test_ties_become_the_largest_sum():
    r, g = np.array([.1, .2, .3, 1., np.inf]), np.array([.3, .2, .1, 0., 0.])
    s = tied_scores(r, g, np.pi/4)
    assert s[0] == s[1] == s[2] == line_score(r, g, np.pi/4)[:3].max() and s[3] > s[2] and s[4] == np.inf
    assert (tied_scores(r, g, 0.) == r).all() and (tied_scores(r, g, np.pi/2) == g).all()


@pytest.mark.parametrize("change, named", [(dict(angles=[-.1]), "angles"), (dict(angles=[4.]), "angles"),
                                           (dict(angles=[]), "angles"),
                                           (dict(model=None), "model"), (dict(s_g=[1]), "s_g"),
                                           (dict(losses=None), "losses")])
def test_bad_input_is_named(change, named):
    good = dict(losses=[0, 1, 0], s_r=[0, 1, 2], s_g=[2, 1, 0], is_ood=[0, 0, 1],
                model=BoundedTPRFPR(.5, .5), angles=[.5])
    with pytest.raises(ValueError, match=named): naive_grid(**{**good, **change})
