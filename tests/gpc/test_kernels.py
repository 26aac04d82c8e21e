"""Tests of nbs/gpc/22_kernels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern32
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import Product
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import Sum
from reject_nb.gpc.kernels import White
from scipy.special import gamma
from scipy.special import kv
from sklearn.gaussian_process import kernels as theirs

from reject_nb.gpc.kernels import Kernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(7, 3))
Z = RNG.normal(size=(5, 3))
SCALES = np.array([.5, 1., 2.])
PAIRS = {"SquaredExponential": (SquaredExponential(2., SCALES), 2*theirs.RBF(SCALES)),
         "Matern12": (Matern12(2., SCALES), 2*theirs.Matern(SCALES, nu=.5)),
         "Matern32": (Matern32(2., SCALES), 2*theirs.Matern(SCALES, nu=1.5)),
         "Matern52": (Matern52(2., SCALES), 2*theirs.Matern(SCALES, nu=2.5)),
         "RationalQuadratic": (RationalQuadratic(2., .7, 1.3), 2*theirs.RationalQuadratic(.7, 1.3)),
         "Linear": (Linear(1.) + Constant(.49), theirs.DotProduct(.7)),
         "White": (White(.3) + Constant(2.), theirs.WhiteKernel(.3) + theirs.ConstantKernel(2.)),
         "Sum of products": (Matern32(2., .8)*Linear(.5) + Constant(3.)*White(.2),
                             2*theirs.Matern(.8, nu=1.5)*(.5*theirs.DotProduct(1e-12))
                             + 3*theirs.WhiteKernel(.2))}

@pytest.mark.parametrize("name", PAIRS)
def test_kernels_equal_scikit_learn(name):
    ours, other = PAIRS[name]
    np.testing.assert_allclose(ours.matrix(X, Z), other(X, Z), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.diagonal(X), other.diag(X), rtol=1e-12)


@pytest.mark.parametrize("nu, kernel", [(.5, Matern12), (1.5, Matern32), (2.5, Matern52)])
def test_matern_equals_the_bessel_form(nu, kernel):
    r = np.linspace(.01, 9, 50)[:, None]
    s = np.sqrt(2*nu)*r[:, 0]
    form = 2**(1 - nu)/gamma(nu)*s**nu*kv(nu, s)
    np.testing.assert_allclose(kernel(1., 1.).matrix(r, [[0.]])[:, 0], form, rtol=1e-11)


@pytest.mark.parametrize("kernel", [Matern52(2., .7, dims=(2, 0)), Linear([1., 2.], dims=(2, 0)),
                                    RationalQuadratic(1., [.5, 2.], 3., dims=(2, 0))])
def test_active_dims_are_columns(kernel):
    fields = {f: getattr(kernel, f) for f in kernel.__dataclass_fields__ if f != "dims"}
    whole = type(kernel)(**fields)
    np.testing.assert_allclose(kernel.matrix(X, Z), whole.matrix(X[:, [2, 0]], Z[:, [2, 0]]), rtol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), whole.diagonal(X[:, [2, 0]]), rtol=1e-14)


@pytest.mark.parametrize("kernel", [pair[0] for name, pair in PAIRS.items() if name != "White"])
def test_matrices_are_positive_semidefinite(kernel):
    assert np.linalg.eigvalsh(kernel.matrix(X, X)).min() > -1e-10


@pytest.mark.parametrize("kernel",
                         [Matern12(1., 1.), Matern32(1., 1.), Matern52(1., 1.), SquaredExponential(1., 1.),
                                    RationalQuadratic(1., 1., .4)])
def test_profiles_end_at_one_and_at_zero(kernel):
    assert kernel._profile([0.]) == 1
    assert kernel._profile([np.inf]) == 0
    assert (np.diff(kernel._profile(np.linspace(0, 30, 50))) < 0).all()


@pytest.mark.parametrize("call, name", [
    (lambda: Matern52(-1., 1.), "variance"), (lambda: Matern52(1., 0.), "lengthscales"),
    (lambda: Matern52(1., [1., 0.]), "lengthscales"),
    (lambda: Matern52(1., [1., 1.], dims=(0,)), "lengthscales"),
    (lambda: Matern52(1., 1., dims=(0, 0)), "dims"), (lambda: Matern52(1., 1., dims=(.5,)), "dims"),
    (lambda: Matern52(1., 1., dims=(-1,)), "dims"), (lambda: RationalQuadratic(1., 1., 0.), "alpha"),
    (lambda: Linear([0., 0.]), "variances"), (lambda: Linear(-1.), "variances"),
    (lambda: Constant(0.), "variance"),
    (lambda: Sum(()), "parts"), (lambda: Product((1.,)), "parts"), (lambda: White(np.nan), "variance"),
    (lambda: Matern52(1., 1., dims=(3,)).matrix(X, Z), "kernel"),
    (lambda: Matern52(1., [1., 2.]).matrix(X, Z), "lengthscales"),
    (lambda: Linear(1.).matrix(X, Z[:, :2]), "Z")])
def test_what_is_wrong_is_named(call, name):
    with pytest.raises(ValueError, match=f"^{name}"): call()


@pytest.mark.parametrize("kernel", [SquaredExponential(1., 1.), SquaredExponential(1., [1., 2.]), Linear(1.),
                                    Constant(1.), White(1.), Matern32(1., 1.) + Constant(1.)])
def test_points_without_columns_are_named(kernel):
    none = np.zeros((3, 0))
    for call in (lambda: kernel.diagonal(none), lambda: kernel.matrix(none, none)):
        with pytest.raises(ValueError, match="^X must be a matrix with one column or more"): call()


def test_a_kernel_of_which_nothing_is_known_says_so():
    bare, points = Kernel(), np.ones((2, 1))
    for ask in (lambda: bare.matrix(points, points), lambda: bare.diagonal(points), lambda: bare.least):
        with pytest.raises(NotImplementedError): ask()
