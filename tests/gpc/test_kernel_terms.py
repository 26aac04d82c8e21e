"""Tests of nbs/gpc/23_kernel_terms.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from flint import arb
from flint import ctx
from reject_nb.gpc.kernel_terms import Slopes
from reject_nb.gpc.kernel_terms import _middle
from reject_nb.gpc.kernel_terms import _units
from reject_nb.gpc.kernel_terms import expand
from reject_nb.gpc.kernel_terms import frame_box
from reject_nb.gpc.kernel_terms import kernel_at
from reject_nb.gpc.kernel_terms import kernel_unit
from reject_nb.gpc.kernel_terms import model_on
from reject_nb.gpc.kernel_terms import prior_at
from reject_nb.gpc.kernel_terms import prior_gradient
from reject_nb.gpc.kernel_terms import scaled
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern32
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import Product
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import White

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(6, 3))
KERNELS = {"squared exponential": SquaredExponential(2., [.5, 1., 2.]), "Matern 1/2": Matern12(2., .7),
           "Matern 3/2": Matern32(1., 1., dims=(1,)),
           "Matern 5/2": Matern52(.5, [1., 2.], dims=(2, 0)),
           "rational quadratic": RationalQuadratic(1., .8, .3), "linear": Linear([.2, 0., 3.]),
           "nested": (Matern52(1., 1.)
                      + Constant(.3)*Linear(.5))*(SquaredExponential(1., 2.,
                                                                     dims=(0,))*SquaredExponential(2., .5)
                                                                     + White(.2)),
           "polynomial": Product((Linear(1.) + Constant(1.),)*3)}

def _pieces(kernel, lower, upper):
    "Terms, frame and model."
    terms = expand(kernel, 3)
    frame = frame_box((terms,), np.array(lower), np.array(upper))
    return terms, frame, model_on(frame, terms, Z)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("lower, upper",
                         [([-1., -1., -1.], [1., 2., 3.]), ([0., .5, -1.], [1., .5, 2.]),
                          ([.3, .5, -1.], [.3, .5, -1.])])
def test_multiplied_out_it_is_the_same_kernel(name, lower, upper):
    kernel = KERNELS[name]
    _, frame, model = _pieces(kernel, lower, upper)
    X = np.array(lower) + (np.array(upper) - lower)*RNG.random((9, 3))
    np.testing.assert_allclose(kernel_at(model, X[:, frame.free])[0], kernel.matrix(X, Z), rtol=1e-11,
                               atol=1e-13)
    np.testing.assert_allclose(prior_at(model, X[:, frame.free], True), kernel.diagonal(X), rtol=1e-12)


def _exact(kind, t, shape):
    "f(t) in ball arithmetic."
    if kind == 0: return (-t).exp()
    if kind == 4: return (1 + t/shape)**(-arb(shape))
    s = (t*(2, 6, 10)[kind - 1]).sqrt()
    return (1, 1 + s, 1 + s + s*s/3)[kind - 1]*(-s).exp()


def _exact_kernel(terms, x, z):
    "A kernel in ball arithmetic, from its terms."
    ctx.prec = 200
    total = arb(0)
    for T, weight in enumerate(terms.weight):
        if terms.white[T]: continue
        value = arb(float(weight))
        for f in range(terms.first[T], terms.first[T + 1]):
            pairs = [(arb(float(r)), arb(float(a)), arb(float(b))) for r, a, b in zip(terms.rate[f], x, z)]
            if terms.kind[f] == 5: value *= sum((r*a*b for r, a, b in pairs), arb(0))
            else: value *= _exact(int(terms.kind[f]),
                                  sum((r*(a - b)*(a - b)/2 for r, a, b in pairs), arb(0)),
                                  float(terms.shape[f]))
        total += value
    return total


@pytest.mark.parametrize("name", KERNELS)
def test_errors_are_within_what_is_promised(name):
    terms, frame, model = _pieces(KERNELS[name], [-9.]*3, [9.]*3)
    X = RNG.normal(size=(8, 3))*np.array([1e-6, .3, 1, 3, 8, 1e-3, .01, 2.])[:, None]
    X[0] = Z[0]
    r, size = kernel_at(model, X[:, frame.free])
    for x, row, sizes in zip(X, r, size):
        for z, value, whole in zip(Z, row, sizes):
            assert float(abs(arb(float(value)) - _exact_kernel(terms, x, z)).upper()) <= kernel_unit(terms,
                    3)*whole + 1e-300


@pytest.mark.parametrize("name", KERNELS)
def test_gradients_are_slopes(name):
    kernel, coef = KERNELS[name], RNG.normal(size=6)
    _, frame, model = _pieces(kernel, [-9.]*3, [9.]*3)
    x, steps = np.array([.3, -.2, .7]), 1e-5*np.eye(3)
    numeric = (kernel.matrix(x + steps, Z) - kernel.matrix(x - steps, Z)) @ coef/2e-5
    here = Slopes(model, x[frame.free])
    np.testing.assert_allclose(here.row(), kernel.matrix(x[None], Z)[0], rtol=1e-12)
    for row, times in zip(here.gradient(np.array([coef, -2*coef])), (1, -2)):
        np.testing.assert_allclose(row, times*numeric[frame.free], rtol=1e-6, atol=1e-7)
    numeric = (kernel.diagonal(x + steps) - kernel.diagonal(x - steps))/2e-5
    np.testing.assert_allclose(prior_gradient(model, x[frame.free]), numeric[frame.free], rtol=1e-6,
                               atol=1e-7)


@pytest.mark.parametrize("lower, upper",
                         [([-1., 0., 2.], [1., np.inf, 2.]), ([-np.inf, -np.inf, 0.], [1., np.inf, np.inf])])
def test_frames_map_there_and_back(lower, upper):
    _, frame, _ = _pieces(KERNELS["squared exponential"], lower, upper)
    s = .9*frame.half*RNG.uniform(-1, 1, (20, len(frame.free)))
    x = frame.raw(s)
    np.testing.assert_allclose(scaled(frame, x), s, atol=1e-12)
    low, high = frame.corners(s, s)
    assert (low <= x).all() and (x <= high).all() and (high - low <= 1e-14*(1 + np.abs(x))).all()
    ends = frame.corners(-frame.half[None], frame.half[None])
    np.testing.assert_array_equal(ends[0][0], np.array(lower)[frame.free])
    np.testing.assert_array_equal(ends[1][0], np.array(upper)[frame.free])


def test_what_does_not_matter_does_not_move():
    _, frame, _ = _pieces(KERNELS["Matern 3/2"], [-1.]*3, [1.]*3)
    assert frame.free.tolist() == [1]
    assert frame.point(np.array([.5])).tolist() == [0., .5, 0.]


@pytest.mark.parametrize("kernel, name",
                         [(Product((Linear(1.) + Constant(1.) + White(1.),)*4), "kernel"),
                          (SquaredExponential(1., 1e-120), "kernel")])
def test_too_much_is_refused(kernel, name):
    with pytest.raises(ValueError, match=f"^{name}"): expand(kernel, 3)


def test_linear_kernels_need_finite_corners():
    with pytest.raises(ValueError, match="^lower"): _pieces(Linear(1.), [-np.inf, 0., 0.], [1.]*3)


def test_a_unit_is_the_smallest_lengthscale():
    "Rates are 1/lengthscale^2; a linear factor has no lengthscale, and its coordinate counts in units of 1."
    terms = expand(SquaredExponential(2., [.5, 1., 2.])
                   + Matern32(1., [.25, 4.], dims=(0, 2)) + Linear([9., 1., 4.]), 3)
    assert _units(terms.rate, terms.kind).tolist() == [.25, 1., 2.]
    linear = expand(Linear([9., 1., 4.]), 3)
    assert _units(linear.rate, linear.kind).tolist() == [1., 1., 1.]
    slow = expand(SquaredExponential(1., [8., 4., 2.]), 3)
    assert _units(slow.rate, slow.kind).tolist() == [8., 4., 2.]


def test_the_middle_of_a_box_without_ends():
    lower, upper = np.array([1., -np.inf, 2., -np.inf, 1e308]), np.array([4., 3., np.inf, np.inf, 1.5e308])
    assert _middle(lower, upper).tolist() == [2.5, 3., 2., 0., 1.25e308]


def test_the_unit_of_error_grows_with_coordinates_and_terms():
    "Twice four roundings a coordinate, four a term, and 64."
    one, two = expand(Constant(1.), 3), expand(Constant(1.) + Linear(1.)*Constant(2.) + Constant(3.), 3)
    assert kernel_unit(one, 3) == 160*2.**-53 and kernel_unit(one, 10) == 216*2.**-53
    assert kernel_unit(two, 3) - kernel_unit(one, 3) == 8*(len(two.weight) - 1)*2.**-53 > 0


@pytest.mark.parametrize("name", ["lower", "upper"])
@pytest.mark.parametrize("size, good", [(1e60, True), (1.1e60, False)])
def test_corners_of_linear_kernels_end_at_1e60(name, size, good):
    corner = {"lower": [-1., 0., 0.], "upper": [1., 1., 1.]}
    corner[name][0] = size if name == "upper" else -size
    if good: assert _pieces(Linear(1.), **corner)[1].free.tolist() == [0, 1, 2]
    else:
        with pytest.raises(ValueError, match=f"^{name} must be at most 1e60"): _pieces(Linear(1.), **corner)
