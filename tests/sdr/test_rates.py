"""Tests of nbs/sdr/12_rates.ipynb, extracted from its test cells: edit them there."""
import itertools
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.core.results import Status
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import ChiSquared
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.columns import Atoms
from reject_nb.sdr.columns import ScalarPair
from reject_nb.sdr.columns import atoms
from reject_nb.sdr.columns import meet
from reject_nb.sdr.columns import place
from reject_nb.sdr.columns import scalar_log_cdf
from reject_nb.sdr.counts import Bernoulli
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian
from reject_nb.sdr.inversion import LogCdf
from reject_nb.sdr.laws import ScalarLaw
from reject_nb.sdr.likelihood_ratio import log_densities
from reject_nb.sdr.likelihood_ratio import radius
from reject_nb.sdr.rates import _spread
from scipy import integrate
from scipy import stats
from scipy.special import log_ndtr
from scipy.special import logit
from scipy.special import logsumexp
from scipy.special import ndtr
from types import SimpleNamespace

from reject_nb.sdr.rates import (
    Columns, PROMISE, Rates, _beside_atoms, _rates_of, combined, contour_log_cdf, exact_part, listing_error,
    log_probability_of_region, log_sum_over_atoms, matched, rates, sort_columns,
)

EXAMPLE_1 = Gaussian([4, 6], [[1.3, .9], [.9, 1.3]]), Gaussian([3, 8], [[.6, 0], [0, 1.4]])

def _conditional(law, x):
    "Mean, sd of the second coordinate given the first, and the density of the first."
    slope, sd = law.cov[0, 1]/law.cov[0, 0], np.sqrt(law.cov[1, 1] - law.cov[0, 1]**2/law.cov[0, 0])
    return law.mean[1] + slope*(x - law.mean[0]), sd, stats.norm.pdf(x, law.mean[0], np.sqrt(law.cov[0, 0]))


@pytest.mark.parametrize("eps", [.05, .1, .5])
@pytest.mark.parametrize("under", [0, 1])
def test_example_one(eps, under):
    # independent computation: given x_1 the region is an interval of x_2
    # with ends from a quadratic equation; quad to 1e-12
    safe, unsafe = EXAMPLE_1
    A = np.linalg.inv(safe.cov) - np.linalg.inv(unsafe.cov)
    a = np.linalg.inv(unsafe.cov) @ unsafe.mean - np.linalg.inv(safe.cov) @ safe.mean
    squares = [law.mean @ np.linalg.inv(law.cov) @ law.mean for law in EXAMPLE_1]
    dets = [np.linalg.det(law.cov) for law in EXAMPLE_1]
    b = .5*(squares[0] - squares[1]) + .5*np.log(dets[0]/dets[1]) - np.log(eps/(1 - eps))
    law = EXAMPLE_1[under]
    def inside(x):
        half, c = A[0, 1]*x + a[1], A[0, 0]*x*x/2 + a[0]*x + b
        if half*half < 2*A[1, 1]*c: return 0.
        ends = (-half + np.array([-1, 1])*np.sqrt(half*half - 2*A[1, 1]*c))/A[1, 1]
        mean, sd, density = _conditional(law, x)
        return np.diff(ndtr((ends - mean)/sd))[0]*density
    kinks = np.roots(np.polysub(np.polymul([A[0, 1], a[1]], [A[0, 1], a[1]]),
                                2*A[1, 1]*np.array([A[0, 0]/2, a[0], b])))
    edges = np.sort([-8, 18, *[float(z.real) for z in kinks if abs(z.imag) < 1e-12]])
    want = sum(integrate.quad(inside, x, y, limit=400, epsabs=1e-13)[0] for x, y in zip(edges, edges[1:]))
    r = rates(*EXAMPLE_1, .5, eps)
    assert abs((r.tpr, r.fpr)[under] - want) < 1e-9


def test_example_one_as_printed():
    r = rates(*EXAMPLE_1, .5, .05)
    assert (round(r.fpr, 6), round(r.tpr, 6), round(r.fdr, 6)) == (.010936, .468335, .022818)


@pytest.mark.parametrize("p, eps", [(.5, .3), (.2, .1), (.9, .6)])
def test_the_numbers_belong_together(p, eps):
    r = rates(Gamma(2, 1), Gamma(5, .7), p, eps)
    assert abs(r.mass - p*r.tpr - (1 - p)*r.fpr) < 1e-15 and abs(r.fdr - (1 - p)*r.fpr/r.mass) < 1e-14
    assert abs(r.bound - p/(1 - p)*eps/(1 - eps)*r.tpr) < 1e-14
    assert abs(np.exp(r.log_tpr) - r.tpr) < 1e-15 and np.exp(r.log_fpr) == r.fpr
    with pytest.raises(TypeError): Rates(1., 1., 1., 1., 1., 0., 0.)


