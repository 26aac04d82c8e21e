"""Tests of nbs/gpc/06_race.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from reject_nb.gpc.directions import PURE
from reject_nb.gpc.directions import covariance_shift
from reject_nb.gpc.directions import three_directions
from reject_nb.gpc.logistic import logistic_mean
from scipy.special import logsumexp
from scipy.special import softmax

from reject_nb.gpc.race import (
    ARG, _add_orders, _chaos, _moments, _own_nodes, _race, _window, nearly_independent, race, softmax_mean,
    softmax_means,
)

def _differences(mean, cov, c):
    T = np.delete(np.eye(len(mean)), c, 0) - np.eye(len(mean))[c]
    return T @ mean, T @ cov @ T.T


def _sampled(mean, cov, n=400_000, seed=0):
    root = np.linalg.cholesky(cov + 1e-9*np.eye(len(mean)))
    f = mean + np.random.default_rng(seed).normal(size=(n, len(mean))) @ root.T
    p = np.exp(f - logsumexp(f, axis=1)[:, None])
    return p.mean(0), 5*p.std(0)/n**.5                                 # five standard errors


def _couplings(C, seed):
    delta = np.triu(np.random.default_rng(seed).choice([-1., 1.], size=(C, C)), 1)
    return delta + delta.T


def _form(p, delta, c):
    "D^2 p_c/p_c by the formula of Proposition 3's proof."
    dp = delta @ p
    A, w = p @ dp, delta[c] - 2*dp
    T = p @ (delta - dp[:, None] - dp + A)**2 @ p
    return 4*(A - dp[c])**2 + 4*T - 4*(p @ w**2 - (p @ w)**2)


@pytest.mark.parametrize("scale", [.1, .3])
@pytest.mark.parametrize("seed", range(4))
def test_race_against_three_directions(scale, seed):
    rng = np.random.default_rng(seed)
    A, mean = rng.normal(size=(4, 4))*scale, rng.normal(size=4)*2
    cov = np.diag(rng.uniform(.2, 3, 4)) + A @ A.T + .5
    values, errors = race(mean, cov)
    for c in range(4):
        assert abs(values[c] - three_directions(*_differences(mean, cov, c))[0]) <= errors[c] < .1
    assert abs(values.sum() - 1) < 1e-6


def test_independent_latent_functions_are_exact_up_to_a_common_shift():
    rng = np.random.default_rng(9)
    mean, cov = rng.normal(size=4), np.diag(rng.uniform(.1, 2, 4)) + 3.
    values, errors = race(mean, cov)
    for c in range(4): assert abs(values[c] - three_directions(*_differences(mean, cov, c))[0]) < 1e-6
    assert errors.max() < 1e-5


def test_the_first_order_is_the_derivative():
    "The correction is linear in delta and equals the slope of the exact value."
    mean, coupling = np.array([.3, -.2, .1]), _couplings(3, 1)
    coupling -= np.diag(np.diag(coupling))
    h, step = 2*math.pi*ARG/17, 1e-3
    nodes = _own_nodes(np.ones(3), 23.)
    independent, first, *_ = _race(mean, coupling, h, nodes)
    up, down = (three_directions(*_differences(mean, np.eye(3) + s*coupling, 0), 30.)[0]
                for s in (step, -step))
    assert abs(first[0] - (up - down)/(2*step)) < 1e-5 and abs(first.sum()) < 1e-6
    assert abs(independent.sum() - 1) < 1e-6
    slow = _race.py_func(mean, coupling, h, nodes)
    for got, expected in zip(slow, (independent, first)):
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_pieces_uncompiled():
    nodes = _own_nodes(np.array([.5]), 23.)
    got = _moments.py_func(2., nodes.growth[0], nodes.weight[0], nodes.counts[0])
    f = np.random.default_rng(1).normal(0, .5, 400_000)
    x = 2*np.exp(f)
    for k in range(3): assert abs(got[k] - (x**k*np.exp(-x)).mean()) < 3e-3
    assert got == pytest.approx(_moments(2., nodes.growth[0], nodes.weight[0], nodes.counts[0]), rel=1e-14)
    low, high, first = _window.py_func(np.array([0., 2.]), np.array([.1, 1.]))
    assert (low, high, first) == (-.75 - 3.7, 9.5, 0)
    split = [np.array([.2, .4]), np.array([.3, .1]), np.array([.5, .6]), np.array([1., 2.]),
             np.array([.1, -.2])]
    independent, order = np.zeros(2), np.zeros(2)
    _add_orders.py_func(*split, .7, .5, independent, order)
    np.testing.assert_allclose(independent, [.5*.4*.3, .5*.2*.1], rtol=1e-14)
    np.testing.assert_allclose(order, [.2*(.15*(.7 - .2) + .2*.1), .1*(.05*(.7 + .8) - .5*.2)], rtol=1e-14)


@pytest.mark.parametrize("C", [3, 5, 10])
def test_second_derivatives_stay_in_their_bounds(C):
    rng = np.random.default_rng(10)
    for seed in range(300):
        p = rng.dirichlet(np.full(C, rng.choice([.2, 1., 5.])))
        assert -4*(1 + 2**.5)**2 - 1e-9 <= _form(p, _couplings(C, seed), rng.integers(C)) <= 16 + 1e-9


def test_closed_form_of_the_second_derivative():
    """Against D applied twice to p_c as a polynomial.

    For the monomial M = p^k of degree K, D M = M [k'dk - 2K k'dp + K(K+1)A]."""
    rng = np.random.default_rng(10)
    p, delta = rng.dirichlet(np.ones(4)), rng.normal(size=(4, 4))
    delta = np.triu(delta, 1) + np.triu(delta, 1).T
    dp, c, e = delta @ p, 1, np.eye(4)
    A, twice = p @ dp, 0.
    pairs = [(2*delta[a, b], e[a] + e[b]) for a in range(4) for b in range(4)]
    for coef, extra in pairs + [(-2*delta[c, a],
                                 e[a]) for a in range(4)]:                     # D p_c = 2 p_c (A - B)
        k = e[c] + extra
        twice += coef*np.prod(p**k)*(k @ delta @ k - 2*k.sum()*(k @ dp) + k.sum()*(k.sum() + 1)*A)
    np.testing.assert_allclose(twice/p[c], _form(p, delta, c), rtol=1e-9)


def test_chaos_is_the_norm_of_the_rest():
    "Against quadrature of the squared ratio of two densities, order zero and one taken out."
    rho = .3
    x = np.linspace(-9, 9, 801)
    U, V = np.meshgrid(x, x)
    base = np.exp(-.5*(U*U + V*V))/(2*np.pi)
    joint = np.exp(-.5*(U*U - 2*rho*U*V + V*V)/(1 - rho**2))/(2*np.pi*math.sqrt(1 - rho**2))
    rest = joint - base*(1 + rho*U*V)
    norm = math.sqrt((rest**2/base).sum()*(x[1] - x[0])**2)
    assert abs(_chaos(np.array([2., 2.]), np.array([[0., .6], [.6, 0.]])) - norm) < 1e-6
    assert _chaos(np.array([0., 1.]), np.zeros((2, 2))) == np.inf and _chaos(np.ones(2),
                                                                             np.array([[0., 1.],
                                                                                       [1., 0.]])) == np.inf


def test_splits_add_up():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(5, 5))
    cov = A @ A.T
    for factor in (False, True):
        b, d, rest = nearly_independent(cov, factor)
        left = cov - np.outer(b, b) - np.diag(d) - rest  # main effects: every double difference is zero
        assert np.abs(left - left[:1] - left[:, :1] + left[0, 0]).max() < 1e-12
        assert np.abs(np.diag(rest)).max() == 0
    assert (nearly_independent(cov, True).rest**2).sum() < .5*(nearly_independent(cov).rest**2).sum()

HARD_COVARIANCES = [2000*np.ones((6, 6)) + np.diag([-40.] + [1000]*5), np.zeros((5, 5)),
                    400*np.eye(4) + 300, 1e-9*np.eye(7),
                    100*np.eye(10) + 90*(np.eye(10)[:, [0]] @ np.eye(10)[[1]]
                                         + np.eye(10)[:, [1]] @ np.eye(10)[[0]])]

@pytest.mark.parametrize("C", [5, 10])
def test_many_classes_against_samples(C):
    rng = np.random.default_rng(C)
    A, mean = rng.normal(size=(C, C))*.15, rng.normal(size=C)
    cov = np.diag(rng.uniform(.3, 2, C)) + A @ A.T
    values, errors = softmax_means(mean, cov)
    p, slack = _sampled(mean, cov)
    assert (np.abs(values - p) < errors + slack).all() and errors.max() < .02
    one, error = softmax_mean(*_differences(mean, cov, 1))
    assert abs(one - values[1]) <= error + errors[1] and error < .02
    few, few_errors = softmax_means(mean, cov, classes=[3, 1])
    assert (np.abs(few - values[[3, 1]]) <= few_errors + errors[[3, 1]]).all() and few_errors.max() < .02


def test_latent_functions_far_from_independent():
    rng = np.random.default_rng(11)
    a, mean = rng.normal(size=(6, 2))*2, rng.normal(size=6)
    cov = a @ a.T  # rank two: three directions are exact, the race is not
    values, errors = softmax_means(mean, cov)
    assert errors.max() < 1e-4 and race(mean, cov)[1].max() > .1 and abs(values.sum() - 1) < 1e-5
    b = rng.normal(size=6)
    cov = np.outer(b, b)*3 + np.diag(rng.uniform(.5, 2, 6)) + 1         # one common factor
    (plain, wide), (values, errors) = race(mean, cov), race(mean, cov, factor=True)
    p, slack = _sampled(mean, cov)
    assert wide.max() > .05 and errors.max() < 1e-4 and (np.abs(values - p) < errors + slack).all()
    assert (np.abs(plain - values) <= wide + errors).all() and softmax_means(mean, cov)[1].max() < 1e-4


@pytest.mark.parametrize("k", range(len(HARD_COVARIANCES)))
def test_hard_covariances_have_finite_bounds(k):
    cov = HARD_COVARIANCES[k]
    mean = np.random.default_rng(13).normal(size=len(cov))
    values, errors = softmax_means(mean, cov)
    p, slack = _sampled(mean, cov, 100_000)
    assert (errors >= 0).all() and (errors <= 1).all() and (values >= 0).all() and (values <= 1).all()
    assert (np.abs(values - p) < errors + slack + 1e-7).all()


def test_known_values():
    np.testing.assert_allclose(softmax_means(np.array([0., 1., 2., -1., .5]), np.zeros((5, 5)))[0],
                               softmax([0., 1., 2., -1., .5]), atol=1e-6)
    assert abs(softmax_mean(np.array([-.7]), np.array([[2.3]]), 30.)[0] - logistic_mean(.7, 2.3)) < 1e-10
    for C in (3, 4, 7): assert np.abs(softmax_means(np.ones(C), 2*np.eye(C) + 1)[0] - 1/C).max() < 1e-5


@pytest.mark.parametrize("seed", range(20))
def test_covariance_shift_holds_for_nine_classes(seed):
    rng = np.random.default_rng(seed)
    A, B, m = rng.normal(size=(8, 8))*.1, rng.normal(size=(8, 8))*.1, rng.normal(size=8)
    S, T = np.eye(8) + 1 + A @ A.T, np.eye(8) + 1 + A @ A.T + B @ B.T
    (v, e), (w, f) = softmax_mean(m, S), softmax_mean(m, T)
    assert abs(v - w) <= covariance_shift(np.abs(S - T)) + e + f


def test_a_covariance_that_rounding_made_indefinite_costs_what_its_lift_may_move():
    "Lifted by e on the diagonal, C variances move by e each: at most PURE e/2 each, which the error counts."
    mean = np.array([.3, -.2, .1, 0., -.4])
    base = np.full((5, 5), .5) + np.diag([1., 1.2, .8, 1., .9])
    vector = np.array([1., -1., 0., 0., 0.])/np.sqrt(2)
    bad = base - np.outer(vector, vector)*(vector @ base @ vector + 1e-3)
    lift = -float(np.linalg.eigvalsh(bad)[0])
    values, errors = softmax_means(mean, bad, target=1.)
    exact, own = race(mean, bad + lift*np.eye(5))
    assert 9e-4 < lift < .2 and (errors <= own + PURE*5*lift).all()
    assert (errors >= np.minimum(own, errors.min()) + .4*PURE*5*lift).all()


def _race_plainly(m, delta, h, nodes):
    "`_race` with arrays: first axis the grid, second the classes."
    C, s = len(m), nodes.spread
    low, high = (m - 7.5*s).max() - 3.7, (m + 7.5*s).max()
    n = int((high + 24 - low)/h) + 1
    y = low + h*np.arange(n + 1)
    x = np.exp(m - y[:, None])[:, :, None]*nodes.growth
    used = (np.arange(x.shape[2]) < nodes.counts[:, None]) & (x <= 700)
    e = np.where(used, nodes.weight*np.exp(-np.minimum(x, 700)), 0)
    psi0, psi1, psi2 = e.sum(2), (e*x).sum(2), (e*x*x).sum(2)
    v = np.where(psi0 > 1e-290, psi1/np.maximum(psi0, 1e-300), 0)
    others = h*np.stack([np.delete(psi0, c, 1).prod(1) for c in range(C)], 1)
    dv = v @ delta.T
    total = (v*dv).sum(1)[:, None]
    first = others*(.5*psi1*(total - 2*v*dv) + (psi2 - psi1)*dv)
    ahead = int(np.argmax(m - 7.5*s))
    tail = psi0[0, ahead] + psi1[0, ahead] + 1 - psi0[-1].min()
    return (others*psi1).sum(0), first.sum(0), tail, n*h


def _normals(spread, fine):
    "Nodes and weights of the trapezoidal rule for each spread, one class at a time."
    for s in spread:
        a = min(ARG/max(s, 1e-12), 6.)
        step = 2*np.pi*a/(fine + .5*a*a)
        u = step*np.arange(-int(math.sqrt(2*fine)/step) - 1, int(math.sqrt(2*fine)/step) + 2)
        yield np.exp(s*u), step*np.exp(-.5*u*u)/math.sqrt(2*np.pi)


@pytest.mark.parametrize("digits", [9., 16.])
@pytest.mark.parametrize("C", [3, 4, 6])
def test_the_kernel_against_plain_sums(C, digits):
    rng = np.random.default_rng(C)
    m, spread, delta = rng.normal(size=C), np.append(rng.uniform(.05, 1.4, C - 1), .001), _couplings(C, C)*.1
    nodes, h = _own_nodes(spread, digits + 7), 2*math.pi*ARG/(digits + 1)
    for j, (growth, weight) in enumerate(_normals(spread, digits + 7)):
        assert nodes.counts[j] == len(growth) and not nodes.weight[j, len(growth):].any()
        np.testing.assert_allclose(nodes.growth[j, :len(growth)], growth, rtol=1e-12)
        np.testing.assert_allclose(nodes.weight[j, :len(growth)], weight, rtol=1e-12)
        assert weight.sum() == pytest.approx(1, abs=1e-6)
    got, expected = _race(m, delta, h, nodes), _race_plainly(m, delta, h, nodes)
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-11)
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-9, atol=1e-13)
    assert got[2] == pytest.approx(expected[2], rel=1e-6, abs=1e-14) and got[3] == expected[3]


def _factors_step_by_step(cov, steps=60):
    "Principal factors: half of what is left first, then what the factor explains, at most d + b^2."
    C, b, best = len(cov), np.zeros(len(cov)), (np.inf,)
    for k in range(steps):
        left = cov - np.outer(b, b)
        effect = (left.sum(1) - np.diag(left) - (left.sum() - np.trace(left))/(2*C - 2))/(C - 2)
        left = left - effect[:, None] - effect
        own, rest = np.diag(left), left - np.diag(np.diag(left))
        if (rest**2).sum() < best[0]: best = (rest**2).sum(), b, own, rest
        common = rest + np.outer(b, b)
        np.fill_diagonal(common, np.minimum(b*b, own + b*b) if k else .5*own)
        values, vectors = np.linalg.eigh(common)
        b = vectors[:, -1]*math.sqrt(max(values[-1], 0))
    return best[1:]


def _chaos_plainly(d, delta):
    rho = np.linalg.eigvalsh(delta/np.sqrt(np.outer(d, d)))
    log, half = -.5*np.log1p(-rho**2).sum(), .5*(rho**2).sum()
    return math.sqrt(math.expm1(log) - half + 1e-14*(1 + math.exp(log)))


@pytest.mark.parametrize("factor", [False, True])
@pytest.mark.parametrize("case", ["near", "negative", "far", "factor"])
def test_the_error_is_the_sum_of_its_parts(case, factor):
    rng, C, digits = np.random.default_rng(8), 5, 12.
    size = {"near": .1, "negative": .02, "far": .35, "factor": .1}[case]
    A, mean = rng.normal(size=(C, C))*size, rng.normal(size=C)
    cov = A @ A.T + np.diag(rng.uniform(.5, 1.5, C)) + .3
    if case == "negative": cov += np.diag([-.9*cov[0, 0], 0, 0, 0, 0])
    if case == "factor": cov += np.outer(*[np.array([1., -1., .5, .2, -.3])]*2)
    b, own, delta = (np.zeros(C), *nearly_independent(cov)[1:]) if not factor else _factors_step_by_step(cov)
    values, errors = race(mean, cov, digits, factor)
    clipped, d, size = np.maximum(-own, 0).sum(), np.maximum(own, 0), np.abs(delta).sum()
    remainder, nodes = 3*np.abs(delta).max()**2, _own_nodes(np.sqrt(d), digits + 7)
    h = 2*math.pi*ARG/(digits + 1)
    chaos = _chaos_plainly(d, delta) if d.min() > 0 else np.inf
    z, mass = np.zeros(1), np.ones(1)
    if factor:
        strip = min(ARG/np.abs(b).max(), 6.)
        apart = 2*np.pi*strip/(digits + 1 + .5*strip**2)
        z = apart*np.arange(-int(6.5/apart) - 1, int(6.5/apart) + 2)
        mass = apart*np.exp(-.5*z*z)/math.sqrt(2*np.pi)
    runs = [_race_plainly(mean + b*u, delta, h, nodes) for u in z]
    first, second, tail = (sum(w*np.asarray(run[k]) for w, run in zip(mass, runs)) for k in range(3))
    width = max(run[3] for run in runs)
    grid = 2.02*(2 + 3*size)*math.exp(-digits - 1)
    error = grid + (1 + size)*(tail + 12*C*(width + 1)*math.exp(-digits - 7)) + .5*PURE*clipped
    error += (grid + 2e-10*(1 + size))*factor
    error += 1e-14*(8 + np.abs(mean).max() + 8*np.sqrt(d).max())*(width + 1)
    high = (np.maximum(first, first + second) + error)/(1 - remainder) if remainder < .5 else np.inf
    spare = np.clip(first, 0, 1)
    error = error + np.minimum(remainder*high, chaos*(np.sqrt(spare*(1 - spare)) + np.sqrt(error)))
    np.testing.assert_allclose(values, first + second, rtol=1e-8)
    np.testing.assert_allclose(errors, error, rtol=1e-6)


def test_where_the_race_says_nothing():
    cov = np.eye(4)
    assert np.isfinite(race(np.zeros(4), cov)[1]).all()
    for bad in (np.diag([-40., 1., 1., 1.]), 1e4*cov):
        values, errors = race(np.zeros(4), bad)
        assert (values == .5).all() and np.isinf(errors).all()
