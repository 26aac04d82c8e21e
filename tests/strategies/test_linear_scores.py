"""Tests of nbs/strategies/05_linear_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.strategies.linear_scores import Blocks, fit_ridge, fit_sele, sele_objective

@pytest.mark.parametrize("penalty", [0., .1, 10.])
def test_ridge_is_the_minimiser(penalty):
    rng = np.random.default_rng(1)
    Z, h, t = rng.normal(size=(90, 3)), rng.integers(0, 3, 90), rng.random(90)
    P = np.zeros((90, 16))                                       # the feature map of (37); block 3 is empty
    for i in range(90): P[i, 4*h[i]:4*h[i] + 4] = np.append(Z[i], 1)
    theta = fit_ridge(Blocks(Z, h, 4), t, penalty)
    rows, right = np.vstack([P*np.sqrt(2/90), np.sqrt(penalty)*np.eye(16)]), np.append(t*np.sqrt(2/90),
        np.zeros(16))
    np.testing.assert_allclose(theta.ravel(), np.linalg.lstsq(rows, right, rcond=None)[0], atol=1e-10)
    assert (theta[3] == 0).all()


@pytest.mark.parametrize("penalty", [0., .3])
def test_ridge_with_more_features_than_rows(penalty):
    rng = np.random.default_rng(1)
    Z, t = rng.normal(size=(15, 40)), rng.random(15)
    rows = np.vstack([np.column_stack([Z, np.ones(15)])*np.sqrt(2/15), np.sqrt(penalty)*np.eye(41)])
    slow = np.linalg.lstsq(rows, np.append(t*np.sqrt(2/15), np.zeros(41)), rcond=None)[0]
    np.testing.assert_allclose(fit_ridge(Blocks(Z, np.zeros(15, int), 1), t, penalty)[0], slow, atol=1e-10)

PROBLEM = np.random.default_rng(2)
FEATURES = PROBLEM.normal(size=(200, 3))
PREDICTED = PROBLEM.integers(0, 2, 200)
LOSSES = PROBLEM.random(200)*(PROBLEM.random(200) < .3)

@pytest.mark.parametrize("penalty", [1e-3, 1., 100.])
def test_sele_fit_reaches_its_certificate(penalty):
    b = Blocks(FEATURES, PREDICTED, 2)
    fine, rough = fit_sele(b, LOSSES, penalty, tol=1e-8), fit_sele(b, LOSSES, penalty, tol=1e-2)
    assert fine.status == rough.status == "optimal" and fine.gap <= 1e-8 and rough.gap <= 1e-2
    assert fine.objective <= rough.objective <= fine.objective*1.0101
    assert rough.bound <= fine.objective*(1 + 1e-12)
    np.testing.assert_allclose(fine.objective, sele_objective(b, LOSSES[b.order], fine.theta, penalty)[0],
                               rtol=1e-14)
    g = sele_objective(b, LOSSES[b.order], rough.theta, penalty)[1]
    np.testing.assert_allclose(rough.gap, (g**2).sum()/(2*penalty*rough.objective), rtol=1e-9)


def test_gradient_of_the_objective():
    b, rng = Blocks(FEATURES, PREDICTED, 2), np.random.default_rng(3)
    theta, v = rng.normal(size=(2, 4)), rng.normal(size=(2, 4))
    f = lambda t: sele_objective(b, LOSSES[b.order], theta + t*v, .7)[0]
    np.testing.assert_allclose((sele_objective(b, LOSSES[b.order], theta, .7)[1]*v).sum(),
                               (f(1e-5) - f(-1e-5))/2e-5, rtol=1e-8)


def test_how_a_fit_may_end():
    b = Blocks(FEATURES, PREDICTED, 2)
    nothing = fit_sele(b, np.zeros(200), 0.)                     # all losses zero: any score does
    assert (nothing.status, nothing.iterations, nothing.gap, nothing.objective) == ("optimal", 0, 0., 0.)
    free = fit_sele(b, LOSSES, 0.)
    assert free.status == "approximate" and free.gap == np.inf and free.bound == 0 and free.iterations > 1
    short = fit_sele(b, LOSSES, 1e-6, max_iter=2)
    assert short.status == "not_converged" and short.gap > 1e-4 and short.iterations <= 2