@pytest.mark.parametrize("d", [1, 3, 12])
@pytest.mark.parametrize("p, eps", [(.5, .05), (.01, .001), (.99, .3)])
def test_equal_covariances_are_normal_cdfs(d, p, eps):
    # Gamma is normal with mean -+ D^2/2 and variance D^2, D the Mahalanobis distance
    B = np.random.default_rng(d).normal(size=(d, d))
    cov, shift = B @ B.T + np.eye(d), np.linspace(.2, 1, d)
    D = np.sqrt(shift @ np.linalg.solve(cov, shift))
    r, rho = rates(Gaussian(np.zeros(d), cov), Gaussian(shift, cov), p, eps), radius(p, eps)
    assert abs(r.tpr - ndtr((rho + D*D/2)/D)) < 1e-12 and abs(r.fpr - ndtr((rho - D*D/2)/D)) < 1e-12


@pytest.mark.parametrize("d, k", [(2, 3.), (6, 2.), (4, .5)])
def test_scaled_covariances_are_noncentral_chi_square(d, k):
    # cov_U = k cov_S: Gamma = (1-1/k)/2 |x-c|^2 + g, the region is a ball or its outside
    # in whitened coordinates
    mu = np.linspace(.1, .7, d)
    r, rho = rates(Gaussian(np.zeros(d), np.eye(d)), Gaussian(mu, k*np.eye(d)), .4, .3), radius(.4, .3)
    half, c = (1 - 1/k)/2, -mu/(k - 1)
    size = (rho + half*(c @ c) + mu @ mu/(2*k) + d*np.log(k)/2)/half
    for ours, law, x in ((r.tpr, stats.ncx2(d, c @ c), size),
                         (r.fpr, stats.ncx2(d, (mu - c) @ (mu - c)/k), size/k)):
        assert abs(ours - (law.cdf(x) if k > 1 else law.sf(x))) < 1e-10


@pytest.mark.parametrize("p, eps", [(.5, .4), (.3, .45), (.9, .01), (.5, 1e-9)])
def test_exponentials_in_closed_form(p, eps):
    # Gamma = x(1/a - 1/b) + ln(a/b) is below rho for x below a point
    a, b = 1., 3.
    cut = max((radius(p, eps) - np.log(a/b))/(1/a - 1/b), 0)
    r = rates(Exponential(a), Exponential(b), p, eps)
    assert abs(r.tpr + np.expm1(-cut/a)) < 1e-13 and abs(r.fpr + np.expm1(-cut/b)) < 1e-13


def test_one_gaussian_column_against_roots():
    r, rho = rates(Gaussian(0, 1), Gaussian(1, 4), .5, .3), radius(.5, .3)
    roots = np.sort(np.roots([.5 - .125, .25, -.125 - np.log(2) - rho]))
    assert abs(r.tpr - np.diff(stats.norm(0, 1).cdf(roots))[0]) < 1e-13
    assert abs(r.fpr - np.diff(stats.norm(1, 2).cdf(roots))[0]) < 1e-13


def test_poisson_with_a_large_rate():
    r = rates(Poisson(1e6), Poisson(1.001e6), .5, .5)
    cut = np.floor(1e3/np.log(1.001))
    assert abs(r.tpr - stats.poisson(1e6).cdf(cut)) < 1e-10
    assert abs(r.fpr - stats.poisson(1.001e6).cdf(cut)) < 1e-10


def test_border_points_count():
    r = rates(Bernoulli(.8), Bernoulli(.2), .5, .2) # x = 1 on the border
    assert abs(r.tpr - .8) < 1e-12 and abs(r.fpr - .2) < 1e-12 and abs(r.fdr - .2) < 1e-12


def _random_law(rng, kind):
    u = rng.uniform
    return [lambda: Beta(*np.exp(u(-1, 4, 2))), lambda: Gamma(np.exp(u(-1, 3)), np.exp(u(-3, 1))),
            lambda: ChiSquared(np.exp(u(-1, 2))),
            lambda: Exponential(np.exp(u(-2, 1))), lambda: Gaussian(rng.normal(), np.exp(u(-2, 2)))][kind]()


