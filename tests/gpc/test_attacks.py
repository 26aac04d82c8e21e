"""Tests of nbs/gpc/08_attacks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.posterior import GPPosterior

from reject_nb.gpc.attacks import gpfgs, interpretability, lime_weights, probability_gradient

def test_gpfgs_steps_to_the_corner_the_gradient_points_at():
    rng = np.random.default_rng(0)
    post = GPPosterior(rng.normal(size=(20, 3)), rng.normal(size=20), rng.uniform(.1, .5, 20), [1., 1., 2.], 2.)
    X = rng.normal(size=(10, 3))
    Z = gpfgs(post, X, .3)
    slope, mean = post.gradient(X)[0], post.latent(X)[0]
    np.testing.assert_allclose(Z, X - .3*np.sign(slope)*np.sign(mean)[:, None], rtol=1e-12)
    assert (gpfgs(post, X, .3, dims=[0])[:, 1:] == X[:, 1:]).all() and gpfgs(post, X[0], .3).shape == (3,)
    small = gpfgs(post, X, 1e-4)
    assert (np.abs(post.latent(small)[0]) < np.abs(mean) + 1e-12).all()


def test_metric_encloses_fine_grids_and_tends_to_the_gradient():
    rng = np.random.default_rng(1)
    post = GPPosterior(rng.normal(size=(20, 2)), rng.normal(size=20), rng.uniform(.1, .5, 20), [.8, 1.], 2.)
    x, gamma = np.array([.2, .4]), .5
    found = interpretability(post, x, gamma, tol=1e-4)
    for i in range(2):
        t = np.linspace(0, gamma, 4001)[:, None]*np.eye(2)[i]
        up, down = post.predict_proba(x + t), post.predict_proba(x - t)
        value = up.max() - down.max() + up.min() - down.min()
        assert found.lower[i] - 1e-5 <= value <= found.upper[i] + 1e-5 and found.upper[i] - found.lower[i] < 5e-4
    step = 1e-3
    slope = [(post.predict_proba((x + step*np.eye(2)[i])[None]) - post.predict_proba((x - step*np.eye(2)[i])[None]))[0]/(2*step) for i in range(2)]
    np.testing.assert_allclose(interpretability(post, x, .01, tol=1e-6).value/.02, slope, rtol=.05)


def test_global_metric_is_the_average():
    rng = np.random.default_rng(2)
    post = GPPosterior(rng.normal(size=(10, 2)), rng.normal(size=10), rng.uniform(.1, .5, 10), [.8, 1.], 2.)
    X = rng.normal(size=(3, 2))
    each = [interpretability(post, x, .3).value for x in X]
    np.testing.assert_allclose(np.asarray(interpretability(post, X, .3)), np.mean(each, 0), atol=1e-12)


def test_attacks_bad_input():
    post = GPPosterior([[0., 0.]], [1.], [.3], [1., 1.], 2.)
    for name, call in (("x", lambda: gpfgs(post, [np.nan, 0], .1)), ("radius", lambda: gpfgs(post, [0, 0], -1)), ("gamma", lambda: interpretability(post, [0, 0], 0.)),
                       ("dims", lambda: interpretability(post, [0, 0], .1, dims=[2])), ("x", lambda: interpretability(post, [0], .1)), ("x", lambda: interpretability(post, "a", .1)), ("x", lambda: gpfgs(post, "a", .1)),
                       ("limits", lambda: interpretability(post, [0, 0], .1, limits=(1, 2))), ("post", lambda: gpfgs("a", [0, 0], .1))):
        with pytest.raises(ValueError, match=name): call()


def test_gradient_agrees_with_the_latent_one():
    from scipy.stats import norm
    rng = np.random.default_rng(3)
    post = GPPosterior(rng.normal(size=(20, 2)), rng.normal(size=20), rng.uniform(.1, .5, 20), [.8, 1.], 2.)
    x = np.array([[.2, -.3]])
    (m, v), (dm, dv) = post.latent(x), post.gradient(x)
    root = np.sqrt(1 + v[0])
    np.testing.assert_allclose(probability_gradient(post, x[0]), norm.pdf(m[0]/root)*(dm[0]/root - .5*m[0]*dv[0]/root**3), rtol=1e-6)   # differences of step 1e-5


def test_lime_recovers_a_linear_model():
    pytest.importorskip("lime")
    class Linear:
        d = 2
        def predict_proba(self, Z): return .5 + Z @ np.array([.02, -.03])
    training = np.random.default_rng(0).normal(size=(500, 2))
    np.testing.assert_allclose(lime_weights(Linear(), np.zeros(2), training), np.array([.02, -.03])*training.std(0), rtol=.02)   # ridge penalty 1 of about 2,000
