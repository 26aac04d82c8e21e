"""Tests of nbs/bernstein/04_formulations.ipynb, extracted from its test cells: edit them there."""
import cvxpy as cp
import numpy as np
import pytest
from reject_nb.bernstein.uncertain_data import UncertainData

from reject_nb.bernstein.formulations import (
    FORMULATIONS, inside, kappa, margins, uncertainty_set, worst_points,
)

def test_lemma_3_worst_point_of_the_intersection_against_a_conic_program():
    rng = np.random.default_rng(4)
    for trial in range(6):
        g = rng.normal(size=(3, 8, 4))
        mean = g.mean(axis=1); r = rng.uniform(0, .2, mean.shape)*(rng.random(mean.shape) < .7)
        lower, upper = g.min(axis=1), g.max(axis=1)
        U = UncertainData(lower, upper, mean_lower=np.maximum(mean - r, lower), mean_upper=np.minimum(mean + r, upper), second_moment=(g**2).mean(axis=1) + .5)
        S, w, y, k = uncertainty_set("MM-SBMV-I", U), rng.normal(size=4), np.array([1., -1, 1]), rng.uniform(.1, 3)
        x = worst_points(S, w, y, k)
        for i in range(3):
            radius = np.zeros(4) if S.radius is None else S.radius[i]
            a, b = cp.Variable(4), cp.Variable(4)                            # Lemma 3, (22): both sides of the infimal convolution
            value = cp.sum(cp.maximum(cp.multiply(lower[i], b), cp.multiply(upper[i], b))) + S.centre[i]@a + radius@cp.abs(a) + k*cp.norm(cp.multiply(S.scale[i], a))
            p = cp.Problem(cp.Minimize(value), [a + b == -y[i]*w]); p.solve(solver="CLARABEL")
            assert abs(-y[i]*w@x[i] - p.value) < 1e-6*(1 + abs(p.value))      # the conic solver's tolerance
        np.testing.assert_allclose(inside(S, x, k), x, atol=1e-12)


def test_worst_points_are_inside_and_beat_random_points():
    rng = np.random.default_rng(5)
    U = UncertainData.from_replicates(rng.normal(size=(5, 9, 3)))
    for name in FORMULATIONS:
        S, f = uncertainty_set(name, U), FORMULATIONS[name]
        k, w, y = kappa(f.bound, .2), rng.normal(size=3), np.array([1., -1, 1, -1, 1])
        x = worst_points(S, w, y, k)
        np.testing.assert_allclose(inside(S, x, k), x, atol=1e-12)
        for _ in range(200):
            z = inside(S, S.centre + rng.normal(size=(5, 3)), k)
            assert (y*(z@w) >= y*(x@w) - 1e-12).all()


def test_full_covariance_with_independent_features_is_the_diagonal_one():
    rng = np.random.default_rng(6)
    U = UncertainData.from_replicates(rng.normal(size=(4, 9, 3)))
    V = UncertainData(U.lower, U.upper, mean=U.mean, covariance=U.covariance[:, :, None]*np.eye(3))
    w, y = rng.normal(size=3), np.array([1., 1, -1, -1])
    np.testing.assert_allclose(margins(uncertainty_set("MM-MC", U), w, .3, y, 2.), margins(uncertainty_set("MM-MC", V), w, .3, y, 2.), atol=1e-12)


def test_missing_information_is_named():
    box = UncertainData(np.zeros((2, 2)), np.ones((2, 2)))
    for name in FORMULATIONS:
        if name in ("SVM", "MM-S"): assert uncertainty_set(name, box) is not None; continue
        with pytest.raises(ValueError, match=f"{name} needs .* lack .*mean"): uncertainty_set(name, box)
    mean = UncertainData(np.zeros((2, 2)), np.ones((2, 2)), mean=np.full((2, 2), .5))
    with pytest.raises(ValueError, match="lack covariance"): uncertainty_set("MM-MC", mean)
    with pytest.raises(ValueError, match="lack moment.*second_moment="): uncertainty_set("MM-SMV", mean)
    bounds = UncertainData(np.zeros((2, 2)), np.ones((2, 2)), mean_lower=np.full((2, 2), .4), mean_upper=np.full((2, 2), .6))
    with pytest.raises(ValueError, match="lack mean"): uncertainty_set("MM-SM", bounds)
    assert uncertainty_set("MM-SBM", bounds).radius is not None
    with pytest.raises(ValueError, match="formulation must be one of"): uncertainty_set("MM-X", box)
    for e in (0, 1, -1, float("nan"), "x"):
        with pytest.raises(ValueError, match="eps must lie"): kappa("bernstein", e)


def test_bounds_that_coincide_are_the_exact_mean():
    rng = np.random.default_rng(7)
    U = UncertainData.from_replicates(rng.normal(size=(4, 9, 3)))
    for exact, bounds in (("MM-SMV", "MM-SBMV"), ("MM-SM", "MM-SBM"), ("MM-SMV-I", "MM-SBMV-I")):
        a, b = uncertainty_set(exact, U), uncertainty_set(bounds, U)
        assert b.radius is None
        np.testing.assert_allclose(a.scale, b.scale, atol=1e-14); np.testing.assert_allclose(a.centre, b.centre, atol=1e-14)
