"""Tests of nbs/gpc/36_kernel_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from flint import arb
from flint import arb_mat
from flint import ctx
from reject_nb.gpc.kernel_certificate import LatentGaussian
from reject_nb.gpc.kernel_certificate import _forms
from reject_nb.gpc.kernel_certificate import at_points
from reject_nb.gpc.kernel_certificate import check_names
from reject_nb.gpc.kernel_certificate import joint_minima
from reject_nb.gpc.kernel_certificate import problem_of
from reject_nb.gpc.kernel_terms import frame_box
from reject_nb.gpc.kernel_terms import kernel_at
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern32
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import White
from unittest import mock

from reject_nb.gpc.kernel_certificate import _factor

KERNELS = {"squared exponential": SquaredExponential(1.5, [.8, 1.2]), "Matern 1/2": Matern12(1., 1.5),
           "Matern 5/2": Matern52(2., .9),
           "rational quadratic": RationalQuadratic(1., 1., .7),
           "linear": Linear(.5) + Constant(1.) + White(.1),
           "sum": Matern32(1., 1., dims=(0,)) + Linear(.3, dims=(1,)),
           "product": Matern52(1., 1.5)*(Linear(.4) + Constant(1.))}
MODELS = ["exact", "variational", "indefinite", "nothing learnt"]

def _model(kernel, kind, seed=0, n=12):
    "Arrays of a posterior of each kind."
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 2))
    K = kernel.matrix(Z, Z)
    Kj = K + 1e-4*np.eye(n)
    if kind == "exact": A = np.linalg.inv(K + np.diag(rng.uniform(.1, 2, n)))
    elif kind == "nothing learnt": A = np.zeros((n, n))
    else:
        B = rng.normal(size=(n, n))*(.2 if kind == "variational" else .7)/np.sqrt(n)
        Li = np.linalg.inv(np.linalg.cholesky(Kj))
        A = Li.T @ (np.eye(n) - 3*B @ B.T) @ Li
    return LatentGaussian(kernel, Z, rng.normal(size=n), .5*(A + A.T), mean=.3)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("kind", MODELS)
def test_mean_less_variance_is_bounded(name, kind):
    model, rng = _model(KERNELS[name], kind), np.random.default_rng(1)
    for h in (.02, .3, 2.):
        c = model.Z[0] + rng.normal(size=2)*.5
        problem = problem_of(model, frame_box((model.terms,), c - h, c + h))
        cells, kappa = (c[None] - h, c[None] + h, c[None]), np.array([[0., .7, -.7, 1., -1.]])
        weight = np.array([1., 1., -1., 0., 0.])
        got = joint_minima(problem, cells, at_points(problem, cells[2]), weight, kappa).low[0]
        X = c + h*np.vstack([rng.uniform(-1, 1, (1500, 2)), rng.choice([-1, 0, 1], (30, 2))])
        r = model.kernel.matrix(X, model.Z)
        var = model.kernel.diagonal(X) - np.einsum("ij,ij->i", r @ model.matrix, r)
        values = np.outer(r @ model.weights + .3, weight) - np.outer(var, kappa[0])
        assert (got <= values.min(0) + 1e-12*(1 + np.abs(values).max())).all()
        least = .02*(1 + 5*(name == "Matern 1/2"))*(1 + max(model.spread.g, model.spread.rho))
        if h == .02: assert (values.min(0) - got <= least).all()


@pytest.mark.parametrize("name", KERNELS)
def test_the_spread_of_known_forms(name):
    assert _model(KERNELS[name], "exact").spread.g < 1 + 1e-9
    assert _model(KERNELS[name], "exact").spread.rho < 1e-6
    zero = _model(KERNELS[name], "nothing learnt").spread
    assert zero.g == zero.rho == 0


def test_the_spread_is_that_of_the_matrix():
    model = _model(KERNELS["Matern 5/2"], "indefinite")
    K = model.kernel.matrix(model.Z, model.Z)
    values = np.linalg.eigvals(model.matrix @ K).real
    assert model.spread.rho > .3
    assert model.spread.rho == pytest.approx(-values.min(), rel=1e-6)
    assert model.spread.g == pytest.approx(values.max(), rel=1e-6)


def _exact_variance(model, x):
    "Variance at a point for a squared exponential of length-scale 1, in ball arithmetic."
    ctx.prec = 300
    def k(a, b):
        square = sum((arb(float(p)) - arb(float(q)))**2 for p, q in zip(a, b))
        return arb(float(model.kernel.variance))*(-square/2).exp()
    r = arb_mat([[k(x, z)] for z in model.Z])
    A = arb_mat([[arb(float(v)) for v in row] for row in model.matrix])
    return arb(float(model.kernel.variance)) - (r.transpose()*A*r)[0, 0]


@pytest.mark.parametrize("jitter", [1e-2, 1e-6, 1e-10])
def test_the_variance_is_enclosed_where_the_matrix_is_badly_conditioned(jitter):
    kernel, Z = SquaredExponential(1., 1.), np.linspace(-1, 1, 30)[:, None]
    Li = np.linalg.inv(np.linalg.cholesky(kernel.matrix(Z, Z) + jitter*np.eye(30)))
    A = .7*Li.T @ Li
    model = LatentGaussian(kernel, Z, np.ones(30), .5*(A + A.T))
    problem = problem_of(model, frame_box((model.terms,), np.array([-2.]), np.array([2.])))
    X = np.array([[-1.5], [.01], [.33], [1.9]])
    at = at_points(problem, X)
    for x, low, high in zip(X, at.var_low, at.var_high):
        true = _exact_variance(model, x)
        assert arb(float(low)) <= true <= arb(float(high)) or (low == 0 and true <= arb(float(high)))
        assert high - low < 1e-5                             # entries of the matrix are up to 1e9
    h = 1e-3
    cells = X - h, X + h, X
    got = joint_minima(problem, cells, at, np.zeros(2), np.tile([[1., -1.]], (4, 1))).low
    for x, (upper, lower) in zip(X, got):
        for y in (x - h, x, x + .7*h):
            assert arb(float(lower)) <= _exact_variance(model, y) <= arb(float(-upper))


def test_the_mean_is_enclosed():
    model = _model(KERNELS["sum"], "exact")
    x = np.array([.2, .4])
    at = at_points(problem_of(model, frame_box((model.terms,), x, x), variance=False), np.zeros((1, 0)))
    assert abs(at.mean[0] - model.latent(x[None])[0][0]) <= at.mean_err[0] < 1e-10


def test_logistic_links_need_bounded_variances():
    model = LatentGaussian(Linear(1.), [[1.]], [1.], [[.1]], link="logistic")
    with pytest.raises(ValueError, match="^upper"):
        problem_of(model, frame_box((model.terms,), np.array([0.]), np.array([1e4])))


def test_the_variance_of_what_is_known_is_small():
    "One point with value known up to 1e-6 of its variance 4: the variance there is 4e-6, far away 4."
    kernel = SquaredExponential(4., 1.)
    model = LatentGaussian(kernel, [[0.]], [1.], [[1/4*(1 - 1e-6)]], mean=.5)
    mean, var = model.latent([[0.], [40.]])
    np.testing.assert_allclose(mean, [4.5, .5], rtol=1e-12)
    np.testing.assert_allclose(var, [4e-6, 4.], rtol=1e-6)


@pytest.mark.parametrize("coarse", [1e-11, 1e-13])
def test_products_with_the_form_count_every_rounding(coarse):
    "Twice as many digits: the error left is that of the last sum, at least; by plain products more."
    model = _model(KERNELS["squared exponential"], "exact")
    problem = problem_of(model, frame_box((model.terms,), np.zeros(2), np.ones(2)))
    r = model.kernel.matrix(np.array([[.3, .7], [.1, .2]]), model.Z)
    with mock.patch.dict(_forms.__globals__, rounding=lambda n: coarse):
        w, v, slip = _forms(problem, r)
    sums = coarse*(np.abs(w)*np.abs(r)).sum(1)
    assert (slip >= sums).all()
    np.testing.assert_allclose(v, np.einsum("ij,jk,ik->i", r, model.matrix, r), rtol=1e-9)
    np.testing.assert_allclose(w, r @ model.matrix, rtol=1e-9)


@pytest.mark.parametrize("names, good", [
    (["a", "b"], True), ([0, 1], True), ([True, False], True), ([1.5, 2.], True), (["a", "a"], False),
    ([1, 1.], False), (["a"], False), (["a", "b", "c"], False), ([np.nan, 1.], False), ([np.inf, 1.], False),
    ([None, 1], False), ([[1], [2]], False), ([1j, 2j], False)])
def test_names_of_classes(names, good):
    "Texts or finite numbers, all different, as many as there are classes."
    if good:
        got = check_names(names, 2)
        assert got.tolist() == names and got.dtype.kind in "biufU" and len(got) == 2
    else:
        with pytest.raises(ValueError, match="^classes"): check_names(names, 2)


def test_names_may_come_as_objects():
    got = check_names(np.array(["x", "y"], object), 2)
    assert got.dtype.kind == "U" and got.tolist() == ["x", "y"]


@pytest.mark.parametrize("kind", ["variational", "indefinite"])
@pytest.mark.parametrize("white", [False, True])
def test_the_allowances_at_points_are_those_of_the_text(kind, white):
    """With coarse units: the mean is off by (u + gamma) size.|weights|.

    The variance by the products' slip, twice u |w|.size, the form's larger end times nu^2, and u + gamma_4 of
    the prior."""
    kernel = Matern52(2., .9) + (White(.3) if white else Constant(.3))
    model, u, gamma = _model(kernel, kind), 1e-3, lambda n: 1e-4*n
    X = np.array([[.2, .4], [-1., .3]])
    with mock.patch.dict(at_points.__globals__, rounding=gamma, kernel_unit=lambda terms, d: u):
        problem = problem_of(model, frame_box((model.terms,), X.min(0), X.max(0)))
        at = at_points(problem, X)
    plain = Matern52(2., .9) if white else kernel
    k, own, size = plain.matrix(X, model.Z), plain.diagonal(X), kernel_at(problem.model, X)[1]
    assert (k <= size).all()
    mean_err = (u + gamma(16))*(size @ np.abs(model.weights)) + gamma(4)*.3
    np.testing.assert_allclose(at.mean_err, mean_err, rtol=1e-6)
    s = model.spread
    np.testing.assert_allclose(s.own, plain.diagonal(model.Z), rtol=2e-3)
    nu = s.inverse*u*np.linalg.norm(np.sqrt(problem.top*s.own))*1.001
    assert problem.nu == pytest.approx(nu, rel=1e-6) and s.g != s.rho
    whole = own + .3*white
    err = at.slip + 2*u*(np.abs(at.w)*size).sum(1) + max(s.g, s.rho)*nu**2 + (u + gamma(4))*whole
    np.testing.assert_allclose(at.w, k @ model.matrix, rtol=1e-9)
    np.testing.assert_allclose(at.var_high, whole - at.v + err, rtol=1e-6)
    np.testing.assert_allclose(at.var_low, np.maximum(whole - at.v - err, 0), rtol=1e-6)


def test_without_weights_only_underflow_is_left():
    "A mean of zero, weights of zero: 1e-290, and nothing where rounding is ignored."
    model = LatentGaussian(Matern52(1., 1.), np.zeros((1, 2)), [0.], [[.5]])
    for rigorous, off in ((True, 1e-290), (False, 0.)):
        problem = problem_of(model, frame_box((model.terms,), np.zeros(2), np.ones(2)), rigorous, False)
        assert at_points(problem, np.zeros((1, 2))).mean_err[0] == off


def test_a_factor_s_excess_is_above_what_rounding_may_take():
    """L L' - K is four times the errors of K, and ten times that while L's own rounding is above half.

    With an ulp of .01: 4 gamma_26 = 1.04 traces; but gamma_9 |L|^2 + gamma_4, .09*6.2 + .04, is above .52."""
    K = np.diag([1., 2., 3., 4., 5.]) + .1
    trace = np.trace(K)
    for unit, delta in ((1e-6, 4*26e-6), (.01, 10.4)):
        with mock.patch.dict(_factor.__globals__, rounding=lambda n: unit*n):
            L, inverse = _factor(K, 0.)
        np.testing.assert_allclose(L @ L.T - K, delta*trace*np.eye(5), atol=1e-9*trace)
        assert np.linalg.norm(np.linalg.inv(L), 2) <= inverse
    L, inverse = _factor(K, .25)
    np.testing.assert_allclose(L @ L.T - K, np.eye(5), atol=1e-9)
    assert inverse == pytest.approx(1/np.sqrt(max(.5, np.linalg.eigvalsh(K)[0] - .25)))


def test_prior_variances_are_rounded_up():
    "By about 1e-12 of their size, which is more than their rounding."
    model = _model(Matern52(2., .9) + Linear(.3), "exact")
    frame = frame_box((model.terms,), -np.ones(2), 2*np.ones(2))
    for variance in (False, True):
        problem, own = problem_of(model, frame, variance=variance), model.kernel.diagonal(model.Z)
        over = problem.own/own - 1
        if not variance: assert (over > 5e-13).all() and (over < 1.5e-12).all()
        assert (over > 0).all() and 5e-13 < problem.top/(2 + .3*8) - 1 < 1.5e-12
    s = model.spread
    over = s.rows/(np.abs(model.matrix) @ np.sqrt(s.own)) - 1
    assert (over > 5e-13).all() and (over < 1.5e-12).all()


def test_the_slip_of_products_by_its_formula():
    "Eight units of |w|.roots, gamma_n of what plain products are off by, and gamma_{n+8} of the last sum."
    model = _model(KERNELS["squared exponential"], "indefinite")
    problem = problem_of(model, frame_box((model.terms,), np.zeros(2), np.ones(2)))
    r = model.kernel.matrix(np.array([[.3, .7], [.1, .2]]), model.Z)
    s = model.spread
    roots = np.sqrt(s.own*problem.top)
    for unit in (1e-7, 0.):
        with mock.patch.dict(_forms.__globals__, rounding=lambda n: unit*n):
            w, v, slip = _forms(problem, r)
        plain = 6*unit*16*float(roots @ s.rows)*np.sqrt(problem.top)
        last = unit*20*(np.abs(w)*np.abs(r)).sum(1)
        expected = 2.**-50*(np.abs(w) @ roots) + unit*12*plain + last if unit else np.zeros(2)
        np.testing.assert_allclose(slip, expected, rtol=1e-9)
    with mock.patch.dict(_forms.__globals__, rounding=lambda n: 1e-7*(n == 16)):
        w, v, slip = _forms(problem, r)                  # nothing but the doubled sums' own rounding
    np.testing.assert_allclose(slip, 2.**-50*(np.abs(w) @ roots), rtol=1e-9)
