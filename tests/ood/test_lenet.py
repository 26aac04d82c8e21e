"""Tests of nbs/ood/10_lenet.ipynb, extracted from its test cells: edit them there."""
import numpy as np

from reject_nb.ood.lenet import grey28

def test_grey_images():
    X = np.zeros((2, 32, 32, 3), np.uint8); X[1] = 255
    g = grey28(X)
    assert g.shape == (2, 1, 28, 28) and np.allclose(g[0], -1) and np.allclose(g[1], 1, atol=1e-5)
