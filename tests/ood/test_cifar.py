"""Tests of nbs/ood/11_cifar.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import signal
import tempfile
import threading
from pathlib import Path

from reject_nb.ood.cifar import MEAN, STD, rgb32, train_residual

def test_interrupted_and_continued():
    try: import torch
    except ImportError:                                        # the name of what is missing must be said
        with pytest.raises(ImportError, match="torch"): train_residual(np.zeros((8, 8, 8, 3), np.uint8), np.zeros(8), "none.pt", epochs=1, batch=4, progress=False)
        return
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 256, (160, 8, 8, 3), dtype=np.uint8), rng.integers(0, 10, 160)
    same = lambda a, b: all(torch.equal(u, v) for u, v in zip(a.state_dict().values(), b.state_dict().values()))
    with tempfile.TemporaryDirectory() as folder:
        args = dict(width=1/8, epochs=4, batch=32, progress=False)
        through = train_residual(X, y, Path(folder)/"a.pt", **args)
        half = train_residual(X, y, Path(folder)/"b.pt", stop_after=2, **args)
        assert not same(half, through) and same(train_residual(X, y, Path(folder)/"b.pt", **args), through)
        with pytest.raises(ValueError, match="lr"): train_residual(X, y, Path(folder)/"b.pt", lr=.1, **args)
        with pytest.raises(ValueError, match="arch"): train_residual(X, y, Path(folder)/"c.pt", "resnet1000", **args)
        long = {**args, "epochs": 60}                          # INT in the middle leaves a checkpoint that goes on to the same end
        timer = threading.Timer(.5, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        try:
            train_residual(X, y, Path(folder)/"d.pt", **long)
            timer.join()                                       # a fast machine is through before the signal
        except KeyboardInterrupt: pass
        assert same(train_residual(X, y, Path(folder)/"d.pt", **long), train_residual(X, y, Path(folder)/"e.pt", **long))


def test_inputs_of_the_network():
    x = rgb32(np.full((2, 28, 28), 255, np.uint8))
    assert x.shape == (2, 3, 32, 32) and np.allclose(x[0, :, 0, 0], (1 - np.array(MEAN))/np.array(STD), atol=1e-6)
    assert np.allclose(rgb32(np.zeros((1, 64, 64, 3), np.uint8))[0, :, 5, 5], -np.array(MEAN)/np.array(STD), atol=1e-6)
