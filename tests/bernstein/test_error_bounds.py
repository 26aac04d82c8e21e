"""Tests of nbs/bernstein/12_error_bounds.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from dataclasses import replace
from reject_nb.bernstein.certificate import Plane
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.moments import extremal_law
from reject_nb.bernstein.uncertain_data import UncertainData
from reject_nb.bernstein.worst_case import margins

from reject_nb.bernstein.error_bounds import FURTHEST, _grown, certified_bound

POINT = UncertaintySet(centre=np.array([[2.]]), scale=np.array([[.5]]), bound="bernstein")

@pytest.mark.parametrize("y, intercept, bound", [(1., -1., np.exp(-2.)), (1., 0., np.exp(-8.)),
                                                 (-1., -1., 1.), (-1., -4., np.exp(-8.)), (1., -2., 1.)])
def test_bounds_by_hand(y, intercept, bound):
    plane = Plane(np.array([1.]), intercept)
    np.testing.assert_allclose(certified_bound(POINT, plane, [y]), [bound], rtol=1e-12)
    far = replace(POINT, box_centre=POINT.centre, box_half=np.array([[50.]]))
    np.testing.assert_allclose(certified_bound(far, plane, [y]), [bound], rtol=1e-9)
    inner = y*(2 + intercept) > .9
    near = certified_bound(replace(far, box_half=np.array([[.9]])), plane, [y])
    assert near[0] == 0 if inner else near[0] == bound


def test_intervals_of_means_take_their_share():
    plane = Plane(np.array([2.]), -2.)
    wide = replace(POINT, radius=np.array([[.5]]))
    # (2 - 1)/1: one half axis
    np.testing.assert_allclose(certified_bound(wide, plane, [1.]), [np.exp(-.5)], rtol=1e-12)
    np.testing.assert_allclose(certified_bound(replace(wide, radius=np.array([[1.]])), plane, [1.]), [1.])


def test_models_without_eps():
    plane, known = Plane(np.array([1.]), -1.), np.array([True])
    plain = UncertaintySet(centre=np.array([[2.]]))
    assert certified_bound(plain, plane, [1.]) == 1 and certified_bound(plain, plane, [1.], known) == 0
    assert certified_bound(plain, plane, [-1.], known) == 1
    for half, bound in ((.9, 0), (1., 1), (1.1, 1)):
        assert certified_bound(replace(plain, radius=np.array([[half]])), plane, [1.]) == bound


@pytest.mark.parametrize("name", ["MM-SMV", "MM-SMV-I", "MM-SBMV-I", "MM-MC", "MM-SM", "MM-SBM-I"])
def test_the_constraint_is_tight_at_its_bound(name):
    rng = np.random.default_rng(4)
    y = np.where(np.arange(40) % 2, 1., -1.)
    U = UncertainData.from_replicates(rng.normal(size=(40, 5, 2))*.3 + .8*y[:, None, None])
    sets, plane = uncertainty_set(name, U), Plane(np.array([1., .7]), .1)
    bound = certified_bound(sets, plane, y)
    assert ((bound >= 0) & (bound <= 1)).all() and (bound < 1).any()
    for i in np.flatnonzero((bound > 1e-8) & (bound < .99))[:10]:
        for factor, sign in ((1.01, 1), (.99, -1)):
            m = margins(sets[[i]], plane.w, plane.intercept, y[[i]],
                        kappa(sets.bound, min(bound[i]*factor, .999)))
            assert sign*m[0] > -1e-9
    # cutting helps
    assert not name.endswith("-I") or (bound <= certified_bound(uncertainty_set(name[:-2], U), plane, y)
                                       + 1e-12).all()


@pytest.mark.parametrize("seed", range(10))
def test_no_extremal_law_errs_more_often(seed):
    rng = np.random.default_rng(seed)
    m, s, w = rng.uniform(-.3, .3, 3), rng.uniform(.35, .9, 3), rng.normal(size=3)
    U = UncertainData([[-1.]*3], [[1.]*3], mean=[m], second_moment=[s**2])
    plane = Plane(w, rng.uniform(0, 1) - m@w)
    bound = certified_bound(uncertainty_set("MM-SMV-I", U), plane, [1.])[0]
    # pushes the score down
    laws = [extremal_law(a, b, -1 if v > 0 else 1) for a, b, v in zip(m, s, w)]
    error = 0.
    for k in np.ndindex(2, 2, 2):
        x, p = (np.array([law[part][i] for law, i in zip(laws, k)]) for part in (0, 1))
        error += p.prod()*(x@w + plane.intercept <= 0)
    assert error <= bound + 1e-12

ONE = Plane(np.array([1.]), 0.)

def _points(*centres, half=None, **more):
    "Points on the line with half axis 1/2; boxes of one half width about them where it is given."
    centre = np.array(centres)[:, None]
    box = {} if half is None else dict(box_centre=centre, box_half=np.full(centre.shape, half))
    return UncertaintySet(centre=centre, scale=np.full(centre.shape, .5), bound="bernstein", **box, **more)


def test_each_point_has_its_own_bound():
    "Distances 1, 3, -1, 0 and 2 are 2, 6, -2, 0 and 4 half axes; a wide box changes none of them."
    centres, want = (1., 3., -1., 0., 2.), np.exp([-2., -18., 0., 0., -8.])
    np.testing.assert_allclose(certified_bound(_points(*centres), ONE, np.ones(5)), want, rtol=1e-12)
    np.testing.assert_allclose(certified_bound(_points(*centres, half=60.), ONE, np.ones(5)), want, rtol=1e-9)
    turned = certified_bound(_points(*centres, half=60.), ONE, [1., -1., -1., -1., 1.])
    np.testing.assert_allclose(turned, np.exp([-2., 0., -2., 0., -8.]), rtol=1e-9)


def test_boxes_settle_some_points():
    "Half width 1: the box of the second and fifth point is right as a whole, that of the first touches."
    bound = certified_bound(_points(1., 3., -1., 0., 2., .4, half=1.), ONE, np.ones(6))
    np.testing.assert_allclose(bound, [np.exp(-2.), 0., 1., 1., 0., np.exp(-.32)], rtol=1e-9)


def test_as_far_as_floats_reach():
    assert FURTHEST == 40 and np.exp(-FURTHEST**2/2) == 0
    far = certified_bound(_points(100., half=200.), ONE, [1.])
    assert far[0] < 1e-300
    grown = _grown(_points(1., 2.), np.array([2., 4.]))
    assert grown.scale.tolist() == [[1.], [2.]] and grown.centre.tolist() == [[1.], [2.]]


def test_no_direction_and_no_half_axis():
    flat = replace(_points(1., -1.), scale=np.zeros((2, 1)))
    np.testing.assert_array_equal(certified_bound(flat, ONE, np.ones(2)), [0, 1])
    nowhere = Plane(np.array([0.]), 1.)
    np.testing.assert_array_equal(certified_bound(_points(1.), nowhere, [1.]), [0])
    np.testing.assert_array_equal(certified_bound(_points(1.), nowhere, [-1.]), [1])


def test_points_without_a_law():
    plain = UncertaintySet(centre=np.array([[1.], [2.], [-1.]]))
    known = np.array([True, False, True])
    assert certified_bound(plain, ONE, np.ones(3)).tolist() == [1, 1, 1]
    assert certified_bound(plain, ONE, np.ones(3), known).tolist() == [0, 1, 1]
    boxes = replace(plain, radius=np.full((3, 1), 1.))
    assert certified_bound(boxes, ONE, np.ones(3), known).tolist() == [1, 0, 1]
