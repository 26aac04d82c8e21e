"""Tests of nbs/gpc/29_attacks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc import GPPosterior
from reject_nb.gpc.softmax import fit_multiclass_gpc
from scipy.stats import norm

from reject_nb.gpc.attacks import gpfgs, interpretability, lime_weights, probability_gradient

def _posterior(seed, d=2, n=20):
    rng = np.random.default_rng(seed)
    return GPPosterior(rng.normal(size=(n, d)), rng.normal(size=n), rng.uniform(.1, .5, n),
                       np.linspace(.8, 1.2, d), 2.), rng


def test_gpfgs_steps_to_the_corner_the_gradient_points_at():
    post, rng = _posterior(0, 3)
    X = rng.normal(size=(10, 3))
    Z, slope, mean = gpfgs(post, X, .3), post.gradient(X)[0], post.latent(X)[0]
    np.testing.assert_allclose(Z, X - .3*np.sign(slope)*np.sign(mean)[:, None], rtol=1e-12)
    assert (gpfgs(post, X, .3, dims=[0])[:, 1:] == X[:, 1:]).all()
    assert gpfgs(post, X[0], .3).shape == (3,) and gpfgs(post, X[:0], .3).shape == (0, 3)
    assert (np.abs(post.latent(gpfgs(post, X, 1e-4))[0]) < np.abs(mean) + 1e-12).all()
    inside = gpfgs(post, X[0], 5., limits=(X[0].min() - .1, X[0].max() + .1))
    assert inside.min() >= X[0].min() - .1 and inside.max() <= X[0].max() + .1


def test_metric_encloses_fine_grids_and_tends_to_the_gradient():
    post, _ = _posterior(1)
    x, gamma = np.array([.2, .4]), .5
    found = interpretability(post, x, gamma, tol=1e-4)
    for i in range(2):
        t = np.linspace(0, gamma, 4001)[:, None]*np.eye(2)[i]
        up, down = post.predict_proba(x + t), post.predict_proba(x - t)
        value = up.max() - down.max() + up.min() - down.min()
        assert found.lower[i] - 1e-5 <= value <= found.upper[i] + 1e-5 and 0 < found.gap_abs < 5e-4
    small = interpretability(post, x, .01, tol=1e-6).value/.02
    np.testing.assert_allclose(small, probability_gradient(post, x), rtol=.05)
    np.testing.assert_allclose(found.local[0], found.value)


def test_limits_cut_the_intervals_and_dims_choose():
    post, _ = _posterior(1)
    x = np.array([.2, .4])
    cut = interpretability(post, x, .5, limits=(x, x + 1.),
                           tol=1e-4)              # nothing below x: pi_max and pi_min down are pi(x)
    t = np.linspace(0, .5, 2001)[:, None]*np.eye(2)[0]
    up, at = post.predict_proba(x + t), post.predict_proba(x[None])[0]
    assert abs(cut.value[0] - (up.max() + up.min() - 2*at)) < 3e-4
    assert interpretability(post, x, .5, dims=[1]).dims.tolist() == [1]


def test_global_metric_is_the_average():
    post, rng = _posterior(2, n=10)
    X = rng.normal(size=(3, 2))
    each = [interpretability(post, x, .3).value for x in X]
    found = interpretability(post, X, .3)
    np.testing.assert_allclose(found.value, np.mean(each, 0), atol=1e-12)
    np.testing.assert_allclose(found.local, each, atol=1e-12)


def test_several_classes_have_a_metric_and_a_gradient():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(8, 2)) + c for c in ([0, 2.], [2, -1], [-2, -1])])
    post = fit_multiclass_gpc(X, np.repeat(["a", "b", "c"], 8), max_evaluations=0, lengthscale=1.5,
                              variance=4.)
    found = interpretability(post, [.3, .2], .05, target="b", tol=.002)
    slope = probability_gradient(post, [.3, .2], target="b", step=1e-3)
    assert (found.lower/.1 - .05 <= slope).all() and (slope <= found.upper/.1 + .05).all() and slope[0] > .05


def test_gradient_agrees_with_the_latent_one():
    post, _ = _posterior(3)
    x = np.array([[.2, -.3]])
    (m, v), (dm, dv) = post.latent(x), post.gradient(x)
    root = np.sqrt(1 + v[0])
    expected = norm.pdf(m[0]/root)*(dm[0]/root - .5*m[0]*dv[0]/root**3)
    np.testing.assert_allclose(probability_gradient(post, x[0]), expected,
                               rtol=1e-6)   # differences of step 1e-5


class _Linear:
    d = 2
    def predict_proba(self, Z): return .5 + Z @ np.array([.02, -.03])


def test_lime_recovers_a_linear_model():
    pytest.importorskip("lime")
    training = np.random.default_rng(0).normal(size=(500, 2))
    slopes = np.array([.02, -.03])*training.std(0)
    np.testing.assert_allclose(lime_weights(_Linear(), np.zeros(2), training), slopes,
                               rtol=.02)   # ridge penalty 1 of about 2,000

BAD_ATTACKS = [dict(x=[np.nan, 0]), dict(x="a"), dict(x=[0.]), dict(radius=-1), dict(post="a"),
               dict(dims=[2]), dict(limits=(1, 2))]
BAD_METRICS = [dict(gamma=0.), dict(dims=[2]), dict(x=[0]), dict(x="a"), dict(x=np.empty((0, 2))),
               dict(limits=(1, 2)), dict(post=None), dict(tol=0), dict(target=1),
               dict(max_boxes=0), dict(time_limit=0), dict(rigorous=3), dict(n_jobs=0)]

@pytest.mark.parametrize("bad", BAD_ATTACKS)
def test_bad_attacks_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        gpfgs(**{"post": _posterior(0)[0], "x": [0, 0], "radius": .1, **bad})


@pytest.mark.parametrize("bad", BAD_METRICS)
def test_bad_metrics_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        interpretability(**{"post": _posterior(0)[0], "x": [0, 0], "gamma": .1, **bad})
