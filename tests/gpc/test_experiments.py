"""Tests of nbs/gpc/10_experiments.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.posterior import fit_gpc
from scipy.special import log_ndtr

from reject_nb.gpc.experiments import (
    digits38, sample_posterior, sift_patches, split_r_hat, stored_file, synthetic2d, training_path,
)

def test_data_sets_are_as_described():
    X, y, X_test, y_test = synthetic2d(3)
    both = np.vstack([X, X_test])
    assert X.shape == (1000, 2) and X_test.shape == (200, 2)
    np.testing.assert_allclose(both.mean(0), 0, atol=1e-12); np.testing.assert_allclose(both.std(0), 1, rtol=1e-12)
    X, y, X_test, y_test = digits38()
    assert X.shape == (1000, 196) and X_test.shape == (50, 196) and 0 <= X.min() and X.max() <= 1 and set(y) == {0, 1}


def test_a_missing_model_says_how_to_make_it():
    with pytest.raises(FileNotFoundError, match="reproduce gpc"): stored_file("model-that-is-not-there.npz")


def test_one_run_makes_the_same_models_as_several():
    X, y = (a[:60] for a in synthetic2d(1)[:2])
    for inference in ("laplace", "ep"):
        for n, post in training_path(X, y, inference, (3, 8)).items():
            once = fit_gpc(X, y, inference, n)
            np.testing.assert_allclose(post.lengthscale, once.lengthscale, rtol=1e-6); np.testing.assert_allclose(post.variance, once.variance, rtol=1e-6)


def test_sampler_agrees_with_quadrature_at_one_point():
    post = fit_gpc([[0.], [50.]], [1, 0], "ep", 0, lengthscale=1., variance=4.)      # two points that do not see each other
    chains = sample_posterior(post, np.array([1, 0]), np.array([[0.]]), draws=20000, burn=100)
    f = np.linspace(-12, 12, 20001)
    weight = np.exp(-f*f/8 + log_ndtr(f)); weight /= weight.sum()
    mean = (weight*f).sum()
    std = np.sqrt((weight*f*f).sum() - mean**2)
    assert abs(chains.mean() - mean) < 5*std/np.sqrt(10000) and abs(chains.std() - std) < .05*std      # five standard errors of 10,000 effective draws
    assert split_r_hat(chains)[0] < 1.01


def test_r_hat_sees_chains_that_disagree():
    rng = np.random.default_rng(0)
    chains = rng.normal(size=(2, 1000, 1))
    assert split_r_hat(chains)[0] < 1.02 and split_r_hat(chains + np.array([0., 3.])[:, None, None])[0] > 1.5


def test_patches_are_pixels_around_keypoints():
    pytest.importorskip("skimage")
    image = digits38()[2][0]
    for patch in sift_patches(image): assert 1 <= len(patch) <= 10 and len(set(patch)) == len(patch) and 0 <= patch.min() and patch.max() < 196
    assert all(len(p) == 10 for p in sift_patches(image, 10)) and sift_patches(np.zeros(196)) == []
