"""Tests of nbs/strategies/25_displays.ipynb, extracted from its test cells: edit them there."""
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from reject_nb.strategies import SelectiveClassifier
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.models import BoundedAbstention
from reject_nb.strategies.scores import noisy_sign

from reject_nb.strategies.displays import RiskCoverageDisplay

def _fitted(**parameters):
    X, y = noisy_sign(600, np.random.default_rng(0), .3)
    return SelectiveClassifier(random_state=0, **parameters).fit(X, y), X, y


@pytest.fixture(autouse=True)
def _no_windows():
    matplotlib.use("agg")
    yield
    plt.close("all")


def test_curve_and_point_are_those_of_the_classifier():
    clf, X, y = _fitted(model=BoundedAbstention(.6))
    shown, curve = RiskCoverageDisplay.from_estimator(clf, X, y), clf.risk_coverage(X, y)
    np.testing.assert_array_equal(shown.line_.get_xdata(), curve.coverage)
    np.testing.assert_array_equal(shown.line_.get_ydata(), curve.risk)
    report = clf.report(X, y)
    np.testing.assert_allclose([shown.aurc, *shown.point],
                               [report["AuRC"], report["coverage"], report["selective risk"]])
    assert shown.ax_.get_xlabel() == "coverage" and "LogisticRegression (AuRC" in shown.line_.get_label()
    assert shown.figure_ is shown.ax_.figure and shown.point_.get_color() == shown.line_.get_color()


def test_from_predictions_and_other_scores():
    clf, X, y = _fitted()
    plain, s = clf.classifier_, X[:, 1]
    losses = (plain.predict(X) != y).astype(float)
    _, ax = plt.subplots()
    shown = RiskCoverageDisplay.from_predictions(y, plain.predict(X), s, ax=ax, name="mine", color="red")
    assert shown.ax_ is ax and shown.line_.get_color() == "red" and shown.point_ is None
    np.testing.assert_allclose(shown.aurc, aurc(losses, s, "expected"))
    same = RiskCoverageDisplay.from_estimator(plain, X, y, uncertainty=lambda X: X[:, 1])
    np.testing.assert_array_equal(same.risk, shown.risk)
    top = RiskCoverageDisplay.from_estimator(plain, X, y, ties="index")
    np.testing.assert_allclose(top.aurc, aurc(losses, 1 - plain.predict_proba(X).max(1)))
    costly = RiskCoverageDisplay.from_predictions(y, plain.predict(X), s, loss=lambda y, p: 3.*(y != p))
    np.testing.assert_allclose(costly.aurc, 3*shown.aurc)


def test_the_perfect_score():
    y, s = np.array([0, 0, 1, 1, 1]), np.array([1., 2, 3, 4, 5])
    shown = RiskCoverageDisplay.from_predictions(y, np.array([0, 0, 1, 0, 0]), s, optimum=True)
    best = shown.ax_.lines[-1]
    np.testing.assert_allclose(best.get_ydata(), shown.risk, atol=1e-12)     # errors are last already
    nothing = RiskCoverageDisplay.from_predictions(y, y, s).plot(name="again")
    assert nothing.risk.max() == 0 and "again" in nothing.line_.get_label()


@pytest.mark.parametrize("call, name", [
    (lambda: RiskCoverageDisplay(coverage=[2.], risk=[1.]), "coverage"),
    (lambda: RiskCoverageDisplay(coverage=[1.], risk=[1., 2.]), "risk"),
    (lambda: RiskCoverageDisplay.from_predictions([0, 1], [0, 1], [0., 1], ties="x"), "ties"),
    (lambda: RiskCoverageDisplay.from_predictions([0, 1], [0, 1], [0.]), "scores"),
    (lambda: RiskCoverageDisplay.from_predictions([0, 1], [0, 1], [0., 1], optimum=1), "optimum"),
    (lambda: RiskCoverageDisplay.from_estimator(lambda X: X[:, 0], np.zeros((2, 1)), [0, 1]), "uncertainty")])
def test_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=f"^{name} must"): call()
