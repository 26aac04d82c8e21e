"""Tests of nbs/gpc/37_kernel_oracles.ipynb, extracted from its test cells: edit them there."""
import mpmath
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.core.results import Clock
from reject_nb.gpc.kernel_certificate import At
from reject_nb.gpc.kernel_certificate import LatentGaussian
from reject_nb.gpc.kernel_certificate import problem_of
from reject_nb.gpc.kernel_oracles import EndAim
from reject_nb.gpc.kernel_oracles import KernelOracle
from reject_nb.gpc.kernel_oracles import MeanAim
from reject_nb.gpc.kernel_oracles import ProbabilityAim
from reject_nb.gpc.kernel_oracles import VarianceAim
from reject_nb.gpc.kernel_oracles import cut_to_ball
from reject_nb.gpc.kernel_terms import frame_box
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.logistic import LOGISTIC_ERROR
from reject_nb.gpc.logistic import logistic_means
from reject_nb.gpc.logistic import logistic_slope
from reject_nb.gpc.search import Ball
from reject_nb.gpc.search import Limits
from reject_nb.gpc.search import minimise
from scipy.special import ndtr

def _model(kernel=None, seed=0):
    "A posterior on 10 points."
    rng, kernel = np.random.default_rng(seed), Matern52(2., .9) if kernel is None else kernel
    Z = rng.normal(size=(10, 2))
    A = np.linalg.inv(kernel.matrix(Z, Z) + np.diag(rng.uniform(.2, 2, 10)))
    return LatentGaussian(kernel, Z, rng.normal(size=10), A)


def _value(name, mean, var):
    "The functions themselves."
    if name == "probit": return ndtr(mean/np.sqrt(1 + var))
    if name == "logistic": return logistic_means(mean, var)
    if name == "clipped": return .01 + .98*ndtr(mean/np.sqrt(1 + var))
    return dict(mean=mean, variance=var, end=mean + 2*np.sqrt(var + .1),
                start=mean - 2*np.sqrt(var + .1))[name]

AIMS = {"probit": lambda s: ProbabilityAim(s, "probit", 0.),
        "logistic": lambda s: ProbabilityAim(s, "logistic", 0.),
        "clipped": lambda s: ProbabilityAim(s, "probit", .01), "mean": MeanAim, "variance": VarianceAim,
        "end": lambda s: EndAim(s, 2., .1), "start": lambda s: EndAim(s, -2., .1)}

@pytest.mark.parametrize("name", AIMS)
@pytest.mark.parametrize("sign", [1., -1.])
@pytest.mark.parametrize("kernel", [None, Linear(1.) + RationalQuadratic(1., 1., 2.)])
def test_minima_are_minima(name, sign, kernel):
    model, lower, upper = _model(kernel), np.array([-.2, 0.]), np.array([.3, .5])
    aim = AIMS[name](sign)
    frame = frame_box((model.terms,), lower, upper)
    found = minimise(KernelOracle(problem_of(model, frame, variance=aim.curved), aim),
                     Limits(tol=.02, clock=Clock(None)))
    X = lower + (upper
                 - lower)*np.vstack([np.random.default_rng(0).random((3000, 2)),
                                     [[0, 0], [0, 1], [1, 0], [1, 1.]]])
    values = _value(name, *model.latent(X))
    one = 1 - values if sign < 0 and name in ("probit", "logistic", "clipped") else sign*values
    assert found.status == "optimal" and found.gap_abs <= .02
    assert found.lower <= one.min() <= found.upper + .02
    here = _value(name, *model.latent(frame.point(found.x)[None]))[0]
    assert (1 - here if sign < 0
            and name in ("probit", "logistic", "clipped") else sign*here) == pytest.approx(found.upper,
                    abs=1e-8)


