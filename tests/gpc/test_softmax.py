"""Tests of nbs/gpc/07_softmax.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from decimal import Decimal
from reject_nb.gpc.logistic import logistic_mean
from scipy.special import logsumexp

from reject_nb.gpc.softmax import MulticlassPosterior, fit_multiclass_gpc, softmax_laplace

GOOD_CLASSES = dict(X=np.eye(2), alpha=np.ones((2, 2)), prob=np.full((2, 2), .5), lengthscale=1., variance=1.)
BAD_CLASSES = [dict(classes=["a"]), dict(classes=["a", "a"]), dict(classes=[None, 1]), dict(variance=1e7),
               dict(alpha=np.ones((1, 2))), dict(prob=np.ones((2, 2))), dict(prob=np.full((3, 2), 1/3)),
               dict(prob=[[1.5, 1.], [-.5, 0.]]), dict(X=[[np.nan, 1.]]), dict(lengthscale=0.)]
BAD_CLASS_FITS = [dict(y=[0, 1, np.nan]), dict(y=[0, 1, np.inf]), dict(y=[0, "a", None]), dict(y=[0, 0, 0]),
                  dict(y=[0, 1]), dict(max_evaluations=-1),
                  dict(max_evaluations="a"), dict(lengthscale=np.ones(2)), dict(lengthscale=1e-200),
                  dict(variance=0.), dict(X=[[np.nan]]*3), dict(y=[Decimal(0), Decimal(1), Decimal(2)]),
                  dict(y=[b"a", b"b", b"c"]), dict(y=np.array([0, "a", 1], object))]

def _three_classes(seed=0, n=12):
    "A small model of three Gaussian classes in the plane."
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(n, 2)) + c for c in ([0, 2.], [2, -1], [-2, -1])])
    return fit_multiclass_gpc(X, np.repeat([0, 1, 2], n), max_evaluations=0, lengthscale=1.5, variance=4.)


def _plain_W(prob):
    "W with classes as blocks."
    C, n = prob.shape
    W = np.zeros((C*n, C*n))
    for i in range(n):
        at = np.arange(C)*n + i
        W[np.ix_(at, at)] = np.diag(prob[:, i]) - np.outer(prob[:, i], prob[:, i])
    return W


def test_mode_is_stationary():
    post = _three_classes()
    Y = np.eye(3)[np.repeat([0, 1, 2], 12)].T
    f = post.alpha @ post.K
    prob = np.exp(f - logsumexp(f, axis=0))
    np.testing.assert_allclose(post.alpha, Y - prob, atol=1e-8)
    np.testing.assert_allclose(post.prob, prob, atol=1e-8)


def test_evidence_is_that_of_the_plain_formula():
    post = _three_classes(1, 4)
    Y = np.eye(3)[np.repeat([0, 1, 2], 4)].T
    got = softmax_laplace(post.K, Y)
    f, big = got.alpha @ post.K, np.kron(np.eye(3), post.K)
    plain = (-.5*(got.alpha*f).sum() + (Y*f).sum() - logsumexp(f, axis=0).sum()
             - .5*np.linalg.slogdet(np.eye(36) + _plain_W(got.prob) @ big)[1])
    assert abs(got.evidence - plain) < 1e-6


def test_latent_covariance_against_the_plain_formula():
    post = _three_classes()
    big, W = np.kron(np.eye(3), post.K), _plain_W(post.prob)
    r = post.kernel([[.3, .2]])
    Q = np.kron(np.eye(3), r)
    plain = post.variance*np.eye(3) - Q @ W @ np.linalg.solve(np.eye(len(W)) + big @ W, Q.T)
    np.testing.assert_allclose(post.latent([[.3, .2]])[1][0], plain, atol=1e-8)
    w = post.weights(r[0]).reshape(3, -1)                          # rows solve (K + W^-1) w = e_a (x) r
    np.testing.assert_allclose(w, np.linalg.solve(np.eye(len(W)) + W @ big, W @ Q.T).T, atol=1e-8)


def test_two_classes_are_the_logistic_model():
    post = fit_multiclass_gpc([[0.], [1.], [2.], [3.]], [0, 0, 1, 1], max_evaluations=0)
    (mean,), (cov,) = post.latent([[1.2]])
    spread = cov[0, 0] + cov[1, 1] - 2*cov[0, 1]
    assert abs(post.predict_proba([[1.2]])[0, 1] - logistic_mean(mean[1] - mean[0], spread)) < 1e-6


def test_probabilities_of_models_with_large_variance():
    C, rng = 10, np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + 3*np.array([[np.cos(2*np.pi*(i % C)/C),
                                                 np.sin(2*np.pi*(i % C)/C)] for i in range(120)])
    post = fit_multiclass_gpc(X, np.arange(120) % C, max_evaluations=0, variance=87.6, lengthscale=3.)
    x = np.array([[3.8907461994015717, -1.037017588393395]])
    (mean,), (cov,) = post.latent(x)
    f = rng.multivariate_normal(mean, cov, 400_000)
    p = np.exp(f - logsumexp(f, axis=1)[:, None])
    # and the error of 16,384 Sobol points
    assert np.abs(post.predict_proba(x)[0] - p.mean(0)).max() < 5*p.std(0).max()/400_000**.5 + 5e-4


def test_fit_raises_the_evidence():
    post = _three_classes(2)
    y = np.repeat([0, 1, 2], 12)
    fitted = fit_multiclass_gpc(post.X, y, 12, 1.5, 4.)
    Y = np.eye(3)[y].T
    assert softmax_laplace(fitted.K, Y).evidence > softmax_laplace(post.K,
                                                                   Y).evidence + .01 and fitted.isotropic
    assert (fitted.predict(post.X) == y).mean() > .8


@pytest.mark.parametrize("labels", [[0, 1, 2], ["x", "y", "z"], np.array(["x", "y", "z"], object),
                                    [False, True, False]])
def test_save_and_load(labels):
    labels = list(labels)[:2] if labels[0] is False else labels
    y = np.repeat(np.array(labels, dtype=getattr(labels, "dtype", None)), 4)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    post = fit_multiclass_gpc(X, y, 0)
    with tempfile.TemporaryDirectory() as folder: back = MulticlassPosterior.load(post.save(folder + "/m"))
    np.testing.assert_array_equal(post.predict_proba([[.1, .2]]), back.predict_proba([[.1, .2]]))
    assert back.classes.tolist() == sorted(set(y.tolist())) and back.index_of(back.classes[1]) == 1


@pytest.mark.parametrize("bad", BAD_CLASSES)
def test_bad_arrays_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))): MulticlassPosterior(**{**GOOD_CLASSES, **bad})


@pytest.mark.parametrize("bad", BAD_CLASS_FITS)
def test_bad_fits_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        fit_multiclass_gpc(**{"X": np.eye(3), "y": [0, 1, 2], "max_evaluations": 0, **bad})


@pytest.mark.parametrize("target", [7, "a", None, [0], np.nan, True])
def test_unknown_targets_are_named(target):
    with pytest.raises(ValueError, match="target"): _three_classes().index_of(target)


@pytest.mark.parametrize("target", [np.timedelta64(1, "s"), Decimal("sNaN"), Decimal("NaN"), True, [1], "1",
                                    None])
def test_odd_targets_are_named(target):
    "Classes 0, 1, 2: a span of one second is not 1, and what cannot be compared is no class."
    post = MulticlassPosterior(np.zeros((1, 1)), np.zeros((3, 1)), np.full((3, 1), 1/3), 1., 2.)
    assert [post.index_of(one) for one in (1, 1., np.int8(2), Decimal(0))] == [1, 1, 2, 0]
    with pytest.raises(ValueError, match="^target must be one of the classes"): post.index_of(target)


@pytest.mark.parametrize("variance", [6e5, 3.4e38])
def test_a_variance_whose_errors_are_not_bounded_is_named_before_the_fit(variance):
    with pytest.raises(ValueError, match="^variance must be at most 500000"):
        fit_multiclass_gpc([[0.], [1.]], [0, 1], 0, 1., variance)