@pytest.mark.parametrize("seed", range(40))
def test_rates_are_those_of_the_region(seed):
    # 20,000 quantiles of each law, decided one by one: their share is the rate
    # up to one quantile an edge of the region
    rng = np.random.default_rng(seed)
    q = (np.arange(20_000) + .5)/20_000
    safe, unsafe = _random_law(rng, rng.integers(5) if seed % 2 else 0), _random_law(rng, rng.integers(5))
    if seed % 3 == 0: safe, unsafe = unsafe, safe
    p, eps = rng.uniform(.1, .9), rng.uniform(.02, .8)
    r = rates(safe, unsafe, p, eps)
    for law, ours in ((safe, r.tpr), (unsafe, r.fpr)):
        dist = {"Gaussian": lambda: stats.norm(law.mean[0], law.factor[0, 0]),
                "Beta": lambda: stats.beta(law.a, law.b),
                "Gamma": lambda: stats.gamma(law.shape, scale=law.scale),
                "ChiSquared": lambda: stats.chi2(law.df),
                "Exponential": lambda: stats.expon(scale=law.scale)}[type(law).__name__]()
        s, u = log_densities(safe, unsafe, dist.ppf(q))
        assert abs((u - s <= radius(p, eps)).mean() - ours) < 4/20_000


def _mixed(*laws): return Independent(list(laws))


@pytest.mark.parametrize("under", [0, 1])
def test_mixed_columns_by_brute_force(under):
    # sum over the count, 400-node Gauss-Legendre over the Gaussian column,
    # gamma column by its distribution function (equal scales: Gamma_2 = ln(x/2))
    safe = _mixed(Gaussian(0, 1), Gamma(2, 1), Poisson(3))
    unsafe = _mixed(Gaussian(1, 2), Gamma(3, 1), Poisson(4))
    r, rho = rates(safe, unsafe, .5, .2), radius(.5, .2)
    x, weights = np.polynomial.legendre.leggauss(400)
    x, weights = 1 + 12*x, 12*weights
    law, total = (safe, unsafe)[under], 0.
    for k in range(40):
        rest = [unsafe.laws[j].log_density(at) - safe.laws[j].log_density(at) for j, at in ((0, x), (2, [k]))]
        inner = stats.gamma(law.laws[1].shape).cdf(2*np.exp(rho - rest[0] - rest[1]))
        count = np.exp(law.laws[2].log_density([k])[0])
        total += count*(weights @ (inner*np.exp(law.laws[0].log_density(x))))
    assert abs(total - (r.tpr, r.fpr)[under]) < 1e-8


def _by_quadrature(safe, unsafe, rho, under):
    """Two columns, the first Gaussian against Gaussian of equal variance 1: Gamma_1 is linear, the second by
    quad in its logit or logarithm."""
    shift = unsafe.laws[0].mean[0] - safe.laws[0].mean[0]
    second = ScalarPair(safe.laws[1], unsafe.laws[1])
    law = (safe, unsafe)[under].laws[1]
    def integrand(t):
        at = place(t, second.support)
        z = (rho - second.gamma(t) + (shift**2/2 if under == 0 else -shift**2/2))/abs(shift)
        return ndtr(z)*np.exp(law._log_density_at(at) + at.log_x + at.log_1mx)
    edges = [-300, -100, -30, -10, -4, -1, 0, 1, 2, 3, 4, 7] + ([10, 30, 100, 300] if second.support[1] == 1
                                                                else [])
    beyond = 0. # of 1, where the beta law has no density: surely safe
    if under == 0 and law.support[1] > second.support[1]:
        beyond = stats.gamma(law.natural[0], scale=1/law.natural[1]).sf(1)
    return beyond + sum(integrate.quad(integrand, x, y, limit=500, epsabs=1e-13)[0]
                        for x, y in zip(edges, edges[1:]))


@pytest.mark.parametrize("s2, u2", [(Exponential(1.), Beta(2, .6)), (Beta(2, .6), Exponential(1.)),
                                    (Beta(1.3, .2), Gamma(2, .3)),
                                    (Gamma(2, 1), Beta(.4, .3)), (Beta(3, 2), Exponential(.2))])
@pytest.mark.parametrize("under", [0, 1])
def test_a_column_of_two_families_beside_a_gaussian(s2, u2, under):
    # the beta laws have a density without bound at 1; exact value of the first fpr: .1233
    safe, unsafe = _mixed(Gaussian(0, 1), s2), _mixed(Gaussian(1, 1), u2)
    r = rates(safe, unsafe, .5, .5)
    assert abs((r.tpr, r.fpr)[under] - _by_quadrature(safe, unsafe, 0., under)) < 1e-9


