"""Tests of nbs/gpc/04_fitting.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import warnings

from reject_nb.gpc.fitting import fit_gpc, gpy_model

BAD_FITS = [dict(y=[0, 0, 0, 0]), dict(y=[0, 1]), dict(y=[0, 1, 0, np.nan]), dict(y=[0, "a", None, 1]),
            dict(inference="vi"), dict(max_evaluations=-1),
            dict(max_evaluations="a"), dict(max_evaluations=2.), dict(lengthscale=-1), dict(lengthscale="a"),
            dict(lengthscale=np.ones(7)),
            dict(lengthscale=1e-200), dict(variance=1e160), dict(variance=0.), dict(ard="no"),
            dict(X=[[np.nan]]), dict(likelihood="cauchit")]

def _clusters(n):
    rng = np.random.default_rng(6)
    return np.vstack([rng.normal(size=(n, 2)) + [2, 0], rng.normal(size=(n, 2)) + [0, 2]]), np.repeat([1,
                                                                                                       0], n)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_fit_improves_the_fit_and_both_engines_run(inference):
    X, y = _clusters(20)
    post = fit_gpc(X, y, inference, max_evaluations=5)
    assert (post.predict(X) == y).mean() > .9 and post.lengthscale.shape == (2,)
    before = gpy_model(X, 2.*y - 1, inference, True)
    start = before.log_likelihood()
    before.kern.lengthscale[:], before.kern.variance[:] = post.lengthscale, post.variance
    assert before.log_likelihood() > start


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_gradient_of_the_marginal_likelihood(inference):
    X, y = _clusters(8)
    model = gpy_model(X, 2.*y - 1, inference, True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.checkgrad(tolerance=1e-3)


def test_evidence_of_points_that_do_not_see_each_other():
    far = gpy_model(np.array([[0.], [50.], [100.]]), np.array([1., -1., 1.]), "ep", True)
    assert abs(far.log_likelihood() - 3*np.log(.5)) < 1e-8


def test_starting_values_are_used_and_shared_where_ard_is_off():
    X, y = _clusters(10)
    post = fit_gpc(X, y, max_evaluations=0, lengthscale=[.7, 1.5], variance=3.)
    assert post.lengthscale.tolist() == [.7, 1.5] and post.variance == 3.
    shared = fit_gpc(X, y, max_evaluations=3, ard=False)
    assert shared.isotropic and shared.lengthscale[0] == shared.lengthscale[1] and shared.variance != 1.
    column = fit_gpc(X, y[:, None], max_evaluations=0)
    np.testing.assert_array_equal(column.alpha,
                                  fit_gpc(X, np.where(y == 1, "b", "a"), max_evaluations=0).alpha)


@pytest.mark.parametrize("bad", BAD_FITS)
def test_fit_gpc_bad_input(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        fit_gpc(**{"X": np.eye(4), "y": [0, 1, 0, 1], "max_evaluations": 0, **bad})


def test_ep_has_the_probit_only():
    with pytest.raises(ValueError, match="likelihood"):
        fit_gpc(np.eye(4), [0, 1, 0, 1], "ep", likelihood="logistic")
    with pytest.raises(ValueError, match="lengthscale"):
        fit_gpc(np.eye(4), [0, 1, 0, 1], ard=False, lengthscale=[1., 1., 1., 1.])


def test_duplicate_training_points_are_no_problem():
    X = np.repeat(np.random.default_rng(7).normal(size=(5, 2)), 4, 0)
    y = (X[:, 0] > 0).astype(int)
    mean, var = fit_gpc(X, y, max_evaluations=3).latent(X[:2])
    assert np.isfinite(mean).all() and (var >= 0).all()


def test_a_variance_that_no_fit_can_start_from_is_named():
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) > 3
    with pytest.raises(ValueError, match="^variance must be one from which the fit stays finite, got 3.4e"):
        with np.errstate(all="ignore"): fit_gpc(X, y, "laplace", 0, variance=3.4e38)
    assert fit_gpc(X, y, "laplace", 0, variance=1e8).variance == 1e8
