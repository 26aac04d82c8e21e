"""Tests of nbs/gpc/03_rigour.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from fractions import Fraction
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.posterior import kernel

from reject_nb.gpc.rigour import quadratic_form, spectrum, variance_enclosure, verify_spectrum

def test_enclosure_holds_for_any_R():
    rng = np.random.default_rng(1)
    for seed in range(20):
        post = GPPosterior(rng.normal(size=(30, 2)), rng.normal(size=30), 10.**rng.uniform(-4, 1, 30), rng.uniform(.3, 3, 2), 10.**rng.uniform(-2, 3))
        Z = rng.normal(size=(10, 2))
        exact = post.latent(Z)[1]
        for R in (post.R, post.R.astype(np.float32), post.R + 10.**rng.uniform(-8, 0)*rng.normal(size=(30, 30)), np.zeros((30, 30))):
            lo, hi = variance_enclosure(post, Z, R)
            slop = 1e-9*post.variance                       # of `exact`, which is itself computed
            assert (lo <= exact + slop).all() and (hi >= exact - slop).all()


def test_enclosure_against_rational_arithmetic():
    "Two points, all inputs exact binary fractions except the kernel values, which are then taken as given."
    post = GPPosterior([[0.], [1.]], [1., 1.], [.5, 2.], 1., 2.)
    K = kernel(post.X, post.X, post.lengthscale, 2.); r = kernel(np.array([[.25]]), post.X, post.lengthscale, 2.)[0]
    a, b, d = Fraction(K[0, 0]) + 2, Fraction(K[0, 1]), Fraction(K[1, 1]) + Fraction(1, 2)
    r0, r1 = map(Fraction, r)
    value = 2 - (d*r0*r0 - 2*b*r0*r1 + a*r1*r1)/(a*d - b*b)
    lo, hi = variance_enclosure(post, [[.25]])
    assert lo[0] <= value <= hi[0] and hi[0] - lo[0] < 1e-12


def test_enclosure_is_sharp_for_a_good_inverse():
    rng = np.random.default_rng(2)
    post = GPPosterior(rng.normal(size=(80, 2)), rng.normal(size=80), rng.uniform(.1, .6, 80), [1., 1.], 1477.)
    lo, hi = variance_enclosure(post, rng.normal(size=(20, 2)))
    assert (hi - lo).max() < 1e-5                            # rounding at s^2 = 1477, worst-case constants


def test_verified_errors_cover_the_truth_in_long_double():
    rng = np.random.default_rng(3)
    post = GPPosterior(rng.normal(size=(50, 2)), rng.normal(size=50), rng.uniform(.02, .6, 50), [.8, 1.1], 40.)
    spec = spectrum(post)
    for V, lam in ((spec.U, spec.lam), (spec.U.astype(np.float32), spec.lam), (spec.U + 1e-4*rng.normal(size=(50, 50)), spec.lam)):
        got = verify_spectrum(post, V, lam)
        L = np.longdouble
        square = sum(((post.X[:, None, j].astype(L) - post.X[None, :, j])/post.lengthscale[j])**2 for j in range(2))
        S = np.sqrt(post.site_precision.astype(L))
        C = S[:, None]*post.variance*np.exp(-square/2)*S
        residual = (C - (got.U.astype(L)*got.lam) @ got.U.T.astype(L)).astype(float)
        assert np.linalg.norm(residual, 2) <= got.eps
        assert np.linalg.norm((got.U.T.astype(L) @ got.U.astype(L) - np.eye(50)).astype(float), 2) <= got.omega
    assert spec.eps < 1e-9


def test_quadratic_form_encloses_long_double():
    rng = np.random.default_rng(4)
    post = GPPosterior(rng.normal(size=(50, 2)), rng.normal(size=50), rng.uniform(.02, .6, 50), [.8, 1.1], 40.)
    spec = spectrum(post)
    r = kernel(rng.normal(size=(8, 2)), post.X, post.lengthscale, 40.)
    L = np.longdouble
    B = np.eye(50, dtype=L) + spec.S[:, None].astype(L)*kernel(post.X, post.X, post.lengthscale, 40.)*spec.S
    for q in (5, 20, 50):
        sr = spec.S*r
        p = sr @ spec.U[:, :q]
        z = sr - (p*(spec.lam[:q]/(1 + spec.lam[:q]))) @ spec.U[:, :q].T
        low, high, residual = quadratic_form(spec, q, z, sr, p, True)
        form = np.einsum("bi,ij,bj->b", z.astype(L), B, z.astype(L))
        off = np.linalg.norm((sr.astype(L) - z.astype(L) @ B).astype(float), axis=1)
        assert (low <= form).all() and (form <= high).all() and (off <= residual).all()
    assert (high - low).max() < 1e-8 and residual.max() < 1e-8