def test_gaussian_column_with_mass_beyond_the_support():
    # safe points below 0 have no unsafe density: surely inside; given the first column
    # the rest is closed form
    r = rates(_mixed(Gaussian(.5, 1), Gaussian(0, 1)), _mixed(Gamma(2, 1), Gaussian(1, 1)), .5, .2)
    def inner(z): # Gamma of the second column is 1/2 - z or its mirror image under the safe law
        return np.exp(scalar_log_cdf(ScalarPair(Gaussian(.5, 1), Gamma(2, 1)), [radius(.5, .2) - (z - .5)],
                                     "safe")[0])*stats.norm.pdf(z)
    want = sum(integrate.quad(inner, x, x + 4, epsabs=1e-10, limit=200)[0] for x in range(-8, 8, 4))
    assert abs(r.tpr - want) < 1e-8


@pytest.mark.parametrize("p, eps", [(.5, .3), (.8, .05)])
def test_products_of_counts(p, eps):
    safe = _mixed(Poisson(2), Bernoulli(.7), Binomial(4, .5))
    unsafe = _mixed(Poisson(3), Bernoulli(.2), Binomial(4, .3))
    grid = np.array(list(itertools.product(range(60), range(2), range(5))), float)
    s, u = log_densities(safe, unsafe, grid)
    inside, r = u - s <= radius(p, eps) + 1e-12, rates(safe, unsafe, p, eps)
    assert abs(r.tpr - np.exp(s)[inside].sum()) < 1e-12 and abs(r.fpr - np.exp(u)[inside].sum()) < 1e-12


def test_equal_columns_are_one():
    # twenty equal columns are one binomial; a product of Gaussians is a Gaussian with a diagonal
    # covariance; equal laws do not matter
    many, one = rates(_mixed(*[Bernoulli(.7)]*20), _mixed(*[Bernoulli(.4)]*20), .5,
                      .2), rates(Binomial(20, .7), Binomial(20, .4), .5, .2)
    assert abs(many.tpr - one.tpr) < 1e-12 and abs(many.fpr - one.fpr) < 1e-12
    block = Gaussian([1, 0], np.diag([.5, 3]))
    flat, product = rates(Gaussian([0, 1], np.diag([1., 2])), block, .5,
                          .2), rates(_mixed(Gaussian(0, 1), Gaussian(1, 2)), block, .5, .2)
    assert abs(flat.tpr - product.tpr) < 1e-12 and abs(flat.fpr - product.fpr) < 1e-12
    one = rates(Gamma(2, 1), Gamma(5, .7), .5, .2)
    for extra in (Beta(2, 3), Gaussian(0, 1), Gaussian([0, 1], np.eye(2))):
        two = rates(_mixed(Gamma(2, 1), extra), _mixed(Gamma(5, .7), extra), .5, .2)
        assert abs(one.tpr - two.tpr) < 1e-12 and abs(one.fpr - two.fpr) < 1e-12


def test_a_gaussian_block_is_split_where_it_may_be():
    block = Gaussian([2, 1], np.diag([.5, 1]))
    split = _mixed(Gaussian(2, .5), Gaussian(1, 1))
    for other in (_mixed(Gamma(2), Gaussian(0, 1)), _mixed(Gaussian(0, 1), Gamma(2))):
        assert rates(other, block, .5, .2) == rates(other, split, .5, .2) and rates(block, other, .5,
                                                                                    .2) == rates(split,
                                                                                                 other, .5,
                                                                                                 .2)
    pairs = matched(_mixed(Gaussian([0, 0], np.eye(2)), Gamma(2)),
                    _mixed(Gaussian(0, 1), Gaussian([0, 1], np.eye(2)).fit([[0], [1]]), Gamma(3)))
    assert [s.n_features for s, _ in pairs] == [2, 1]


@pytest.mark.parametrize("safe, unsafe, word", [
    (Gaussian([2, 2], [[1, .5], [.5, 1]]), _mixed(Gamma(2), Gaussian(1, 1)), "correlated"),
    (ScalarLaw(stats.cauchy()), Gaussian(0, 1), "rates are not available for ScalarLaw")])
def test_no_exact_method(safe, unsafe, word):
    with pytest.raises(ValueError, match=word): rates(safe, unsafe, .5, .2)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(1, 6), st.integers(0, 10**6), st.floats(.01, .99), st.floats(.001, .9))
