"""Tests of nbs/ood/16_feature_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.detectors import knn
from reject_nb.ood.detectors import logsumexp
from reject_nb.ood.detectors import unit_rows
from reject_nb.ood.detectors import vim
from scipy.spatial.distance import cdist

from reject_nb.ood.feature_scores import fdbd, mahalanobis, nnguide, relative_mahalanobis, residual, she

RNG = np.random.default_rng(5)
LABELS = np.arange(60) % 3
TRAIN = RNG.normal(size=(60, 4)) + 4*np.eye(4)[LABELS]
NEW = RNG.normal(size=(25, 4))*3
HEAD = 2*np.eye(4)[:3] + .1*RNG.normal(size=(3, 4))
SHIFT = np.array([.1, -.2, 0])

def _class_scatter():
    means = np.array([TRAIN[LABELS == k].mean(0) for k in range(3)])
    return means, (TRAIN - means[LABELS]).T@(TRAIN - means[LABELS]) + 1e-6*np.eye(4)


def test_mahalanobis_against_scipy():
    means, scatter = _class_scatter()
    expected = (cdist(NEW, means, "mahalanobis", VI=np.linalg.inv(scatter))**2).min(1)/2
    assert np.allclose(mahalanobis(NEW, TRAIN, LABELS), expected, rtol=1e-10)
    names = np.array(["x", "a", "m"])[LABELS]
    assert np.allclose(mahalanobis(NEW, TRAIN, names), expected, rtol=1e-10)


def test_mahalanobis_does_not_care_for_units():
    turn = np.linalg.qr(RNG.normal(size=(4, 4)))[0]*np.array([1, 10, .1, 3])
    same = mahalanobis(NEW@turn, TRAIN@turn, LABELS, ridge=1e-12)
    assert np.allclose(same, mahalanobis(NEW, TRAIN, LABELS, ridge=1e-12), rtol=1e-8)


def test_relative_mahalanobis_by_definition():
    centred = TRAIN - TRAIN.mean(0)
    inverse = np.linalg.inv(centred.T@centred + 1e-6*np.eye(4))
    all_of_them = np.einsum("ni,ij,nj->n", NEW - TRAIN.mean(0), inverse, NEW - TRAIN.mean(0))
    expected = 2*mahalanobis(NEW, TRAIN, LABELS) - all_of_them
    assert np.allclose(relative_mahalanobis(NEW, TRAIN, LABELS), expected, rtol=1e-9)


@pytest.mark.parametrize("value", [0., 1., .1, 1e3])
def test_a_feature_that_never_varied_cancels_in_the_relative_distance(value):
    "It adds the same to the distance to a class and to that to all, however far a new input has moved in it."
    still, moved = np.full((60, 2), value), np.full((25, 2), value + .5)
    wide = relative_mahalanobis(np.column_stack([NEW, moved]), np.column_stack([TRAIN, still]), LABELS)
    # what cancels is .5 in units of the ridge's root, once in each sum: 250,000 for each feature
    assert np.allclose(wide, relative_mahalanobis(NEW, TRAIN, LABELS), rtol=0, atol=1e-7)
    far = mahalanobis(np.column_stack([NEW, moved]), np.column_stack([TRAIN, still]), LABELS)
    assert np.allclose(far - mahalanobis(NEW, TRAIN, LABELS), 2*.25/1e-6/2, rtol=1e-9)


def test_residual_is_the_virtual_logit_without_its_scale():
    from reject_nb.ood.detectors import vim
    z, zt = NEW@HEAD.T + SHIFT, TRAIN@HEAD.T + SHIFT
    whole = vim(NEW, z, HEAD, SHIFT, TRAIN, zt, 2) + logsumexp(z)
    r, rt = residual(NEW, HEAD, SHIFT, TRAIN, 2), residual(TRAIN, HEAD, SHIFT, TRAIN, 2)
    assert np.allclose(whole, r*zt.max(1).mean()/rt.mean(), rtol=1e-9)


def test_she_by_definition():
    right = (TRAIN@HEAD.T + SHIFT).argmax(1) == LABELS
    patterns = np.array([TRAIN[right & (LABELS == k)].mean(0) for k in range(3)])
    chosen = patterns[(NEW@HEAD.T + SHIFT).argmax(1)]
    assert np.allclose(she(NEW, HEAD, SHIFT, TRAIN, LABELS), -np.einsum("ij,ij->i", NEW, chosen), rtol=1e-12)


@pytest.mark.parametrize("k, block", [(1, 500), (7, 4), (60, 25)])
def test_nnguide_by_definition(k, block):
    sure = np.log(np.exp(TRAIN@HEAD.T + SHIFT).sum(1))
    products = unit_rows(NEW)@(unit_rows(TRAIN)*sure[:, None]).T
    expected = -np.sort(products, axis=1)[:, -k:].mean(1)*np.log(np.exp(NEW@HEAD.T + SHIFT).sum(1))
    assert np.allclose(nnguide(NEW, HEAD, SHIFT, TRAIN, k, block), expected, rtol=1e-10)


def test_fdbd_by_hand_and_is_zero_on_a_border():
    W = np.array([[1., 0], [-1, 0]])
    found = fdbd([[3., 4], [0, 5]], W, [0, 0], [[0., 0]])
    assert np.allclose(found, [-3/5, 0])

GOOD = dict(features=NEW, weight=HEAD, bias=SHIFT, train_features=TRAIN, train_labels=LABELS)

@pytest.mark.parametrize("f, change, named", [
    (mahalanobis, dict(train_labels=LABELS[:5]), "train_labels"), (mahalanobis, dict(ridge=0), "ridge"),
    (relative_mahalanobis, dict(train_features=TRAIN[:, :2]), "train_features"),
    (she, dict(train_labels=LABELS + 1), "train_labels"), (she, dict(train_labels=LABELS*1.), "train_labels"),
    (she, dict(train_labels=(LABELS + 1) % 3), "train_labels and train_features"),
    (residual, dict(dim=4), "dim"),
    (nnguide, dict(k=61), "k"), (nnguide, dict(block=0), "block"),
    (fdbd, dict(weight=HEAD[[0, 0, 1]]), "weight"), (fdbd, dict(weight=HEAD[:1], bias=SHIFT[:1]), "weight")])
def test_bad_input_is_named(f, change, named):
    import inspect
    given = {**GOOD, **change}
    takes = {name: value for name, value in given.items() if name in inspect.signature(f).parameters}
    with pytest.raises(ValueError, match=f"^{named} must be"): f(**takes)

FAR_RNG = np.random.default_rng(0)
FAR_BANK = FAR_RNG.normal(size=(30, 5))
FAR_NEW = FAR_RNG.normal(size=(4, 5))
FAR_HEAD = FAR_RNG.normal(size=(3, 5))
FAR_NONE = np.zeros(3)
FAR_ANSWERS = (FAR_BANK@FAR_HEAD.T).argmax(1)
FAR_SCORES = {
    "knn": lambda s:
        knn(FAR_NEW*s, FAR_BANK*s, k=2),
    "knn raw": lambda s:
        knn(FAR_NEW*s, FAR_BANK*s, k=2, normalize=False),
    "nnguide": lambda s: nnguide(FAR_NEW*s, FAR_HEAD, FAR_NONE, FAR_BANK*s, k=2),
    "fdbd": lambda s: fdbd(FAR_NEW*s, FAR_HEAD, FAR_NONE, FAR_BANK*s),
    "she": lambda s: she(FAR_NEW*s, FAR_HEAD, FAR_NONE, FAR_BANK*s, FAR_ANSWERS),
    "residual": lambda s: residual(FAR_NEW*s, FAR_HEAD, FAR_NONE, FAR_BANK*s, 2),
    "mahalanobis": lambda s: mahalanobis(FAR_NEW*s, FAR_BANK*s, FAR_ANSWERS),
    "vim": lambda s:
        vim(FAR_NEW*s, FAR_NEW@FAR_HEAD.T, FAR_HEAD, FAR_NONE, FAR_BANK*s, FAR_BANK@FAR_HEAD.T, 2)}

@pytest.mark.parametrize("size", [1e200, 1e-200])
@pytest.mark.parametrize("name", FAR_SCORES)
def test_features_whose_squares_are_lost_are_refused(name, size):
    assert np.isfinite(FAR_SCORES[name](1.)).all()
    with pytest.raises(ValueError, match="^features must be of a size whose squares"): FAR_SCORES[name](size)


@pytest.mark.parametrize("size", [1e140, 1e20, 1e-20, 1e-140])
def test_directions_know_no_size(size):
    np.testing.assert_allclose(FAR_SCORES["knn"](size), FAR_SCORES["knn"](1.), rtol=1e-9)
