"""Tests of nbs/gpc/13_oracles.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from concurrent.futures import ThreadPoolExecutor
from reject_nb.core.results import Clock
from reject_nb.gpc.certificate import one_side
from reject_nb.gpc.certificate import reduce_box
from reject_nb.gpc.class_bounds import Cell
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.search import Limits
from reject_nb.gpc.search import minimise
from reject_nb.gpc.softmax import fit_multiclass_gpc

from reject_nb.gpc.oracles import (
    ClassOracle, LeadOracle, ProbabilityOracle, _objective, enough_pairs, local_search,
)

def _binary(seed=0, likelihood="probit", d=2):
    rng = np.random.default_rng(seed)
    return GPPosterior(rng.normal(size=(40, d)), rng.normal(size=40)*.5, rng.uniform(.1, .6, 40),
                       rng.uniform(.7, 1.3, d), 4., likelihood)


def _classes():
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(12, 2)) + c for c in ([0, 2.], [2, -1], [-2, -1])])
    return fit_multiclass_gpc(X, np.repeat([0, 1, 2], 12), max_evaluations=0, lengthscale=1.5, variance=4.)


def _until(tol, **changes): return Limits(tol=tol, clock=Clock(None), **changes)


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
@pytest.mark.parametrize("spectral", [True, False])
def test_objective_and_its_gradient(likelihood, spectral):
    post = _binary(1, likelihood)
    side = one_side(post, reduce_box(post, np.array([-.3, -.2]), np.array([.4, .3])), -1., spectral)
    f, x, step = _objective(side, 40), np.array([.1, -.2]), 1e-6
    value, slope = f(x)
    mean, var = post.latent(side.box.point(x)[None])
    expected = -mean[0]/np.sqrt(1 + (1. if likelihood == "probit"
                                     else np.pi/8)*var[0]) if spectral else -mean[0]
    assert abs(value - expected) < 1e-9
    numeric = [(f(x + step*e)[0] - f(x - step*e)[0])/(2*step) for e in np.eye(2)]
    np.testing.assert_allclose(slope, numeric, atol=1e-7)
    ends = local_search(side, np.zeros((2, 2)), 40)
    assert f(ends[0])[0] <= f(np.zeros(2))[0] and (np.abs(ends) <= side.box.half).all()


@pytest.mark.parametrize("sign", [1., -1.])
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_binary_minimum_against_a_grid(sign, likelihood):
    post = _binary(2, likelihood)
    box = reduce_box(post, np.array([-.3, -.2]), np.array([.4, .3]))
    got = minimise(ProbabilityOracle(one_side(post, box, sign), 1e-4), _until(1e-4))
    g = np.stack(np.meshgrid(np.linspace(-.3, .4, 121), np.linspace(-.2, .3, 121)), -1).reshape(-1, 2)
    p = post.predict_proba(g) if sign > 0 else 1 - post.predict_proba(g)
    assert got.status == "optimal" and got.gap_abs <= 1e-4 and got.lower <= p.min()
    assert p.min() - got.upper < 1e-4
    at = post.predict_proba(box.point(got.x)[None])[0]
    assert abs((at if sign > 0 else 1 - at) - got.upper) < 1e-8


def test_threads_share_the_work_and_agree():
    post = _binary(3, d=3)
    side = one_side(post, reduce_box(post, np.full(3, -.5), np.full(3, .5)))
    alone = minimise(ProbabilityOracle(side, 1e-4), _until(1e-4))
    with ThreadPoolExecutor(2) as pool:
        shared = minimise(ProbabilityOracle(side, 1e-4, pool=pool, threads=2), _until(1e-4))
    assert abs(alone.lower - shared.lower) < 1e-4 and alone.upper == pytest.approx(shared.upper, abs=1e-9)


def test_eigenpairs_by_tolerance_and_patience():
    post = _binary(4)
    side = one_side(post, reduce_box(post, np.full(2, -.2), np.full(2, .2)))
    counts = [enough_pairs(side, tol) for tol in (10., .1, 1e-3, 1e-8)]
    assert 1 <= counts[0] < counts[1] < counts[2] < counts[3] <= 40
    assert enough_pairs(one_side(post, side.box, 1., False), .1) == 0
    assert enough_pairs(one_side(post, reduce_box(post, np.zeros(2), np.zeros(2))), .1) == 40
    oracle = ProbabilityOracle(side, 10.)
    oracle.patience, q = 1, oracle.q
    oracle.look(-side.box.half[None], side.box.half[None], .4)
    assert oracle.q == q
    oracle.look(-side.box.half[None], side.box.half[None], .4)
    assert oracle.q == 2*q <= 40 and oracle.patience == 4


def test_starting_points_are_used():
    post = _binary(5)
    oracle = ProbabilityOracle(one_side(post, reduce_box(post, np.full(2, -.2), np.full(2, .2))), .1)
    first = oracle.starts([[.1, .2], [9., 9.]])
    np.testing.assert_allclose(first*post.lengthscale, [[0, 0], [.1, .2], [.2, .2]], atol=1e-12)
    assert oracle.starts(None).shape == (1, 2) and oracle.floor == 0 and oracle.batch == 128


def test_class_minimum_and_lead_against_samples():
    post, rng = _classes(), np.random.default_rng(0)
    box = reduce_box(post, np.array([-.2, .8]), np.array([.2, 1.2]))
    p = post.predict_proba(rng.uniform([-.2, .8], [.2, 1.2], size=(300, 2)))
    low, high = (minimise(ClassOracle(post, box, 0, sign), _until(.01)) for sign in (1., -1.))
    assert low.lower <= p[:, 0].min() <= low.upper + .02 and low.gap_abs <= .01
    assert -high.upper - .02 <= p[:, 0].max() <= -high.lower and high.gap_abs <= .01
    lead = minimise(LeadOracle(post, box, 0), _until(.01))
    seen = (p[:, 0] - p[:, 1:].max(1)).min()
    assert lead.lower <= seen <= lead.upper + .02 and lead.gap_abs <= .01


def test_splitting_stops_where_it_does_not_help():
    post = _classes()
    oracle = ClassOracle(post, reduce_box(post, np.zeros(2), np.full(2, 1e-9)), 0, 1.)
    got = oracle.look(-oracle.half[None], oracle.half[None], 0.)
    assert (got.score == -1).all()
    wide = ClassOracle(post, reduce_box(post, np.zeros(2), np.ones(2)), 0, 1.)
    assert (wide.look(-wide.half[None], wide.half[None], 0.).score > 0).all()
    assert wide.blunt(Cell(.4, .55, .41, .52, np.ones(2))) and not wide.blunt(Cell(.4, .6, .41, .52,
                                                                                   np.ones(2)))


@pytest.mark.parametrize("top", [0, 1, 2])
def test_a_cell_of_the_lead_holds_what_is_seen_in_it(top):
    "The lead of each class at 200 points of a box and at its centre."
    post, rng = _classes(), np.random.default_rng(0)
    box = reduce_box(post, np.array([-.2, .8]), np.array([.2, 1.2]))
    oracle = LeadOracle(post, box, top)
    cell = oracle.cell(-box.half, box.half)
    p = post.predict_proba(np.vstack([[0., 1.], rng.uniform([-.2, .8], [.2, 1.2], size=(200, 2))]))
    lead = p[:, top] - np.delete(p, top, axis=1).max(1)
    assert cell.low <= lead.min() and lead.max() <= cell.high and cell.low > lead.min() - .5
    assert cell.value_low <= lead[0] <= cell.value_high <= lead[0] + .05
    assert oracle.ends(cell) == (cell.low, cell.value_high) and oracle.floor <= cell.low
