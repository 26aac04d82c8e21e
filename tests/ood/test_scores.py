"""Tests of nbs/ood/81_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import os
import pytest
import tempfile
from importlib.util import find_spec
from reject_nb.core.made import load_made
from reject_nb.ood.areas import auroc
from reject_nb.ood.detectors import msp

from reject_nb.ood.experiments.scores import (
    DETECTORS, FRACTIONS, NEIGHBOURS, bilinear_matrix, forward, resized, score_sets, store_scores,
    stored_scores,
)

def test_resizing():
    ramp = np.tile(np.arange(32.)[None, None, :]*8, (1, 32, 1))
    assert np.allclose(np.diff(resized(ramp, 28)[0, 5]), 8*32/28, atol=1e-3)  # a ramp stays a ramp; float32
    checks = np.random.default_rng(0).random((2, 64, 64, 3))
    assert np.allclose(resized(checks, 32), checks.reshape(2, 32, 2, 32, 2, 3).mean((2, 4)), atol=1e-6)
    up = resized(checks[:, :28, :28, 0], 32)
    assert up.shape == (2, 32, 32) and up.min() >= checks.min() - 1e-6 and up.max() <= checks.max() + 1e-6
    assert np.allclose(bilinear_matrix(28, 32).sum(1),
                       1) and (resized(checks, 64) == checks.astype(np.float32)).all()


def test_scores_come_back():
    scores = {"mnist": np.arange(12, dtype=np.float32).reshape(6, 2), "wrong": np.array([True, False])}
    with tempfile.TemporaryDirectory() as out, pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "REJECT_NB_OUT", out)
        store_scores("none", 0, scores, command="python")
        assert load_made("ood") == {}
        back = stored_scores("none", 0)
        assert set(back) == {"mnist", "wrong", "detectors",
                             "command"} and list(back["detectors"]) == list(DETECTORS)
        assert back["command"] == "python" and (back["mnist"] == scores["mnist"]).all()
        assert back["wrong"].dtype == bool
        with pytest.raises(FileNotFoundError, match="none_1"): stored_scores("none", 1)
        store_scores("none", 0, scores, 2.5, command="python")
        made = load_made("ood")["none_0.npz"]
        assert made["command"] == "python" and made["seconds"] == 2.5


def _small(torch):
    "A network of one hidden layer for images of 3 x 4 x 4."
    class Small(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 16), torch.nn.ReLU())
            self.head = torch.nn.Linear(16, 3)
        def features(self, x): return self.body(x)
        def forward(self, x): return self.head(self.body(x))
    torch.manual_seed(0)
    return Small().eval()

TORCH = ["torch"] if find_spec("torch") else []        # without it there is no case, and pytest skips

@pytest.mark.parametrize("name", TORCH)
def test_scores_of_a_small_network(name):
    net, rng = _small(pytest.importorskip(name)), np.random.default_rng(0)
    x, y = rng.normal(size=(1200, 3, 4, 4)).astype(np.float32), rng.integers(0, 3, 1200)
    s = score_sets(net, forward(net, x), {"in": (x[:50], y[:50]), "out": (x[50:90] + 2, None)},
                   std=(.2, .3, .4))
    f, z = forward(net, x[:50])
    assert s["in"].shape == (6, 50) and s["out"].shape == (6, 40)
    assert (s["wrong"] == (z.argmax(1) != y[:50])).all()
    is_ood = np.repeat([False, True], [50, 40])
    for row, other in ((4, s["knn auroc"][0, NEIGHBOURS.index(50)]),
                       (5, s["vim auroc"][0, FRACTIONS.index(.5)])):
        # float32 may tie two scores
        assert abs(auroc(np.append(s["in"][row], s["out"][row]), is_ood) - other) < 1e-3
    assert np.allclose(s["in"][0], msp(z), atol=1e-6) and (s["vim dim"] == [2, 4, 8, 12, 14]).all()
