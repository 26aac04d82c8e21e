"""Tests of nbs/gpc/37_kernel_oracles.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
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
from reject_nb.gpc.logistic import logistic_means
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
