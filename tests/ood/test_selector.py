"""Tests of nbs/ood/06_selector.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import sys
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.synthetic import synthetic_example
from sklearn.linear_model import LogisticRegression

from reject_nb.ood.selector import DoubleScoreSelector, report

def test_report_ranks_and_says_unable():
    s = synthetic_example(2.).sample(2000, 1)
    args = s.losses, {m: s.scores(m) for m in "ABCD"}, s.is_ood, BoundedTPRFPR(.7, .2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)            # as where it is not installed
        plain = report(*args)
    try: from pandas import DataFrame
    except ImportError: DataFrame = dict
    frame = report(*args, areas=False)
    assert type(plain) is dict and {len(v) for v in plain.values()} == {4}
    assert isinstance(frame, DataFrame) and set(plain) - set(frame) == {"auroc", "aupr", "oscr"}
    for t in (plain, frame):
        assert list(t["method"]) == ["D", "B", "A", "C"] and list(t["status"]) == ["able"]*3 + ["unable"]
        assert "lower min_tpr" in list(t["message"])[3]
    none = report(s.losses, {"A": s.scores("A")}, np.zeros(len(s.losses), bool), BoundedTPRFPR(.7, .2), areas=False)
    assert list(none["status"]) == ["able"] and "no OOD" in list(none["message"])[0]
    with pytest.raises(ValueError, match="no input"): report(s.losses, {"A": s.scores("A")}, np.zeros(len(s.losses), bool), BoundedTPRFPR(.7, .2))
    with pytest.raises(ValueError, match="scores"): report(s.losses, {}, s.is_ood, BoundedTPRFPR(.7, .2))


def test_selector():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (300, 2)) for c in ((0, 0), (3, 0))])
    y, O = np.repeat([0, 1], 300), rng.normal((1.5, 5), 1, (200, 2))
    fitted = LogisticRegression().fit(X, y)
    far = lambda Z: np.abs(Z[:, 1])
    s = DoubleScoreSelector(fitted, "msp", far, BoundedTPRFPR(.8, .05)).fit(X, y, O)
    on = s.accept(X)
    assert s.status_ == "optimal" and on.mean() >= .8 and s.accept(O).mean() <= .05
    assert set(np.unique(s.predict(np.concatenate([X, O])))) == {-1, 0, 1}
    assert abs((fitted.predict(X[on]) != y[on]).mean() - s.tuned_.selective_risk) < 1e-12
    c = DoubleScoreSelector(LogisticRegression(), "mls", "knn", BoundedTPRFPR(.6, .2), guarantee=True).fit(X, y, O)
    assert c.status_ == "certified" and "probability" in c.message_
    none = DoubleScoreSelector(fitted, "msp", lambda Z: np.zeros(len(Z)), BoundedTPRFPR(1, 0)).fit(X, y, X)
    assert none.status_ == "infeasible" and not none.accept(X).any()
    for call, said in ((lambda: DoubleScoreSelector(fitted, "best", far).fit(X, y, O), "score"), (lambda: DoubleScoreSelector(fitted, "msp", "knn").fit(X, y, O), "knn"),
                       (lambda: DoubleScoreSelector(fitted, "msp", far).fit(X, y, O[:0]), "X_ood"), (lambda: DoubleScoreSelector(fitted, "msp", far).fit(X, y[:5], O), "length"),
                       (lambda: DoubleScoreSelector(fitted, "msp", lambda Z: np.full(len(Z), np.nan)).fit(X, y, O), "NaN")):
        with pytest.raises(ValueError, match=said): call()
