"""Tests of nbs/sdr/01_families.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from scipy import stats

from reject_nb.sdr.families import (
    Bernoulli, Beta, Binomial, ChiSquared, Exponential, Gamma, Gaussian, Independent, Poisson,
)

def test_gaussian_density():
    # scipy factors the covariance by eigenvalues, we by Cholesky: agreement to rounding
    rng = np.random.default_rng(0)
    for d in (1, 2, 5):
        B = rng.normal(size=(d, d)); cov, mean = B @ B.T + .1*np.eye(d), rng.normal(size=d)
        X = rng.normal(size=(20, d))*3
        law = Gaussian(mean, cov)
        np.testing.assert_allclose(law.g_tilde(X), -np.atleast_1d(stats.multivariate_normal(mean, cov).logpdf(X)), rtol=1e-10)
        np.testing.assert_allclose(law.g(X) + law.log_normaliser, law.g_tilde(X), rtol=1e-13)


def test_gaussian_refuses():
    for mean, cov, word in [([0, 0], np.eye(3), "cov"), ([0, 0], [[1, 2], [2, 1]], "positive definite"), ([0, 0], [[1, .5], [0, 1]], "symmetric"),
                            ([0, np.nan], np.eye(2), "mean"), ([0, 0], [[1, 1], [1, 1]], "positive definite"), (0, -1, "positive definite")]:
        with pytest.raises(ValueError, match=word): Gaussian(mean, cov)
    with pytest.raises(ValueError, match="X has shape"): Gaussian([0, 0], np.eye(2)).g([0., 0.])
    with pytest.raises(ValueError, match="singular"): Gaussian.fit(np.ones((5, 2)))


def test_densities():
    # g + ln c are our own formulas, log_density is scipy's
    for law in (Gamma(2.5, 1.5), Gamma(.3), ChiSquared(1), ChiSquared(7.5), Exponential(3.), Beta(2, .7), Beta(.5, .5),
                Poisson(4.2), Binomial(16, .3), Bernoulli(.8)):
        x = law.sample(50, random_state=3)
        np.testing.assert_allclose(law.g(x) + law.log_normaliser, -law.log_density(x), rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(law.g_tilde(x[:, None]), law.g_tilde(x))


def test_normalised():
    # the mass or density sums to one: the normaliser is right; quad's own tolerance is 1.5e-8
    from scipy.integrate import quad
    for law in (Poisson(4.2), Binomial(16, .3), Bernoulli(.8)):
        x = np.arange({"Poisson": 80, "Binomial": 17, "Bernoulli": 2}[type(law).__name__])
        assert abs(np.exp(-law.g(x) - law.log_normaliser).sum() - 1) < 1e-12
    for law, high in ((Gamma(2.5, 1.5), np.inf), (Exponential(.2), np.inf), (ChiSquared(3), np.inf), (Beta(2, 3), 1)):
        assert abs(quad(lambda x: np.exp(-law.g([x])[0] - law.log_normaliser), 1e-12, high)[0] - 1) < 1e-7


def test_fit_is_stationary():
    # no neighbour of the estimate has a higher likelihood; steps of 1e-3 change it by about 1e-6 n
    rng = np.random.default_rng(5)
    for law, names in ((Gamma(2.5, 1.5), ("shape", "scale")), (ChiSquared(4), ("df",)), (Exponential(3.), ("scale",)), (Beta(2, .7), ("a", "b")),
                       (Poisson(4.2), ("rate",)), (Binomial(16, .3), ("p",)), (Bernoulli(.8), ("p",))):
        x = law.sample(500, rng)
        best = law.fit(x)
        values = {f: getattr(best, f) for f in best.__dataclass_fields__}
        top = best.log_density(x).sum()
        for name in names:
            for factor in (.999, 1.001): assert type(law)(**{**values, name: values[name]*factor}).log_density(x).sum() < top


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.floats(.05, 200), st.floats(1e-3, 1e3))
def test_gamma_fit_solves_its_equation(shape, scale):
    x = Gamma(shape, scale).sample(200, random_state=0)
    if (x > 0).all():
        best = Gamma.fit(x)
        from scipy.special import digamma
        assert abs(best.shape*best.scale - x.mean()) <= 1e-9*x.mean()
        assert abs(digamma(best.shape) + np.log(best.scale) - np.log(x).mean()) <= 1e-9*(1 + abs(np.log(x).mean()))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.one_of(st.floats(max_value=0), st.floats(min_value=1), st.just(float("nan"))))
def test_bad_parameters(value):
    for build, name in ((Bernoulli, "p"), (lambda p: Binomial(3, p), "p")):
        with pytest.raises(ValueError, match=name): build(value)
    if not value > 0:
        for build, name in ((Gamma, "shape"), (lambda v: Gamma(1, v), "scale"), (ChiSquared, "df"), (Exponential, "scale"), (Poisson, "rate"),
                            (lambda v: Beta(v, 1), "a"), (lambda v: Beta(1, v), "b"), (lambda v: Binomial(v, .5), "n")):
            with pytest.raises(ValueError, match=name): build(value)


def test_outside_support():
    for law, x in ((Gamma(2), [1., -1.]), (Gamma(2), [0.]), (Exponential(), [-1e-9]), (Beta(2, 2), [1.]), (Poisson(2), [1.5]), (Poisson(2), [-1]),
                   (Binomial(3, .5), [4]), (Bernoulli(.5), [2]), (ChiSquared(3), [-2])):
        with pytest.raises(ValueError, match="outside the support"): law.g_tilde(x)
        with pytest.raises(ValueError, match="X"): law.fit(x)
        assert np.isneginf(law.log_density(x)).any()
    for law, x in ((Bernoulli(.5), [1, 1]), (Poisson(2), [0, 0]), (Gamma(2), [3., 3.]), (Binomial(4, .5), [4, 4]), (Beta(1, 1), [.5, .5])):
        with pytest.raises(ValueError, match="X"): law.fit(x)
    with pytest.raises(ValueError, match="n, the number of trials"): Binomial.fit([1, 2])
    assert Binomial.fit([1, 2], n=4) == Binomial(4, .375)


def test_independent():
    law = Independent([Gaussian([0, 1], [[2, .3], [.3, 1]]), Gamma(2, 1.5), Poisson(3)])
    X = law.sample(200, random_state=0)
    want = Gaussian([0, 1], [[2, .3], [.3, 1]]).g_tilde(X[:, :2]) + Gamma(2, 1.5).g_tilde(X[:, 2]) + Poisson(3).g_tilde(X[:, 3])
    np.testing.assert_allclose(law.g_tilde(X), want, rtol=1e-13)
    np.testing.assert_allclose(law.g(X) + law.log_normaliser, want, rtol=1e-12)
    assert repr(law.fit(X).laws[2]) == repr(Poisson.fit(X[:, 3]))
    with pytest.raises(ValueError, match="column 2"): law.fit(np.where(np.arange(4) == 2, -1, X))
    with pytest.raises(ValueError, match="outside the support"): law.g_tilde([[0, 0, -1, 3]])
    with pytest.raises(ValueError, match="laws"): Independent([])
    with pytest.raises(ValueError, match="families"): Independent.fit(X)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(0, 3), st.sampled_from([np.nan, np.inf, -np.inf]))
def test_nan_is_refused(column, value):
    law = Independent([Gaussian([0, 1], np.eye(2)), Gamma(2, 1.5), Poisson(3)])
    X = law.sample(3, random_state=0); X[1, column] = value
    for call in (law.g, law.g_tilde, law.log_density, law.fit):
        with pytest.raises(ValueError, match="NaN"): call(X)