def test_bounds(d, seed, p, eps):
    # fdr <= eps and fpr <= exp(rho) tpr for every pair, prior and risk; swapping the laws gives
    # the complement
    rng = np.random.default_rng(seed)
    laws = []
    for _ in range(2):
        B = rng.normal(size=(d, d))
        laws.append(Gaussian(rng.normal(size=d)*2, B @ B.T + .3*np.eye(d)))
    r, other = rates(*laws, p, eps), rates(laws[1], laws[0], 1 - p, 1 - eps)
    assert r.fdr <= eps*(1 + 1e-9) and r.fpr <= r.bound*(1 + 1e-9) + 1e-15
    assert abs(r.tpr + other.fpr - 1) < 1e-10 and abs(r.fpr + other.tpr - 1) < 1e-10


@settings(deadline=None, max_examples=12, derandomize=True)
@given(st.floats(.3, 5), st.floats(.3, 5), st.floats(.05, .95), st.floats(.01, .9))
def test_bounds_other_families(a, b, p, eps):
    for safe, unsafe in ((Gamma(a, 1), Gamma(b, 2)), (Beta(a, b), Beta(b, 2)), (Poisson(a), Poisson(b)),
                         (Exponential(a), ChiSquared(b)),
                         (_mixed(Gamma(a), Exponential(b), Poisson(1)),
                          _mixed(Gamma(b), Exponential(a), Poisson(2)))):
        r = rates(safe, unsafe, p, eps)
        assert r.fdr <= eps*(1 + 1e-9) and r.fpr <= r.bound*(1 + 1e-9) + 1e-15
        assert 0 <= r.fpr <= 1 and 0 <= r.tpr <= 1


def test_extremes():
    r = rates(*EXAMPLE_1, .5, 1e-40)
    assert 0 < r.fpr < 1e-40 and 0 < r.fdr <= 1e-40 and r.fpr <= r.bound
    r = rates(*EXAMPLE_1, 1 - 1e-12, 1 - 1e-12)
    assert r.tpr > 1 - 1e-12 and r.mass > 1 - 1e-12
    empty = rates(Exponential(1), Exponential(3), .5, .1) # Gamma >= -ln 3 > ln(1/9)
    assert empty.tpr == empty.fpr == empty.fdr == empty.mass == 0
    for law in (Gamma(2), Gaussian([0, 1], np.eye(2)), _mixed(Gamma(2), Beta(1, 2))):
        same = rates(law, law, .5, .5)
        assert same.tpr == same.fpr == 1 and abs(same.fdr - .5) < 1e-15 and rates(law, law, .5, .4).mass == 0
    apart = rates(Gaussian(np.zeros(3), np.eye(3)), Gaussian([100, 0, 0], 2*np.eye(3)), .5, .05)
    assert apart.tpr == 1 and apart.fpr < 1e-200


@pytest.mark.parametrize("p, eps, name", [(0, .1, "p_safe"), (.5, 1., "eps"), (np.nan, .1, "p_safe"),
                                          ([.5, 1.], .1, "p_safe"), ([], .1, "p_safe"),
                                          (.5, [], "eps"), ([.5, .6], [.1, .2, .3], "eps"),
                                          (.5, None, "eps"), (.5, "x", "eps")])
def test_bad_levels(p, eps, name):
    with pytest.raises(ValueError, match=f"^{name} must (be|broadcast)"): rates(*EXAMPLE_1, p, eps)


@pytest.mark.parametrize("safe, unsafe", [((Gamma(2, 1), Exponential(1)), (Gaussian(2, 1), Gaussian(1, 1))),
                                          ((Beta(2, .5), Exponential(1)), (Exponential(1), Beta(2, .6)))])
def test_two_columns_of_two_families(safe, unsafe):
    # the first in closed form and the second integrated over, or the other way round
    r = rates(_mixed(*safe), _mixed(*unsafe), .5, .2)
    other = rates(_mixed(*safe[::-1]), _mixed(*unsafe[::-1]), .5, .2)
    assert abs(r.tpr - other.tpr) < 1e-10 and abs(r.fpr - other.fpr) < 1e-10 and r.fpr <= r.bound


@pytest.mark.parametrize("under", ["safe", "unsafe"])
def test_many_atoms_are_summed_as_few(under):
    # on panels and one by one, each within its bound
    safe, unsafe = _mixed(Binomial(12, .3), Poisson(2), Gaussian(0, 1),
                          Gamma(2, 1)), _mixed(Binomial(12, .5), Poisson(3), Gaussian(1, 2), Gamma(3, 1))
    columns = sort_columns(safe, unsafe)
    exact = exact_part(columns, under)
    each = [atoms(s, u, under) for s, u in columns.discrete]
    one = log_sum_over_atoms(meet(each)[0], exact.below, -.3)
    many = _beside_atoms(exact, each, np.array([-.3]), under)
    off = abs(np.exp(one.log_p[0]) - np.exp(many.log_p[0]))
    assert not exact.left and off <= one.error[0] + many.error[0]
    assert one.error[0] < 1e-12 and many.error[0] < 1e-9


