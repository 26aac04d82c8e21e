"""Tests of nbs/gpc/35_kernel_bounds.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.bounds import Boxes
from reject_nb.gpc.bounds import Bumps
from reject_nb.gpc.bounds import functional_min
from reject_nb.gpc.kernel_bounds import kernel_minima
from reject_nb.gpc.kernel_terms import expand
from reject_nb.gpc.kernel_terms import frame_box
from reject_nb.gpc.kernel_terms import model_on
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern32
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import White
from unittest.mock import patch

KERNELS = {"squared exponential": SquaredExponential(1.5, [.8, 1.2, .5]), "Matern 1/2": Matern12(1., 1.5),
           "Matern 3/2": Matern32(1., .9),
           "Matern 5/2": Matern52(1., .9, dims=(0, 2)), "rational quadratic": RationalQuadratic(1., 1., .7),
           "linear": Linear(.5) + Constant(1.),
           "sum": Matern52(1., 1., dims=(0,)) + Linear(.3, dims=(1,)) + White(.05)
           + SquaredExponential(2., 2.),
           "product": Matern52(1., 1.5)*Matern12(2., 1., dims=(1,)),
           "mixed": Matern32(1., 1.)*(Linear(.4) + Constant(.5))*RationalQuadratic(1., 2., 1.),
           "polynomial": (Linear(.5) + Constant(1.))*(Linear(.2) + Constant(1.))*Linear(1., dims=(0,))}

def _setting(kernel, seed, infinite=False):
    "A box, coefficients of both signs, bounds by both ways, and values at points of the box."
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(15, 3))*np.exp(rng.normal())
    c = Z[0] + rng.normal(size=3)*rng.choice([0., .1, 2.])
    h = np.exp(rng.normal(-1.5, 1.5, 3))*(rng.random(3) < .85)
    lower, upper = c - h, c + h
    if infinite: upper[1], lower[2] = np.inf, -np.inf
    terms = expand(kernel, 3)
    frame = frame_box((terms,), lower, upper)
    coef, prior = rng.normal(size=(1, 2, 16)), rng.normal(size=(1, 2, 2))
    lo, hi = frame.corners(-frame.half[None], frame.half[None])
    centre = np.where(np.isfinite(.5*lo + .5*hi), .5*lo + .5*hi, c[frame.free])
    X = np.clip(np.vstack([c + (1 + 9*infinite)*h*rng.uniform(-1, 1, (1500, 3)),
                           c + h*rng.choice([-1, 0, 1], (100, 3))]), lower, upper)
    whole = frame.origin.copy()
    whole[frame.free] = centre[0]
    rows = kernel.matrix(X, np.vstack([Z, whole]))
    return model_on(frame, terms, Z), (lo, hi, centre), coef, prior, rows, kernel.diagonal(X)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("parabolas", [True, False])
def test_bounds_lie_below_all_points(name, parabolas):
    for seed in range(15):
        model, cells, coef, prior, rows, diagonal = _setting(KERNELS[name], seed)
        prior[..., 1] = prior[..., 0]                       # white noise as the rest of the diagonal
        low = kernel_minima(model, *cells, coef, prior, np.zeros(1), parabolas, 1., 3).low[0]
        values = rows @ coef[0].T + diagonal[:, None]*prior[0, :, 0]
        assert (low <= values.min(0) + 1e-13*np.abs(values).max(0)).all()


@pytest.mark.parametrize("name",
                         ["squared exponential", "Matern 1/2", "Matern 3/2", "Matern 5/2",
                          "rational quadratic", "product"])
def test_infinite_sides(name):
    for seed in range(20):
        model, cells, coef, prior, rows, diagonal = _setting(KERNELS[name], seed, True)
        low = kernel_minima(model, *cells, coef, 0*prior, np.zeros(1), True, 1., 3).low[0]
        assert np.isfinite(low).all() and (low <= (rows @ coef[0].T).min(0)).all()


@pytest.mark.parametrize("name, order",
                         [("squared exponential", 2.5), ("Matern 5/2", 1.8), ("mixed", 1.7), ("product", .8),
                          ("polynomial", 1.7), ("linear", 9.)])
def test_the_gap_closes_faster_than_the_box(name, order):
    rng = np.random.default_rng(0)
    Z, coef, gaps = rng.normal(size=(30, 3)), rng.normal(size=30), []
    for h in (.2, .05):
        terms = expand(KERNELS[name], 3)
        frame = frame_box((terms,), np.full(3, .3 - h), np.full(3, .3 + h))
        c = frame.origin[None, frame.free]
        got = kernel_minima(model_on(frame, terms, Z), c - h, c + h, c, np.append(coef, 0.)[None, None],
                            np.zeros((1, 1, 2)), np.zeros(1), True, 1., 3)
        X = .3 + h*np.vstack([rng.uniform(-1, 1, (4000, 3)), rng.choice([-1, 1], (60, 3))])
        gaps.append((KERNELS[name].matrix(X, Z) @ coef).min() - got.low[0, 0])
    assert gaps[1] <= max(gaps[0]*4.**-order*1.5, 1e-8)


def test_a_squared_exponential_is_bounded_as_before():
    for seed in range(20):
        model, (lo, hi, c), coef, _, _, _ = _setting(SquaredExponential(1., 1.), seed)
        coef[..., -1] = 0
        ours = kernel_minima(model, lo, hi, c, coef, np.zeros((1, 2, 2)), np.zeros(1), True, 0., 3).low[0]
        weight = np.exp(-model.offset[0, :-1])
        bumps = Bumps(np.ascontiguousarray((model.Z - c).T), weight)
        boxes = Boxes(np.repeat(lo - c, 2, 0), np.repeat(hi - c, 2, 0))
        other = functional_min(bumps, boxes, coef[0, :, :-1].copy(), np.zeros(2), True, 0., 0.).low
        wide = .5*((hi - lo)**2).sum() > .3                 # there the tangents of the two differ
        if not wide: np.testing.assert_allclose(ours, other, rtol=1e-3)
        assert (ours >= other - .3*(1 + np.abs(other))).all()


def test_scores_name_the_coordinate_that_matters():
    kernel = Matern52(1., [.1, 10., 10.])
    model, _, coef, _, _, _ = _setting(kernel, 3)
    terms = expand(kernel, 3)
    frame = frame_box((terms,), np.full(3, -.2), np.full(3, .2))
    model = model_on(frame, terms, np.random.default_rng(0).normal(size=(15, 3)))
    got = kernel_minima(model, np.full((1, 3), -.2), np.full((1, 3), .2), np.zeros((1, 3)), coef,
                        np.zeros((1, 2, 2)), np.ones(1), True, 1., 3)
    assert got.score[0].argmax() == 0
    assert (np.abs(got.point) <= .2000001).all()


@pytest.mark.parametrize("name", ["sum", "mixed", "Matern 1/2"])
def test_boxes_and_sums_do_not_see_each_other(name):
    rng, terms = np.random.default_rng(5), expand(KERNELS[name], 3)
    model = model_on(frame_box((terms,), np.full(3, -2.), np.full(3, 2.)), terms, rng.normal(size=(6, 3)))
    c, h = rng.normal(size=(5, 3))*.5, rng.uniform(.05, 1, (5, 3))
    coef, prior, slack = rng.normal(size=(5, 2, 7)), rng.normal(size=(5, 2, 2)), rng.uniform(size=5)
    whole = kernel_minima(model, c - h, c + h, c, coef, prior, slack, True, 1., 3)
    with patch.dict(kernel_minima.__globals__, {"AT_ONCE": 14}):
        parts = kernel_minima(model, c - h, c + h, c, coef, prior, slack, True, 1., 3)
    for a, b in zip(whole, parts): np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    for i in range(5):
        for k in range(2):
            s = slice(i, i + 1)
            one = kernel_minima(model, (c - h)[s], (c + h)[s], c[s], coef[s, k:k + 1], prior[s, k:k + 1],
                                slack[s], True, 1., 3)
            assert one.low[0, 0] == pytest.approx(whole.low[i, k], rel=1e-11, abs=1e-12)
            if k == 0:
                np.testing.assert_allclose(one.point[0], whole.point[i], rtol=1e-11, atol=1e-12)
                np.testing.assert_allclose(one.score[0], whole.score[i], rtol=1e-9, atol=1e-12)
