"""Tests of nbs/ood/13_detectors.ipynb, extracted from its test cells: edit them there."""
import inspect
import numpy as np
import pytest
import sys
import warnings
from importlib.util import find_spec
from scipy.spatial.distance import cdist

from reject_nb.ood.detectors import (
    THINNED, _Bank, _Sieve, _places, knn, mls, msp, odin, react, unit_rows, vim,
)

def test_msp_and_mls():
    z = np.array([[0., 0, 0], [2, 0, 0], [800, 0, -800], [0, 40, 0]])
    e = np.exp(z[:2] - z[:2].max(1, keepdims=True))
    p = e/e.sum(1, keepdims=True)
    assert np.allclose(msp(z)[:2], 1 - p.max(1), atol=1e-15)
    assert msp(z)[2] == 0 and abs(msp(z)[3]/(2*np.exp(-40.)) - 1) < 1e-12    # 1 - max would round to 0
    assert (mls(z) == [0, -2, -800, -40]).all() and msp(z.astype("float32")).dtype == np.float32

PROBABILITIES = np.array([[.9, .1], [.25, .75]])

@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_probabilities_are_warned_about(dtype):
    p = PROBABILITIES.astype(dtype)
    for score in (msp, mls):
        with pytest.warns(UserWarning, match="^logits look like probabilities") as caught: score(p)
        assert caught[0].filename == test_probabilities_are_warned_about.__code__.co_filename  # the caller


@pytest.mark.parametrize("logits", [np.log(PROBABILITIES), 2*PROBABILITIES, [[.5, .5], [.5, .6]],
                                    [[1.5, -.5]], [[.9, .1 + 2e-3]]])
def test_logits_are_not(logits):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        msp(logits)
    assert not caught


@pytest.mark.parametrize("n_train", [1, 63, 640, 5000])
@pytest.mark.parametrize("ties", [False, True])
def test_knn_by_all_distances(n_train, ties):
    "With a bank that is thinned and one that is not, also where many distances are equal."
    rng = np.random.default_rng(n_train)
    def rows(m): return rng.integers(0, 3, (m, 3)).astype(float) if ties else rng.normal(size=(m, 3))
    a, b = rows(40), rows(n_train)
    d = np.sort(cdist(a, b), axis=1)
    for k in {1, min(7, n_train), n_train}:
        assert np.allclose(knn(a, b, k, normalize=False, block=13), d[:, k - 1], atol=1e-12)
    ks = tuple(sorted({1, min(10, n_train)}))
    assert np.allclose(knn(a, b, ks, normalize=False), d[:, np.array(ks) - 1].T, atol=1e-12)


@pytest.mark.parametrize("spread", [1e-1, 1e-5, 1e-9, 0.])
@pytest.mark.parametrize("d", [1, 3, 40])
def test_neighbours_that_single_precision_cannot_tell_apart(spread, d):
    "Distances from 1 on in steps below the rounding of the search; in half the cases a row lies far off."
    rng = np.random.default_rng(d)
    way = unit_rows(rng.normal(size=(2000, d)))
    steps = rng.permutation(2000)
    new, far = rng.normal(size=(3, d)), np.zeros((1, d))
    for offset in (0., 50.):
        b = np.concatenate([new[:1] + offset + way*(1 + spread*steps)[:, None], far - 3*offset])
        a = new + offset
        wanted = np.sort(cdist(a, b), axis=1)
        for ks in ((1, 10, 31), (31,)):
            found = knn(a, b, ks, normalize=False)
            assert np.allclose(found, wanted[:, np.array(ks) - 1].T, rtol=1e-13, atol=1e-12)


def test_the_sieve_and_the_bank_agree():
    rng = np.random.default_rng(7)
    for scale in (1e-30, 1., 1e30):
        a, b = (scale*rng.normal(size=(n, 5))*[1, 1, 1e-6, 3, 0] for n in (30, 4000))
        ks = np.array([1, 2, 17])
        sieve = _Sieve(b)
        assert np.array_equal(sieve.distances(a, ks), _Bank(b).distances(a, ks)) and sieve.bank is None
        assert np.array_equal(sieve.distances(1e6*a, ks), _Bank(b).distances(1e6*a, ks))
    same = _Sieve(np.ones((1000, 2)))
    assert same.distances(np.array([[1., 4.]]), ks).tolist() == [[3.]]*3 and same.bank is not None


