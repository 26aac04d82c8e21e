"""Tests of nbs/ood/20_displays.ipynb, extracted from its test cells: edit them there."""
import matplotlib.pyplot as plt
import numpy as np
import pytest
from reject_nb.core.figures import figure
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression

from reject_nb.ood.displays import RocDisplay, ScorePlaneDisplay

def _selector():
    from reject_nb.ood import BoundedTPRFPR, DoubleScoreSelector
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X, X_ood = rng.normal(size=(120, 2)) + 3*np.eye(2)[y], rng.normal(size=(40, 2)) - 4
    selector = DoubleScoreSelector(LogisticRegression(), model=BoundedTPRFPR(.6, .4))
    return selector.fit(X, y, X_ood), X, y, X_ood


def test_the_curve_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    flags = rng.random(200) < .4
    scores = np.round(rng.normal(size=200) + flags, 1)
    display = RocDisplay.from_predictions(scores, flags)
    fpr, tpr, _ = sk.roc_curve(~flags, -scores, drop_intermediate=False)
    assert np.allclose(display.fpr, fpr) and np.allclose(display.tpr, tpr)
    assert np.isclose(display.auroc, sk.roc_auc_score(flags, scores))
    plt.close("all")


def test_a_selector_is_drawn_with_its_line():
    selector, X, y, X_ood = _selector()
    plane = ScorePlaneDisplay.from_estimator(selector, X, y, X_ood)
    assert (plane.kind == "OOD").sum() == 40 and plane.angle == selector.angle_
    roc = RocDisplay.from_estimator(selector, X, X_ood)
    accepted = np.mean(selector.accept(X)), np.mean(selector.accept(X_ood))
    assert any(np.allclose((t, f), accepted) for t, f in zip(roc.tpr, roc.fpr))
    plt.close("all")


def test_one_axes_takes_several():
    _, ax = figure()
    for name in ("a", "b"): RocDisplay.from_predictions([1., 2, 3], [False, True, False], name, ax)
    assert [t.get_text().split(",")[0] for t in ax.get_legend().get_texts()] == ["a", "b"]
    plt.close("all")


@pytest.mark.parametrize("call, named", [
    (lambda: RocDisplay(fpr=[2.], tpr=[0.]), "fpr"), (lambda: RocDisplay(fpr=[0., 1], tpr=[0.]), "tpr"),
    (lambda: RocDisplay.from_predictions([1., 2], [False, False]), "is_ood"),
    (lambda: ScorePlaneDisplay(s_r=[1.], s_g=[1.], kind=["x"]), "kind"),
    (lambda: ScorePlaneDisplay.from_predictions([0.], [1.], [1., 2], [False]), "s_g"),
    (lambda: RocDisplay.from_estimator(None, [[1.]], [[1.]]), "estimator")],
    ids=["fpr", "tpr", "flags", "kind", "length", "estimator"])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must"): call()
