"""Tests of nbs/sdr/04_inversion.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.families import Beta
from reject_nb.sdr.families import ChiSquared
from reject_nb.sdr.families import Exponential
from reject_nb.sdr.families import Gamma
from reject_nb.sdr.families import Gaussian
from scipy import integrate
from scipy import stats
from scipy.special import ndtr

from reject_nb.sdr.inversion import (
    QuadraticForm, chernoff_cgf, gaussian_gamma, log_cdf, log_tail, quadratic_cgf, quadratic_log_cdf,
    reflect,
)

def test_forms_have_the_moments_of_gamma():
    # mean and variance of Gamma over 200,000 draws: standard errors sd/sqrt(n), five of them allowed
    rng = np.random.default_rng(0)
    for d in (1, 2, 4):
        laws = []
        for _ in range(2):
            B = rng.normal(size=(d, d)); laws.append(Gaussian(rng.normal(size=d), B @ B.T + .5*np.eye(d)))
        for form, law in zip(gaussian_gamma(*laws), laws):
            X = law.sample(200_000, rng)
            values = laws[0].g_tilde(X) - laws[1].g_tilde(X)
            mean, var = form.lam.sum() + form.const, (2*form.lam**2 + form.b**2).sum()
            assert abs(values.mean() - mean) < 5*np.sqrt(var/len(X))
            assert abs(values.var() - var) < 5*np.std((values - mean)**2)/np.sqrt(len(X))


def test_cgf_against_quadrature():
    # the Chernoff integral by scipy's quad, tolerance 1e-8
    for p, q, high in ((Gamma(2, 1), Gamma(5, .7), np.inf), (Exponential(2), ChiSquared(5), np.inf), (Beta(2, 5), Beta(3, 1.5), 1)):
        for s in (-.2, .3, .9):
            want = integrate.quad(lambda x: np.exp((1-s)*p.log_density([x])[0] + s*q.log_density([x])[0]), 0, high, epsabs=1e-12)[0]
            assert abs(np.exp(chernoff_cgf(p, q)(s).real) - want) < 1e-8
    assert chernoff_cgf(Gamma(2), Beta(2, 2)) is None


def test_noncentral_chi_square():
    # scipy's noncentral chi-square is good to about 1e-10 here
    for d in (2, 3, 20):
        for nc in (.5, 10, 400):
            form = QuadraticForm(np.ones(d), 2*np.r_[np.sqrt(nc), np.zeros(d - 1)], nc)
            for q in stats.ncx2(d, nc).ppf([1e-6, .01, .5, .99, 1 - 1e-6]):
                assert abs(np.exp(quadratic_log_cdf(form, q)) - stats.ncx2(d, nc).cdf(q)) < 1e-10


def test_two_dimensions_by_conditioning():
    # given Z_1 the other component is closed form; quad's tolerance is 1e-12
    rng = np.random.default_rng(2)
    for _ in range(6):
        lam, b, q = rng.normal(size=2), rng.normal(size=2), rng.normal()
        inner = lambda z: np.exp(quadratic_log_cdf(QuadraticForm(lam[1:], b[1:], 0.), q - lam[0]*z**2 - b[0]*z))*np.exp(-z**2/2)/np.sqrt(2*np.pi)
        kinks = np.roots([-4*lam[1]*lam[0], -4*lam[1]*b[0], b[1]**2 + 4*lam[1]*q])
        edges = np.sort([-12, 12, *(float(k.real) for k in kinks if abs(k.imag) < 1e-12 and abs(k.real) < 12)])
        want = sum(integrate.quad(inner, x, y, limit=300, epsabs=1e-13, epsrel=1e-12)[0] for x, y in zip(edges, edges[1:]))
        assert abs(np.exp(quadratic_log_cdf(QuadraticForm(lam, b, 0.), q)) - want) < 1e-10


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(2, 40), st.integers(0, 10**6), st.floats(-.9, .9))
def test_tails_add_to_one(d, seed, z):
    # two contours on either side of the pole: nothing shared but K
    rng = np.random.default_rng(seed)
    form = QuadraticForm(rng.normal(size=d)*10**rng.uniform(-3, 2, d), rng.normal(size=d)*10**rng.uniform(-3, 2, d), rng.normal())
    q = form.const + form.lam.sum() + z*np.sqrt((2*form.lam**2 + form.b**2).sum())
    if (form.lam > 0).any() and (form.lam < 0).any():
        cgf = quadratic_cgf(form)
        assert abs(np.exp(log_tail(cgf, q)) + np.exp(log_tail(cgf, q, upper=True)) - 1) < 1e-11


def test_far_tails_keep_their_digits():
    # one dimension in closed form against the contour, down to 1e-200
    for lam, b in ((.7, 1.3), (-.4, 2.), (1e-6, 1.)):
        form = QuadraticForm(np.array([lam]), np.array([b]), .2)
        for q in (-400., -30., -3., .1, 4., 60.):
            exact = quadratic_log_cdf(form, q)
            if np.isfinite(exact) and exact < -1e-6: assert abs(log_cdf(quadratic_cgf(form), q) - exact) < 1e-10*max(1, -exact)


def test_linear_and_constant_forms():
    form = QuadraticForm(np.zeros(3), np.array([1., 2., 2.]), 1.)
    assert abs(np.exp(quadratic_log_cdf(form, 4.)) - ndtr(1.)) < 1e-15
    none = QuadraticForm(np.zeros(0), np.zeros(0), 0.)
    assert quadratic_log_cdf(none, 0.) == 0 and np.isneginf(quadratic_log_cdf(none, -1e-6))
    # a linear component beside a quadratic one, by conditioning on the quadratic one
    form = QuadraticForm(np.array([.5, 0.]), np.array([.3, .8]), 0.)
    want = integrate.quad(lambda z: ndtr((1 - .5*z*z - .3*z)/.8)*np.exp(-z*z/2)/np.sqrt(2*np.pi), -12, 12, epsabs=1e-13)[0]
    assert abs(np.exp(quadratic_log_cdf(form, 1.)) - want) < 1e-11


def test_gamma_and_beta_columns():
    # Gamma of two columns, by nested quadrature over the second with the first in closed form (a linear function of an exponential)
    pairs = [(Exponential(1.), Exponential(2.)), (Gamma(2., 1.), Gamma(3., 1.5))]
    cgf = chernoff_cgf(*pairs[0]) + chernoff_cgf(*pairs[1])
    slope, const = .5, -np.log(2.)
    def inner(y, q): # P(const + slope E <= q - Gamma_2(y))
        g2 = pairs[1][1].log_density([y])[0] - pairs[1][0].log_density([y])[0]
        return -np.expm1(-max((q - g2 - const)/slope, 0.))*np.exp(pairs[1][0].log_density([y])[0])
    for q in (-.8, -.2, .5, 2.):
        want = sum(integrate.quad(inner, x, y, args=(q,), limit=300, epsabs=1e-12)[0] for x, y in ((1e-12, 1), (1, 5), (5, 20), (20, 60)))
        assert abs(np.exp(log_cdf(cgf, q)) - want) < 1e-8
    back = reflect(cgf)
    assert abs(np.exp(log_tail(back, .2, upper=True)) - np.exp(log_cdf(cgf, -.2))) < 1e-11
