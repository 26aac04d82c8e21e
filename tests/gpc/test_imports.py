"""Tests of nbs/gpc/42_imports.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.imports import ImportedKernelPosterior
from reject_nb.gpc.imports import Theirs
from reject_nb.gpc.imports import check_import
from reject_nb.gpc.imports import from_targets
from reject_nb.gpc.imports import from_values
from reject_nb.gpc.imports import from_whitened
from reject_nb.gpc.imports import import_difference
from reject_nb.gpc.imports import probes
from reject_nb.gpc.imports import root_of
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import White
from reject_nb.gpc.ranges import classification_range

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(7, 2))
KERNEL = Matern52(1.7, [.8, 1.3])

def _law():
    half = RNG.normal(size=(7, 7))
    return RNG.normal(size=7), half @ half.T/7


def test_the_law_of_the_values_comes_back_at_the_points():
    mean, cov = _law()
    weights, matrix = from_values(root_of(KERNEL, Z, 0.), mean, cov)
    K = KERNEL.matrix(Z, Z)
    np.testing.assert_allclose(K @ weights, mean, atol=1e-10)
    np.testing.assert_allclose(K - K @ matrix @ K, cov, atol=1e-9)


def test_whitened_values_are_values_whitened():
    mean, cov = _law()
    root = root_of(KERNEL, Z, 1e-3)
    white = from_whitened(root, mean, cov)
    plain = from_values(root, root @ mean, root @ cov @ root.T)
    np.testing.assert_allclose(white.weights, plain.weights, atol=1e-9)
    np.testing.assert_allclose(white.matrix, plain.matrix, atol=1e-9)
    np.testing.assert_array_equal(white.matrix, white.matrix.T)


def test_the_prior_is_no_knowledge():
    weights, matrix = from_whitened(root_of(KERNEL, Z, 0.), np.zeros(7), np.eye(7))
    assert np.abs(weights).max() == 0 and np.abs(matrix).max() == 0


def test_regression_reaches_its_targets_without_noise():
    y = RNG.normal(size=7)
    weights, matrix = from_targets(KERNEL.matrix(Z, Z), 1e-9, y)
    K = KERNEL.matrix(Z, Z)
    np.testing.assert_allclose(K @ weights, y, atol=1e-6)
    assert np.abs(np.diag(K - K @ matrix @ K)).max() < 1e-6
    twice = from_targets(K, np.arange(1., 8.), y)
    np.testing.assert_allclose(twice.matrix @ (K + np.diag(np.arange(1., 8.))), np.eye(7), atol=1e-10)


def test_white_noise_counts_among_the_inducing_points():
    root = root_of(KERNEL + White(.5), Z, .25)
    np.testing.assert_allclose(root @ root.T, KERNEL.matrix(Z, Z) + .75*np.eye(7), atol=1e-12)


def test_points_at_one_place_need_a_jitter():
    twice = np.vstack([Z, Z])
    assert root_of(KERNEL, twice, 1e-6).shape == (14, 14)
    with pytest.raises(ValueError, match="the model must be .*full rank"):
        root_of(SquaredExponential(1., 1.), np.zeros((30, 2)), 0.)


def _posterior(mean=.3):
    return ImportedKernelPosterior(KERNEL, Z, *from_values(root_of(KERNEL, Z, 1e-6), *_law()), mean=mean)


def test_probes_lie_near_and_around_the_points():
    P = probes(Z)
    assert P.shape == (7 + 7 + 40, 2) and np.array_equal(P, probes(Z))
    assert (P[14:].min(0) < Z.min(0)).all() and (P[14:].max(0) > Z.max(0)).all()
    assert np.abs(P[:7] - P[7:14]).max() < (Z.max(0) - Z.min(0)).max()
    assert len(probes(np.zeros((200, 1)))) == 120


@pytest.mark.parametrize("part, size", [(0, 3e-6), (1, 6e-6), (2, 2e-6)])
def test_a_difference_in_any_part_refuses(part, size):
    post, P = _posterior(), probes(Z)
    theirs = [*post.latent(P), post.predict_proba(P)]
    assert import_difference(post, P, Theirs(*theirs)) == 0
    check_import(post, P, Theirs(*theirs), "model")
    theirs[part] = theirs[part] + size*(np.arange(len(P)) == 5)*max(1, abs(theirs[0][5]))
    with pytest.raises(ValueError, match="model must be rebuilt within 1e-06 at the probes, then"):
        check_import(post, P, Theirs(*theirs), "model", ", then")
    check_import(post, P, Theirs(*post.latent(P), theirs[2]), "model", gap=1e-3) if part == 2 else None
    theirs[part][3] = np.nan
    assert import_difference(post, P, Theirs(*theirs)) == np.inf


def test_a_posterior_says_what_it_speaks_of():
    post = _posterior().named("the exact one", "theirs", .01)
    found = classification_range(post, Z[0], Z[0] + .1)
    wide = post.widen(found)
    assert post.speaks_of == "the exact one" and wide.speaks_of == "theirs" and "Imported" in repr(post)
    assert wide.min_lower == found.min_lower - .01 and wide.max_upper == found.max_upper + .01
    with pytest.raises(ValueError, match="own_gap"): post.named("a", "b", -1.)


def test_probes_around_the_points_reach_half_a_width_beyond():
    P = probes(Z)
    share = (P[14:] - Z.min(0))/(Z.max(0) - Z.min(0))
    assert -.5 <= share.min() < -.25 and 1.25 < share.max() <= 1.5
    line = probes(np.c_[np.zeros(7), np.arange(7.)])    # a coordinate without width counts as one of width 1
    assert -.5 <= line[14:, 0].min() < -.25 and 1.25 < line[14:, 0].max() <= 1.5
    near = P[7:14, 0] - P[:7, 0]
    assert 0 < np.abs(near).max() < .5*(Z.max(0) - Z.min(0))[0]
