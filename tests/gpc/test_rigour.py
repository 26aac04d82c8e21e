"""Tests of nbs/gpc/09_rigour.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.gpc.inference import kernel
from reject_nb.gpc.posterior import GPPosterior

from reject_nb.gpc.rigour import (
    Spectrum, UNIT, _residual, quadratic_form, rounding, shrunk, spectrum, variance_enclosure,
    verify_spectrum,
)

def _some_posterior(seed, n=30, variance=None):
    rng = np.random.default_rng(seed)
    return GPPosterior(rng.normal(size=(n, 2)), rng.normal(size=n), 10.**rng.uniform(-4, 1, n),
                       rng.uniform(.3, 3, 2),
                       10.**rng.uniform(-2, 3) if variance is None else variance)


@pytest.mark.parametrize("seed", range(20))
def test_enclosure_holds_for_any_R(seed):
    rng, post = np.random.default_rng(seed), _some_posterior(seed)
    Z = rng.normal(size=(10, 2))
    exact = post.latent(Z)[1]
    noise = 10.**rng.uniform(-8, 0)*rng.normal(size=(30, 30))
    for R in (post.R, post.R.astype(np.float32), post.R + noise, np.zeros((30, 30))):
        lo, hi = variance_enclosure(post, Z, R)
        slop = 1e-9*post.variance                       # of `exact`, which is itself computed
        assert (lo <= exact + slop).all() and (hi >= exact - slop).all() and (lo >= 0).all()
        assert (hi <= post.variance).all()


def test_enclosure_against_rational_arithmetic():
    "Two points, all inputs exact binary fractions except the kernel values, which are then taken as given."
    post = GPPosterior([[0.], [1.]], [1., 1.], [.5, 2.], 1., 2.)
    K = kernel(post.X, post.X, post.lengthscale, 2.)
    r = kernel(np.array([[.25]]), post.X, post.lengthscale, 2.)[0]
    a, b, d = Fraction(K[0, 0]) + 2, Fraction(K[0, 1]), Fraction(K[1, 1]) + Fraction(1, 2)
    r0, r1 = map(Fraction, r)
    value = 2 - (d*r0*r0 - 2*b*r0*r1 + a*r1*r1)/(a*d - b*b)
    lo, hi = variance_enclosure(post, [[.25]])
    assert lo[0] <= value <= hi[0] and hi[0] - lo[0] < 1e-12


def test_identity_against_rational_arithmetic():
    "L and the residual for a wrong w, and their stated errors."
    rng = np.random.default_rng(6)
    r, w, W = rng.uniform(.1, 1, (1, 3)), rng.normal(size=(1, 3)), np.array([.5, 2., 1.3])
    K = np.exp(-np.abs(np.subtract.outer(np.arange(3.), np.arange(3.))))
    got = _residual(r, w, K, W, 1., 0.)
    F = np.vectorize(Fraction)
    fr, fw, fK, fW = F(r[0]), F(w[0]), F(K), F(W)
    e = fr - fK @ fw - fw/fW
    low = 2*(fw*fr).sum() - (fw*(fK @ fw)).sum() - (fw*fw/fW).sum()
    assert abs(Fraction(got.low[0]) - low) <= got.low_err[0] < 1e-13
    assert all(abs(Fraction(a) - b) <= c for a, b,
               c in zip(got.e[0], e, got.e_err[0])) and got.e_err.max() < 1e-13


def test_one_point_by_hand():
    post = GPPosterior([[0.]], [1.], [.5], 1., 2.)
    low, high = variance_enclosure(post, [[0.]], [[.2]])
    assert low[0] == pytest.approx(.96, abs=1e-12) and high[0] == pytest.approx(1.04, abs=1e-12)
    assert low[0] < .96 and high[0] > 1.04


def test_enclosure_is_sharp_for_a_good_inverse():
    rng = np.random.default_rng(2)
    post = GPPosterior(rng.normal(size=(80, 2)), rng.normal(size=80), rng.uniform(.1, .6, 80), [1., 1.],
                       1477.)
    lo, hi = variance_enclosure(post, rng.normal(size=(20, 2)))
    assert (hi - lo).max() < 1e-5                            # rounding at s^2 = 1477, worst-case constants


def test_sites_of_zero_precision_and_bad_input():
    full = GPPosterior([[0.], [1.]], [1., 1.], [.5, 0.], 1., 2.)
    less = GPPosterior([[0.]], [1.], [.5], 1., 2.)
    np.testing.assert_allclose(variance_enclosure(full, [[.3]]), variance_enclosure(less, [[.3]]), rtol=1e-12)
    with pytest.raises(ValueError, match="R must"): variance_enclosure(full, [[.3]], np.eye(3))
    assert rounding(1) > 2*UNIT and rounding(1) == pytest.approx(2*UNIT, rel=1e-12)
    assert rounding(2**51) == pytest.approx(2*.25/.75)


def _long_double_SKS(post):
    L = np.longdouble
    square = sum(((post.X[:, None, j].astype(L) - post.X[None, :,
                                                         j])/post.lengthscale[j])**2 for j in range(post.d))
    S = np.sqrt(post.site_precision.astype(L))
    return S[:, None]*post.variance*np.exp(-square/2)*S


@pytest.mark.parametrize("spoil", [lambda V, rng: V, lambda V, rng: V.astype(np.float32), lambda V,
                                   rng: V + 1e-4*rng.normal(size=V.shape),
                                   lambda V, rng: 1.1*V])
def test_verified_errors_cover_the_truth_in_long_double(spoil):
    rng = np.random.default_rng(3)
    post = GPPosterior(rng.normal(size=(50, 2)), rng.normal(size=50), rng.uniform(.02, .6, 50), [.8, 1.1],
                       40.)
    spec = spectrum(post)
    got = verify_spectrum(post, spoil(spec.vectors, rng), spec.values)
    V = got.vectors.astype(np.longdouble)
    residual = np.linalg.norm((_long_double_SKS(post) - (V*got.values) @ V.T).astype(float), 2)
    overlap = np.linalg.norm((V.T @ V - np.eye(50)).astype(float), 2)
    # a Frobenius norm is up to sqrt(50) larger
    assert residual <= got.eps <= 20*residual + 1e-9 and overlap <= got.omega <= 20*overlap + 1e-9


def test_spectrum_is_kept_and_sorted():
    post = _some_posterior(1)
    spec = spectrum(post)
    assert spectrum(post) is spec and (np.diff(spec.values) <= 0).all() and (spec.values >= 0).all()
    np.testing.assert_allclose(spec.shrink, spec.values/(1 + spec.values))


def test_the_allowance_covers_the_worst_signs():
    "|U| has norm sqrt(q): eigenvectors of one size, a z that makes all roundings of a product count."
    from scipy.linalg import hadamard
    n, q = 64, 60
    spec = Spectrum(S=np.ones(n), vectors=hadamard(n)/8., values=np.full(n, 1e4), eps=0., omega=0.)
    z = np.random.default_rng(0).uniform(.9, 1.1, (20, n))
    sr, p = z, z @ spec.vectors[:, :q]
    got = quadratic_form(spec, q, z, sr, p, True)
    size = np.sqrt((z*z).sum(1))
    lam_p = np.sqrt(((p*1e4)**2).sum(1))
    assert ((got.high - got.low) >= 8*rounding(n + q + 8)*size*lam_p*np.sqrt(q)).all()


@pytest.mark.parametrize("q", [1, 5, 20, 50])
@pytest.mark.parametrize("rigorous", [True, False])
def test_quadratic_form_encloses_long_double(q, rigorous):
    rng = np.random.default_rng(4)
    post = GPPosterior(rng.normal(size=(50, 2)), rng.normal(size=50), rng.uniform(.02, .6, 50), [.8, 1.1],
                       40.)
    spec, L = spectrum(post), np.longdouble
    sr = spec.S*kernel(rng.normal(size=(8, 2)), post.X, post.lengthscale, 40.)
    B = np.eye(50, dtype=L) + _long_double_SKS(post)
    z, p = shrunk(spec, q, sr)
    V, values = spec.vectors[:, :q], spec.values[:q]
    np.testing.assert_allclose(z, sr - sr @ V @ np.diag(values/(1 + values)) @ V.T, atol=1e-12)
    low, high, residual = quadratic_form(spec, q, z, sr, p, rigorous)
    form = np.einsum("bi,ij,bj->b", z.astype(L), B, z.astype(L))
    off = np.linalg.norm((sr.astype(L) - z.astype(L) @ B).astype(float), axis=1)
    slop = 0. if rigorous else 1e-9
    assert (low <= form + slop).all() and (form <= high + slop).all() and (off <= residual + slop).all()
    if q == 50: assert (high - low).max() < 1e-8 and residual.max() < 1e-8
    else:
        assert (high - low).max() < 2*spec.values[q]*(z*z).sum(1).max()
        assert residual.max() < 2*spec.values[q]*np.linalg.norm(z, axis=1).max()


def test_bad_eigenpairs_widen_the_enclosure():
    rng = np.random.default_rng(5)
    post = GPPosterior(rng.normal(size=(40, 2)), rng.normal(size=40), rng.uniform(.02, .6, 40), [.8, 1.1],
                       40.)
    good = spectrum(post)
    bad = verify_spectrum(post, good.vectors + 1e-3*rng.normal(size=(40, 40)), good.values)
    sr = good.S*kernel(rng.normal(size=(6, 2)), post.X, post.lengthscale, 40.)
    B = np.eye(40, dtype=np.longdouble) + _long_double_SKS(post)
    for q in (8, 40):
        z, p = shrunk(bad, q, sr)
        low, high, residual = quadratic_form(bad, q, z, sr, p, True)
        form = np.einsum("bi,ij,bj->b", z, B, z)
        off = np.linalg.norm((sr - z @ B).astype(float), axis=1)
        assert (low <= form).all() and (form <= high).all() and (off <= residual).all()