@pytest.mark.parametrize("safe, unsafe", [
    (_mixed(Gamma(2, 1), Exponential(1)), _mixed(Gaussian(2, 1), Gaussian(1, 1))),
    (_mixed(Binomial(5, .4), Exponential(1), Gaussian(0, 1)),
     _mixed(Binomial(5, .6), Beta(2, .6), Gaussian(1, 1))),
    (_mixed(Poisson(2), Beta(2, .3), Gamma(2, 1)), _mixed(Poisson(3), Beta(3, .5), Gamma(3, 1))),
    (_mixed(Beta(2, 3), Binomial(9, .3), Binomial(7, .5), Exponential(1)),
     _mixed(Beta(3, 2), Binomial(9, .5), Binomial(7, .3), Gaussian(1, 1)))])
def test_mixtures_by_simulation(safe, unsafe):
    # 200,000 draws a law: five standard errors
    r, rng = rates(safe, unsafe, .5, .4), np.random.default_rng(1)
    for law, ours in ((safe, r.tpr), (unsafe, r.fpr)):
        X = law.sample(200_000, rng)
        s, u = safe._log_density(X), unsafe._log_density(X)
        with np.errstate(invalid="ignore"): inside = np.isneginf(u) | (u - s <= radius(.5, .4))
        assert abs(inside.mean() - ours) < 5*np.sqrt(ours*(1 - ours)/200_000)


def test_atoms_beside_a_continuous_column():
    # an atom at minus infinity (a count that only safe points have) is inside whatever the rest is
    below = contour_log_cdf(Columns([(Gaussian(0, 1), Gaussian(1, 1))], [], [], []), "safe")
    sums = log_sum_over_atoms(Atoms(np.array([-np.inf, 0., 1.]), np.log([.2, .3, .5])), below, .4)
    p = np.exp(below(np.array([.4, -.6])).log_p)
    assert abs(np.exp(sums.log_p[0]) - .2 - .3*p[0] - .5*p[1]) < 1e-14
    r = rates(_mixed(Poisson(2), Gaussian(0, 1)), _mixed(Binomial(1, .5), Gaussian(1, 1)), .5, .5)
    p = stats.poisson(2).pmf(np.arange(2))
    want = 1 - p.sum() + p @ np.exp(below(-np.log(.5/p)).log_p)
    assert abs(r.tpr - want) < 1e-12

NESTED = [((Gamma(2, 1), Exponential(1)), (Gaussian(2, 1), Beta(2, .6))),
          ((Exponential(1), Beta(2, 2)), (Exponential(3), Beta(1, 1))),
          ((Beta(2, 2), Exponential(2)), (Gamma(2, .2), Gamma(.7, 2))),
          ((ChiSquared(2), Gaussian(0, 1)), (Exponential(1), Exponential(2)))]

def _nested(first, second, rho, under, cells=60_000):
    "Share of pairs of quantiles inside: the first column's Gamma sorted, the second's looked up in it."
    u = (np.arange(cells) + .5)/cells
    grids = [_quantiles(pair[under], u) for pair in (first, second)]
    sums = []
    for (s, f), x in zip((first, second), grids):
        with np.errstate(invalid="ignore"): sums.append(f.log_density(x) - s.log_density(x))
    return np.searchsorted(np.sort(sums[0]), rho - sums[1], side="right").mean()/cells


def _quantiles(law, u):
    dist = {"Gaussian": lambda: stats.norm(law.mean[0], law.factor[0, 0]), "Beta": lambda: stats.beta(law.a,
                                                                                                      law.b),
            "Gamma": lambda: stats.gamma(law.shape, scale=law.scale),
            "ChiSquared": lambda: stats.chi2(law.df),
            "Exponential": lambda: stats.expon(scale=law.scale)}[type(law).__name__]()
    return dist.ppf(u)


@pytest.mark.parametrize("safe, unsafe", NESTED)
@pytest.mark.parametrize("eps", [.2, .45])
def test_two_columns_against_tables_of_quantiles(safe, unsafe, eps):
    # every pair of 60,000 quantiles of either column is decided (sorted, so that they need not be listed):
    # off by one quantile an edge of the region, of which there are at most eight in either direction
    r, rho = rates(_mixed(*safe), _mixed(*unsafe), .5, eps), radius(.5, eps)
    first, second = zip(safe, unsafe)
    for under, ours in ((0, r.tpr), (1, r.fpr)):
        assert abs(_nested(first, second, rho, under) - ours) < 16/60_000
    assert r.status == "optimal" and max(r.tpr_error, r.fpr_error) <= PROMISE


