"""Tests of nbs/sdr/09_inversion.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import ChiSquared
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.gaussian import Gaussian
from scipy import integrate
from scipy import stats
from scipy.special import log_ndtr
from scipy.special import ndtr

from reject_nb.sdr.inversion import (
    CGF, InversionError, QuadraticForm, _halving_error, _shared, chernoff_cgf, gaussian_gamma, log_cdf,
    log_interval, log_tail, mean_of, quadratic_cgf, quadratic_log_cdf, reflect, saddles,
)

@pytest.mark.parametrize("d", [1, 2, 4])
def test_forms_have_the_moments_of_gamma(d):
    # mean and variance of Gamma over 200,000 draws: standard errors sd/sqrt(n), five of them allowed
    rng = np.random.default_rng(d)
    laws = []
    for _ in range(2):
        B = rng.normal(size=(d, d))
        laws.append(Gaussian(rng.normal(size=d), B @ B.T + .5*np.eye(d)))
    for form, law in zip(gaussian_gamma(*laws), laws):
        X = law.sample(200_000, rng)
        values = laws[0].g_tilde(X) - laws[1].g_tilde(X)
        mean, var = form.lam.sum() + form.const, (2*form.lam**2 + form.b**2).sum()
        assert abs(values.mean() - mean) < 5*np.sqrt(var/len(X))
        assert abs(values.var() - var) < 5*np.std((values - mean)**2)/np.sqrt(len(X))


def test_components_without_effect_are_dropped():
    form = gaussian_gamma(Gaussian([0, 0, 0], np.eye(3)), Gaussian([1, 0, 0], np.diag([1, 1, 2.])))[0]
    assert len(form.lam) == 2 and sorted(form.lam.round(12)) == [0, .25]
    assert sorted(np.abs(form.b).round(12)) == [0, 1]
    assert len(gaussian_gamma(Gaussian(3, 2), Gaussian(3, 2))[1].lam) == 0


@pytest.mark.parametrize("p, q, high", [(Gamma(2, 1), Gamma(5, .7), np.inf),
                                        (Exponential(2), ChiSquared(5), np.inf),
                                        (Beta(2, 5), Beta(3, 1.5), 1)])
@pytest.mark.parametrize("s", [-.2, .3, .9])
def test_cgf_against_quadrature(p, q, high, s):
    # the Chernoff integral by scipy's quad, tolerance 1e-8
    def integrand(x): return np.exp((1 - s)*p.log_density([x])[0] + s*q.log_density([x])[0])
    want = integrate.quad(integrand, 0, high, epsabs=1e-12)[0]
    cgf = chernoff_cgf(p, q)
    assert abs(np.exp(cgf(s).real) - want) < 1e-8
    assert abs(reflect(cgf)(-s) - cgf(s)) < 1e-14 and abs((cgf + cgf)(s) - 2*cgf(s)) < 1e-14


@pytest.mark.parametrize("p, q, low, high", [
    (Gamma(2, 1), Gamma(5, 1), -2/3, np.inf), (Gamma(5, 1), Gamma(2, 1), -np.inf, 5/3),
    (Exponential(1), Exponential(2), -np.inf, 2),
    (Gamma(2, 1), Gamma(3, .5), -1, np.inf), (Gamma(2, 1), Gamma(2, 1), -np.inf, np.inf),
    (Beta(2, 3), Beta(3, 1), -2, 1.5)])
def test_strips(p, q, low, high):
    cgf = chernoff_cgf(p, q)
    np.testing.assert_allclose([cgf.low, cgf.high], [low, high], rtol=1e-15)
    np.testing.assert_allclose([reflect(cgf).low, reflect(cgf).high], [-high, -low], rtol=1e-15)
    narrow = quadratic_cgf(QuadraticForm(lam=np.array([-2., .5, 0]), b=np.ones(3), const=0.))
    both = cgf + narrow
    assert (narrow.low, narrow.high) == (-.25, 1)
    assert (both.low, both.high) == (max(low, -.25), min(high, 1))


def test_no_closed_form():
    assert chernoff_cgf(Gamma(2), Beta(2, 2)) is None and chernoff_cgf(Beta(2, 2), Gamma(2)) is None
    linear = quadratic_cgf(QuadraticForm(lam=np.zeros(1), b=np.array([2.]), const=-2.))
    assert (linear.low, linear.high) == (-np.inf,
                                         np.inf) and linear(np.array([.5])).tolist() == [-.5] # -2s + 2s^2


def _form(lam, b, const=0.): return QuadraticForm(lam=np.array(lam, float), b=np.array(b, float), const=const)


def _quadratic(form, q): return float(quadratic_log_cdf(form, q).log_p[0])


def _cdf(cgf, q): return float(log_cdf(cgf, q).log_p[0])


def _tail(cgf, q, upper=False): return float(log_tail(cgf, q, upper).log_p[0])


def _normal(z): return np.exp(-z*z/2)/np.sqrt(2*np.pi)


@pytest.mark.parametrize("d", [2, 3, 20])
@pytest.mark.parametrize("nc", [.5, 10, 400])
def test_noncentral_chi_square(d, nc):
    # scipy's noncentral chi-square is good to about 1e-10 here; in its lower tail ours keeps relative digits
    form = _form(np.ones(d), 2*np.r_[np.sqrt(nc), np.zeros(d - 1)], nc)
    for q in stats.ncx2(d, nc).ppf([1e-6, .01, .5, .99, 1 - 1e-6]):
        assert abs(np.exp(_quadratic(form, q)) - stats.ncx2(d, nc).cdf(q)) < 1e-10
    assert abs(mean_of(quadratic_cgf(form)) - d - nc) < 1e-11*(d + nc)


@pytest.mark.parametrize("shift", [-60., 60.])
def test_small_tails_on_both_sides_of_zero(shift):
    # a gamma variable with mean 8 less or plus a shift: the near tail is integrated wherever 0 lies,
    # so tiny ones keep their digits
    form = _form(np.ones(16)/2, np.zeros(16), shift)
    for x in (.05, .5, 2.):
        assert abs(_quadratic(form, shift + x) - np.log(stats.gamma(8).cdf(x))) < 1e-9
    mirrored = _form(-np.ones(16)/2, np.zeros(16), shift)
    for x in (30., 60.): assert abs(_quadratic(mirrored, shift - x) - stats.gamma(8).logsf(x)) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_two_dimensions_by_conditioning(seed):
    # given Z_1 the other component is closed form; quad's tolerance is 1e-12
    rng = np.random.default_rng(seed)
    lam, b, q = rng.normal(size=2), rng.normal(size=2), rng.normal()
    def inner(z): return np.exp(_quadratic(_form(lam[1:], b[1:]), q - lam[0]*z**2 - b[0]*z))*_normal(z)
    kinks = np.roots([-4*lam[1]*lam[0], -4*lam[1]*b[0], b[1]**2 + 4*lam[1]*q])
    edges = np.sort([-12, 12, *(float(k.real) for k in kinks if abs(k.imag) < 1e-12 and abs(k.real) < 12)])
    want = sum(integrate.quad(inner, x, y, limit=300, epsabs=1e-13, epsrel=1e-12)[0]
               for x, y in zip(edges, edges[1:]))
    assert abs(np.exp(_quadratic(_form(lam, b), q)) - want) < 1e-10


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(2, 40), st.integers(0, 10**6), st.floats(-.9, .9))
def test_tails_add_to_one(d, seed, z):
    # two contours on either side of the pole: nothing shared but K
    rng = np.random.default_rng(seed)
    form = _form(rng.normal(size=d)*10**rng.uniform(-3, 2, d), rng.normal(size=d)*10**rng.uniform(-3, 2, d),
                 rng.normal())
    q = form.const + form.lam.sum() + z*np.sqrt((2*form.lam**2 + form.b**2).sum())
    if (form.lam > 0).any() and (form.lam < 0).any():
        cgf = quadratic_cgf(form)
        assert abs(np.exp(_tail(cgf, q)) + np.exp(_tail(cgf, q, upper=True)) - 1) < 1e-11


@pytest.mark.parametrize("lam, b", [(.7, 1.3), (-.4, 2.), (1e-6, 1.)])
def test_far_tails_keep_their_digits(lam, b):
    # one dimension in closed form against the contour, down to 1e-200
    form = _form([lam], [b], .2)
    for q in (-400., -30., -3., .1, 4., 60.):
        exact = _quadratic(form, q)
        if np.isfinite(exact) and exact < -1e-6:
            assert abs(_cdf(quadratic_cgf(form), q) - exact) < 1e-10*max(1, -exact)


@pytest.mark.parametrize("lam, b", [(.7, 1.3), (.7, -1.3), (-.4, 2.), (-.4, -2.), (2., 0.), (-2., 0.)])
@pytest.mark.parametrize("q", [-5., -.5, 0., .5, 5.])
def test_one_component(lam, b, q):
    # the set itself, from the roots of the quadratic equation
    roots = np.sort(np.roots([lam, b, -q]).real) if b*b + 4*lam*q > 0 else np.zeros(2)
    inside = ndtr(roots[1]) - ndtr(roots[0])
    assert abs(np.exp(_quadratic(_form([lam], [b], 1.), q + 1.))
               - (inside if lam > 0 else 1 - inside)) < 1e-14


def test_ends_of_the_range():
    bowl, hill = _form([1., 2.], [2., 4.]), _form([-1., -2.], [2., 4.]) # extremes -(1 + 2) and 3
    assert np.isneginf(_quadratic(bowl, -3.)) and np.isneginf(_quadratic(bowl, -4.))
    assert _quadratic(bowl, -2.9) < -1 and _quadratic(hill, 2.9) < -1e-3
    assert _quadratic(hill, 3.) == 0 and _quadratic(hill, 4.) == 0
    assert np.isneginf(_tail(quadratic_cgf(bowl), -4.)) # no saddle
    none = _form([], [])
    assert _quadratic(none, 0.) == 0 and _quadratic(none, -1e-14) == 0
    assert np.isneginf(_quadratic(none, -1e-6))


def test_linear_forms():
    assert abs(np.exp(_quadratic(_form(np.zeros(3), [1., 2., 2.], 1.), 4.)) - ndtr(1.)) < 1e-15
    # a linear component beside a quadratic one, by conditioning on the quadratic one
    def inner(z): return ndtr((1 - .5*z*z - .3*z)/.8)*_normal(z)
    want = integrate.quad(inner, -12, 12, epsabs=1e-13)[0]
    assert abs(np.exp(_quadratic(_form([.5, 0.], [.3, .8]), 1.)) - want) < 1e-11


@pytest.mark.parametrize("low, high", [(-1., 2.), (3., 4.), (-4., -3.), (30., 31.), (-np.inf, 1.),
                                       (1., np.inf), (0., 1.)])
def test_intervals(low, high):
    # by symmetry from the lower tail, where differences of distribution functions keep their digits
    below, above = (-high, -low) if low > 0 else (low, high)
    assert abs(log_interval(low, high) - np.log(ndtr(above) - ndtr(below))) < 1e-12
    assert np.isneginf(log_interval(high, low)) and np.isneginf(log_interval(1., 1.))


@pytest.mark.parametrize("q", [-.8, -.2, .5, 2.])
def test_gamma_columns(q):
    # Gamma of two columns, by quadrature over the second with the first in closed form
    # (a linear function of an exponential)
    first, second = (Exponential(1.), Exponential(2.)), (Gamma(2., 1.), Gamma(3., 1.5))
    cgf = chernoff_cgf(*first) + chernoff_cgf(*second)
    def inner(y): # P(x/2 - ln 2 <= q - Gamma_2(y))
        rest = q - (second[1].log_density([y])[0] - second[0].log_density([y])[0])
        return -np.expm1(-max((rest + np.log(2.))/.5, 0.))*np.exp(second[0].log_density([y])[0])
    want = sum(integrate.quad(inner, x, y, limit=300, epsabs=1e-12)[0]
               for x, y in ((1e-12, 1), (1, 5), (5, 20), (20, 60)))
    assert abs(np.exp(_cdf(cgf, q)) - want) < 1e-8
    assert abs(np.exp(_tail(reflect(cgf), -q, upper=True)) - np.exp(_cdf(cgf, q))) < 1e-11


@pytest.mark.parametrize("floor", [0., 1e-4])
def test_many_thresholds_are_as_good_as_one(floor):
    # a chi-square variable with 6 degrees of freedom, less 3: every value within its bound, in both tails
    form = _form(np.ones(6)/2, np.zeros(6), -3.)
    q = np.concatenate([-3 + np.geomspace(1e-6, 3, 200), np.linspace(.01, 60, 300)])
    found = log_cdf(quadratic_cgf(form), q, np.log(floor) if floor else -np.inf)
    want = stats.gamma(3).cdf(q + 3)
    assert (np.abs(np.exp(found.log_p) - want) <= found.error + 4e-16).all() and found.error.max() < 1e-12
    near = (q < 0) & (want > floor)
    np.testing.assert_allclose(found.log_p[near], stats.gamma(3).logcdf(q[near] + 3), atol=1e-11)


def test_neighbours_share_a_path():
    # a normal variable: two paths left of zero for the middle; each threshold on one that costs three at most
    form = _form([0., 0.], [.6, .8])
    cgf, q = quadratic_cgf(form), np.linspace(-3, -.01, 300)
    c = saddles(cgf, q, -1)
    shared = _shared(cgf, q, c, np.full(300, -np.inf))
    assert len(shared) <= 3 and sorted(np.concatenate([rows for _, rows in shared])) == list(range(300))
    for saddle, rows in shared:
        assert (saddle**2/2 - q[rows]*saddle <= c[rows]**2/2 - q[rows]*c[rows] + 3 + 1e-9).all()
    far = np.linspace(-38, -30, 9) # a floor of e^-2 lets all of them take one path
    c = saddles(cgf, far, -1)
    assert len(_shared(cgf, far, c, np.full(9, -np.inf))) > 1 == len(_shared(cgf, far, c, np.full(9, -2.)))


def test_a_floor_leaves_out_what_is_below_it():
    cgf, q = quadratic_cgf(_form([0., 0.], [.6, .8])), np.array([-12., -9., -3., -1.])
    found = log_tail(cgf, q, log_floor=np.array([-20., -np.inf, -np.inf, -5.]))
    want = log_ndtr(q)
    assert np.isneginf(found.log_p[0]) and np.exp(want[0] + 20) <= found.error[0] < 1e-13
    assert np.abs(found.log_p[1:] - want[1:]).max() < 1e-12 and (found.error[1:] < 1e-11).all()


def test_thresholds_around_a_corner():
    # the sum of an exponential variable and the negative of another one: its density has a corner at 0
    form = _form([1, 1, -2, -2], np.zeros(4)) # 2 E_1 - 4 E_2
    q = np.concatenate([-np.geomspace(1e-9, 50, 60), [0.], np.geomspace(1e-9, 50, 60)])
    want = np.where(q < 0, 2/3*np.exp(np.minimum(q, 0)/4), 1 - np.exp(-np.maximum(q, 0)/2)/3)
    for log_floor in (-np.inf, -9.):
        found = quadratic_log_cdf(form, q, log_floor)
        assert (np.abs(np.exp(found.log_p) - want) <= found.error + 4e-16).all() and found.error.max() < 1e-12


@pytest.mark.parametrize("lam, b", [([], []), ([.5], [1.]), ([0., 0.], [1., 2.]), ([.5, -.3], [1., .2])])
def test_errors_count_the_rounding_of_the_threshold(lam, b):
    # a threshold of 1e6 is known to 1e-10: so is the probability, whatever the formula
    far = quadratic_log_cdf(_form(lam, b, 1e6), 1e6 + .3)
    assert far.error[0] <= 1e-8 and (far.error[0] >= 1e-11 or not lam)
    assert abs(np.exp(far.log_p[0]) - np.exp(_quadratic(_form(lam, b), .3))) <= far.error[0] + 1e-13


def test_what_does_not_converge_is_said():
    # a variable of two values: its generating function does not decay
    coin = CGF(lambda s: np.log(np.cosh(np.asarray(s, dtype=complex))), -np.inf, np.inf)
    with pytest.raises(InversionError, match="relative accuracy"): log_tail(coin, -.3)


def test_two_steps_that_agree_by_chance_claim_little():
    # by hand: after 1e-6, 1e-10 is taken for 1e-9, and 10*1e-18/1e-6 = 1e-11; 1e-8 is believed
    found = _halving_error(np.array([1e-10, 1e-8, 1e-13, 1e-3, 0.]), np.array([1e-6, 1e-6, 1e-6, 1., 0.]))
    np.testing.assert_allclose(found, [1e-11, 1e-9, 1e-13, 1e-3, 0.])
    assert _halving_error(np.array([1e-3]), np.array([np.inf])) == 1e-3


@pytest.mark.parametrize("upper", [False, True])
def test_shared_paths_keep_their_bound(upper):
    # thresholds on one path against each on its own: their bounds must cover the difference
    cgf = (quadratic_cgf(QuadraticForm(lam=np.array([.4, -.45]), b=np.array([.8, -2.1]), const=-.5))
           + reflect(chernoff_cgf(Gamma(.30421, 2), Gamma(.4783585, 2)))
           + reflect(chernoff_cgf(Beta(.731023, 10.8319), Beta(1.67567, 27.2864))))
    centre = mean_of(cgf)
    q = centre + (1 if upper else -1)*np.linspace(.05, 9, 300)
    together, alone = log_tail(cgf, q, upper), [log_tail(cgf, one, upper) for one in q]
    off = np.abs(np.expm1(together.log_p - [float(one.log_p[0]) for one in alone]))
    assert (off <= together.error + [float(one.error[0]) for one in alone]).all() and off.max() < 1e-11
