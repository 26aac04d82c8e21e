"""Tests of nbs/sdr/05_rates.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.families import Bernoulli
from reject_nb.sdr.families import Beta
from reject_nb.sdr.families import Binomial
from reject_nb.sdr.families import ChiSquared
from reject_nb.sdr.families import Exponential
from reject_nb.sdr.families import Gamma
from reject_nb.sdr.families import Gaussian
from reject_nb.sdr.families import Independent
from reject_nb.sdr.families import Poisson
from reject_nb.sdr.region import SafeDecisionRegion
from reject_nb.sdr.region import radius
from scipy import integrate
from scipy import stats
from scipy.special import ndtr

from reject_nb.sdr.rates import density_function, log_probability, rates, sublevel_intervals

def test_example_one():
    # independent computation: given x_1 the region is an interval of x_2 with ends from a quadratic equation; quad to 1e-12
    safe, unsafe = Gaussian([4, 6], [[1.3, .9], [.9, 1.3]]), Gaussian([3, 8], [[.6, 0], [0, 1.4]])
    A = np.linalg.inv(safe.cov) - np.linalg.inv(unsafe.cov)
    a = np.linalg.inv(unsafe.cov) @ unsafe.mean - np.linalg.inv(safe.cov) @ safe.mean
    b = .5*(safe.mean @ np.linalg.inv(safe.cov) @ safe.mean - unsafe.mean @ np.linalg.inv(unsafe.cov) @ unsafe.mean) + .5*np.log(np.linalg.det(safe.cov)/np.linalg.det(unsafe.cov))
    for eps in (.05, .1, .5):
        r, rho = rates(safe, unsafe, .5, eps), np.log(eps/(1 - eps))
        for law, ours in ((safe, r.tpr), (unsafe, r.fpr)):
            slope, var = law.cov[0, 1]/law.cov[0, 0], law.cov[1, 1] - law.cov[0, 1]**2/law.cov[0, 0]
            def inside(x):
                half, c = A[0, 1]*x + a[1], A[0, 0]*x*x/2 + a[0]*x + b - rho
                if half*half < 2*A[1, 1]*c: return 0.
                ends = (-half + np.array([-1, 1])*np.sqrt(half*half - 2*A[1, 1]*c))/A[1, 1]
                z, t = (ends - law.mean[1] - slope*(x - law.mean[0]))/np.sqrt(var), (x - law.mean[0])/np.sqrt(law.cov[0, 0])
                return (ndtr(z[1]) - ndtr(z[0]))*np.exp(-t*t/2)/np.sqrt(2*np.pi*law.cov[0, 0])
            disc = np.roots(np.polysub(np.polymul([A[0, 1], a[1]], [A[0, 1], a[1]]), 2*A[1, 1]*np.array([A[0, 0]/2, a[0], b - rho])))
            edges = np.sort([-8, 18, *[float(z.real) for z in disc if abs(z.imag) < 1e-12]])
            assert abs(sum(integrate.quad(inside, x, y, limit=400, epsabs=1e-13)[0] for x, y in zip(edges, edges[1:])) - ours) < 1e-9
    r = rates(safe, unsafe, .5, .05)
    assert (round(r.fpr, 6), round(r.tpr, 6), round(r.fdr, 6)) == (.010936, .468335, .022818)


def test_equal_covariances_are_normal_cdfs():
    # Gamma is normal with mean -+ D^2/2 and variance D^2, D the Mahalanobis distance
    for d in (1, 3, 12):
        B = np.random.default_rng(d).normal(size=(d, d)); cov, shift = B @ B.T + np.eye(d), np.linspace(.2, 1, d)
        D = np.sqrt(shift @ np.linalg.solve(cov, shift))
        for p, eps in ((.5, .05), (.01, .001), (.99, .3)):
            r, rho = rates(Gaussian(np.zeros(d), cov), Gaussian(shift, cov), p, eps), radius(p, eps)
            assert abs(r.tpr - ndtr((rho + D*D/2)/D)) < 1e-12 and abs(r.fpr - ndtr((rho - D*D/2)/D)) < 1e-12


def test_scaled_covariances_are_noncentral_chi_square():
    # cov_U = k cov_S: the region is a ball in whitened coordinates
    for d, k in ((2, 3.), (6, 2.), (4, .5)):
        mu = np.linspace(.1, .7, d)
        r, rho = rates(Gaussian(np.zeros(d), np.eye(d)), Gaussian(mu, k*np.eye(d)), .4, .3), radius(.4, .3)
        # Gamma = |x|^2/2 - |x-mu|^2/(2k) - d ln(k)/2 = (1-1/k)/2 |x-c|^2 + g
        half, c = (1 - 1/k)/2, -mu/(k - 1)
        g = -half*(c @ c) - mu @ mu/(2*k) - d*np.log(k)/2
        size = (rho - g)/half
        inside_s = stats.ncx2(d, c @ c).cdf(size) if k > 1 else stats.ncx2(d, c @ c).sf(size)
        inside_u = stats.ncx2(d, (mu - c) @ (mu - c)/k).cdf(size/k) if k > 1 else stats.ncx2(d, (mu - c) @ (mu - c)/k).sf(size/k)
        assert abs(r.tpr - inside_s) < 1e-10 and abs(r.fpr - inside_u) < 1e-10


def test_discrete_sums():
    # every point listed, decided by the posterior and summed; 1e-12 is rounding
    for safe, unsafe, top in ((Poisson(3), Poisson(5), 200), (Binomial(20, .3), Binomial(20, .6), 20), (Binomial(5, .3), Poisson(4), 200), (Bernoulli(.8), Bernoulli(.3), 1),
                              (Binomial(8, .5), Binomial(12, .4), 12)):
        k = np.arange(top + 1)
        fs, fu = safe.dist.pmf(k), unsafe.dist.pmf(k)
        for p, eps in ((.5, .3), (.7, .1), (.2, .6)):
            inside = p*fs*eps >= (1 - p)*fu*(1 - eps)*(1 - 1e-12)
            inside &= (fs + fu) > 0
            r = rates(safe, unsafe, p, eps)
            assert abs(r.tpr - fs[inside].sum()) < 1e-12 and abs(r.fpr - fu[inside].sum()) < 1e-12
    r = rates(Bernoulli(.8), Bernoulli(.2), .5, .2) # x = 1 on the boundary counts
    assert abs(r.tpr - .8) < 1e-12 and abs(r.fpr - .2) < 1e-12 and abs(r.fdr - .2) < 1e-12
    r = rates(Poisson(1e6), Poisson(1.001e6), .5, .5)
    cut = np.floor(1e3/np.log(1.001))
    assert abs(r.tpr - stats.poisson(1e6).cdf(cut)) < 1e-10 and abs(r.fpr - stats.poisson(1.001e6).cdf(cut)) < 1e-10


def test_scalar_continuous():
    # probability of the cells of a mesh whose midpoint is inside, good to two cells at each end; the ends themselves to rounding below
    pairs = [(Gamma(2, 1), Gamma(5, .7), 40), (Gamma(2, 1), Gaussian(3, 1), 40), (Gaussian(3, 1), Gamma(2, 1), 40), (Exponential(1), Exponential(3), 80), (ChiSquared(3), Exponential(2), 80),
             (Beta(2, 5), Beta(3, 1.5), 1), (Beta(.5, .5), Beta(2, 2), 1), (Gaussian(0, 1), Gaussian(1, 3), 30), (Beta(2, 2), Exponential(.3), 12), (Gamma(.5, 2), Gamma(.7, 2), 90)]
    for safe, unsafe, high in pairs:
        region = SafeDecisionRegion(safe, unsafe)
        for p, eps in ((.5, .4), (.3, .2), (.8, .5)):
            r = rates(safe, unsafe, p, eps)
            for law, ours in ((safe, r.tpr), (unsafe, r.fpr)):
                cdf = law.dist.cdf if not isinstance(law, Gaussian) else stats.norm(law.mean[0], np.sqrt(law.cov[0, 0])).cdf
                low = -30 if isinstance(safe, Gaussian) or isinstance(unsafe, Gaussian) else 0
                edges = np.linspace(low, high, 40_001)
                middle = (edges[1:] + edges[:-1])/2
                allowed = np.isfinite(safe.log_density(middle)) | np.isfinite(unsafe.log_density(middle))
                inside = np.zeros(len(middle), bool); inside[allowed] = region.contains(middle[allowed], p, eps)
                assert abs(np.diff(cdf(edges))[inside].sum() - ours) < (.02 if safe == Beta(.5, .5) else 2e-3)
        for ends in sublevel_intervals(safe, unsafe, radius(.5, .4)):
            for e in ends:
                if np.isfinite(e) and 1e-12 < e < 1 - 1e-12: assert abs(region.gamma([e])[0] - radius(.5, .4)) < 1e-9


def test_density_function():
    for law in (Gaussian(3, 2), Gamma(2, 1), Gamma(.5, 2), Gamma(1, 3), ChiSquared(2), ChiSquared(5), Exponential(2), Beta(2, .5), Beta(1, 3)):
        fast, low = density_function(law), -1. if isinstance(law, Gaussian) else 0.
        for x in (low, 1e-9, .3, .999):
            want = law.log_density([x])[0]
            assert fast(x) == want or abs(fast(x) - want) < 1e-12*max(1, abs(want))
        if not isinstance(law, Gaussian): assert fast(-1.) == -np.inf


def test_closed_forms():
    # exponentials: Gamma = x(1/a - 1/b) + ln(a/b) is below rho for x below a point
    a, b = 1., 3.
    for p, eps in ((.5, .4), (.3, .45), (.9, .01), (.5, 1e-9)):
        cut = (radius(p, eps) - np.log(a/b))/(1/a - 1/b)
        r = rates(Exponential(a), Exponential(b), p, eps)
        assert abs(r.tpr - (-np.expm1(-max(cut, 0)/a))) < 1e-13 and abs(r.fpr - (-np.expm1(-max(cut, 0)/b))) < 1e-13
    # one-dimensional Gaussians against the two roots
    r, rho = rates(Gaussian(0, 1), Gaussian(1, 4), .5, .3), radius(.5, .3)
    roots = np.sort(np.roots([.5 - .125, .25, -.125 - np.log(2) - rho]))
    assert abs(r.tpr - np.diff(stats.norm(0, 1).cdf(roots))[0]) < 1e-13 and abs(r.fpr - np.diff(stats.norm(1, 2).cdf(roots))[0]) < 1e-13


def test_rates_are_those_of_the_region():
    # 20,000 quantiles of each law, decided by `contains`: their share is the rate up to one quantile an edge of the region
    rng = np.random.default_rng(20)
    q = (np.arange(20_000) + .5)/20_000
    draw = [lambda: Beta(*np.exp(rng.uniform(-1, 4, 2))), lambda: Gamma(np.exp(rng.uniform(-1, 3)), np.exp(rng.uniform(-3, 1))), lambda: ChiSquared(np.exp(rng.uniform(-1, 2))),
            lambda: Exponential(np.exp(rng.uniform(-2, 1))), lambda: Gaussian(rng.normal(), np.exp(rng.uniform(-2, 2)))]
    for i in range(200):
        safe, unsafe = draw[rng.integers(5) if i % 2 else 0](), draw[rng.integers(5)]()
        if i % 3 == 0: safe, unsafe = unsafe, safe
        p, eps = rng.uniform(.1, .9), rng.uniform(.02, .8)
        region, r = SafeDecisionRegion(safe, unsafe), rates(safe, unsafe, p, eps)
        for law, ours in ((safe, r.tpr), (unsafe, r.fpr)):
            x = law.mean[0] + np.sqrt(law.cov[0, 0])*stats.norm.ppf(q) if isinstance(law, Gaussian) else law.dist.ppf(q)
            assert abs(region.contains(x, p, eps).mean() - ours) < 4/20_000, (safe, unsafe, p, eps)


def test_mixed_columns_by_brute_force():
    # sum over the count, 400-node Gauss-Legendre over the Gaussian column, gamma column by its distribution function (equal scales: Gamma_2 = -ln x + const)
    safe = Independent([Gaussian(0, 1), Gamma(2, 1), Poisson(3)])
    unsafe = Independent([Gaussian(1, 2), Gamma(3, 1), Poisson(4)])
    p, eps = .5, .2
    r, rho = rates(safe, unsafe, p, eps), radius(p, eps)
    x, weights = np.polynomial.legendre.leggauss(400)
    x, weights = 1 + 12*x, 12*weights
    for side, ours in ((0, r.tpr), (1, r.fpr)):
        law, total = (safe, unsafe)[side], 0.
        for k in range(40):
            left = rho - (unsafe.laws[0].log_density(x) - safe.laws[0].log_density(x)) - (unsafe.laws[2].log_density([k]) - safe.laws[2].log_density([k]))
            inner = law.laws[1].dist.cdf(2*np.exp(left))*np.exp(law.laws[0].log_density(x)) # ln(f_U/f_S) = ln(x/2)
            total += law.laws[2].dist.pmf(k)*(weights @ inner)
        assert abs(total - ours) < 1e-8


def test_products_of_counts():
    import itertools
    safe, unsafe = Independent([Poisson(2), Bernoulli(.7), Binomial(4, .5)]), Independent([Poisson(3), Bernoulli(.2), Binomial(4, .3)])
    grid = np.array(list(itertools.product(range(60), range(2), range(5))), float)
    fs, fu = np.exp(safe.log_density(grid)), np.exp(unsafe.log_density(grid))
    for p, eps in ((.5, .3), (.8, .05)):
        inside, r = SafeDecisionRegion(safe, unsafe).contains(grid, p, eps), rates(safe, unsafe, p, eps)
        assert abs(r.tpr - fs[inside].sum()) < 1e-12 and abs(r.fpr - fu[inside].sum()) < 1e-12
    # twenty equal columns are one binomial
    many = rates(Independent([Bernoulli(.7)]*20), Independent([Bernoulli(.4)]*20), .5, .2)
    one = rates(Binomial(20, .7), Binomial(20, .4), .5, .2)
    assert abs(many.tpr - one.tpr) < 1e-12 and abs(many.fpr - one.fpr) < 1e-12


def test_products_agree_with_blocks():
    # two gamma columns: contour against the scalar method where one column has equal laws
    one = rates(Gamma(2, 1), Gamma(5, .7), .5, .2)
    two = rates(Independent([Gamma(2, 1), Beta(2, 3)]), Independent([Gamma(5, .7), Beta(2, 3)]), .5, .2)
    assert abs(one.tpr - two.tpr) < 1e-12 and abs(one.fpr - two.fpr) < 1e-12
    # a product of Gaussians is a Gaussian with a diagonal covariance
    flat = rates(Gaussian([0, 1], np.diag([1., 2])), Gaussian([1, 0], np.diag([.5, 3])), .5, .2)
    product = rates(Independent([Gaussian(0, 1), Gaussian(1, 2)]), Gaussian([1, 0], np.diag([.5, 3])), .5, .2)
    assert abs(flat.tpr - product.tpr) < 1e-12 and abs(flat.fpr - product.fpr) < 1e-12
    # a column of two families beside a Gaussian one, roles of quadrature exchanged
    r = rates(Independent([Gamma(2, 1), Gaussian(0, 1)]), Independent([Gaussian(2, 1), Gaussian(1, 1)]), .5, .2)
    def inner(z): # Gamma of the second column is z - 1/2 under the safe law
        return np.exp(log_probability(Gamma(2, 1), sublevel_intervals(Gamma(2, 1), Gaussian(2, 1), radius(.5, .2) - (z - .5))))*np.exp(-z*z/2)/np.sqrt(2*np.pi)
    want = sum(integrate.quad(inner, x, x + 4, epsabs=1e-10, limit=200)[0] for x in range(-8, 8, 4))
    assert abs(r.tpr - want) < 1e-8
    with pytest.raises(ValueError, match="rates are not available"):
        rates(Independent([Gamma(2), Gamma(2)]), Independent([Gaussian(2, 1), Gaussian(1, 1)]), .5, .2)
    with pytest.raises(ValueError, match="correlated"):
        rates(Gaussian([2, 2], [[1, .5], [.5, 1]]), Independent([Gamma(2), Gaussian(1, 1)]), .5, .2)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(1, 6), st.integers(0, 10**6), st.floats(.01, .99), st.floats(.001, .9))
def test_bounds(d, seed, p, eps):
    # fdr <= eps and fpr <= exp(rho) tpr for every pair, prior and risk; swapping the laws gives the complement
    rng = np.random.default_rng(seed)
    laws = []
    for _ in range(2):
        B = rng.normal(size=(d, d)); laws.append(Gaussian(rng.normal(size=d)*2, B @ B.T + .3*np.eye(d)))
    r = rates(*laws, p, eps)
    assert r.fdr <= eps*(1 + 1e-9) and r.fpr <= r.bound*(1 + 1e-9) + 1e-15
    other = rates(laws[1], laws[0], 1 - p, 1 - eps)
    assert abs(r.tpr + other.fpr - 1) < 1e-10 and abs(r.fpr + other.tpr - 1) < 1e-10


@settings(deadline=None, max_examples=12, derandomize=True)
@given(st.floats(.3, 5), st.floats(.3, 5), st.floats(.05, .95), st.floats(.01, .9))
def test_bounds_other_families(a, b, p, eps):
    for safe, unsafe in ((Gamma(a, 1), Gamma(b, 2)), (Beta(a, b), Beta(b, 2)), (Poisson(a), Poisson(b)), (Exponential(a), ChiSquared(b)),
                         (Independent([Gamma(a), Exponential(b), Poisson(1)]), Independent([Gamma(b), Exponential(a), Poisson(2)]))):
        r = rates(safe, unsafe, p, eps)
        assert r.fdr <= eps*(1 + 1e-9) and r.fpr <= r.bound*(1 + 1e-9) + 1e-15 and 0 <= r.fpr <= 1 and 0 <= r.tpr <= 1


def test_extremes():
    safe, unsafe = Gaussian([4, 6], [[1.3, .9], [.9, 1.3]]), Gaussian([3, 8], [[.6, 0], [0, 1.4]])
    r = rates(safe, unsafe, .5, 1e-40)
    assert 0 < r.fpr < 1e-40 and 0 < r.fdr <= 1e-40 and r.fpr <= r.bound
    r = rates(safe, unsafe, 1 - 1e-12, 1 - 1e-12)
    assert r.tpr > 1 - 1e-12 and r.mass > 1 - 1e-12
    empty = rates(Exponential(1), Exponential(3), .5, .1) # Gamma >= -ln 3 > ln(1/9)
    assert empty.tpr == empty.fpr == empty.fdr == empty.mass == 0
    same = rates(Gamma(2), Gamma(2), .5, .5)
    assert same.tpr == same.fpr == 1 and abs(same.fdr - .5) < 1e-15 and rates(Gamma(2), Gamma(2), .5, .4).mass == 0
    apart = rates(Gaussian(np.zeros(3), np.eye(3)), Gaussian([100, 0, 0], 2*np.eye(3)), .5, .05)
    assert apart.tpr == 1 and apart.fpr < 1e-200
    for p, eps, name in ((0, .1, "p_safe"), (.5, 1., "eps"), (np.nan, .1, "p_safe"), ([.5, .6], .1, "p_safe")):
        with pytest.raises(ValueError, match=name): rates(safe, unsafe, p, eps)
