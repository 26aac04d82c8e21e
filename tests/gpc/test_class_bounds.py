"""Tests of nbs/gpc/11_class_bounds.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.certificate import reduce_box
from reject_nb.gpc.directions import covariance_shift
from reject_nb.gpc.rigour import rounding
from reject_nb.gpc.softmax import MulticlassPosterior
from reject_nb.gpc.softmax import fit_multiclass_gpc
from unittest.mock import patch

from reject_nb.gpc.class_bounds import (
    _apply_W, _centre_covariance, _residuals, _shift, bound_pairs, class_bounds, class_cell, pair_centre,
)

def _model(seed=0, C=3, n=12):
    rng = np.random.default_rng(seed)
    angle = 2*np.pi*np.arange(C)/C
    X = np.vstack([rng.normal(size=(n, 2)) + 2*np.array([np.sin(a), np.cos(a)]) for a in angle])
    return fit_multiclass_gpc(X, np.repeat(np.arange(C), n), max_evaluations=0, lengthscale=1.5, variance=4.)


class _Perturbed(MulticlassPosterior):
    noise = 0.
    def weights(self, r):
        w = super().weights(r)
        return w*(1 + self.noise*np.random.default_rng(0).normal(size=w.shape))


def _true_variances(post, X):
    cov = post.latent(X)[1]
    diagonal = np.einsum("maa->ma", cov)
    return diagonal[:, :, None] + diagonal[:, None] - 2*cov


@pytest.mark.parametrize("noise", [0., 1e-6, 1e-2])
def test_variances_of_pairs_are_enclosed_whatever_the_weights(noise):
    base = _model(3)
    post = _Perturbed(base.X, base.alpha, base.prob, base.lengthscale, base.variance)
    post.noise = noise
    true, off = _true_variances(post, [[.3, .2]])[0], ~np.eye(3, dtype=bool)
    at = pair_centre(post, post.kernel([[.3, .2]])[0], 0.)
    assert (at.var_low <= true)[off].all() and (true <= at.var_high)[off].all()
    width = (at.var_high - at.var_low)[off].max()
    # sharp for good weights, wide for bad ones
    assert width < 1e-8 if noise == 0 else width < 1e-7 if noise < 1e-4 else 1e-6 < width < 1
    box = reduce_box(post, np.array([.2, .1]), np.array([.5, .4]))
    pairs = bound_pairs(post, box, -box.half, box.half)
    seen = _true_variances(post, np.random.default_rng(1).uniform([.2, .1], [.5, .4], (300, 2)))
    assert (pairs.var_low <= seen.min(0) + 1e-9)[off].all() and (seen.max(0) <= pairs.var_high
                                                                 + 1e-9)[off].all()


def test_W_without_cancellation():
    p, z = np.array([[.7, .2], [.2, .5], [.1, .3]]), np.random.default_rng(0).normal(size=(3, 3, 2))
    got = _apply_W(p, z)
    for i in range(2):
        np.testing.assert_allclose(got.w[..., i], z[..., i] @ (np.diag(p[:, i]) - np.outer(p[:, i], p[:, i])),
                                   atol=1e-14)
    assert (np.abs(got.w) <= got.size + 1e-15).all()
    e, err = z, np.full(z.shape, .01)
    form = _residuals(e, 0*err, got.pp)
    off = e[0] - e[2]
    expected = sum(off[:, i] @ (np.diag(p[:, i]) - np.outer(p[:, i], p[:, i])) @ off[:, i] for i in range(2))
    assert form[0, 2] == form[2, 0] == pytest.approx(1.0001*expected)
    assert (_residuals(e, err, got.pp)[0, 1:] > form[0, 1:]).all()


@pytest.mark.parametrize("C", [2, 3, 5])
@pytest.mark.parametrize("half", [.02, .2, 1.])
def test_cells_hold_no_sample_outside(C, half):
    post, rng = _model(4, C), np.random.default_rng(5)
    mid = rng.normal(size=2)*.7
    box = reduce_box(post, mid - half, mid + half)
    Z = np.vstack([mid[None], mid + half*rng.uniform(-1, 1, size=(120, 2))])
    p, (mean, _) = post.predict_proba(Z), post.latent(Z)
    pairs = bound_pairs(post, box, -box.half, box.half)
    gaps = mean[:, :, None] - mean[:, None]
    assert (pairs.mean_low <= gaps.min(0) + 1e-12).all() and (gaps.max(0) <= pairs.mean_high + 1e-12).all()
    for c, cell in enumerate(class_bounds(post, box, range(C), -box.half, box.half)):
        assert cell.low <= p[:, c].min() + 1e-8 and p[:, c].max() <= cell.high + 1e-8
        assert cell.value_low - 1e-8 <= p[0, c] <= cell.value_high + 1e-8
        assert cell.low <= cell.value_low and cell.value_high <= cell.high
        assert (cell.scores > 0).all()
        assert cell.value_high - cell.value_low < 2e-4 if C < 5 else .01
        if half == .02: assert cell.high - cell.low < .1


def _widths(post, box):
    pairs = bound_pairs(post, box, -box.half, box.half)
    off = ~np.eye(3, dtype=bool)
    cell, at = class_cell(pairs, 0, post.variance), pairs.at
    lows = [pairs.var_low[off], at.var_low[off], np.array([cell.low, cell.value_low])]
    highs = [pairs.var_high[off], at.var_high[off], at.form[off], at.residual[off], pairs.mean_err[off],
             np.array([cell.high, cell.value_high])]
    return lows, highs


def test_rounding_always_widens():
    "With a coarser arithmetic lower bounds fall and upper bounds rise: no allowance has the wrong sign."
    post = _model(6)
    box = reduce_box(post, np.array([-.1, .1]), np.array([.05, .2]))
    exact = _widths(post, box)
    with patch.dict(bound_pairs.__globals__, {"rounding": lambda n: 2e-6*n}): rough = _widths(post, box)
    for a, b in zip(exact[0], rough[0]): assert (b < a).all()
    for a, b in zip(exact[1], rough[1]): assert (b > a).all()


def test_each_allowance_by_itself():
    "The allowance of one difference's variance on the box, apart from that at the centre."
    post = _model(6)
    box = reduce_box(post, np.array([-.1, .1]), np.array([.05, .2]))
    exact = bound_pairs(post, box, -box.half, box.half)
    plain = rounding
    coarse = {"rounding": lambda n: 1e-3 if n == 16 else plain(n), "pair_centre": lambda *a: exact.at}
    with patch.dict(bound_pairs.__globals__, coarse):
        rough = bound_pairs(post, box, -box.half, box.half)
    off = ~np.eye(3, dtype=bool)
    margin = 1e-3*(4*post.variance + exact.at.form)
    np.testing.assert_allclose((rough.var_high - exact.var_high)[off], margin[off], rtol=1e-6)
    np.testing.assert_allclose((exact.var_low - rough.var_low)[off], margin[off], rtol=1e-6)


def test_polarisation():
    post = _model(7)
    at = pair_centre(post, post.kernel([[.1, -.2]])[0], 0.)
    cov, rest = post.latent([[.1, -.2]])[1][0], np.array([0, 2])
    T = np.array([[1., -1., 0.], [0., -1., 1.]])
    np.testing.assert_allclose(_centre_covariance(at, rest, 1), T @ cov @ T.T, atol=1e-7)
    wide = _shift(at, at.var_low - .1, at.var_high + .1, rest, 1, 0.)
    assert wide == pytest.approx(covariance_shift(np.array([[.1, .15], [.15, .1]])),
                                 rel=1e-5)     # three variances move by .1: (.1 + .1 + .1)/2


def test_the_shift_counts_the_rounding_of_the_variances():
    "With a prior variance of 1e12 the allowance is as large as a move of the variances by .1."
    post = _model(7)
    at, rest = pair_centre(post, post.kernel([[.1, -.2]])[0], 0.), np.array([0, 2])
    low, high, allowance = at.var_low - .1, at.var_high + .1, 1e-3
    plain, coarse = (_shift(at, low, high, rest, 1, s2) for s2 in (0., allowance/rounding(16)))
    moved = np.array([[.1, .15], [.15, .1]])
    assert coarse == pytest.approx(covariance_shift(moved + allowance), rel=1e-5) and coarse > plain*1.001
