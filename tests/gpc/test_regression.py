"""Tests of nbs/gpc/39_regression.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path
from reject_nb.gpc.kernel_posterior import KernelPosterior
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern32
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import White
from reject_nb.gpc.regression import regression_range
from reject_nb.gpc.regression import regression_ranges
from reject_nb.gpc.search import Ball

KERNELS = {"squared exponential": SquaredExponential(1.5, [.8, 1.2]), "Matern 1/2": Matern12(1., 1.5),
           "Matern 3/2": Matern32(1., .9),
           "rational quadratic": RationalQuadratic(1., 1., .7), "linear": Linear(.5) + Constant(1.),
           "sum": Matern52(1., 1., dims=(0,)) + Linear(.3, dims=(1,)) + White(.05),
           "product": Matern52(1., 1.5)*(Linear(.4) + Constant(1.))}

def _fitted(kernel, noise=.1):
    "A regression on 20 points."
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(20, 2))
    A = np.linalg.inv(kernel.matrix(Z, Z) + noise*np.eye(20))
    return KernelPosterior(kernel, Z, A @ np.sin(2*Z[:, 0] + Z[:, 1]), A, mean=.2, link=None, noise=noise)


def _four(post, X, z=1.959963984540054):
    "Mean, variance, both ends at points."
    mean, var = post.latent(X)
    root = np.sqrt(var + post.noise)
    return dict(mean=mean, variance=var, lower_end=mean - z*root, upper_end=mean + z*root)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("ball", [None, Ball([.2, -.1], .25, 2)])
def test_ranges_hold_every_point_and_are_attained(name, ball):
    post, lower, upper = _fitted(KERNELS[name]), np.array([0., -.3]), np.array([.4, .1])
    found = regression_range(post, lower, upper, tol=.1, max_boxes=300, ball=ball)
    X = lower + (upper
                 - lower)*np.vstack([np.random.default_rng(0).random((4000, 2)),
                                     [[0, 0], [0, 1], [1, 0], [1, 1.]]])
    if ball is not None: X = X[[ball.contains(x) for x in X]]
    for part, values in _four(post, X).items():
        got = getattr(found, part)
        assert got.min_lower <= values.min() and values.max() <= got.max_upper
        least = .1*np.sqrt(post.kernel.diagonal(X).max() + .1) + .12*np.ptp(values)
        assert got.gap_abs <= least or got.status == "iteration_limit"
        np.testing.assert_allclose(_four(post, got.x_min[None])[part][0], got.min_upper, atol=1e-8)
        np.testing.assert_allclose(_four(post, got.x_max[None])[part][0], got.max_lower, atol=1e-8)
    assert found.interval == (found.lower_end.min_lower, found.upper_end.max_upper)


@pytest.mark.parametrize("name", ["squared exponential", "Matern 3/2", "linear", "sum"])
def test_gaps_close(name):
    found = regression_range(_fitted(KERNELS[name]), [0., -.2], [.2, 0.], tol=.02)
    assert found.status == "optimal"
    assert found.variance.gap_abs <= .02*found.variance.max_upper
    assert found.mean.gap_abs <= .02*np.sqrt(3.)


def test_one_point_needs_no_splitting():
    post, x = _fitted(KERNELS["sum"]), np.array([.3, .4])
    found = regression_range(post, x, x, tol=1e-6)
    for part, values in _four(post, x[None]).items():
        got = getattr(found, part)
        assert got.n_boxes == 2
        assert values[0] - 1e-7 <= got.min_lower <= values[0] <= got.max_upper <= values[0] + 1e-7


def test_a_linear_regression_has_its_extremes_in_corners():
    post = _fitted(Linear(1.) + Constant(1.))
    found = regression_range(post, [-1., -2.], [3., 1.], tol=1e-6)
    corners = _four(post, np.array([[-1., -2.], [-1., 1.], [3., -2.], [3., 1.]]))
    assert found.mean.min_lower == pytest.approx(corners["mean"].min(), abs=1e-5)
    assert found.mean.max_upper == pytest.approx(corners["mean"].max(), abs=1e-5)
    assert found.variance.max_upper == pytest.approx(corners["variance"].max(), rel=1e-3)


def test_a_higher_level_is_a_wider_interval():
    post, box = _fitted(KERNELS["sum"]), ([0., 0.], [.2, .2])
    narrow, wide = (regression_range(post, *box, level=level).interval for level in (.5, .99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_limits_stop_a_search_but_not_its_bounds():
    post = _fitted(KERNELS["Matern 1/2"])
    found = regression_range(post, [-3., -3.], [3., 3.], tol=1e-4, max_boxes=20)
    assert found.status == "iteration_limit"
    assert found.mean.min_lower <= post.latent([[.3, .4]])[0][0] <= found.mean.max_upper


@pytest.mark.parametrize("name, value",
                         [("post", None), ("lower", [2., 2.]), ("upper", [0.]), ("level", 1.), ("tol", 0.),
                          ("max_boxes", 0),
                                         ("time_limit", -1.), ("rigorous", "yes"), ("ball", 1.)])
def test_what_is_wrong_is_named(name, value):
    good = dict(post=_fitted(KERNELS["sum"]), lower=[0., 0.], upper=[1., 1.])
    with pytest.raises(ValueError, match=f"^{name}"): regression_range(**{**good, name: value})


def test_a_linear_kernel_needs_finite_corners():
    with pytest.raises(ValueError, match="^upper"):
        regression_range(_fitted(KERNELS["linear"]), [0., 0.], [1., np.inf])


def test_rows_are_single_ranges_and_a_file_answers_again():
    post, X, seen = _fitted(KERNELS["sum"]), np.random.default_rng(2).normal(size=(5, 2)), []
    with tempfile.TemporaryDirectory() as folder:
        asked = dict(radius=[.1, .05], limits=(-3., 3.), tol=.1, time_limit=None, csv=Path(folder)/"rows.csv",
                     progress=lambda *how: seen.append(how))
        found = regression_ranges(post, X, **asked)
        assert len(found) == 5 and (found.status == "optimal").all() and (found.n_boxes >= 8).all()
        for i, x in enumerate(X):
            one = regression_range(post, x - [.1, .05], x + [.1, .05], tol=.1)
            np.testing.assert_allclose((found.mean_low[i], found.variance_high[i], found.interval_low[i],
                                        found.interval_high[i]),
                                       (one.mean.min_lower, one.variance.max_upper, *one.interval), rtol=1e-9)
        again = regression_ranges(post, X[::-1], **asked)
        assert seen == [(5, 5)]
        np.testing.assert_array_equal(again.mean_high, found.mean_high[::-1])
        regression_ranges(post, X[:1], **{**asked, "level": .9})
        assert seen[-1] == (1, 1)
        ball = regression_ranges(post, X, .1, norm=2, tol=.1, n_jobs=1)
        box = regression_ranges(post, X, .1, tol=.1)
        assert (ball.mean_low >= box.mean_low - .1).all() and (ball.mean_high <= box.mean_high + .1).all()
        assert len(regression_ranges(post, np.empty((0, 2)), .1)) == 0


@pytest.mark.parametrize("name, value", [("post", 3), ("X", [[1.]]), ("radius", None), ("radius", -1.),
                                         ("dims", [9]), ("norm", 3), ("limits", (5., 6.)), ("level", 1.),
                                         ("tol", 0.), ("time_limit", 0.), ("rigorous", 1), ("n_jobs", 0),
                                         ("csv", 3), ("progress", 3)])
def test_what_is_wrong_with_many_is_named(name, value):
    good = dict(post=_fitted(KERNELS["sum"]), X=[[0., 0.]], radius=.1)
    with pytest.raises(ValueError, match=name): regression_ranges(**{**good, name: value})
