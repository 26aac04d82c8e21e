"""Tests of nbs/strategies/07_ordinal.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import warnings
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.ordinal import (
    OrdinalSVM, _Point, _Problem, _derivatives, _line_search, _newton_step, _push, _sides, _slack,
    _smoothed, _value, ordinal_certificate, solve_ordinal,
)

QPS = [(40, 3, 4, 1.), (60, 2, 3, .01), (50, 4, 6, 30.), (30, 1, 2, 1.)]

@pytest.mark.parametrize("n, d, k, C", QPS)
def test_ordinal_solver_against_a_quadratic_program(n, d, k, C):
    cp = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    y = np.searchsorted(np.linspace(-1, 1, k - 1), X[:, 0] + .4*rng.normal(size=n))
    y[:k] = np.arange(k)
    w, b = cp.Variable(d), cp.Variable(k - 1)
    hinge = [cp.pos(1 - (X[i] @ w - b[j] if y[i] > j else b[j] - X[i] @ w)) for i in range(n)
             for j in range(k - 1)]
    best = cp.Problem(cp.Minimize(.5*cp.sum_squares(w) + C*sum(hinge))).solve(solver="CLARABEL")
    ours = solve_ordinal(X, y, k, C, tol=1e-7)
    assert ours.status == "optimal"
    # Clarabel's own tolerance is 1e-8
    np.testing.assert_allclose(ours.certificate.objective, best, rtol=1e-6)
    assert ours.certificate.bound <= best*(1 + 1e-7) and ours.certificate.gap <= 1e-7


@pytest.mark.parametrize("mu", [1e-3, .1, 10.])
def test_certificate_is_sound_anywhere(mu):
    # a lower bound at random points, of any quality, stays below the optimum
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    best = solve_ordinal(X, y, 4, 1., tol=1e-8).certificate
    for _ in range(10):
        c = ordinal_certificate(X, y, rng.normal(size=3), rng.normal(size=3), 1., mu)
        assert c.bound <= best.objective*(1 + 1e-12) and c.objective >= best.bound


def test_certificate_is_its_definition():
    # alpha by the clip, the heavier side scaled down, all scaled by the best factor: written out pair by pair
    rng = np.random.default_rng(3)
    X, y, w, b = rng.normal(size=(12, 2)), rng.integers(0, 3, 12), rng.normal(size=2), np.array([-.3, .5])
    sign = np.where(y[:, None] > np.arange(2), 1., -1.)
    slack = 1 - sign*((X @ w)[:, None] - b)
    alpha = np.clip(slack/.7, 0, 1)
    for k in range(2):
        up, down = alpha[sign[:, k] > 0, k].sum(), alpha[sign[:, k] < 0, k].sum()
        alpha[:, k] *= np.where(sign[:, k] > 0, min(up, down)/up, min(up, down)/down)
    v = 2.*(sign*alpha).sum(1) @ X
    t = min(1., 2.*alpha.sum()/(v @ v))
    found = ordinal_certificate(X, y, w, b, 2., .7)
    np.testing.assert_allclose(found.objective, .5*w @ w + 2*np.maximum(slack, 0).sum(), rtol=1e-13)
    np.testing.assert_allclose(found.bound, max(t*2*alpha.sum() - .5*t*t*(v @ v), 0.), rtol=1e-12)
    np.testing.assert_allclose(found.gap, 1 - found.bound/found.objective, rtol=1e-12)


def test_kernels_uncompiled():
    rng = np.random.default_rng(4)
    X, y, b = rng.normal(size=(9, 2)), rng.integers(0, 3, 9), np.array([-.4, .6])
    f, scale = X @ [1., -2.], rng.random((2, 2))
    for mu in (.3, 2.):
        np.testing.assert_allclose(_value.py_func(f, y, b, mu), _value(f, y, b, mu), rtol=1e-13)
        np.testing.assert_allclose(_sides.py_func(f, y, b, mu), _sides(f, y, b, mu), rtol=1e-13)
        np.testing.assert_allclose(_push.py_func(f, y, b, mu, scale), _push(f, y, b, mu, scale), rtol=1e-13)
        for a, z in zip(_derivatives.py_func(X, f, y, b, mu, 2*mu), _derivatives(X, f, y, b, mu, 2*mu)):
            np.testing.assert_allclose(a, z, rtol=1e-13)
    assert _slack.py_func(.2, .5, True) == pytest.approx(1.3) and _slack.py_func(.2, .5,
        False) == pytest.approx(.7)


def test_derivatives_are_those_of_the_value():
    rng = np.random.default_rng(5)
    X, y, b = rng.normal(size=(30, 2)), rng.integers(0, 4, 30), np.array([-.5, 0., .5])
    w, mu, e = rng.normal(size=2), 1.5, 1e-6
    value = lambda w, b: _value(X @ w, y, b, mu)
    found = _derivatives(X, X @ w, y, b, mu, mu)
    for j, step in enumerate(np.eye(2)*e):
        np.testing.assert_allclose(found.f @ X[:, j], (value(w + step, b) - value(w - step, b))/2/e,
                                   rtol=1e-6)
        ahead, back = (_derivatives(X, X @ (w + s*step), y, b, mu, mu) for s in (1, -1))
        np.testing.assert_allclose(found.mixed[:, j], (ahead.b - back.b)/2/e, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose((found.ff*X[:, j]) @ X[:, j], (ahead.f - back.f) @ X[:, j]/2/e, rtol=1e-5)
    for k, step in enumerate(np.eye(3)*e):
        np.testing.assert_allclose(found.b[k], (value(w, b + step) - value(w, b - step))/2/e, rtol=1e-6)
        ahead, back = (_derivatives(X, X @ w, y, b + s*step, mu, mu) for s in (1, -1))
        np.testing.assert_allclose(found.bb[k], (ahead.b[k] - back.b[k])/2/e, rtol=1e-5)


def test_a_start_saves_steps():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 3)) + [5., 0, 0]
    y = np.searchsorted([-1, 1.], X[:, 1] + .3*rng.normal(size=400))
    first = solve_ordinal(X, y, 3, 2., tol=1e-6)
    again = solve_ordinal(X, y, 3, 2., tol=1e-6, start=(first.w, first.b))
    assert again.status == "optimal" and again.iterations < first.iterations
    np.testing.assert_allclose(again.certificate.objective, first.certificate.objective, rtol=2e-6)


@pytest.mark.parametrize("share, length", [(.99, 1.), (1.01, .5)])
def test_a_step_must_give_a_ten_thousandth_of_what_it_promised(share, length):
    "A promise that the full step keeps just, or just not; half the step then keeps its half of it."
    small = _Problem(np.array([[-2.], [2.]]), np.array([0, 1]), 1.)
    start = _Point(np.zeros(1), np.zeros(1), np.zeros(2))
    step = .1*_newton_step(small, start, 1., 1., 1e-4)[0]
    whole = _Point(start.w + step[:1], start.b + step[1:], start.f + small.X @ step[:1])
    fall = _smoothed(small, start, 1.) - _smoothed(small, whole, 1.)
    assert _line_search(small, start, step, share*fall/1e-4, 1.)[1] == length

CLOUD = np.random.default_rng(5).normal(size=(300, 4))
GRADES = np.searchsorted([-1, 0, .5], CLOUD @ [1., 1, 0, 0] + np.random.default_rng(6).normal(size=300))

def test_a_time_limit_ends_with_a_valid_bound():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 5))
    y = np.digitize(X[:, 0] + .5*rng.normal(size=400), [-.5, .5])
    at = y.astype(np.int64)
    best, late = solve_ordinal(X, at, 3, tol=1e-8), solve_ordinal(X, at, 3, tol=1e-8, time_limit=1e-9)
    assert late.status == "time_limit" and late.iterations == 0 and best.status == "optimal"
    assert late.certificate.bound <= best.certificate.objective <= late.certificate.objective
    with pytest.warns(ConvergenceWarning, match="raise time_limit"):
        assert OrdinalSVM(time_limit=1e-9).fit(X, y).status_ == "time_limit"
    assert OrdinalSVM(time_limit=60.).fit(X, y).status_ == "optimal"
    with pytest.raises(ValueError, match="^time_limit must"): OrdinalSVM(time_limit=0).fit(X, y)


def test_two_classes_are_the_linear_svm():
    # with one threshold the problem is the standard SVM with a free intercept, as LIBSVM solves it
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + .5*rng.normal(size=200) > .3).astype(int)
    ours, svm = OrdinalSVM(C=.5, tol=1e-8).fit(X, y), SVC(C=.5, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, svm.coef_[0], atol=2e-3)
    np.testing.assert_allclose(-ours.thresholds_, svm.intercept_, atol=2e-3)
    np.testing.assert_array_equal(ours.decision_function(X) > 0, ours.predict(X) == 1)


def test_ordinal_estimator_conventions():
    check_estimator(OrdinalSVM(), on_skip=None)


def test_reversing_the_order_mirrors_the_solution():
    a, b = OrdinalSVM(tol=1e-7).fit(CLOUD, GRADES), OrdinalSVM(tol=1e-7).fit(CLOUD, -GRADES)
    np.testing.assert_allclose(a.certificate_.objective, b.certificate_.objective, rtol=1e-6)
    np.testing.assert_allclose(a.coef_, -b.coef_, atol=5e-3)


def test_hinges_bound_the_absolute_error_and_decisions_agree():
    m = OrdinalSVM().fit(CLOUD, GRADES)
    assert m.status_ == "optimal" and m.certificate_.gap <= 1e-4 and (np.diff(m.thresholds_) >= 0).all()
    assert np.abs(m.predict(CLOUD) - GRADES).sum() <= m.certificate_.objective
    np.testing.assert_array_equal(m.classes_[m.decision_function(CLOUD).argmax(1)], m.predict(CLOUD))
    np.testing.assert_allclose(m.margin(CLOUD), [min(abs(v - m.thresholds_)) for v in CLOUD @ m.coef_],
                               rtol=1e-9)

BAD_FITS = [({"C": 0}, "C must"), ({"C": "a"}, "C must"), ({"C": 1e300}, "C must"), ({"C": np.nan}, "C must"),
            ({"C": True}, "C must"), ({"tol": 2}, "tol must"), ({"tol": "x"}, "tol must"),
            ({"tol": 0}, "tol must"),
            ({"max_iter": 0}, "max_iter must"), ({"max_iter": -3}, "max_iter must"),
            ({"max_iter": "q"}, "max_iter must"), ({"max_iter": 3.}, "max_iter must"),
            ({"y": [1]*4}, "y has one class"), ({"X": np.eye(4)*np.nan}, "X"), ({"y": [0, 1]}, "y must"),
            ({"y": [0, 1, 2, np.nan]}, "y must"), ({"X": 1j*np.eye(4)}, "X must")]

@pytest.mark.parametrize("wrong, words", BAD_FITS)
def test_ordinal_bad_input(wrong, words):
    arguments = {"X": np.eye(4), "y": [0, 1, 2, 3], **{k: v for k, v in wrong.items() if k in "Xy"}}
    with pytest.raises(ValueError, match=words):
        OrdinalSVM(**{k: v for k, v in wrong.items() if k not in "Xy"}).fit(**arguments)

BAD_CERTIFICATES = [({"X": [1.]}, "X must"), ({"y": [0, 3]}, "y must"), ({"y": [-1, 0]}, "y must"),
                    ({"y": [0., 1.]}, "y must"), ({"y": [0]}, "y must"), ({"w": [1., 2.]}, "w must"),
                    ({"b": []}, "b must"),
                    ({"C": 0.}, "C must"), ({"C": "1"}, "C must"), ({"mu": 0.}, "mu must"),
                    ({"mu": None}, "mu must")]

@pytest.mark.parametrize("wrong, words", BAD_CERTIFICATES)
def test_certificate_bad_input(wrong, words):
    with pytest.raises(ValueError, match=words):
        ordinal_certificate(**{"X": [[0.], [1.]], "y": [0, 1], "w": [1.], "b": [.5], "C": 1., "mu": .1,
                               **wrong})


def test_what_is_not_reached_is_said():
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        stopped = OrdinalSVM(max_iter=1, tol=1e-9).fit(np.eye(4), [0, 1, 2, 3])
    assert stopped.status_ == "not_converged" and stopped.certificate_.gap > 1e-9 and stopped.n_iter_ == 1
    same = OrdinalSVM().fit(np.ones((6, 2)), [0, 0, 1, 1, 2, 2])
    assert same.status_ == "optimal" and np.isfinite(same.coef_).all()


@pytest.mark.parametrize("offset", [100., 2000., 1e6])
def test_offsets_of_features_change_nothing(offset):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(500, 2))
    y, move = np.digitize(Z[:, 0], [-.5, .5]), np.array([offset, 0])
    a, b = OrdinalSVM().fit(Z, y), OrdinalSVM().fit(Z + move, y)
    assert b.status_ == "optimal" and abs(b.certificate_.gap - a.certificate_.gap) < 1e-7
    assert (b.predict(Z + move) == a.predict(Z)).mean() > .99
    # both within tol of the optimum
    np.testing.assert_allclose(b.certificate_.objective, a.certificate_.objective, rtol=2e-4)
    raw, moved = ordinal_certificate(Z + move, y, b.coef_, b.thresholds_, 1.), ordinal_certificate(Z, y,
        b.coef_, b.thresholds_ - b.coef_ @ move, 1.)
    np.testing.assert_allclose([raw.objective, raw.bound], [moved.objective, moved.bound], rtol=1e-6)


@pytest.mark.parametrize("C", [1., 100., 1000.])
def test_features_of_all_sizes(C):
    X, y = load_wine(return_X_y=True)                         # spreads from .1 to 300, offsets to 750
    m = OrdinalSVM(C=C).fit(X, y)
    assert m.status_ == "optimal" and m.score(X, y) > .96


@pytest.mark.parametrize("scale", [1e4, 1e6, 1e7, 1e8, 1e150])
def test_large_scales_end_with_a_status_and_the_best_point(scale):
    Z = np.random.default_rng(0).normal(size=(200, 4))
    y = (Z[:, 0] > 0)*1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)   # from 1e5 on rounding keeps the gap above tol
        m = OrdinalSVM().fit(Z*scale, y)
    assert (m.status_ == "optimal") == (m.certificate_.gap <= 1e-4) and (m.status_ == "optimal"
        or scale > 1e5)
    assert m.score(Z*scale, y) == 1 and m.certificate_.bound <= m.certificate_.objective


def test_stopped_early_it_returns_the_best_point():
    Z = np.random.default_rng(0).normal(size=(200, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early = [OrdinalSVM(max_iter=k).fit(Z*100, (Z[:, 0] > 0)*1).certificate_.objective
                 for k in (1, 4, 8, 16)]
    # never the start where more was found
    assert all(a > b for a, b in zip(early, early[1:])) and early[-1] < .1 < early[0]
