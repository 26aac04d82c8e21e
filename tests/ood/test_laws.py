"""Tests of nbs/ood/02_laws.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.ood.laws import check_law, check_prior, combine, likelihood_ratio, need_ood, rates

EVEN = np.array([.5, .5])

def test_rates_are_sums():
    rng = np.random.default_rng(0)
    for _ in range(50):
        (p_id, p_ood), (risk, c) = rng.dirichlet(np.ones(5), 2), rng.random((2, 5))
        tpr, fpr = sum(p_id[i]*c[i] for i in range(5)), sum(p_ood[i]*c[i] for i in range(5))
        lost = sum(p_id[i]*c[i]*risk[i] for i in range(5))
        wanted = tpr, fpr, lost/tpr, .7*tpr/(.7*tpr + .3*fpr)
        assert np.allclose(rates(c, p_id, p_ood, risk, prior=.3), wanted, rtol=1e-14, atol=0)
    nothing = rates(np.zeros(2), EVEN, EVEN, EVEN, prior=.3)
    assert nothing[:2] == (0, 0) and np.isnan(nothing[2:]).all()


def test_a_score_without_zero_times_infinity():
    risk, ratio = np.array([.2, np.nan, .1]), np.array([0., np.inf, 2.])
    assert combine(risk, ratio, .5).tolist() == [.2, np.inf, 1.1]
    assert combine(np.array([.2, .3]), np.array([1., np.inf]), 0).tolist() == [.2, .3]


def test_an_input_without_id_mass_needs_no_risk():
    law = check_law([1., 0], None, [.2, np.nan])
    assert law.risk.tolist() == [.2, 0] and law.p_ood.tolist() == [0, 0]


@pytest.mark.parametrize("call, named", [
    (lambda: likelihood_ratio(EVEN, [-1, 2]), "p_ood"), (lambda: likelihood_ratio([np.nan, 1], EVEN), "p_id"),
    (lambda: likelihood_ratio(EVEN, [1.]), "p_ood"), (lambda: check_law([.5, .4], EVEN, EVEN), "p_id"),
    (lambda: check_law(EVEN, [.9, .9], EVEN), "p_ood"), (lambda: check_law(EVEN, EVEN, [np.nan, 0]), "risk"),
    (lambda: check_prior(1.), "prior"), (lambda: need_ood(None, .2), "p_ood")])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): call()
