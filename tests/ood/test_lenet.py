"""Tests of nbs/ood/82_lenet.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import os
import pytest
import tempfile
from importlib.util import find_spec
from reject_nb.ood.experiments.scores import store_scores
from reject_nb.ood.experiments.scores import stored_scores

from reject_nb.ood.experiments.lenet import LENET_COMMAND, grey28, make_scores, scores_of_training

def test_grey_images():
    X = np.repeat(np.array([0, 255], np.uint8), 32*32*3).reshape(2, 32, 32, 3)
    g = grey28(X)
    assert g.shape == (2, 1, 28, 28) and g.dtype == np.float32 and np.allclose(g[0],
                                                                               -1) and np.allclose(g[1], 1,
                                                                                                   atol=1e-5)


def test_luminance():
    "Green is brighter than red, red than blue."
    X = np.zeros((3, 28, 28, 3), np.uint8)
    for k in range(3): X[k, :, :, k] = 255
    assert np.allclose(grey28(X)[:, 0, 0, 0], 2*np.array([.299, .587, .114]) - 1, atol=1e-6)


def test_trainings_that_are_there_are_kept():
    with tempfile.TemporaryDirectory() as out, pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "REJECT_NB_OUT", out)
        store_scores("lenet_mnist", 7, {"wrong": np.array([True])}, command=LENET_COMMAND)
        make_scores(seeds=(7,))                                # would need torch and data to train
        assert str(stored_scores("lenet_mnist", 7)["command"]) == LENET_COMMAND

TORCH = ["torch"] if find_spec("torch") else []        # without it there is no case, and pytest skips

@pytest.mark.parametrize("name", TORCH)
def test_a_training_learns(name):
    pytest.importorskip(name)
    rng, y = np.random.default_rng(0), np.arange(1200) % 2
    X = rng.integers(0, 100, (1200, 28, 28), dtype=np.uint8) + (100*y[:, None, None]).astype(np.uint8)
    s = scores_of_training(0, 1, (X, y), {"mnist": (X[:100], y[:100]), "dark": (X[:50]//4, None)})
    assert s["mnist"].shape == (6, 100) and s["wrong"].mean() < .2
