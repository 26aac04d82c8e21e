"""Tests of nbs/ood/83_cifar.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import signal
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from reject_nb.ood.experiments.scores import stored_scores
from types import SimpleNamespace

from reject_nb.ood.experiments.cifar import (
    CIFAR_COMMAND, CIFAR_SETS, MEAN, STD, _Training, _check_same, command_of, main, parser, rgb32,
    train_residual,
)

TORCH = ["torch"] if find_spec("torch") else []        # without it there is no case, and pytest skips
DATA = np.random.default_rng(0).integers(0, 256, (160, 8, 8, 3),
                                         dtype=np.uint8), np.random.default_rng(1).integers(0, 10, 160)

def _same(torch, a, b):
    return all(torch.equal(u, v) for u, v in zip(a.state_dict().values(), b.state_dict().values()))


def _train(folder, name, **options):
    return train_residual(*DATA, Path(folder)/name,
                          **{**dict(width=1/8, epochs=4, batch=32, progress=False), **options})


@pytest.mark.parametrize("name", TORCH)
def test_stopped_and_continued(name):
    torch = pytest.importorskip(name)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        through, half = _train(folder, "a.pt"), _train(folder, "b.pt", stop_after=2)
        assert not _same(torch, half, through) and _same(torch, _train(folder, "b.pt"), through)
        with pytest.raises(ValueError, match="lr"): _train(folder, "b.pt", lr=.1)
        with pytest.raises(ValueError, match="arch"): _train(folder, "c.pt", arch="resnet1000")


@pytest.mark.parametrize("name", TORCH)
def test_interrupted_and_continued(name):
    "INT in the middle leaves a checkpoint that goes on to the same end."
    torch = pytest.importorskip(name)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        timer = threading.Timer(.5, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        try:
            _train(folder, "d.pt", epochs=60)
            timer.join()                                       # a fast machine is through before the signal
        except KeyboardInterrupt: pass
        assert _same(torch, _train(folder, "d.pt", epochs=60), _train(folder, "e.pt", epochs=60))


@pytest.mark.parametrize("precision", ["bfloat16", "float32"])
@pytest.mark.parametrize("name", TORCH)
def test_one_step_of_resnet18(name, precision):
    "At full width on 16 images: one step moves every weight, in the precision asked for."
    torch = pytest.importorskip(name)
    torch.set_num_threads(1)
    settings = dict(arch="resnet18", width=1., seed=0, epochs=8, batch=16, lr=.15, precision=precision, n=16)
    training = _Training(settings, 1, "cpu")
    assert sum(p.numel() for p in training.net.parameters()) == 11_173_962        # ResNet-18 for 32 x 32
    seen, start = [], [p.detach().clone() for p in training.net.parameters()]
    training.net.head.register_forward_hook(lambda module, given, out: seen.append(out.dtype))
    rng = np.random.default_rng(0)
    x = torch.as_tensor(rgb32(rng.integers(0, 256, (16, 32, 32, 3), dtype=np.uint8)))
    loss = training.step(x, torch.as_tensor(rng.integers(0, 10, 16)))
    assert 1.5 < loss < 4 and seen == [getattr(torch, precision)]                 # log 10 = 2.3
    for before, p in zip(start, training.net.parameters()):
        assert p.dtype == p.grad.dtype == torch.float32 and torch.isfinite(p).all()
        assert not torch.equal(before, p)


def test_without_torch_its_name_is_said():
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", None)
        with pytest.raises(ImportError, match="torch"): _train(folder, "none.pt")


def test_a_checkpoint_of_other_settings_is_refused():
    _check_same(dict(lr=.1, seed=3, old=1), dict(lr=.1, seed=3), "a.pt")
    for saved in (dict(lr=.2, seed=3), dict(seed=3)):
        with pytest.raises(ValueError, match="^a.pt is of a training with lr = .*, not 0.1: move"):
            _check_same(saved, dict(lr=.1, seed=3), "a.pt")


def test_inputs_of_the_network():
    x = rgb32(np.full((2, 28, 28), 255, np.uint8))
    assert x.shape == (2, 3, 32, 32) and np.allclose(x[0, :, 0, 0], (1 - np.array(MEAN))/np.array(STD),
                                                     atol=1e-6)
    assert np.allclose(rgb32(np.zeros((1, 64, 64, 3), np.uint8))[0, :, 5, 5], -np.array(MEAN)/np.array(STD),
                       atol=1e-6)


@pytest.mark.parametrize("name", TORCH)
def test_the_command_with_resnet18(name):
    "One epoch of ten batches on the CPU, scores and files included, on data that are drawn."
    pytest.importorskip(name)
    rng = np.random.default_rng(0)
    def drawn(known, split=None):
        n = 1280 if split == "train" else 60
        return SimpleNamespace(X=rng.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8), y=np.arange(n) % 10)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setitem(main.__globals__, "load", drawn)
        patch.setenv("REJECT_NB_OUT", folder)
        assert main(["--arch", "resnet18", "--width", ".125", "--epochs", "1", "--device", "cpu",
                     "--checkpoints", folder]) == 0
        assert list(Path(folder).rglob("resnet18_cifar10_0.npz")) and list(Path(folder).glob("*.pt"))


@pytest.mark.parametrize("seed", range(3))
def test_the_stored_resnet18_is_that_of_its_command(seed):
    s = stored_scores("resnet18_cifar10", seed)
    args = parser().parse_args(str(s["command"]).removeprefix(CIFAR_COMMAND).split())
    assert command_of(args) == str(s["command"])
    assert (args.arch, args.seed, args.epochs) == ("resnet18", seed, 100)
    assert str(s["net"]) == "resnet18, 11,173,962 parameters, 100 epochs" and s["wrong"].mean() < .09
    assert [s[name].shape for name in CIFAR_SETS] == [(6, 10_000)]*3 + [(6, 1200)]
    assert all(np.isfinite(s[name]).all() for name in CIFAR_SETS)
    assert s["vim dim"][2] == 256                                # half of the features, as OpenOOD keeps