@pytest.mark.parametrize("name", AIMS)
def test_one_box_is_enough_where_it_is_small(name):
    model, x = _model(), np.array([.1, .2])
    aim = AIMS[name](1.)
    frame = frame_box((model.terms,), x - 1e-4, x + 1e-4)
    got = minimise(KernelOracle(problem_of(model, frame, variance=aim.curved), aim),
                   Limits(tol=1e-6, clock=Clock(None)))
    assert got.status == "optimal" and got.n_boxes == 1


@pytest.mark.parametrize("p", [1, 2])
def test_a_ball_is_honoured(p):
    model, ball = _model(), Ball([.1, .2], .3, p)
    lower, upper = np.array([-.5, 0.]), np.array([.5, .9])
    frame = frame_box((model.terms,), *cut_to_ball(lower, upper, ball))
    found = minimise(KernelOracle(problem_of(model, frame), AIMS["probit"](1.), ball),
                     Limits(tol=.005, clock=Clock(None)))
    X = lower + (upper - lower)*np.random.default_rng(0).random((6000, 2))
    inside = X[[ball.contains(x) for x in X]]
    values = _value("probit", *model.latent(inside))
    assert found.lower <= values.min() and ball.contains(frame.point(found.x))
    assert found.upper - .01 <= values.min() <= found.upper + .01


def test_half_planes():
    model = _model(SquaredExponential(2., 1.))
    frame = frame_box((model.terms,), np.array([.5, -np.inf]), np.array([np.inf, np.inf]))
    found = minimise(KernelOracle(problem_of(model, frame), AIMS["probit"](1.)),
                     Limits(tol=.02, clock=Clock(None)))
    X = np.random.default_rng(0).uniform([.5, -5], [6, 5], (6000, 2))
    assert found.status == "optimal" and found.lower <= _value("probit", *model.latent(X)).min()


@pytest.mark.parametrize("name", AIMS)
@pytest.mark.parametrize("sign", [1., -1.])
def test_infinite_sides_are_bounded(name, sign):
    model, aim = _model(), AIMS[name](sign)
    frame = frame_box((model.terms,), np.array([-.3, -np.inf]), np.array([.4, 1.]))
    got = minimise(KernelOracle(problem_of(model, frame, variance=aim.curved), aim),
                   Limits(tol=.02, clock=Clock(None), max_boxes=60))
    X = np.random.default_rng(0).uniform([-.3, -6], [.4, 1], (3000, 2))
    values = _value(name, *model.latent(X))
    one = 1 - values if sign < 0 and name in ("probit", "logistic", "clipped") else sign*values
    assert got.lower <= one.min() and got.upper >= one.min() - 1.


def test_a_variance_can_not_be_negative():
    model = LatentGaussian(Matern12(1., 1.), [[0.]], [1.], [[3.]])          # 1 - 3 e^{-2x}
    frame = frame_box((model.terms,), np.array([0.]), np.array([1.]))
    for name, sign, true in (("variance", 1., 0.),
                             ("probit", 1., ndtr(np.exp(-1)/np.sqrt(2 - 3*np.exp(-2)))),
                             ("probit", -1., 1 - ndtr(1.))):
        aim = AIMS[name](sign)
        got = minimise(KernelOracle(problem_of(model, frame), aim),
                       Limits(tol=.02, clock=Clock(None), max_boxes=400))
        assert got.lower <= true + 1e-12 <= got.upper + 1e-9


@pytest.mark.parametrize("link, c", [("probit", 1.), ("logistic", np.pi/8)])
@pytest.mark.parametrize("sign", [1., -1.])
def test_what_the_local_search_follows(link, c, sign):
    aim = ProbabilityAim(sign, link, 0.)
    for mean, var in ((.7, 2.), (-1.3, .2)):
        value, by_mean, by_var = aim.rough(mean, var)
        assert value == pytest.approx(sign*mean/(1 + c*var)**.5)
        by_mean_here = (aim.rough(mean + 1e-6, var)[0] - aim.rough(mean - 1e-6, var)[0])/2e-6
        by_var_here = (aim.rough(mean, var + 1e-6)[0] - aim.rough(mean, var - 1e-6)[0])/2e-6
        assert by_mean == pytest.approx(by_mean_here) and by_var == pytest.approx(by_var_here)
    assert aim.rough(.7, -1e-9)[0] == sign*.7          # a variance below zero by rounding counts as zero


