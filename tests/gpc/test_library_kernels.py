"""Tests of nbs/gpc/41_library_kernels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import Product
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import Sum
from reject_nb.gpc.kernels import White
from reject_nb.gpc.library_kernels import dims_of
from reject_nb.gpc.library_kernels import gram
from reject_nb.gpc.library_kernels import number_of
from reject_nb.gpc.library_kernels import read_kernel
from reject_nb.gpc.library_kernels import scales_of
from reject_nb.gpc.library_kernels import shortest
from reject_nb.gpc.library_kernels import squared_exponential
from reject_nb.gpc.library_kernels import value_of

RNG = np.random.default_rng(0)
LEAVES = [lambda: Constant(RNG.uniform(.5, 2)),
          lambda: SquaredExponential(RNG.uniform(.5, 2), RNG.uniform(.5, 2, 3)),
          lambda: SquaredExponential(2., RNG.uniform(.5, 2), (1,)), lambda: Matern52(RNG.uniform(.5, 2), .7),
          lambda: Matern12(1., [1., 2.], (0, 2)), lambda: RationalQuadratic(2., 1., .8),
          lambda: Linear(RNG.uniform(.5, 2, 3))]

def _random(depth):
    if not depth: return LEAVES[RNG.integers(len(LEAVES))]()
    parts = tuple(_random(RNG.integers(depth)) for _ in range(RNG.integers(1, 4)))
    return Sum(parts) if RNG.random() < .5 else Product(parts)


def test_the_shortest_form_is_the_same_kernel():
    X, Z = RNG.normal(size=(6, 3)), RNG.normal(size=(5, 3))
    for _ in range(60):
        kernel = _random(3)
        short = shortest(kernel, 3)
        np.testing.assert_allclose(short.matrix(X, Z), kernel.matrix(X, Z), rtol=1e-11)
        np.testing.assert_allclose(short.diagonal(X), kernel.diagonal(X), rtol=1e-11)


def _factors(kernel):
    terms = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    return [term.parts if isinstance(term, Product) else (term,) for term in terms]


def test_the_shortest_form_is_short():
    se, const = SquaredExponential(2., .5), Constant(3.)
    for kernel in (const*se*const, (se + const)*(se + const), Product((Sum((const, const)), se, se))):
        for factors in _factors(shortest(kernel, 2)):
            assert len(factors) == 1
    assert [type(f[0]).__name__ for f in _factors(shortest((se + const) + const,
                                                           2))] == ["SquaredExponential", "Constant"]
    apart = shortest(SquaredExponential(1., 1., (0,))*SquaredExponential(1., 1., (1,)), 2)
    assert len(_factors(apart)[0]) == 2


def test_what_is_one_squared_exponential():
    variance, scale = squared_exponential(shortest(Constant(2.)*SquaredExponential(3., [.5, 1.]), 2))
    assert variance == 6 and scale.tolist() == [.5, 1.]
    for other in (SquaredExponential(1., 1., (0,)), Matern52(1., 1.),
                  SquaredExponential(1., 1.) + Constant(1.)):
        assert squared_exponential(shortest(other, 2)) is None


def test_white_noise_is_on_the_diagonal_only():
    Z = np.zeros((3, 2))
    white = shortest((White(2.)*Matern52(3., 1.)) + White(1.), 2)
    assert isinstance(white, White) and white.variance == 7
    np.testing.assert_array_equal(gram(Constant(1.) + white, Z), 1 + 7*np.eye(3))
    with pytest.raises(ValueError, match="kernel .*white noise"): shortest(White(1.)*Linear(1.), 2)


class _Tensor:
    def __init__(self, value): self.value = value
    def detach(self): return _Tensor(("no gradient", self.value))
    def cpu(self): return self
    def numpy(self):
        assert self.value[0] == "no gradient"                      # torch refuses tensors that need one
        return self.value[1]


def test_values_of_all_kinds():
    assert value_of(_Tensor([[1, 2]])).tolist() == [[1., 2.]] and value_of(3).dtype == float
    assert number_of([[2.]]) == 2 and np.isnan(number_of([1., 2.])) and scales_of([[3.]]) == 3.
    assert scales_of([[1., 2.]]).tolist() == [1., 2.]
    given = np.ones(2)
    value_of(given)[0] = 5.
    assert given[0] == 1


@pytest.mark.parametrize("active, outer, columns", [
    (None, None, None), (slice(None), None, None), (slice(0, 2), None, (0, 1)), ([2, 0], None, (2, 0)),
    ([0, 1, 2], None, None),
    (None, (1,), (1,)), ([1], (0, 2), (2,)), (slice(1, 2), (2, 0), (0,))])
def test_active_columns(active, outer, columns):
    assert dims_of(active, 3, outer) == columns


def test_a_name_that_is_not_in_the_table():
    with pytest.raises(ValueError, match="kernel must be built from Known, Other, got 'float'"):
        read_kernel(1., {"Other": None, "Known": None}, 1)
