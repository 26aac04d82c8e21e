"""Tests of nbs/ood/07_detectors.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import product
from scipy.spatial.distance import cdist

from reject_nb.ood.detectors import knn, mls, msp, odin, react, unit_rows, vim

def test_msp_and_mls():
    z = np.array([[0., 0, 0], [2, 0, 0], [800, 0, -800], [0, 40, 0]])
    p = np.exp(z[:2] - z[:2].max(1, keepdims=True)); p /= p.sum(1, keepdims=True)
    assert np.allclose(msp(z)[:2], 1 - p.max(1), atol=1e-15)
    assert msp(z)[2] == 0 and abs(msp(z)[3]/(2*np.exp(-40.)) - 1) < 1e-12    # 1 - max would round to 0
    assert (mls(z) == [0, -2, -800, -40]).all()


def test_knn_and_react():
    rng = np.random.default_rng(0)
    a, b, W, c = rng.normal(size=(30, 5)), rng.normal(size=(80, 5)), rng.normal(size=(3, 5)), rng.normal(size=3)
    d = np.sort(cdist(a, b), axis=1)
    assert np.allclose(knn(a, b, 7, normalize=False, block=11), d[:, 6], atol=1e-13)
    assert np.allclose(knn(a, b, 1), np.sort(cdist(unit_rows(a), unit_rows(b)), axis=1)[:, 0], atol=1e-13)
    assert (knn(a, b, (1, 7, 50)) == [knn(a, b, k) for k in (1, 7, 50)]).all()
    assert np.allclose(react(a, W, c, level=1e9), -np.log(np.exp(a@W.T + c).sum(1)), atol=1e-12)
    assert np.allclose(react(a, W, c, b, 100.), react(a, W, c, level=b.max()))


def test_knn_keeps_its_digits():
    rng = np.random.default_rng(3)
    for dtype, offset in product(("float64", "float32", "float16"), (0, 100, 10_000)):
        a, b = (np.asarray(rng.normal(size=(n, 16)) + offset, dtype) for n in (20, 200))
        d = np.sort(cdist(a.astype(float), b.astype(float)), axis=1)
        assert np.allclose(knn(a, b, (1, 9), normalize=False), d[:, [0, 8]].T, rtol=1e-9, atol=0)
        assert knn(b, b, 1, normalize=False).max() == 0 and knn(b, b, 1).max() == 0    # nearest to itself


def test_vim_sees_what_leaves_the_subspace():
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    train = rng.normal(size=(500, 3))@basis[:, :3].T + .01*rng.normal(size=(500, 8))
    W, b = rng.normal(size=(4, 8)), np.zeros(4)
    inside = rng.normal(size=(50, 3))@basis[:, :3].T
    outside = inside + basis[:, 7]
    s = [vim(f, f@W.T, W, b, train, train@W.T, 3) for f in (inside, outside)]
    assert s[0].max() < s[1].min()


def test_vim_without_a_residual_and_with_wrong_shapes():
    rng = np.random.default_rng(2)
    basis, W, b = np.linalg.qr(rng.normal(size=(6, 6)))[0], rng.normal(size=(4, 6)), np.zeros(4)
    for turn, dtype in ((np.eye(6), "float64"), (basis, "float64"), (basis, "float32")):
        flat = (np.column_stack([rng.normal(size=(50, 3)), np.zeros((50, 3))])@turn).astype(dtype)
        with pytest.raises(ValueError, match="smaller dim"): vim(flat, flat@W.T, W, b, flat, flat@W.T, 3)
        assert np.isfinite(vim(flat, flat@W.T, W, b, flat, flat@W.T, 2)).all()
    f = rng.normal(size=(9, 6))
    z = f@W.T
    for call, said in ((lambda: vim(f, z[:1], W, b, f, z, 3), "logits must"), (lambda: vim(f, z[:, :3], W, b, f, z, 3), "logits must"), (lambda: vim(f, z, W, b, f, z[:4], 3), "train_logits"),
                       (lambda: vim(f, z, W, b, f[:, :5], z, 3), "train_features"), (lambda: vim(f, z, W, b, f, z, 2.5), "dim"), (lambda: vim(f[:, :1], z, W[:, :1], b, f[:, :1], z), "features must")):
        with pytest.raises(ValueError, match=said): call()


def test_odin_against_a_numerical_gradient():
    try: import torch
    except ImportError:                                       # then the message must name the extra
        with pytest.raises(ImportError, match="deep"): odin(None, np.ones((2, 4)))
        return
    torch.manual_seed(0)
    model, x = torch.nn.Linear(4, 3).double(), torch.randn(6, 4, dtype=torch.float64)
    def tempered(v): return model(v).detach().numpy()/10
    grad = np.zeros((6, 4))
    for j in range(4):
        e = torch.zeros(4, dtype=torch.float64); e[j] = 1e-6
        grad[:, j] = [np.log(1 - msp(tempered(x - e)))[i] - np.log(1 - msp(tempered(x + e)))[i] for i in range(6)]
    assert np.allclose(odin(model, x, 10., .01), msp(tempered(x - .01*torch.as_tensor(np.sign(grad)))), atol=1e-12)


def test_bad_input_is_named():
    ok, W, b = np.ones((3, 4)), np.ones((2, 4)), np.zeros(2)
    for call, said in ((lambda: msp([1., 2]), "logits"), (lambda: mls([[np.nan, 1]]), "logits"), (lambda: knn(ok, ok, 4), "k must"), (lambda: knn(ok, ok, 2.5), "k must"), (lambda: knn(ok, ok, ()), "k must"), (lambda: knn(ok, ok, 1, block=0), "block"),
                       (lambda: msp([["1", "2"]]), "logits"), (lambda: mls([[1 + 2j, 0]]), "logits"), (lambda: msp(None), "logits"), (lambda: react(ok, W, b, level=np.nan), "level"), (lambda: react(ok, W, b, level="a"), "level"),
                       (lambda: react(ok, W, b, ok, 200), "percentile"), (lambda: react(ok, W, ["0", "0"], ok), "bias"), (lambda: knn(ok, W[:, :2]), "train_features"),
                       (lambda: react(ok, W, b), "train_features or level"), (lambda: react(ok, W[:, :3], b, ok), "weight"),
                       (lambda: vim(ok, ok@W.T, W, b, ok, ok@W.T, 4), "dim"), (lambda: react(ok, W, np.zeros(3), ok), "bias")):
        with pytest.raises(ValueError, match=said): call()