def _at(var_low, var_high):
    "What is known at points: variances only."
    var = np.atleast_1d(var_low).astype(float), np.atleast_1d(var_high).astype(float)
    return At(*[np.zeros(len(var[0]))]*7, *var)


@pytest.mark.parametrize("sign", [1., -1.])
@pytest.mark.parametrize("z", [2., -1.5])
@pytest.mark.parametrize("kappa", [-.002, .003, 1e-4])
def test_ends_are_rounded_by_1e_14_of_their_terms(sign, z, kappa):
    "Numbers of a thousand, so that 1e-14 of them is more than their own last digits."
    aim, nu, low, high, noise = EndAim(sign, z, 5.), -1234.5, 1e5, 4e5, 5.
    best = (.5*z/kappa)**2 - noise                     # where a bent sum is flat; else the least is at an end
    across = np.array([low, high, np.clip(best, low, high)])
    exact = nu + (kappa*across + sign*z*np.sqrt(across + noise)).min()
    size = abs(nu) + abs(kappa)*high + abs(z)*np.sqrt(high + noise)
    got = float(aim.low(np.array(nu), np.array(kappa), np.array(low), np.array(high)))
    if aim.chords or kappa > 0: assert exact - got == pytest.approx(1e-14*size, rel=.1)
    mean_low, mean_high = np.array(900.), np.array(901.)
    top = sign*(901. if sign > 0 else 900.) + sign*z*np.sqrt((high if sign*z > 0 else low) + noise)
    parts = abs(901. if sign > 0 else 900.) + abs(z)*np.sqrt((high if sign*z > 0 else low) + noise)
    got = float(aim.high(mean_low, mean_high, np.array(low), np.array(high)))
    assert got - top == pytest.approx(1e-14*parts, rel=.1)


def test_slopes_of_ends_by_hand():
    "sqrt(v + noise) at v + 2 = 4 has the slope 1/4; its chord from 2 to 4 has 1/6, from 0 to 0 any."
    start, end = EndAim(1., -2., 2.), EndAim(-1., -2., 2.)
    assert start.kappa(_at([1.], [3.]), 0.) == pytest.approx([.5]) and not start.chords
    assert end.kappa(_at([1.], [3.]), 0.).tolist() == [0.] and end.chords
    assert end.chord(np.array([2.]), np.array([14.])) == pytest.approx([-2/6])
    still = EndAim(1., -2., 0.)
    assert still.kappa(_at([0.], [0.]), 0.) == pytest.approx([1e150])
    assert EndAim(1., 2., 0.).chord(np.zeros(1), np.zeros(1)) == pytest.approx([-2e150])
    assert float(still.low(np.array(3.), np.array(0.), np.array(1.), np.array(4.))) == pytest.approx(-1.)


def test_levels_stay_off_the_ends():
    "A goal that no probability has is asked about at 1e-9 from the ends."
    plain, clipped = ProbabilityAim(1., "probit", 0.), ProbabilityAim(1., "probit", .1)
    levels = [float(plain._level(goal)) for goal in (-1., 0., .25, 1., 2.)]
    assert levels == [1e-9, 1e-9, .25, 1 - 1e-9, 1 - 1e-9]
    assert [float(clipped._level(goal)) for goal in (.1, .5, .9)] == [1e-9, pytest.approx(.5), 1 - 1e-9]
    at = _at([1., 2.], [3., 4.])
    quantile = float(mpmath.sqrt(2)*mpmath.erfinv(2*.25 - 1))
    np.testing.assert_allclose(plain.kappa(at, .25), quantile/(2*np.sqrt([3., 4.])), rtol=1e-9)
    logistic = ProbabilityAim(1., "logistic", 0.)
    np.testing.assert_allclose(logistic.kappa(at, .3), [logistic_slope(.3, 2.), logistic_slope(.3, 3.)])
    assert logistic.bounded_variance(.7) and plain.bounded_variance(.4) and not plain.bounded_variance(.5)


