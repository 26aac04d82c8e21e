"""Tests of nbs/gpc/83_robustness.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.experiments.data import digits38
from reject_nb.gpc.experiments.data import synthetic2d
from reject_nb.gpc.experiments.models import trained
from reject_nb.gpc.experiments.robustness_tables import salient_patch
from reject_nb.gpc.posterior import GPPosterior
from unittest import mock

from reject_nb.gpc.experiments.robustness_tables import (
    MODELS, _delta, delta_table, patch_around, sift_patches,
)

def test_patches_are_pixels_around_keypoints():
    pytest.importorskip("skimage")
    image = digits38().X_test[0]
    for patch in sift_patches(image):
        assert 1 <= len(patch) <= 10 and len(set(patch)) == len(patch) and 0 <= patch.min()
        assert patch.max() < 196
    assert all(len(p) == 10 for p in sift_patches(image, 10)) and sift_patches(np.zeros(196)) == []


@pytest.mark.parametrize("sigma, size", [(.1, 1), (.5, 5), (.75, 9), (4., 10)])
def test_the_size_of_a_patch_follows_the_scale(sigma, size):
    patch = patch_around(2., 3., sigma)
    assert len(patch) == size and patch[0] == 31 and set(patch[:5]) <= {31, 17, 30, 32,
                                                                        45} and len(patch_around(2., 3.,
                                                                                                 sigma,
                                                                                                 7)) == 7


def test_delta_encloses_samples():
    table, data = delta_table("synthetic2d", 0, points=2, time_limit=5.), synthetic2d(0)
    assert len(table["lower"]) == len(MODELS)*3*2
    for k in (0, 5, 20, 35):
        post = trained("synthetic2d", table["inference"][k], table["evaluations"][k])
        x, gamma = data.X_test[table["point"][k]], table["gamma"][k]
        p = post.predict_proba(x + gamma*np.random.default_rng(0).uniform(-1, 1, size=(4000, 2)))
        assert np.ptp(p) <= table["upper"][k] + 1e-4 and table["lower"][k] <= np.ptp(p) + .03
        assert table["upper"][k] - table["lower"][k] < .0203


def test_pixels_stay_between_zero_and_one():
    post = GPPosterior([[0.]], [1.], [.5], .5, 2.)
    low, high = _delta(post, np.array([.9]), [0], .3, True, 5.)
    p = post.predict_proba(np.linspace(.6, 1., 500)[:, None])
    assert low - 1e-4 <= np.ptp(p) <= high + 1e-4 and high - low <= .0203
    assert _delta(post, np.array([.9]), [0], .3, False, 5.)[0] > high


def test_the_patch_with_the_largest_sum_is_taken():
    "Slopes 5, 1, 1, ...: nine pixels of slope 1 outweigh one of 5; their mean does not."
    post = GPPosterior(np.zeros((1, 12)), [1.], [.5], 1., 1.)
    slope = np.array([5.] + [-1.]*9 + [0., 0.])
    patches = [np.array([0]), np.arange(1, 10), np.array([10, 11])]
    with (mock.patch.dict(salient_patch.__globals__, {"sift_patches": lambda image, n: patches}),
          mock.patch.object(GPPosterior, "gradient", lambda self, X: (slope[None], None))):
        assert salient_patch(post, np.zeros(12)).tolist() == list(range(1, 10))