def test_places_are_those_of_a_sort():
    rng = np.random.default_rng(0)
    for n in (THINNED*4 - 1, THINNED*4, THINNED*4*3 + 5):
        score, ks = rng.integers(0, 50, (20, n)).astype(float), np.array([1, 2, 3])
        found = np.take_along_axis(score, _places(score, ks), axis=1)
        assert np.array_equal(found, np.sort(score, axis=1)[:, :3])


def test_knn_and_react():
    rng = np.random.default_rng(0)
    a, b, W, c = rng.normal(size=(30, 5)), rng.normal(size=(80, 5)), rng.normal(size=(3,
                                                                                      5)), rng.normal(size=3)
    d = np.sort(cdist(a, b), axis=1)
    assert np.allclose(knn(a, b, 7, normalize=False, block=11), d[:, 6], atol=1e-13)
    assert np.allclose(knn(a, b, 1), np.sort(cdist(unit_rows(a), unit_rows(b)), axis=1)[:, 0], atol=1e-13)
    assert np.allclose(knn(a, b), np.sort(cdist(unit_rows(a), unit_rows(b)), axis=1)[:, 49], atol=1e-13)
    assert (knn(a, b, (1, 7, 50)) == [knn(a, b, k) for k in (1, 7, 50)]).all()
    assert np.allclose(react(a, W, c, level=1e9), -np.log(np.exp(a@W.T + c).sum(1)), atol=1e-12)
    assert np.allclose(react(a, W, c, b, 100.),
                       react(a, W, c, level=b.max())) and np.allclose(react(a, W, c, b),
                                                                      react(a, W, c,
                                                                            level=np.percentile(b, 90)))
    assert (unit_rows(np.zeros((1, 3))) == 0).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("offset", [0, 100, 10_000])
def test_knn_keeps_its_digits(dtype, offset):
    rng = np.random.default_rng(3)
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


def test_vim_by_hand_with_a_bias():
    "One feature decides the class; the residual is the second, centred where all logits vanish."
    W, b = np.array([[1., 0], [-1, 0]]), np.array([-1., 1.])
    train, new = np.array([[4., .5], [-2, -.5], [4, -.5], [-2, .5]]), np.array([[1., 2.]])
    z, zt = new@W.T + b, train@W.T + b
    expected = zt.max(1).mean()/.5*2 - np.log(np.exp(z).sum())
    assert abs(vim(new, z, W, b, train, zt)[0] - expected) < 1e-12


@pytest.mark.parametrize("turned, dtype", [(False, "float64"), (True, "float64"), (True, "float32")])
def test_vim_without_a_residual(turned, dtype):
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0] if turned else np.eye(6)
    W, b = rng.normal(size=(4, 6)), np.zeros(4)
    flat = (np.column_stack([rng.normal(size=(50, 3)), np.zeros((50, 3))])@turn).astype(dtype)
    with pytest.raises(ValueError, match="dim must be smaller"): vim(flat, flat@W.T, W, b, flat, flat@W.T, 3)
    assert np.isfinite(vim(flat, flat@W.T, W, b, flat, flat@W.T, 2)).all()

F = np.random.default_rng(3).normal(size=(9, 6))
HEAD = np.random.default_rng(4).normal(size=(4, 6))

@pytest.mark.parametrize("change, named", [
    (dict(logits=(F@HEAD.T)[:1]), "logits"), (dict(logits=(F@HEAD.T)[:, :3]), "logits"),
    (dict(train_logits=(F@HEAD.T)[:4]), "train_logits"), (dict(train_features=F[:, :5]), "train_features"),
    (dict(dim=2.5), "dim"), (dict(dim=6), "dim"), (dict(dim=0), "dim"),
    (dict(features=F[:, :1], weight=HEAD[:, :1], train_features=F[:, :1]), "features")])