def test_listed_probabilities_are_within_their_rounding():
    # found by the table of 80_reference: 124 trials beside a Gaussian column, nearly surely inside
    unsafe = _mixed(Bernoulli(.0540516), Gamma(43.1349, 1.40912))
    r = rates(_mixed(Binomial(124, .943749), Gaussian(1.15908, .16439)), unsafe, .051757, 1 - 1e-7)
    assert abs(r.tpr - 1) <= r.tpr_error < 1e-11 and r.tpr_error > 1e-13
    for law, dist in ((Poisson(3e4), stats.poisson(3e4)), (Binomial(5000, .3), stats.binom(5000, .3))):
        k = np.arange(0, 40_000.)
        assert abs(np.exp(law.log_density(k)).sum() - 1) <= listing_error(law) < 1e-9
        mean = int(dist.mean()) # twice Stirling's series: the ratio to its neighbour is known without it
        ratio = np.exp(np.diff(law.log_density([mean - 1., mean])))[0]
        want = law.rate/mean if isinstance(law, Poisson) else (law.n - mean + 1)/mean*law.p/(1 - law.p)
        assert abs(ratio/want - 1) <= 2*listing_error(law)

MANY = [EXAMPLE_1, (Gamma(2, 1), Exponential(3)), (Poisson(3), Poisson(5)),
        (_mixed(Gamma(2, 1), Exponential(1), Gaussian(0, 1)),
         _mixed(Gamma(3, 1), Exponential(2), Gaussian(1, 1))),
        (_mixed(Poisson(3), Binomial(9, .3)), _mixed(Poisson(5), Binomial(9, .5))),
        (_mixed(Poisson(30), Gaussian(0, 1), Gamma(2, 1)), _mixed(Poisson(50), Gaussian(1, 2), Gamma(3, 1))),
        (_mixed(Beta(2, .3), Exponential(1), Bernoulli(.3)),
         _mixed(Gamma(2, 1), Gaussian(1, 1), Bernoulli(.6)))]

@pytest.mark.parametrize("safe, unsafe", MANY)
def test_many_levels_are_as_good_as_one(safe, unsafe):
    # every rate within both bounds, in shape and order of the levels, and as good relative to itself
    p, eps = np.array([[.3], [1e-9]]), np.array([.9, .2, 1e-7, .2])
    many = rates(safe, unsafe, p, eps)
    for i, j in np.ndindex(2, 4):
        one = rates(safe, unsafe, float(p[i, 0]), float(eps[j]))
        for name in ("tpr", "fpr", "fdr", "mass"):
            bound = getattr(one, f"{name}_error") + getattr(many, f"{name}_error")[i, j]
            assert abs(getattr(one, name) - getattr(many, name)[i, j]) <= bound + 1e-16
        assert many.status[i, j] is one.status is Status.optimal and isinstance(one.tpr, float)
        assert abs(one.bound - many.bound[i, j]) <= 1e-9*max(1, one.bound)
    assert many.tpr.shape == many.status.shape == (2, 4) and (many.tpr[:, 1] == many.tpr[:, 3]).all()
    assert (np.diff(many.tpr[0, [2, 1, 0]]) >= 0).all()


def test_rare_totals_keep_their_digits():
    # counts beside a normal column, far out: the sum by hand over closed forms of the column
    safe = _mixed(Poisson(40), Gaussian(0, 1), Gaussian(0, 1))
    unsafe = _mixed(Poisson(60), Gaussian(8, 1), Gaussian(9, 1))
    k = np.arange(400.)
    gamma = k*np.log(1.5) - 20 # of the count; the others' Gamma under U is normal: mean 145/2, variance 145
    for eps in (1e-5, 1e-40, 1e-150):
        want = logsumexp(stats.poisson(60).logpmf(k) + log_ndtr((logit(eps) - gamma - 72.5)/np.sqrt(145)))
        assert abs(rates(safe, unsafe, .5, eps).log_fpr - want) < 1e-10*max(1, -want)


@pytest.mark.parametrize("b", [.0016, .16])
def test_mass_beyond_the_smallest_float(b):
    # beta laws a power of 1 - x near 1: P(1 - x <= y) is y^b times a constant, far below 1e-308
    safe, unsafe = Beta(1e-3, 2.5), Beta(1.3, b)
    slope, constant = 2.5 - b, float(safe.log_normaliser - unsafe.log_normaliser)
    for t in (500., 760., 2000.): # y = exp(-t), Gamma = constant + t (2.5 - b) there
        want = -np.expm1(-b*t - np.log(b) - unsafe.log_normaliser)
        found = log_probability_of_region(safe, unsafe, constant + slope*t, "unsafe")
        assert abs(np.exp(found.log_p[0]) - want) < 1e-12


