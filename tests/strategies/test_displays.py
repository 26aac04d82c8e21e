"""Tests of nbs/strategies/25_displays.ipynb, extracted from its test cells: edit them there."""
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from reject_nb.strategies import SelectiveClassifier
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.displays import _best_risk
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


def test_what_is_drawn():
    drawn = dict(coverage=[.25, .5, 1.], risk=[0., .5, .25])
    shown = RiskCoverageDisplay(**drawn, point=(.5, .3)).plot(optimum=True, lw=3)
    ax = shown.ax_
    assert ax.get_xlim() == (0, 1.01) and (ax.get_xlabel(), ax.get_ylabel()) == ("coverage", "selective risk")
    assert shown.aurc == .25 and shown.line_.get_linewidth() == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["AuRC 0.2500", "perfect score"]
    assert shown.point_.get_xdata().tolist() == [.5] and shown.point_.get_ydata().tolist() == [.3]
    assert shown.point_.get_markersize() == 5 and shown.point_.get_marker() == "o"
    best = ax.lines[-1] # a quarter of all are errors: none among the first three quarters
    assert best.get_ydata().tolist() == [0., 0., .25] and best.get_linewidth() == .8
    assert (best.get_color(), best.get_linestyle()) == ("black", ":")
    np.testing.assert_allclose(_best_risk(np.array([.5, .8, 1.]), np.array([.1, .2, .4])), [0, .25, .4])
    for point, drawn_too in (((0., 0.), False), ((1e-9, .5), True), (None, False)):
        assert (RiskCoverageDisplay(**drawn, point=point).plot().point_ is not None) is drawn_too


def test_names_and_points_that_are_refused():
    drawn = dict(coverage=[1.], risk=[.5])
    for call, name in ((lambda: RiskCoverageDisplay(**drawn, name=3), "name"),
                       (lambda: RiskCoverageDisplay(**drawn, point=[1.]), "point"),
                       (lambda: RiskCoverageDisplay(**drawn).plot(name=3), "name"),
                       (lambda: RiskCoverageDisplay(**drawn).plot(ax=3), "ax")):
        with pytest.raises(ValueError, match=f"^{name} must"): call()
    shown = RiskCoverageDisplay(**drawn, name="mine")
    assert shown.plot().line_.get_label() == "mine (AuRC 0.5000)"
    assert shown.plot(name="yours", label="theirs").line_.get_label() == "theirs"
    _, ax = plt.subplots()
    assert shown.plot(ax).figure_ is ax.figure and shown.plot(ax) is shown