def test_wrong_shapes_of_vim(change, named):
    good = dict(features=F, logits=F@HEAD.T, weight=HEAD, bias=np.zeros(4), train_features=F,
                train_logits=F@HEAD.T, dim=3)
    with pytest.raises(ValueError, match=f"^{named} must be"): vim(**{**good, **change})


@pytest.mark.parametrize("kind", [np.float16, np.longdouble])
def test_other_precisions_are_computed_in_double(kind):
    rng = np.random.default_rng(2)
    shapes = dict(features=(9, 6), weight=(3, 6), bias=3, train_features=(60, 6))
    given = {name: rng.normal(size=size).astype(kind) for name, size in shapes.items()}
    double = {name: a.astype(float) for name, a in given.items()}
    for f in (react, knn, vim, msp, mls):
        def score(a):
            a = a | dict(logits=a["features"][:, :3], train_logits=a["train_features"][:, :3])
            return f(**{k: v for k, v in a.items() if k in inspect.signature(f).parameters})
        assert score(given).dtype == float and np.array_equal(score(given), score(double))


def _tempered(model, v): return model(v).detach().numpy()/10

TORCH = ["torch"] if find_spec("torch") else []        # without it there is no case, and pytest skips

@pytest.mark.parametrize("name", TORCH)
def test_odin_against_a_numerical_gradient(name):
    torch = pytest.importorskip(name)
    torch.manual_seed(0)
    model, x = torch.nn.Linear(4, 3).double(), torch.randn(6, 4, dtype=torch.float64)
    grad = np.zeros((6, 4))
    for j in range(4):
        e = torch.zeros(4, dtype=torch.float64)
        e[j] = 1e-6
        grad[:, j] = [np.log(1 - msp(_tempered(model, x - e)))[i]
                      - np.log(1 - msp(_tempered(model, x + e)))[i] for i in range(6)]
    assert np.allclose(odin(model, x, 10., .01),
                       msp(_tempered(model, x - .01*torch.as_tensor(np.sign(grad)))), atol=1e-12)


class _Stub:
    "As much of a network as is looked at before torch is needed."
    def eval(self): return self
    def __call__(self, x): return x


def test_odin_without_torch_names_the_extra():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", None)
        with pytest.raises(ImportError, match="deep"): odin(_Stub(), np.ones((2, 4)))

OK = np.ones((3, 4))
W2 = np.ones((2, 4))
B2 = np.zeros(2)

@pytest.mark.parametrize("f, args, options, named", [
    (msp, ([1., 2],), {}, "logits"), (mls, ([[np.nan, 1]],), {}, "logits"),
    (msp, ([["1", "2"]],), {}, "logits"), (mls, ([[1 + 2j, 0]],), {}, "logits"), (msp, (None,), {}, "logits"),
    (knn, (OK, OK, 4), {}, "k"), (knn, (OK, OK, 2.5), {}, "k"), (knn, (OK, OK, ()), {}, "k"),
    (knn, (OK, OK, (1, 0)), {}, "k"), (knn, (OK, OK, 1), dict(block=0), "block"),
    (knn, (OK, W2[:, :2]), {}, "train_features"),
    (knn, (OK, OK, 1), dict(normalize=1), "normalize"), (react, (OK, W2, B2), dict(level=np.nan), "level"),
    (react, (OK, W2, B2), dict(level="a"), "level"), (react, (OK, W2, B2, OK, 200), {}, "percentile"),
    (react, (OK, W2, ["0", "0"], OK), {}, "bias"), (react, (OK, W2, B2), {}, "train_features or level"),
    (react, (OK, W2, B2, OK), dict(level=1.), "train_features or level"),
    (react, (OK, W2[:, :3], B2, OK), {}, "weight"),
    (react, (OK, W2, np.zeros(3), OK), {}, "bias"), (odin, (None, OK), dict(temperature=0), "temperature"),
    (odin, (None, OK), dict(noise="a"), "noise"), (odin, (None, OK), dict(batch=0), "batch"),
    (odin, (None, OK), dict(std=[0.]), "std"), (odin, (None, OK), {}, "model"),
    (odin, (_Stub(), [["a"]]), {}, "inputs")])
def test_bad_input_is_named(f, args, options, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): f(*args, **options)
