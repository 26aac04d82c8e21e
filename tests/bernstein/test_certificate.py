"""Tests of nbs/bernstein/06_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.certificate import _certified
from reject_nb.bernstein.certificate import _feasible
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.core.results import Status
from types import SimpleNamespace
from unittest import mock

from reject_nb.bernstein.certificate import (
    Certificate, GIVEN, Multipliers, Plane, Problem, Units, best_intercept, best_plane, certificate,
    column_sizes, dual_bound, finish, improved, objective, own_units, rounded_certificate, solver_units,
)

PAIR = Problem(UncertaintySet(centre=np.array([[2.], [-2.]]), radius=np.full((2, 1), .5)),
               np.array([1., -1.]), 1., 0.)

def _random_problem(seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(30) % 2, 1., -1.)
    X, half = rng.normal(size=(30, 3)) + y[:, None]*.5, rng.uniform(.3, 1, (30, 3))
    sets = UncertaintySet(centre=X, radius=half*.1, scale=half*.4, box_centre=X, box_half=half,
                          bound="bernstein")
    return rng, Problem(sets, y, 10.**rng.uniform(-2, 2), rng.uniform(0, 2))


@pytest.mark.parametrize("seed", range(20))
def test_any_bound_is_below_any_objective(seed):
    rng, problem = _random_problem(seed)
    values = [objective(problem, Plane(rng.normal(size=3), rng.normal())) for _ in range(20)]
    bounds = [dual_bound(problem, Multipliers(rng.uniform(-.5, 2, 30)*problem.C, rng.normal(size=(30, 3))))
              for _ in range(20)]
    assert max(bounds) <= min(values) and min(bounds) >= 0


def test_bounds_by_hand():
    for a, x, value in ((2/9, 1.5, 2/9), (1., 1.5, 2/9), (2/9, 9., (4/9)**2/(2*(10/9)**2)),
                        (.1, 1.5, .2 - .5*.3**2), (0., 1.5, 0.), (-1., 1.5, 0.)):
        np.testing.assert_allclose(dual_bound(PAIR, Multipliers(np.full(2, a), np.array([[x], [-x]]))), value,
                                   rtol=1e-14)
    # balanced by the lighter class
    uneven = Multipliers(np.array([.2, .1]), np.array([[1.5], [-1.5]]))
    np.testing.assert_allclose(dual_bound(PAIR, uneven), .2 - .5*.3**2, rtol=1e-14)
    np.testing.assert_allclose(_feasible(PAIR, np.array([9., np.nan])), [0, 0])
    np.testing.assert_allclose(_feasible(PAIR, np.array([9., .4])), [.4, .4])
    np.testing.assert_allclose(_feasible(Problem(PAIR.sets, PAIR.y, .3, 0.), np.array([.4, 9.])), [.3, .3])
    c = Certificate(objective=4., bound=3.)
    assert c.gap == .25 and c.gap_abs == 1 and Certificate(objective=0., bound=0.).gap == 0


@pytest.mark.parametrize("seed", range(30))
def test_best_intercept_is_the_minimiser(seed):
    rng = np.random.default_rng(seed)
    y, inner = np.where(rng.permutation(9) < 1 + seed % 7, 1., -1.), rng.normal(size=9)*2
    f = lambda b: np.maximum(0, 1 - inner - y*b).sum()
    b = best_intercept(inner, y, rng.normal())
    assert f(b) <= min(f(v) for v in np.linspace(-9, 9, 2001)) + 1e-12


def test_best_intercept_stays_near_where_it_may():
    inner, y = np.array([3., 2.]), np.array([1., -1.])                # every b in [-2, 1] is without loss
    assert [best_intercept(inner, y, b) for b in (-9, -1.5, 9)] == [-2, -1.5, 1]
    assert best_intercept(inner, np.ones(2), 5.) == 5 and best_intercept(inner, -np.ones(2), -5.) == -5


def test_svm_certificate_closes_against_libsvm():
    from sklearn.svm import SVC
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1., -1.)
    svc = SVC(kernel="linear", C=.7, tol=1e-10).fit(X, y)
    alpha = np.zeros(40)
    alpha[svc.support_] = abs(svc.dual_coef_[0])
    problem = Problem(UncertaintySet(centre=X), y, .7, 0.)
    c = certificate(problem, Plane(svc.coef_[0], svc.intercept_[0]), Multipliers(alpha, X))
    assert 0 <= c.gap < 1e-8                                        # libsvm's own tolerance is 1e-10


def test_own_units_by_hand():
    half = np.array([[.5], [3.]])
    sets = UncertaintySet(centre=np.array([[12.], [8.]]), radius=half/10, scale=half,
                          box_centre=np.array([[12.], [8.]]), box_half=half*4, bound="bernstein")
    y = np.array([1., -1.])
    for kap, cut, size in ((1., False, 3.), (.1, False, 2.), (0., False, 2.), (5., True, 12.),
                           (5., False, 15.)):
        problem = Problem(sets if cut
                          else UncertaintySet(centre=sets.centre, radius=sets.radius, scale=sets.scale), y,
                          1., kap)
        units = own_units(problem)
        own = units.scaled(problem.sets)
        assert units.size == size and units.shift == 10
        np.testing.assert_allclose(own.centre[:, 0]*size + 10, [12, 8])
        np.testing.assert_allclose(own.scale*size, half)
        if cut:
            np.testing.assert_allclose([own.box_centre*size + 10, own.box_half*size],
                                       [sets.box_centre, sets.box_half])
    np.testing.assert_allclose(own.radius*size, half/10)
    wide = Problem(UncertaintySet(centre=np.zeros((2, 1)), radius=np.array([[0.], [7.]])), y, 1., 0.)
    assert own_units(wide).size == 7
    assert own_units(Problem(UncertaintySet(centre=np.ones((2, 1))), y, 1., 0.)).size == 1


def test_planes_come_back_from_own_units():
    problem = Problem(UncertaintySet(centre=np.array([[7.], [3.]]), radius=np.full((2, 1), .5)),
                      np.array([1., -1.]), 1., 0.)
    units = own_units(problem)
    plane = units.plane(np.array([.8]), .3)
    inner = Problem(units.scaled(problem.sets), problem.y, 1., 0.)
    np.testing.assert_allclose(problem.margins(plane), inner.margins(Plane(np.array([.8]), .3)), rtol=1e-14)

STEEP = Problem(UncertaintySet(centre=np.array([[3e20, 1.], [-1e20, 1.], [-3e20, 1.], [1e20, 1.00001]])),
                np.array([1., 1, -1, -1]), 1., 0.)

def test_each_column_has_its_unit_where_sizes_are_very_different():
    np.testing.assert_allclose(column_sizes(STEEP), [3e20, 7.5e-6], rtol=1e-6)
    np.testing.assert_array_equal(solver_units(STEEP).size, [2.**69, 2.**-17])
    for first, mixed in ((2.**25, False), (2.**26, False), (2.**26*1.1, True)):
        centre = np.array([[1., first, 0.], [-1., -first, 0.]])
        problem = Problem(UncertaintySet(centre=centre), PAIR.y, 1., 0.)
        size = solver_units(problem).size
        assert (np.ndim(size) == 1) == mixed and np.max(size) >= first
        if mixed: np.testing.assert_array_equal(size, [2., 2.**27, first])   # a column of zeros: the largest


@pytest.mark.parametrize("pieces, kap, sizes", [
    (dict(), 1., [2., 4.]), (dict(radius=np.array([[5., 0.], [0., 1.]])), 1., [5., 4.]),
    (dict(scale=np.array([[3., 0.], [0., -1.]])), 2., [6., 4.]), (dict(scale=np.ones((2, 2))), 0., [2., 4.]),
    (dict(scale=np.array([[[0., 3.], [1., 0.]], [[0., 0.], [0., 5.]]])), 1., [3., 5.]),
    (dict(scale=np.full((2, 2), 9.), box_centre=np.zeros((2, 2)), box_half=np.array([[7., 1.], [3., 2.]])),
     1., [7., 4.])])
def test_sizes_of_columns_by_hand(pieces, kap, sizes):
    sets = UncertaintySet(centre=np.array([[2., 4.], [-2., -4.]]), **pieces)
    np.testing.assert_array_equal(column_sizes(Problem(sets, PAIR.y, 1., kap)), sizes)


def test_units_of_columns_keep_covariances_and_boxes():
    scale = np.array([[[1., 2.], [3., 4.]]])
    sets = UncertaintySet(centre=np.array([[8., 8.]]), scale=scale)
    own = Units(np.array([0., 4.]), np.array([2., 4.])).scaled(sets)
    np.testing.assert_array_equal(own.centre, [[4., 1.]])
    np.testing.assert_array_equal(own.scale, [[[.5, 1.], [.75, 1.]]])       # row j is feature j
    plane = Units(np.zeros(2), np.array([2., 4.])).plane(np.array([2., 2.]), 1.)
    np.testing.assert_array_equal(plane.w, [1, .5])


def test_the_bound_of_wider_sets_by_hand():
    plane = Plane(np.array([1e-20/3, 0.]), 0.)
    weights = lambda off: Multipliers(np.array([1/3 - off, 1, 1/3 - off, 1]), STEEP.sets.centre)
    for off in (0., 1e-14, 1e-9):
        found = rounded_certificate(STEEP, plane, weights(off))
        np.testing.assert_allclose([found.objective, found.bound], 8/3, rtol=1e-8)
        assert found.bound < 8/3 and found.gap_abs > GIVEN               # what wider sets cost is taken off
    assert dual_bound(STEEP, weights(1e-14)) < .01
    # the room: weights off by less than it lose nothing, by twice as much nearly everything
    room = np.array([3e20*GIVEN, 0.])
    close, far = (dual_bound(STEEP, weights(s*GIVEN), room) for s in (1.2, 3.))
    assert close > 2.6 and far < .1
    lost = rounded_certificate(STEEP, Plane(np.array([1., 0.]), 0.), weights(0.))
    assert lost.bound == 0
    nothing = Multipliers(np.full(4, np.nan), np.full((4, 2), np.nan))
    assert rounded_certificate(STEEP, plane, nothing).bound == 0


def test_sums_beyond_floats_bound_nothing():
    huge = Problem(UncertaintySet(centre=np.array([[1e200], [-1e200]])), PAIR.y, 1., 0.)
    assert dual_bound(huge, Multipliers(np.ones(2), huge.sets.centre)) == 0


@pytest.mark.parametrize("w, b, value", [(1., 0., 2/9), (1., .1, .5/1.96), (2., 0., 2.),
                                         (.5, .1, .5*.25 + 2*.25), (0., 3., 2.), (2/3*(1 - 1e-8), 0., 2/9)])
def test_improved_planes_by_hand(w, b, value):
    plane = improved(PAIR, Plane(np.array([w]), b))
    np.testing.assert_allclose(objective(PAIR, plane), value, rtol=1e-12)
    assert objective(PAIR, plane) <= objective(PAIR, Plane(np.array([w]), b))


def test_finish_keeps_the_best_plane_and_says_what_is_certified():
    good, poor = (Multipliers(np.full(2, a), np.array([[1.5], [-1.5]])) for a in (2/9, .1))
    planes = [Plane(np.array([np.nan]), 0.), Plane(np.array([1.]), 0.), Plane(np.array([.1]), 0.),
              Plane(np.array([.1]), np.inf)]
    got = finish(PAIR, planes, good, 1e-7, 5, state="state")
    np.testing.assert_allclose([got.coef[0], got.objective, got.bound], [2/3, 2/9, 2/9], rtol=1e-12)
    assert got.status == "optimal" and got.gap < 1e-12 and got.iterations == 5 and got.state == "state"
    assert abs(got.gap_abs) < 1e-12
    assert got.slack.shape == (2,) and got.slack.max() < 1e-12 and got.weights is good.weights
    assert "above" not in got.message
    wide = finish(PAIR, planes, poor, 1e-7, 5, Status.time_limit, "Clock says so.")
    np.testing.assert_allclose([wide.gap_abs, wide.gap], [2/9 - .155, (2/9 - .155)*4.5], rtol=1e-12)
    assert wide.status == Status.time_limit and "above tol=1e-07: raise time_limit" in wide.message
    assert wide.message.endswith("Clock says so.")
    assert finish(PAIR, planes, poor, .5, 5).status == Status.optimal
    assert finish(PAIR, planes, poor, .3, 5).status == "not_converged"


def test_a_plane_beyond_floats_is_worth_nothing():
    far = Problem(UncertaintySet(centre=np.array([[1e200, -1e200], [-1e200, 1e200]])), PAIR.y, 1., 0.)
    wild = Plane(np.array([1e200, 1e200]), 0.)
    with np.errstate(over="ignore", invalid="ignore"): assert objective(far, wild) == np.inf
    assert not best_plane(far, [wild]).w.any()


def test_no_plane_is_the_zero_plane():
    got = finish(PAIR, [], Multipliers(np.ones(2), np.zeros((2, 1))), 1e-7, 0)
    assert got.objective == 2 and not got.coef.any() and got.intercept == 0


def test_weights_are_made_feasible_by_hand():
    "Between 0 and their limits; the heavier class is scaled down; none where one class has none."
    problem = SimpleNamespace(most=np.array([1., 1., 2., 1.]), y=np.array([1., 1., -1., -1.]))
    assert _feasible(problem, np.array([.5, .5, .25, .25])).tolist() == [.25, .25, .25, .25]
    assert _feasible(problem, np.array([.1, .1, 5., -3.])).tolist() == [.1, .1, .2, 0]
    assert _feasible(problem, np.array([9., 9., np.nan, 3.])).tolist() == [.5, .5, 0, 1]
    with np.errstate(all="raise"):
        for none in ([0., -1., 1., 1.], [1., 1., 0., 0.], [0.]*4):
            assert _feasible(problem, np.array(none)).tolist() == [0]*4


def test_which_of_two_certificates_is_given():
    "That of wider sets where columns are of very different sizes and it is the better one."
    def chosen(gap, wider, mixed=True, tol=.1):
        own, near = SimpleNamespace(gap=gap), SimpleNamespace(gap=wider)
        there = dict(certificate=lambda *_: own, rounded_certificate=lambda *_: near,
                     _mixed=lambda sizes: mixed,
                     column_sizes=lambda problem: None)
        with mock.patch.dict(_certified.__globals__, there):
            found, widened = _certified(None, None, None, tol)
        assert found is (near if widened else own)
        return widened
    assert chosen(.5, .4) and not chosen(.5, .5) and not chosen(.5, .6)
    assert chosen(np.inf, np.inf) and chosen(np.nan, .7) and chosen(np.inf, 3.)
    assert not chosen(.1, .01) and not chosen(.5, .4, mixed=False)