@pytest.mark.parametrize("mean", [-30., -8., -.3, .4, 3.])
def test_upper_probabilities_are_above_by_their_allowance(mean):
    "Digits that the normal distribution loses at g: 8e-16 of |g| on its slope, 1e-14 and 4e-16 g^2."
    aim, var = ProbabilityAim(1., "probit", 0.), 3.
    g = mpmath.mpf(mean)/2
    exact = mpmath.ncdf(g)
    off = 8e-16*abs(g)*mpmath.npdf(g)/exact + 1e-14 + 4e-16*g*g
    got = aim.high(np.array([mean]), np.array([mean]), np.array([var]), np.array([var]))[0]
    assert .5*off < mpmath.mpf(float(got))/exact - 1 < 1.5*off
    other = ProbabilityAim(-1., "probit", 0.)
    assert other.high(np.array([-mean]), np.array([-mean]), np.array([var]), np.array([var]))[0] == got


def test_upper_probabilities_take_the_worse_variance():
    "A negative mean is likelier with a large variance, a positive one with a small; and never above 1."
    aim, means = ProbabilityAim(1., "probit", 0.), np.array([-2., 2.])
    got = aim.high(means - .1, means, np.full(2, 3.), np.full(2, 8.))
    np.testing.assert_allclose(got, [float(mpmath.ncdf(-2/3)), float(mpmath.ncdf(1.))], rtol=1e-12)
    assert aim.high(np.full(1, 90.), np.full(1, 99.), np.zeros(1), np.zeros(1))[0] == 1.
    assert aim.high(np.full(1, -99.), np.full(1, -90.), np.zeros(1), np.zeros(1))[0] == 1e-300
    soft = ProbabilityAim(1., "logistic", 0.)
    got = soft.high(means, means, np.full(2, 1.), np.full(2, 4.))
    np.testing.assert_allclose(got - logistic_means(means, np.array([4., 1.])), LOGISTIC_ERROR, rtol=1e-3)


def test_clipped_links_are_rounded_outward():
    "clip + (1 - 2 clip) p, off by 5e-16, and within 0 and 1."
    aim = ProbabilityAim(1., "probit", .125)
    for p in (0., .3, 1.):
        exact = Fraction(1, 8) + Fraction(3, 4)*Fraction(p)
        for way in (1, -1):
            off = way*(Fraction(float(aim._clipped(np.array(p), way))) - exact)
            assert 4e-16 < off < 6.2e-16
    assert float(ProbabilityAim(1., "probit", 0.)._clipped(.3, 1)) == .3


def test_what_local_search_follows_has_the_slopes_it_says():
    for aim in (EndAim(1., 2., .3), EndAim(-1., 2., .3), VarianceAim(1.), VarianceAim(-1.), MeanAim(-1.)):
        value, by_mean, by_var = aim.rough(.7, 2.)
        if not isinstance(aim, VarianceAim):
            sides = [aim.rough(.7 + s, 2.)[0] for s in (1e-6, -1e-6)]
            assert by_mean == pytest.approx((sides[0] - sides[1])/2e-6)
        sides = [aim.rough(.7, 2. + s)[0] for s in (1e-6, -1e-6)]
        assert by_var == pytest.approx((sides[0] - sides[1])/2e-6, abs=1e-9)
    assert EndAim(1., 2., .5).rough(1., 3.5)[0] == 5. and VarianceAim(-1.).rough(1., 3.)[0] == -3.
    assert EndAim(1., 1., 0.).rough(1., -1.)[0] == 1. + 1e-150
