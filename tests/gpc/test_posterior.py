"""Tests of nbs/gpc/03_posterior.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path
from scipy.special import ndtr

from reject_nb.gpc.posterior import GPPosterior

GOOD_POSTERIOR = dict(X=[[0.], [1.]], alpha=[1., 2.], site_precision=[.1, .2], lengthscale=1., variance=1.)
BAD_POSTERIOR = [("X", [[np.nan], [1.]]), ("X", [0., 1.]), ("alpha", [1.]), ("alpha", [np.inf, 1.]),
                 ("site_precision", [-.1, .2]), ("lengthscale", 0.), ("lengthscale", [1., 2.]),
                 ("lengthscale", [0.]), ("lengthscale", np.nan), ("lengthscale", 1e-120), ("variance", -1.),
                 ("variance", np.nan), ("variance", 1e200), ("variance", True), ("likelihood", "cauchit")]

def test_latent_against_the_plain_inverse():
    rng = np.random.default_rng(1)
    X, alpha, W = rng.normal(size=(9, 3)), rng.normal(size=9), rng.uniform(.1, 2, 9)
    scale, s2 = np.array([.5, 1., 2.]), 3.
    Z = rng.normal(size=(7, 3))
    k = lambda A, B: s2*np.exp(-.5*(((A[:, None] - B[None])/scale)**2).sum(-1))
    post = GPPosterior(X, alpha, W, scale, s2)
    mean, var = post.latent(Z)
    np.testing.assert_allclose(mean, k(Z, X) @ alpha, rtol=1e-12)
    R = np.linalg.inv(k(X, X) + np.diag(1/W))
    np.testing.assert_allclose(var, s2 - np.einsum("ij,jk,ik->i", k(Z, X), R, k(Z, X)), rtol=1e-9)
    np.testing.assert_allclose(post.predict_proba(Z), ndtr(mean/np.sqrt(1 + var)), rtol=1e-9)
    np.testing.assert_allclose(post.R, R, rtol=1e-8)
    np.testing.assert_allclose(post.latent(Z)[1], var, rtol=1e-9)          # through R, now that it is there
    post.R = np.zeros((9, 9))
    np.testing.assert_allclose(post.latent(Z)[1], 3.)
    assert (post.predict(Z) == (mean > 0)).all()


def test_gradient_against_differences():
    rng = np.random.default_rng(2)
    post = GPPosterior(rng.normal(size=(12, 2)), rng.normal(size=12), rng.uniform(.05, .6, 12), [.6, 1.2],
                       1.7)
    Z, step = rng.normal(size=(5, 2)), 1e-5
    dm, dv = post.gradient(Z)
    for j in range(2):
        up, down = post.latent(Z + step*np.eye(2)[j]), post.latent(Z - step*np.eye(2)[j])
        np.testing.assert_allclose(dm[:, j], (up[0] - down[0])/(2*step),
                                   atol=1e-8)   # error of central differences
        np.testing.assert_allclose(dv[:, j], (up[1] - down[1])/(2*step), atol=1e-8)


def test_a_site_of_zero_precision_says_nothing():
    X, W = [[0.], [1.], [2.]], [.5, 0., .3]
    full = GPPosterior(X, [1., 0., 2.], W, 1., 1.)
    less = GPPosterior([[0.], [2.]], [1., 2.], [.5, .3], 1., 1.)
    np.testing.assert_allclose(full.latent([[.3]]), less.latent([[.3]]), rtol=1e-14)


def test_what_is_given_is_copied():
    X = np.array([[0.], [1.]])
    post = GPPosterior(X, [1., 2.], [.1, .2], 1., 1.)
    X[0] = 7.
    assert post.X[0, 0] == 0. and not post.X.flags.writeable and not post.alpha.flags.writeable
    assert post.lengthscale.tolist() == [1.] and "n=2, d=1" in repr(post)


@pytest.mark.parametrize("scale", [[.3, .4], [.5], .5])
def test_save_and_load_bit_for_bit(scale):
    post = GPPosterior([[0., 1.], [1., 2.]], [1., -.1], [.1, .2], scale, 2., "logistic")
    with tempfile.TemporaryDirectory() as folder:
        back = GPPosterior.load(post.save(Path(folder)/"new"/"model.v2"))
    assert back.likelihood == "logistic" and back.variance == 2. and back.isotropic == (np.size(scale) == 1)
    for name in ("X", "alpha", "site_precision", "lengthscale"):
        assert np.array_equal(getattr(post, name), getattr(back, name))


def test_files_that_are_no_posterior():
    with tempfile.TemporaryDirectory() as folder:
        text, other = Path(folder)/"a.txt", Path(folder)/"b.npz"
        text.write_text("hello")
        np.savez(other, X=np.eye(2))
        np.save(Path(folder)/"c.npy", np.eye(2))
        with pytest.raises(ValueError, match="path"): GPPosterior.load(text)
        with pytest.raises(ValueError, match="path .* lacks alpha"): GPPosterior.load(other)
        with pytest.raises(ValueError, match="path"): GPPosterior.load(Path(folder)/"c.npy")
        with pytest.raises(FileNotFoundError, match="path"): GPPosterior.load(Path(folder)/"none.npz")
    with pytest.raises(ValueError, match="path"): GPPosterior.load(None)


@pytest.mark.parametrize("name, bad", BAD_POSTERIOR)
def test_bad_input_names_the_argument(name, bad):
    with pytest.raises(ValueError, match=name): GPPosterior(**{**GOOD_POSTERIOR, name: bad})


def test_bad_points_and_too_large_variances():
    with pytest.raises(ValueError, match="variance must be at most"):
        GPPosterior(**{**GOOD_POSTERIOR, "variance": 2e6, "likelihood": "logistic"})
    assert GPPosterior(**{**GOOD_POSTERIOR, "variance": 2e6}).variance == 2e6
    assert GPPosterior(**GOOD_POSTERIOR).kernel([[1e300]]).max() == 0
    with pytest.raises(ValueError, match="X"): GPPosterior(**GOOD_POSTERIOR).latent([[1., 2.]])
