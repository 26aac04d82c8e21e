"""Tests of nbs/gpc/09_multiclass.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from reject_nb.gpc.posterior import kernel
from reject_nb.gpc.posterior import logistic_mean
from reject_nb.gpc.search import Ball
from scipy.special import logsumexp

from reject_nb.gpc.multiclass import (
    MIXED, MulticlassPosterior, PURE, conditional_product, covariance_shift, fit_multiclass_gpc,
    multiclass_is_safe, multiclass_range, pair_centre, race, softmax_mean, softmax_means, three_classes,
    three_directions,
)

def test_softmax_mean_within_its_error():
    rng = np.random.default_rng(1)
    for C in (2, 3, 4, 6):
        A = rng.normal(size=(C - 1, C - 1))*.8
        m, S = rng.normal(size=C - 1), A @ A.T
        value, error = softmax_mean(m, S)
        fine, _ = softmax_mean(m, S, 30.)
        sample = np.exp(-logsumexp(np.column_stack([np.zeros(200_000), rng.multivariate_normal(m, S, 200_000)]), axis=1))
        assert abs(value - fine) <= error and abs(value - sample.mean()) < error + 5*sample.std()/200_000**.5    # five standard errors


def test_race_against_three_directions_and_samples():
    rng = np.random.default_rng(9)
    T = np.delete(np.eye(4), 2, 0) - np.eye(4)[2]
    for scale in (.1, .3):
        A, mean = rng.normal(size=(4, 4))*scale, rng.normal(size=4)*2
        cov = np.diag(rng.uniform(.2, 3, 4)) + A @ A.T + .5
        values, errors = race(mean, cov)
        exact, _ = three_directions(T @ mean, T @ cov @ T.T)
        assert abs(values[2] - exact) <= errors[2] < .03 and abs(values.sum() - 1) < 1e-6
    diagonal = np.diag(rng.uniform(.1, 2, 4))
    values, errors = race(mean, diagonal + 3.)         # independent up to a common shift: exact
    assert abs(values[2] - three_directions(T @ mean, T @ diagonal @ T.T)[0]) < 1e-6 and errors.max() < 1e-5
    for C in (5, 10):
        A, mean = rng.normal(size=(C, C))*.15, rng.normal(size=C)
        cov = np.diag(rng.uniform(.3, 2, C)) + A @ A.T
        values, errors = softmax_means(mean, cov)
        f = rng.multivariate_normal(mean, cov, 400_000)
        p = np.exp(f - logsumexp(f, axis=1)[:, None])
        assert (np.abs(values - p.mean(0)) < errors + 5*p.std(0)/400_000**.5).all() and errors.max() < .02    # five standard errors
        one = softmax_mean((mean - mean[1])[np.arange(C) != 1], (cov + cov[1, 1] - cov[:, [1]] - cov[[1]])[np.ix_(np.arange(C) != 1, np.arange(C) != 1)])
        assert abs(one[0] - values[1]) < 1e-6


def test_remainder_of_the_race():
    "The fourth derivative along delta has the closed form of the text, and its bounds hold."
    rng = np.random.default_rng(10)
    for C in (3, 5, 10):
        for _ in range(300):
            p = rng.dirichlet(np.full(C, rng.choice([.2, 1., 5.])))
            delta = np.triu(rng.choice([-1., 1.], size=(C, C)), 1)
            delta += delta.T
            dp = delta @ p
            A, c = p @ dp, rng.integers(C)
            T = p @ (delta - dp[:, None] - dp + A)**2 @ p
            w = delta[c] - 2*dp
            form = 4*(A - dp[c])**2 + 4*T - 4*(p @ w**2 - (p @ w)**2)
            assert -4*(1 + 2**.5)**2 - 1e-9 <= form <= 16 + 1e-9
    # the closed form against D applied twice to p_c as a polynomial: D M = M [k'dk - 2K k'dp + K(K+1)A] for the monomial M = p^k of degree K
    p, delta = rng.dirichlet(np.ones(4)), rng.normal(size=(4, 4))
    delta = np.triu(delta, 1) + np.triu(delta, 1).T
    dp, c = delta @ p, 1
    A, e, twice = p @ dp, np.eye(4), 0.
    T, w = p @ (delta - dp[:, None] - dp + A)**2 @ p, delta[c] - 2*dp
    for coef, extra in [(2*delta[a, b], e[a] + e[b]) for a in range(4) for b in range(4)] + [(-2*delta[c, a], e[a]) for a in range(4)]:    # D p_c = 2 p_c (A - B)
        k = e[c] + extra
        twice += coef*np.prod(p**k)*(k @ delta @ k - 2*k.sum()*(k @ dp) + k.sum()*(k.sum() + 1)*A)
    np.testing.assert_allclose(twice/p[c], 4*(A - dp[c])**2 + 4*T - 4*(p @ w**2 - (p @ w)**2), rtol=1e-9)


def test_latent_functions_far_from_independent():
    rng = np.random.default_rng(11)
    a = rng.normal(size=(6, 2))*2
    cov, mean = a @ a.T, rng.normal(size=6)                             # rank two: three directions are exact, the race is not
    values, errors = softmax_means(mean, cov)
    assert errors.max() < 1e-4 and race(mean, cov)[1].max() > .1 and abs(values.sum() - 1) < 1e-5
    b = rng.normal(size=6)
    cov = np.outer(b, b)*3 + np.diag(rng.uniform(.5, 2, 6)) + 1         # one common factor
    (plain, wide), (values, errors) = race(mean, cov), race(mean, cov, factor=True)
    f = rng.multivariate_normal(mean, cov, 400_000)
    p = np.exp(f - logsumexp(f, axis=1)[:, None])
    assert wide.max() > .05 and errors.max() < 1e-4 and (np.abs(values - p.mean(0)) < errors + 5*p.std(0)/400_000**.5).all()    # five standard errors
    assert (np.abs(plain - values) <= wide + errors).all() and softmax_means(mean, cov)[1].max() < 1e-4


def test_two_classes_are_the_logistic_model():
    "For two classes the softmax of (f_0, f_1) is the logistic function of their difference."
    value, error = softmax_mean(np.array([-.7]), np.array([[2.3]]), 30.)
    assert abs(value - logistic_mean(.7, 2.3)) < 1e-10


def test_covariance_bound_holds():
    rng = np.random.default_rng(2)
    for _ in range(200):
        A, B = rng.normal(size=(2, 2, 2))
        m, S, T = rng.normal(size=2), A @ A.T, A @ A.T + .2*B @ B.T
        (v, e), (w, f) = softmax_mean(m, S), softmax_mean(m, T)
        assert abs(v - w) <= covariance_shift(np.abs(S - T)) + e + f
    for _ in range(20):
        A, B, m = rng.normal(size=(8, 8))*.1, rng.normal(size=(8, 8))*.1, rng.normal(size=8)
        S, T = np.eye(8) + 1 + A @ A.T, np.eye(8) + 1 + A @ A.T + B @ B.T
        (v, e), (w, f) = softmax_mean(m, S), softmax_mean(m, T)
        assert abs(v - w) <= covariance_shift(np.abs(S - T)) + e + f


def test_hard_covariances_have_finite_bounds():
    rng = np.random.default_rng(13)
    hard = [2000*np.ones((6, 6)) + np.diag([-40.] + [1000]*5), 100*np.eye(10) + 90*(np.eye(10)[:, [0]] @ np.eye(10)[[1]] + np.eye(10)[:, [1]] @ np.eye(10)[[0]]), np.zeros((5, 5)), 400*np.eye(4) + 300, 1e-9*np.eye(7)]
    for cov in hard:
        C = len(cov)
        mean = rng.normal(size=C)
        values, errors = softmax_means(mean, cov)
        f = mean + rng.normal(size=(100_000, C)) @ np.linalg.cholesky(cov + 1e-9*np.eye(C)).T
        p = np.exp(f - logsumexp(f, axis=1)[:, None])
        assert (errors >= 0).all() and (errors <= 1).all() and (values >= 0).all() and (values <= 1).all()
        assert (np.abs(values - p.mean(0)) < errors + 5*p.std(0)/100_000**.5 + 1e-7).all()


def test_probabilities_of_models_with_large_variance():
    C, rng = 10, np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + 3*np.array([[np.cos(2*np.pi*(i % C)/C), np.sin(2*np.pi*(i % C)/C)] for i in range(120)])
    post = fit_multiclass_gpc(X, np.arange(120) % C, max_evaluations=0, variance=87.6, lengthscale=3.)
    x = np.array([[3.8907461994015717, -1.037017588393395]])
    (mean,), (cov,) = post.latent(x)
    f = rng.multivariate_normal(mean, cov, 400_000)
    p = np.exp(f - logsumexp(f, axis=1)[:, None])
    assert np.abs(post.predict_proba(x)[0] - p.mean(0)).max() < 5*p.std(0).max()/400_000**.5 + 5e-4     # five standard errors, and those of 16,384 Sobol points


def test_many_classes_share_one_unit():
    rng = np.random.default_rng(12)
    for C in (3, 6, 10):
        for _ in range(500):
            p = rng.dirichlet(np.full(C, rng.choice([.1, 1., 10.])))
            change = rng.uniform(0, rng.uniform(0, 1), size=(C - 1, C - 1))
            change = np.maximum(change, change.T)
            q, phi = p[1:], p[0]
            off = change - np.diag(np.diag(change))
            assert .5*phi*(q*np.abs(2*q - 1) @ np.diag(change) + 2*q @ off @ q) <= covariance_shift(change) + 1e-12


def test_second_derivatives_are_bounded():
    rng = np.random.default_rng(3)
    g = rng.normal(0, 2, size=(200_000, 2))
    p = np.exp(g - logsumexp(np.column_stack([np.zeros(len(g)), g]), axis=1)[:, None])     # p_j = e^g_j/(1 + sum)
    p0 = 1 - p.sum(1)
    assert np.abs(p0*p[:, 0]*(2*p[:, 0] - 1)).max() <= PURE + 1e-12 and np.abs(2*p0*p[:, 0]*p[:, 1]).max() <= MIXED + 1e-12


def test_latent_covariance_against_the_plain_formula():
    post = three_classes()
    C, n = post.alpha.shape
    W = np.zeros((C*n, C*n))
    for i in range(n):
        p = post.prob[:, i]
        W[np.ix_(np.arange(C)*n + i, np.arange(C)*n + i)] = np.diag(p) - np.outer(p, p)
    big = np.kron(np.eye(C), post.K)
    x = np.array([[.3, .2]])
    r = kernel(x, post.X, post.lengthscale, post.variance)[0]
    Q = np.kron(np.eye(C), r[None])
    plain = post.variance*np.eye(C) - Q @ W @ np.linalg.solve(np.eye(C*n) + big @ W, Q.T)
    np.testing.assert_allclose(post.latent(x)[1][0], plain, atol=1e-8)
    np.testing.assert_allclose(post.alpha, (np.eye(3)[np.repeat([0, 1, 2], n//3)].T - post.prob), atol=1e-6)


def test_certified_ranges_hold_no_sample_outside():
    rng = np.random.default_rng(4)
    post = three_classes(4)
    for half in (.02, .15):
        mid = rng.normal(size=2)*.7
        p = post.predict_proba(mid + half*rng.uniform(-1, 1, size=(150, 2)))
        for c in range(3):
            r = multiclass_range(post, mid - half, mid + half, c, tol=.05, max_boxes=40)
            assert r.min_lower <= p[:, c].min() + 1e-8 and p[:, c].max() <= r.max_upper + 1e-8
            assert r.status in ("optimal", "max_boxes") and (r.status != "optimal" or r.gap <= .05 + 1e-12)


def test_variances_of_pairs_are_enclosed_whatever_the_weights():
    post = three_classes(3)
    r = kernel(np.array([[.3, .2]]), post.X, post.lengthscale, post.variance)[0]
    cov = post.latent([[.3, .2]])[1][0]
    true = np.diag(cov)[:, None] + np.diag(cov)[None] - 2*cov
    off, widths = ~np.eye(3, dtype=bool), []
    for noise in (0., 1e-6, 1e-2):
        class Perturbed(MulticlassPosterior):
            def weights(self, r): return (w := super().weights(r))*(1 + noise*np.random.default_rng(0).normal(size=w.shape))
        at = pair_centre(Perturbed(post.X, post.alpha, post.prob, post.lengthscale, post.variance), r, 0.)
        assert (at.var_low <= true)[off].all() and (true <= at.var_high)[off].all()
        widths.append((at.var_high - at.var_low)[off].max())
    assert widths[0] < 1e-8 and widths[2] > 100*widths[0]                       # sharp for good weights, wide for bad ones


def test_balls_are_cut_out_of_the_box():
    rng, post = np.random.default_rng(7), three_classes(4)
    x = np.array([.2, .1])
    for p in (1, 2):
        ball = Ball(x, .3, p)
        r = multiclass_range(post, x - .3, x + .3, 0, tol=.03, ball=ball)
        Z = x + .3*rng.uniform(-1, 1, size=(400, 2))
        Z = Z[ball.norm(Z - x) <= .3]
        seen = post.predict_proba(Z)[:, 0]
        assert r.min_lower <= seen.min() and seen.max() <= r.max_upper and r.status == "optimal"
        for z in (r.x_min, r.x_max): assert ball.norm(z - x) <= .3*(1 + 1e-9)
        box = multiclass_range(post, x - .3, x + .3, 0, tol=.03)
        assert r.max_upper < box.max_upper and r.min_lower > box.min_lower       # the corners hold the extremes here


def test_many_classes_give_sound_bounds():
    X = np.random.default_rng(8).normal(size=(40, 2))*2
    for C in (5, 10):
        post = fit_multiclass_gpc(X, np.arange(40) % C, max_evaluations=0, lengthscale=1.5, variance=2.)
        r = multiclass_range(post, [0, 0], [.1, .1], 1, tol=.05, max_boxes=6)
        p = post.predict_proba(np.random.default_rng(C).uniform(0, .1, size=(10, 2)))[:, 1]
        assert 0 <= r.min_lower <= p.min() + 1e-9 and p.max() - 1e-9 <= r.max_upper <= 1
        point = multiclass_range(post, [.1, .1], [.1, .1], 1)
        assert point.gap < .002 and (post.predict_proba(X) >= 0).all()             # sharp where the box is a point
        np.testing.assert_allclose(post.predict_proba(X).sum(1), 1, atol=1e-12)


def test_safety_of_several_classes():
    post = three_classes(5)
    x = np.array([0., 2.])
    assert multiclass_is_safe(post, x, x - .05, x + .05)[0] == "safe"
    word, z, _ = multiclass_is_safe(post, x, x - 3, x + 3)
    assert word == "unsafe" and post.predict_proba(z[None])[0].argmax() != post.predict_proba(x[None])[0].argmax()


def test_proposition_4_needs_a_plus():
    mean, cov = np.zeros(2), np.array([[1., .9], [.9, 1.]])
    cell = np.array([[1., 1.3], [1., 1.3]])
    true = np.mean([(lambda z: ((z > cell[:, 0]) & (z < cell[:, 1])).all(1))(np.random.default_rng(6).multivariate_normal(mean, cov, 200_000))])
    low, high = conditional_product(mean, cov, cell)
    assert low <= true <= high and not conditional_product(mean, cov, cell, -1.)[0] <= true <= conditional_product(mean, cov, cell, -1.)[1]


def test_multiclass_save_load_and_bad_input():
    post = three_classes()
    with tempfile.TemporaryDirectory() as folder: back = MulticlassPosterior.load(post.save(folder + "/m"))
    np.testing.assert_array_equal(post.predict_proba([[.1, .2]]), back.predict_proba([[.1, .2]]))
    for name, call in (("y", lambda: fit_multiclass_gpc(np.eye(3), [0, 1, np.nan])), ("max_evaluations", lambda: fit_multiclass_gpc(np.eye(3), [0, 1, 2], -1)), ("max_evaluations", lambda: fit_multiclass_gpc(np.eye(3), [0, 1, 2], "a")),
                       ("lengthscale", lambda: fit_multiclass_gpc(np.eye(3), [0, 1, 2], 0, np.ones(2))), ("classes", lambda: MulticlassPosterior(np.eye(2), np.ones((2, 2)), np.full((2, 2), .5), 1., 1., ["a"])),
                       ("y", lambda: fit_multiclass_gpc(np.eye(3), [0, 0, 0])), ("y", lambda: fit_multiclass_gpc(np.eye(3), [0, 1])), ("X", lambda: fit_multiclass_gpc([[np.nan]], [0])),
                       ("target", lambda: multiclass_range(post, [0, 0], [1, 1], 7)), ("lower", lambda: multiclass_range(post, [1, 0], [0, 1], 0)), ("variance", lambda: MulticlassPosterior(np.eye(2), np.ones((2, 2)), np.full((2, 2), .5), 1., 1e7)), ("prob", lambda: MulticlassPosterior(np.eye(2), np.ones((3, 2)), np.ones((3, 2)), 1., 1.))):
        with pytest.raises(ValueError, match=name): call()
