"""Tests of nbs/sdr/02_gaussian.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.gaussian import shrunk
from reject_nb.sdr.laws import effective_points
from scipy import stats

from reject_nb.sdr.gaussian import Gaussian

def _spd(rng, d):
    B = rng.normal(size=(d, d))
    return B @ B.T + .1*np.eye(d)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_gaussian_is_scipys(d):
    rng = np.random.default_rng(d)
    law = Gaussian(rng.normal(size=d), _spd(rng, d))
    X = rng.normal(size=(50, d))*3
    # rounding of a solve with a covariance of condition below 1e3
    np.testing.assert_allclose(law.log_density(X),
                               stats.multivariate_normal(law.mean, law.cov).logpdf(X).reshape(50), rtol=1e-10)
    np.testing.assert_allclose(law.g(X) + law.log_normaliser, law.g_tilde(X), rtol=1e-13)
    np.testing.assert_allclose(law.log_normaliser, np.linalg.slogdet(2*np.pi*law.cov)[1]/2, rtol=1e-12)


def test_gaussian_fit_and_sample():
    X = np.random.default_rng(0).normal(size=(40, 3))
    law = Gaussian.fit(X)
    np.testing.assert_allclose(law.mean, X.mean(0), atol=1e-15)
    np.testing.assert_allclose(law.cov, np.cov(X.T, bias=True), rtol=1e-13)
    # standard errors of means and covariances below .004 and .006, five allowed
    draws = law.sample(100_000, 1)
    assert np.abs(draws.mean(0) - law.mean).max() < .02 and np.abs(np.cov(draws.T) - law.cov).max() < .03
    assert law.fit(X).mean.tolist() == law.mean.tolist() and law.sample(0).shape == (0, 3)


@pytest.mark.parametrize("mean, cov, word", [
    ([0, 0], [[1, 2], [2, 1]], "positive definite"), ([0, 0], [[1, .5], [.4, 1]], "symmetric"),
    ([0, 0], [[1, 1], [1, 1]], "cov"),
    ([0, 0], np.eye(3), r"cov must be of shape \(2, 2\)"), (0, -1, "cov"), (0, 0, "cov"),
    ([0, np.nan], np.eye(2), "mean"),
    (0, np.inf, "cov"), ([[0, 0]], np.eye(2), "mean"), ([], [], "mean"), (0, 1e300, "cov"), (1j, 1, "mean"),
    ([0, 0], [[1, 0], [0, 1e-17]], None), ([0, 0], [[1, 1], [1, 1 + 1e-15]], "cov")])
def test_gaussian_parameters(mean, cov, word):
    if word is None: assert Gaussian(mean, cov).n_features == 2
    else:
        with pytest.raises(ValueError, match=word): Gaussian(mean, cov)


def test_a_law_keeps_what_it_was_given():
    # arrays that change later change no law
    mean, cov = np.zeros(2), np.eye(2)
    law = Gaussian(mean, cov)
    mean[0], cov[0, 0] = 5., 9.
    assert law.mean.tolist() == [0, 0] and law.cov.tolist() == np.eye(2).tolist()


@pytest.mark.parametrize("X, word", [([[1, 2]], "n_samples=1"), ([[1, 2], [2, 4], [3, 6]], "singular"),
                                     ([2., 2.], "singular"),
                                     ([[1, np.nan], [2, 3]], "X"), (3., "X"), (np.zeros((2, 2, 2)), "X")])
def test_gaussian_fit_refuses(X, word):
    with pytest.raises(ValueError, match=word): Gaussian.fit(X)


@pytest.mark.parametrize("n, d", [(5, 8), (30, 4), (200, 3)])
def test_shrinkage(n, d):
    # scikit-learn's own estimator, and the formula of a given shrinkage
    from sklearn.covariance import LedoitWolf
    X = np.random.default_rng(n).normal(size=(n, d))*np.arange(1, d + 1)
    want = LedoitWolf().fit(X).covariance_
    np.testing.assert_allclose(Gaussian.fit(X, shrinkage="ledoit_wolf").cov, want, rtol=1e-10, atol=1e-14)
    auto = Gaussian.fit(X, shrinkage="auto").cov
    np.testing.assert_allclose(auto, want if n < 10*d else np.cov(X.T, bias=True), rtol=1e-10, atol=1e-14)
    two = np.repeat([[1., 3.], [2., 3.]], 3,
                    axis=0) # the estimate is 0: a seventh of the mean variance instead
    np.testing.assert_allclose(Gaussian.fit(two, shrinkage="auto").cov, np.diag([6/7*.25, 0])
                               + .125/7*np.eye(2))
    cov = np.cov(X.T, bias=True)
    np.testing.assert_allclose(Gaussian.fit(X, shrinkage=.25).cov, .75*cov + .25*np.trace(cov)/d*np.eye(d),
                               rtol=1e-12)


@pytest.mark.parametrize("shrinkage", ["best", 1.5, -.1, np.nan, True, [.5]])
def test_bad_shrinkage(shrinkage):
    with pytest.raises(ValueError, match="^shrinkage must be"): Gaussian.fit(np.eye(3), shrinkage=shrinkage)


def test_gaussian_weights_are_copies():
    X = np.random.default_rng(1).normal(size=(20, 3))
    weight = np.r_[np.zeros(2), np.ones(10), np.full(8, 3.)]
    for shrinkage in (None, .3):
        law = Gaussian.fit(X, sample_weight=weight, shrinkage=shrinkage)
        copies = Gaussian.fit(np.repeat(X, weight.astype(int), axis=0), shrinkage=shrinkage)
        np.testing.assert_allclose(law.mean, copies.mean, atol=1e-14)
        np.testing.assert_allclose(law.cov, copies.cov, rtol=1e-12)
    with pytest.raises(ValueError, match="^sample_weight must be"): Gaussian.fit(X, sample_weight=-weight)


@pytest.mark.parametrize("shrinkage", [None, "auto", "ledoit_wolf", .3])
@pytest.mark.parametrize("factor", [1e-200, 1e-3, .1, 2., 1e90])
@pytest.mark.parametrize("n", [12, 60])
def test_a_factor_of_the_weights_changes_nothing(shrinkage, factor, n):
    rng = np.random.default_rng(n)
    X, weight = rng.normal(size=(n, 3)) @ _spd(rng, 3), rng.uniform(.5, 2., n)
    one, other = (Gaussian.fit(X, sample_weight=w, shrinkage=shrinkage)
                  for w in (weight, factor*weight))
    np.testing.assert_allclose(other.mean, one.mean, rtol=1e-12)
    np.testing.assert_allclose(other.cov, one.cov, rtol=1e-11, atol=1e-12)
    equal = Gaussian.fit(X, sample_weight=np.full(n, factor), shrinkage=shrinkage)
    np.testing.assert_allclose(equal.cov, Gaussian.fit(X, shrinkage=shrinkage).cov, rtol=1e-11, atol=1e-12)


def test_weights_count_as_kish_counts():
    # by hand: four points of weight 3 and four of 1 are worth 16**2/40 = 6.4 of equal weight
    assert effective_points(np.r_[np.full(4, 3.), np.ones(4)]) == pytest.approx(6.4, rel=1e-14)
    X = np.random.default_rng(3).normal(size=(300, 2))
    few = np.where(np.arange(300) < 10, 1., 1e-6) # ten points carry all: shrunk, as ten points are
    ten = Gaussian.fit(X[:10], shrinkage="auto").cov
    np.testing.assert_allclose(Gaussian.fit(X, sample_weight=few, shrinkage="auto").cov, ten, atol=1e-3)
    assert np.abs(ten - Gaussian.fit(X[:10]).cov).max() > .01


def test_ledoit_wolf_of_weights_by_definition():
    rng = np.random.default_rng(8)
    X, w = rng.normal(size=(15, 3))*[1, 2, 3], rng.uniform(0, 1, 15)
    w, Z = w/w.sum(), X - w @ X/w.sum()
    cov = (Z.T*w) @ Z
    beta = sum(v**2*np.sum((np.outer(z, z) - cov)**2) for v, z in zip(w, Z))
    s = beta/np.sum((cov - np.trace(cov)/3*np.eye(3))**2)
    want = (1 - s)*cov + s*np.trace(cov)/3*np.eye(3)
    assert 0 < s < 1
    law = Gaussian.fit(X, sample_weight=w, shrinkage="ledoit_wolf")
    np.testing.assert_allclose(law.cov, want, rtol=1e-10)


@pytest.mark.parametrize("shrinkage", [None, .3, "auto", "ledoit_wolf"])
@pytest.mark.parametrize("size", [1e300, 1e-300, 7.])
def test_weights_of_any_size_give_the_same_covariance(shrinkage, size):
    X = np.random.default_rng(0).normal(size=(30, 3))
    weight = 1. + np.arange(30) % 4
    X -= weight @ X/weight.sum()
    want = shrunk(X, weight, shrinkage)
    np.testing.assert_allclose(shrunk(X, weight*size*1e7, shrinkage), want, rtol=1e-12)
    if shrinkage is None:
        np.testing.assert_allclose(want, np.cov(X.T, aweights=weight, bias=True), rtol=1e-12)
    if shrinkage == .3:
        plain = shrunk(X, weight, None)
        np.testing.assert_allclose(want, .7*plain + .3*np.trace(plain)/3*np.eye(3), rtol=1e-12)
