"""Tests of nbs/sdr/05_families.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from dataclasses import fields
from fractions import Fraction
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import ChiSquared
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.amounts import inverse_digamma
from reject_nb.sdr.counts import Bernoulli
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.gaussian import Gaussian
from reject_nb.sdr.gaussian import as_gaussian
from reject_nb.sdr.laws import Place
from scipy import stats
from scipy.integrate import quad
from scipy.special import digamma

from reject_nb.sdr.families import Independent

LAWS = [(Gaussian(3, 4), stats.norm(3, 2)), (Gamma(2.5, 1.5), stats.gamma(2.5, scale=1.5)),
        (Gamma(.3), stats.gamma(.3)), (ChiSquared(1), stats.chi2(1)),
        (ChiSquared(7.5), stats.chi2(7.5)), (Exponential(3.), stats.expon(scale=3)),
        (Beta(2, .7), stats.beta(2, .7)),
        (Beta(.5, .5), stats.beta(.5, .5)), (Poisson(4.2), stats.poisson(4.2)),
        (Binomial(16, .3), stats.binom(16, .3)),
        (Bernoulli(.8), stats.bernoulli(.8))]

@pytest.mark.parametrize("law, dist", LAWS)
def test_densities_are_scipys(law, dist):
    x = law.sample(50, random_state=3).ravel()
    want = (dist.logpmf if law.discrete else dist.logpdf)(x)
    np.testing.assert_allclose(law.log_density(x), want, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(law.g(x) + law.log_normaliser, -want, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(law.g_tilde(x[:, None]), law.g_tilde(x))
    if not isinstance(law, Gaussian):
        assert x.dtype == float and np.isneginf(law.log_density([-1., -.5])).all()


@pytest.mark.parametrize("law, dist", LAWS)
def test_draws_are_scipys(law, dist):
    # the same generator gives the same stream
    np.testing.assert_array_equal(law.sample(20, random_state=5).ravel(),
                                  dist.rvs(size=20, random_state=np.random.default_rng(5)))


@pytest.mark.parametrize("law, dist", LAWS)
def test_distribution_functions_are_scipys(law, dist):
    x = np.array([-1., 0., 1., 3., 9., 40.]) if law.discrete else dist.ppf([1e-9, .01, .3, .7, .99])
    if law.discrete: below, above = law._cdf(x), law._sf(x)
    else:
        at = Place(x, np.log(np.abs(x)), np.log1p(-np.clip(x, 0, 1 - 1e-16)))
        np.testing.assert_allclose(law._log_density_at(at), law.log_density(x), rtol=1e-12, atol=1e-12)
        alpha, beta, gamma, delta = law.coefficients # up to a constant these are -ln f
        terms = alpha*x**2 + beta*x + gamma*at.log_x + delta*at.log_1mx
        np.testing.assert_allclose(np.diff(terms), -np.diff(law.log_density(x)), rtol=1e-9, atol=1e-9)
        below, above = np.exp(law._log_cdf(at)), np.exp(law._log_sf(at))
    np.testing.assert_allclose(below, dist.cdf(x), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(above, dist.sf(x), rtol=1e-11, atol=1e-16)


@pytest.mark.parametrize("law", [Poisson(4.2), Poisson(.3), Binomial(16, .3), Bernoulli(.8)])
def test_moments_of_counts(law):
    k = np.arange(100.)
    p = np.exp(law.log_density(k))
    mean, sd = law._moments
    assert abs(p @ k - mean) < 1e-12 and abs(p @ (k - mean)**2 - sd**2) < 1e-11 and abs(p.sum() - 1) < 1e-12


@pytest.mark.parametrize("law, high", [(Gamma(2.5, 1.5), np.inf), (Exponential(.2), np.inf),
                                       (ChiSquared(3), np.inf), (Beta(2, 3), 1)])
def test_densities_integrate_to_one(law, high):
    # the normaliser is right; quad's own tolerance is 1.5e-8
    assert abs(quad(lambda x: np.exp(-law.g([x])[0] - law.log_normaliser), 1e-12, high)[0] - 1) < 1e-7


@pytest.mark.parametrize("shape", [.01, .4, 3.])
def test_places_that_underflow(shape):
    # the leading term and the function meet where both have digits; further out the law is a power
    for law in (Gamma(shape, 2.), Beta(shape, 1.7)):
        for log_x in (-36., -40., -599., -1e6):
            at = Place(np.exp(log_x), log_x, -np.exp(log_x))
            want = shape*log_x - (np.log(shape) + law.log_normaliser)
            assert abs(law._log_cdf(at) - want) < 1e-9*abs(want)
            assert abs(np.exp(law._log_sf(at)) + np.exp(want) - 1) < 1e-12
    mirrored = Beta(1.7, shape)
    for log_y in (-40., -600., -800., -1e3): # a power of the distance from 1
        at = Place(1., -np.exp(log_y), log_y)
        assert abs(np.exp(mirrored._log_cdf(at)) + np.exp(mirrored._log_sf(at)) - 1) < 1e-12
    assert abs(mirrored._log_sf(Place(1., -np.exp(-1e4),
                                      -1e4)) - (-1e4*shape - np.log(shape) - mirrored.log_normaliser)) < 1e-8


@pytest.mark.parametrize("law, names", [
    (Gamma(2.5, 1.5), ("shape", "scale")), (ChiSquared(4), ("df",)), (Exponential(3.), ("scale",)),
    (Beta(2, .7), ("a", "b")),
    (Poisson(4.2), ("rate",)), (Binomial(16, .3), ("p",)), (Bernoulli(.8), ("p",))])
def test_fit_is_stationary(law, names):
    # no neighbour of the estimate has a higher likelihood; steps of 1e-3 change it by about 1e-6 n
    x = law.sample(500, random_state=5)
    best = law.fit(x)
    values = {f: getattr(best, f) for f in best.__dataclass_fields__}
    for name in names:
        for factor in (.999, 1.001):
            other = type(law)(**{**values, name: values[name]*factor})
            assert other.log_density(x).sum() < best.log_density(x).sum()


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.floats(.05, 200), st.floats(1e-3, 1e3))
def test_gamma_fit_solves_its_equation(shape, scale):
    x = Gamma(shape, scale).sample(200, random_state=0)
    if (x > 0).all():
        best = Gamma.fit(x)
        assert abs(best.shape*best.scale - x.mean()) <= 1e-9*x.mean()
        log_mean = np.log(x).mean()
        assert abs(digamma(best.shape) + np.log(best.scale) - log_mean) <= 1e-9*(1 + abs(log_mean))


def test_fit_of_two_points():
    # two points are the fewest that have a spread
    assert Gamma.fit([1., 2.]).shape > 1 and Beta.fit([.2, .4]).a > 1 and Gaussian.fit([1., 3.]).cov[0,
                                                                                                     0] == 1
    x = 1 + 1e-5*np.random.default_rng(0).normal(size=1000) # a small spread keeps its digits: shape near 1e10
    assert abs(Gamma.fit(x).shape*x.var() - 1) < 1e-3


def test_inverse_digamma():
    y = np.linspace(-50, 20, 71)
    np.testing.assert_allclose([digamma(inverse_digamma(v)) for v in y], y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("build, name, at_most_one", [
    (Bernoulli, "p", True), (lambda v: Binomial(3, v), "p", True), (Gamma, "shape", False),
    (lambda v: Gamma(1, v), "scale", False),
    (ChiSquared, "df", False), (Exponential, "scale", False), (Poisson, "rate", False),
    (lambda v: Beta(v, 1), "a", False),
    (lambda v: Beta(1, v), "b", False), (lambda v: Binomial(v, .5), "n", False)])
def test_bad_parameters(build, name, at_most_one):
    refused = [0, -1., -np.inf, np.nan, np.inf, 1e300, None, "2", True, [1.]]
    for value in refused + [1, 1.5]*at_most_one + [2.5]*(name == "n"):
        with pytest.raises(ValueError, match=f"^{name} must be"): build(value)


@pytest.mark.parametrize("kind", [int, np.array, Fraction, np.float32, np.int64, lambda v: np.array(int(v))])
def test_parameters_are_plain_numbers(kind):
    # whatever a parameter came as, the law is the one of plain numbers, and keeps nothing of the caller's
    for family, values in ((Gamma, (2., 3.)), (ChiSquared, (4.,)), (Exponential, (3.,)), (Beta, (2., 5.)),
                           (Poisson, (4.,))):
        law = family(*map(kind, values))
        kept = [getattr(law, field.name) for field in fields(law)]
        assert kept == list(values) and {type(value) for value in kept} == {float}
        assert law == family(*values) and hash(law) == hash(family(*values))


@pytest.mark.parametrize("n", [4, np.array(4), np.int32(4)])
@pytest.mark.parametrize("p", [.5, np.array(.5), Fraction(1, 2), np.float16(.5)])
def test_parameters_of_trials_are_plain_numbers(n, p):
    law = Binomial(n, p)
    assert (type(law.n), type(law.p), type(law.trials), type(Bernoulli(p).p)) == (int, float, int, float)
    assert law == Binomial(4, .5) and Bernoulli(p) == Bernoulli(.5)


@pytest.mark.parametrize("law, x", [
    (Gamma(2), [1., -1.]), (Gamma(2), [0.]), (Exponential(), [-1e-9]), (Beta(2, 2), [1.]),
    (Poisson(2), [1.5]), (Poisson(2), [-1]),
    (Binomial(3, .5), [4]), (Bernoulli(.5), [2]), (ChiSquared(3), [-2])])
def test_outside_support(law, x):
    for call in (law.g, law.g_tilde):
        with pytest.raises(ValueError, match="X has values outside the support of .*, first"): call(x)
    with pytest.raises(ValueError, match="X has values outside the support"): law.fit(x)
    assert np.isneginf(law.log_density(x)).any()


@pytest.mark.parametrize("law, x", [
    (Bernoulli(.5), [1, 1]), (Poisson(2), [0, 0]), (Gamma(2), [3., 3.]), (Binomial(4, .5), [4, 4]),
    (Beta(1, 1), [.5, .5]),
    (Exponential(1), [0., 0.]), (Bernoulli(.5), [0, 0])])
def test_no_estimate(law, x):
    with pytest.raises(ValueError, match="^X is .* (estimate|throughout)"): law.fit(x)


def test_fit_on_class_and_template():
    with pytest.raises(ValueError, match="n, the number of trials"): Binomial.fit([1, 2])
    with pytest.raises(ValueError, match="^n must be"): Binomial.fit([1, 2], n=2.5)
    assert Binomial.fit([1, 2], n=4) == Binomial(4, .375) == Binomial(4, .9).fit([1, 2])
    assert Poisson(7).fit([1, 2]) == Poisson.fit([1, 2]) == Poisson(1.5)


def test_edges_of_the_support():
    assert Gamma(1, 2).g([0.])[0] == 0 and Exponential(2).g_tilde([0.])[0] == np.log(2)
    assert np.isposinf(Gamma(.5).log_density([0.]))[0]
    assert np.isposinf(Beta(2, .5).log_density([1.]))[0] and np.isneginf(Beta(2, 2).log_density([1.]))[0]


@pytest.mark.parametrize("law", [Gamma(2.5, 1.5), ChiSquared(7), Exponential(3.), Beta(2, 3), Poisson(4.2),
                                 Binomial(9, .3),
                                 Bernoulli(.4)])
def test_weights_are_copies(law):
    x = law.sample(60, 3)
    weight = np.arange(60) % 3
    weighted, copies = law.fit(x, sample_weight=weight), law.fit(np.repeat(x, weight))
    for field in fields(law): assert abs(getattr(weighted, field.name)/getattr(copies, field.name) - 1) < 1e-9
    with pytest.raises(ValueError, match="^sample_weight must"): law.fit(x, sample_weight=np.zeros(60))

MIXED = Independent([Gaussian([0, 1], [[2, .3], [.3, 1]]), Gamma(2, 1.5), Poisson(3)])

def test_independent_is_a_sum():
    X = MIXED.sample(200, random_state=0)
    want = sum(law.g_tilde(x) for law, x in zip(MIXED.laws, (X[:, :2], X[:, 2], X[:, 3])))
    np.testing.assert_allclose(MIXED.g_tilde(X), want, rtol=1e-13)
    np.testing.assert_allclose(MIXED.g(X) + MIXED.log_normaliser, want, rtol=1e-12)
    assert [repr(law) for law in MIXED.fit(X).laws[1:]] == [repr(Gamma.fit(X[:, 2])),
                                                            repr(Poisson.fit(X[:, 3]))]
    assert MIXED.n_features == 4 and not MIXED.discrete and Independent([Poisson(1), Bernoulli(.5)]).discrete
    # a factor of zero wins over an unbounded one
    assert np.isneginf(Independent([Gamma(.5), Gamma(2)]).log_density([[0., -1.]]))[0]


def test_independent_refuses():
    X = MIXED.sample(20, random_state=0)
    with pytest.raises(ValueError, match="column 2"): MIXED.fit(np.where(np.arange(4) == 2, -1, X))
    with pytest.raises(ValueError, match="column 3"): MIXED.fit(np.where(np.arange(4) == 3, -1, X))
    with pytest.raises(ValueError, match=r"outside the support of .*, first \[0.0, 0.0, -1.0, 3.0\]"):
        MIXED.g_tilde([[0, 0, -1, 3]])
    for laws in ([], None, "ab", [Gamma], [Gamma(2), 3], Gamma(2)):
        with pytest.raises(ValueError, match="^laws must be"): Independent(laws)
    with pytest.raises(ValueError, match="families is missing"): Independent.fit(X)
    for families in ([], "ab", [3], [int]):
        with pytest.raises(ValueError, match="^families must be"): Independent.fit(X, families)


@pytest.mark.parametrize("column", range(4))
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_is_refused(column, value):
    X = MIXED.sample(3, random_state=0)
    X[1, column] = value
    for call in (MIXED.g, MIXED.g_tilde, MIXED.log_density, MIXED.fit):
        with pytest.raises(ValueError, match="^X must be"): call(X)


def test_as_gaussian():
    whole = as_gaussian(Independent([Gaussian(0, 1), Independent([Gaussian([1, 2], [[2, .5], [.5, 1]])])]))
    assert whole.mean.tolist() == [0, 1, 2] and whole.cov.tolist() == [[1, 0, 0], [0, 2, .5], [0, .5, 1]]
    assert as_gaussian(Independent([Gaussian(0, 1), Gamma(2)])) is None and as_gaussian(Gamma(2)) is None
    law = Gaussian(0, 1)
    assert as_gaussian(law) is law