def test_errors_and_status():
    r = rates(Gamma(2, 1), Gamma(5, .7), .3, .2)
    assert 0 < r.tpr_error < 1e-11 and 0 < r.fpr_error < 1e-11 and r.status == "optimal"
    assert abs(r.mass_error - .3*r.tpr_error - .7*r.fpr_error) < 1e-25
    # fdr by hand: rates .4 +- .1 and .2 +- .1 at prior 1/2 lie between .1/.6 and .3/.6, around .2/.6
    found = _rates_of(LogCdf(np.log([.4]), np.array([.1])), LogCdf(np.log([.2]), np.array([.1])), .5, 0.)
    assert abs(found.fdr - 1/3) < 1e-12 and abs(found.fdr_error - (.5 - 1/3)) < 1e-12
    assert found.status == "precision" and found.tpr_error == .1 and abs(found.mass_error - .1) < 1e-15
    empty = _rates_of(LogCdf(np.array([-np.inf]), np.zeros(1)), LogCdf(np.array([-np.inf]), np.zeros(1)),
                      .5, 0.)
    assert empty.fdr == empty.fdr_error == 0 and empty.status == "optimal"


def test_large_products_are_split():
    # ten counts beside a normal column: more combinations than are listed; their order does not matter
    # and the sum is the one of equal columns put together
    ten, one = [Binomial(3, .3)]*10, [Binomial(30, .3)]
    other, together = [Binomial(3, .5)]*10, [Binomial(30, .5)]
    r = rates(_mixed(Gaussian(0, 1), *ten), _mixed(Gaussian(1, 2), *other), .5, .2)
    q = rates(_mixed(*one, Gaussian(0, 1)), _mixed(*together, Gaussian(1, 2)), .5, .2)
    assert abs(r.tpr - q.tpr) <= r.tpr_error + q.tpr_error and abs(r.fpr - q.fpr) <= r.fpr_error + q.fpr_error
    sets, lost = combined([Atoms(np.arange(50.)*k, np.full(50, -np.log(50)))
                           for k in (1., 51., 2601., 132651.)])
    assert [len(one.values) for one in sets] == [125_000, 50] and lost == 0
    five = [Poisson(3), Poisson(5), Binomial(20, .4), Poisson(8), Binomial(25, .3)]
    other = [Poisson(4.1), Poisson(4.3), Binomial(20, .55), Poisson(10.2), Binomial(25, .42)]
    r = rates(_mixed(Gaussian(0, 1), *five), _mixed(Gaussian(1, 2), *other), .5, .2)
    s = rates(_mixed(*five[::-1], Gaussian(0, 1)), _mixed(*other[::-1], Gaussian(1, 2)), .5, .2)
    assert r.tpr_error <= PROMISE and abs(r.tpr - s.tpr) <= r.tpr_error + s.tpr_error
    X = _mixed(Gaussian(0, 1), *five).sample(400_000, 0)
    s, u = log_densities(_mixed(Gaussian(0, 1), *five), _mixed(Gaussian(1, 2), *other), X)
    assert abs((u - s <= radius(.5, .2)).mean() - r.tpr) < 5*np.sqrt(r.tpr*(1 - r.tpr)/len(X))


@pytest.mark.parametrize("gamma, weight, rows, spread", [
    ([[4., 1], [3, 2]], [[1., 1], [1, 1]], [0, 1], 2.), ([[4., 1], [3, 2]], [[1., 1], [1, 1]], [0], 3.),
    ([[4., 1], [3, 2]], [[5., 1], [1, 1]], [0, 1], 2.), ([[4., 1], [3, 2]], [[8., 0], [1, 1]], [0, 1], 1e-12),
    ([[4., 1], [3, 2]], [[0., 0], [0, 0]], [0, 1], 1.), ([[7., 7], [7, 7]], [[1., 1], [1, 1]], [1], 1e-12),
    ([[4., 1], [30, 2]], [[1., 1], [0, 0]], [0, 1], 3.)])
def test_quartiles_of_a_column_by_hand(gamma, weight, rows, spread):
    "The places where a quarter and three quarters of the weight are reached; only roots count."
    room = SimpleNamespace(gamma=np.array(gamma), weight=np.array(weight))
    assert _spread(SimpleNamespace(room=room, roots=np.array(rows))) == spread
