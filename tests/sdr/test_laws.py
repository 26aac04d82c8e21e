"""Tests of nbs/sdr/01_laws.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.laws import MOST_WEIGHT
from reject_nb.sdr.laws import check_size
from reject_nb.sdr.laws import effective_points
from reject_nb.sdr.laws import shown
from reject_nb.sdr.laws import weighted_points
from scipy import stats

from reject_nb.sdr.laws import Law, ScalarLaw, check_points, template_method

class _Square(Law):
    "The uniform law on the unit square."
    n_features = 2
    log_normaliser = 0.

    def _log_density(self, X): return np.where(((X >= 0) & (X <= 1)).all(1), 0., -np.inf)

    def _g(self, X): return 0*X[:, 0]

    def __repr__(self): return "Square()"


@pytest.mark.parametrize("X, n_features, shape",
                         [([1, 2], 1, (2, 1)), ([[1], [2]], 1, (2, 1)), ([[1, 2]], 2, (1, 2))])
def test_points(X, n_features, shape): assert check_points(X, n_features).shape == shape


@pytest.mark.parametrize("X", [[1., 2.], [[1., 2., 3.]], [["a", "b"]], [[1j, 0]], [[1, 2], [3]], "ab", None,
                               [[np.inf, 1]], [], {}])
def test_points_refused(X):
    with pytest.raises(ValueError, match="^points must be"): check_points(X, 2, "points")


@pytest.mark.parametrize("X", ["12", {}, None, [[1., 2.]], [], [np.nan], 3., [1e151], [-1e151]])
def test_columns_refused(X):
    with pytest.raises(ValueError, match="^X must be"): check_points(X, 1)


def test_outside_the_support():
    law = _Square()
    assert law.log_density([[.5, .5], [2, 0]]).tolist() == [0, -np.inf]
    assert law.g([[.5, 1]]).tolist() == law.g_tilde([[.5, 1]]).tolist() == [0]
    message = r"X has values outside the support of Square\(\), first \[2.0, 0.0\]"
    for call in (law.g, law.g_tilde):
        with pytest.raises(ValueError, match=message):
            call([[.5, .5], [2, 0]])
    with pytest.raises(ValueError, match="outside the support of ScalarLaw.*, first -1.0"):
        ScalarLaw(stats.expon()).g([1., -1.])


def test_methods_of_a_class_and_of_a_law():
    class Counter:
        @template_method
        def kind(self): return "class" if isinstance(self, type) else "law"
    assert Counter.kind() == "class" and Counter().kind() == "law"


def test_wrapped_laws():
    law = ScalarLaw(stats.poisson(3))
    np.testing.assert_allclose(law.g([0., 2.]), -stats.poisson(3).logpmf([0, 2]))
    assert law.support == (0, np.inf) and law._moments == (3,
                                                           3**.5) and law._cdf(2.) == stats.poisson(3).cdf(2)
    assert abs(law._sf(2.) + law._cdf(2.) - 1) < 1e-15
    assert law.discrete and not ScalarLaw(stats.cauchy()).discrete
    assert repr(law) == "ScalarLaw(poisson)" and law.log_normaliser == 0
    assert law.sample(5, 0).tolist() == stats.poisson(3).rvs(size=5,
                                                             random_state=np.random.default_rng(0)).tolist()
    with pytest.raises(ValueError, match="^dist must be"): ScalarLaw(3)


@pytest.mark.parametrize("n, state, word", [(-1, None, "n"), (2.5, None, "n"), (None, None, "n"),
                                            (3, "x", "random_state"), (10**10, 0, "n")])
def test_bad_draws(n, state, word):
    with pytest.raises(ValueError, match=f"^{word} must be"): ScalarLaw(stats.cauchy()).sample(n, state)


def test_what_a_law_must_bring():
    class _Bare(Law):
        n_features = 1
        def _log_density(self, X): return 0*X[:, 0]
    with pytest.raises(NotImplementedError): _Bare().g([[0.]])
    with pytest.raises(NotImplementedError): _Bare().log_normaliser
    assert _Bare().g_tilde([[0.], [1.]]).tolist() == [0, 0]


def test_points_that_count():
    X = np.arange(6.).reshape(3, 2)
    points, weight = weighted_points(X, [2., 0., .5])
    assert points.tolist() == [[0, 1], [4, 5]] and weight.tolist() == [2, .5]
    points, weight = weighted_points(X, None)
    assert points.tolist() == X.tolist() and weight.tolist() == [1, 1, 1]
    assert weighted_points(X, [MOST_WEIGHT]*3)[1].tolist() == [1e100]*3
    for wrong in ([1., 1.], [-1., 1., 1.], [1.1e100, 1., 1.], [0., 0., 0.]):
        with pytest.raises(ValueError, match="^sample_weight must"): weighted_points(X, wrong)


def test_kish_by_hand():
    assert effective_points(np.array([3., 3., 3., 3.])) == 4 and effective_points(np.array([5., 0.])) == 1
    assert effective_points(np.array([1., 2.])) == pytest.approx(9/5)
    assert effective_points(1e200*np.array([1., 2.])) == pytest.approx(9/5) # squares would be infinite


def test_small_things():
    assert shown(np.array([2.5])) == 2.5 and shown(np.array([1., 2.])) == [1., 2.]
    assert check_size(0) == 0 and check_size(10**9) == 10**9
    for wrong in (-1, 10**9 + 1, 2.5, "3"):
        with pytest.raises(ValueError, match="^n must"): check_size(wrong)
    draws = ScalarLaw(stats.norm(3, 2)).sample(5, 7)
    np.testing.assert_array_equal(draws, stats.norm(3, 2).rvs(5, random_state=np.random.default_rng(7)))
    assert ScalarLaw(stats.poisson(3)).discrete and not ScalarLaw(stats.norm()).discrete
    assert ScalarLaw(stats.poisson(3)).sample(4, 0).dtype == float
    assert repr(ScalarLaw(stats.norm())) == "ScalarLaw(norm)"
    with pytest.raises(ValueError, match="^dist must"): ScalarLaw(3)
