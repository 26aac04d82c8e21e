"""Tests of nbs/ood/18_combined_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.experiments.synthetic import synthetic_example

from reject_nb.ood.combined_scores import learn_ratio, plug_in_score, sirc

def test_sirc_by_definition():
    rng = np.random.default_rng(3)
    r, g, train = rng.random(50), rng.normal(size=50), rng.normal(1, 2, size=500)
    a, b = train.mean() + 3*train.std(), 1/train.std()
    assert np.allclose(np.exp(sirc(r, g, train)), r*(1 + np.exp(b*(g - a))), rtol=1e-12)


def test_sirc_does_not_overflow_and_rests_at_zero_risk():
    assert np.isclose(sirc([1.], [1e6], [-1., 1.])[0], 1e6 - 3) and sirc([0.], [5.], [-1., 1.])[0] == -np.inf


def test_the_plug_in_rule_is_the_cost_based_model():
    "On a finite law: the same inputs are rejected as by the optimal rule of CostBasedOOD with like costs."
    rng = np.random.default_rng(4)
    p_id, p_ood, risk = rng.dirichlet(np.ones(30)), rng.dirichlet(np.ones(30)), rng.random(30)*.5
    c_in, c_out = .15, .25
    score = plug_in_score(risk, p_ood/p_id, c_in, c_out)
    wrong = 1 - c_in - c_out
    def cost(a): return wrong*(a*p_id*risk).sum() + c_in*((1 - a)*p_id).sum() + c_out*(a*p_ood).sum()
    best = cost((score < 0).astype(float))
    for k in range(30):
        other = (score < 0).astype(float)
        other[k] = 1 - other[k]
        assert cost(other) >= best - 1e-15


def test_a_learned_ratio_orders_as_the_true_one():
    law = synthetic_example(ood_mean=2.)
    s = law.sample(12_000, random_state=5)
    first = s.x[:6000][~s.is_ood[:6000], None]
    found = learn_ratio(first, s.x[6000:, None], share=.25)
    x = np.linspace(.8, 3.2, 40)                     # where foreign inputs are
    near, true = found(x[:, None]), law.ratio(x)
    assert np.corrcoef(near, true)[0, 1] > .85
    assert .4 < near.max()/true.max() < 2 and found(np.array([[-3.], [6.]])).max() < .5


def test_frames_and_sparse_matrices_are_learned_from():
    pd = pytest.importorskip("pandas")
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(200, 3)), rng.normal(.5, 1, size=(150, 3))
    plain = learn_ratio(a, b, LogisticRegression())(b)
    frames = [pd.DataFrame(v, columns=list("abc")) for v in (a, b)]
    assert np.allclose(learn_ratio(*frames, LogisticRegression())(frames[1]), plain, rtol=1e-6)
    rows = [sparse.csr_matrix(v) for v in (a, b)]
    assert np.allclose(learn_ratio(*rows, LogisticRegression())(rows[1]), plain, rtol=1e-3)


@pytest.mark.parametrize("call, named", [
    (lambda: sirc([-1.], [0.], [0., 1.]), "s_r"), (lambda: sirc([1.], [0.], [2., 2.]), "train_s_g"),
    (lambda: sirc([1.], [0., 1.], [2., 3.]), "s_g"),
    (lambda: plug_in_score([2.], [0.], .1, .1), "s_r"), (lambda: plug_in_score([.2], [-1.], .1, .1), "s_g"),
    (lambda: plug_in_score([.2], [1.], .6, .5), "accept_cost"),
    (lambda: learn_ratio([[1.]], [1.]), "X_mixed"), (lambda: learn_ratio([[1.]], [[1.]], share=1.), "share"),
    (lambda: learn_ratio(np.zeros((0, 2)), [[1.]]), "X_id")],
    ids=["risk", "spread", "length", "plug-risk", "ratio", "costs", "vector", "share", "empty"])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): call()
