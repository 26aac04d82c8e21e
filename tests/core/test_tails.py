"""Tests of nbs/core/05_tails.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy.special import rel_entr
from scipy.stats import binom

from reject_nb.core.tails import (
    _kl, binomial_p_value, clopper_pearson_lower, clopper_pearson_upper, hoeffding_bentkus_p_value,
    order_statistic_rank,
)

def test_p_values_are_binomial_tails():
    for n in (1, 7, 40):
        k = np.arange(n + 1)
        for t in (0., .01, .3, 1.):
            np.testing.assert_allclose(binomial_p_value(k, n, t), binom.cdf(k, n, t), rtol=1e-12)


@pytest.mark.parametrize("n, t", [(5, .1), (30, .3), (200, .05)])
def test_bounded_losses_cost_a_little(n, t):
    k = np.arange(n + 1)
    bounded, exact = hoeffding_bentkus_p_value(k, n, t), binomial_p_value(k, n, t)
    assert (bounded >= exact*(1 - 1e-12)).all() and (bounded <= 1).all()
    assert (np.diff(bounded) >= -1e-15).all()
    assert bounded[0] <= np.e*exact[0] + 1e-15


def test_divergences_are_relative_entropies():
    r, t = np.array([[0.], [.3], [1.]]), np.array([.01, .3, .9])
    np.testing.assert_allclose(_kl(r, t), rel_entr(r, t) + rel_entr(1 - r, 1 - t), atol=1e-15)


@pytest.mark.parametrize("n, t", [(5, .1), (200, .05)])
def test_without_losses_the_tail_costs_nothing(n, t):
    "Hoeffding's p-value of no loss at all is (1 - t)^n, the binomial tail itself."
    np.testing.assert_allclose(hoeffding_bentkus_p_value(0, n, t), (1 - t)**n, rtol=1e-12)


def test_rounding_brings_no_p_value_above_one():
    "The divergence of nearly equal laws rounds below 0, which n of a thousand millions makes visible."
    n, t = 10**9, .1
    total = n*t - 1
    assert n*_kl(total/n, t) < 0 and hoeffding_bentkus_p_value(total, n, t) == 1


def test_bounded_losses_hold_by_enumeration():
    "Losses in {0, 1/2, 1} with mean t: P(p-value <= delta) <= delta, over all outcomes of six."
    n, half, one = 6, .3, .25
    t, prob = .5*half + one, np.array([1 - half - one, half, one])
    outcomes = np.array(np.meshgrid(*[[0, 1, 2]]*n)).reshape(n, -1)
    weight, p = prob[outcomes].prod(0), hoeffding_bentkus_p_value(outcomes.sum(0)/2, n, t)
    for delta in (.01, .05, .1, .3, .9): assert weight[p <= delta].sum() <= delta


@pytest.mark.parametrize("args, name", [((-1, 5, .1), "errors"), ((6, 5, .1), "errors"), ((1, -1, .1), "n"),
                                        ((3.5, 5, .1), "errors"), ((1, 5.5, .1), "n"),
                                        ((0, [4, .5], .1), "n"),
                                        ((1, 5, 1.1), "target_risk"),
                                        ((1, 5, "a"), "target_risk"), ((None, 5, .1), "errors"),
                                        ((1j, 5, .1), "errors")])
def test_p_values_refuse_by_name(args, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): binomial_p_value(*args)
    if name != "errors":
        with pytest.raises(ValueError, match=f"^{name} must be"): hoeffding_bentkus_p_value(*args)


@pytest.mark.parametrize("errors, n", [(0, 1), (0, 59), (3, 10), (9, 10), (50, 1000)])
@pytest.mark.parametrize("delta", [.01, .3])
def test_the_p_value_at_the_limit_is_delta(errors, n, delta):
    high, low = clopper_pearson_upper(errors, n, delta), clopper_pearson_lower(errors, n, delta)
    assert low < errors/n < high or errors == 0 and low == 0 < high
    np.testing.assert_allclose(binom.cdf(errors, n, high), delta, rtol=1e-8)
    if errors: np.testing.assert_allclose(binom.sf(errors - 1, n, low), delta, rtol=1e-8)


@pytest.mark.parametrize("args, name", [((-1, 5, .1), "errors"), ((6, 5, .1), "errors"), ((0, 0, .1), "n"),
                                        ((0, 5, 0), "delta"),
                                        ((0., 5, .1), "errors"), ((0, 5, 1), "delta"),
                                        ((True, 5, .1), "errors")])
def test_limits_refuse_by_name(args, name):
    for limit in (clopper_pearson_upper, clopper_pearson_lower):
        with pytest.raises(ValueError, match=f"^{name} must be"): limit(*args)


def test_all_losses_may_be_one():
    assert hoeffding_bentkus_p_value(5, 5, .5) == 1 and binomial_p_value(5, 5, .5) == 1


def test_all_errors_prove_nothing_from_above():
    assert clopper_pearson_upper(5, 5, .1) == 1 and clopper_pearson_lower(0, 5, .1) == 0


@pytest.mark.parametrize("n, eps, delta", [(1, .5, .6), (10, .1, .05), (100, .1, .05), (500, .02, .3),
                                           (1000, .9, .01)])
def test_the_rank_is_the_largest(n, eps, delta):
    rank, tails = order_statistic_rank(n, eps, delta), binom.cdf(np.arange(n), n, eps)
    assert rank == (tails <= delta).sum()


def test_the_rank_keeps_its_promise():
    "Uniform scores: the r-th smallest is below eps with probability P(Bin(n, eps) >= r)."
    n, eps, delta, repetitions = 50, .2, .1, 20_000
    rank = order_statistic_rank(n, eps, delta)
    kth = np.sort(np.random.default_rng(0).random((repetitions, n)), axis=1)[:, rank - 1]
    assert abs((kth > eps).mean() - binom.cdf(rank - 1, n,
                                              eps)) < 5*np.sqrt(.25/repetitions) and binom.cdf(rank - 1, n,
                                                                                               eps) <= delta


@pytest.mark.parametrize("args, name", [((0, .1, .1), "n"), ((5, 0, .1), "eps"), ((5, .1, 1), "delta"),
                                        ((5., .1, .1), "n")])
def test_ranks_refuse_by_name(args, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): order_statistic_rank(*args)


def test_the_smaller_of_two_bounds_by_hand():
    "3 in 10 at .9: Bentkus' e P(Bin <= 3) is the smaller; 9.5 in 20 at .5: Hoeffding's."
    bentkus = np.e*binom.cdf(3, 10, .9)
    hoeffding = np.exp(-10*(.3*np.log(.3/.9) + .7*np.log(.7/.1)))
    assert bentkus < hoeffding and hoeffding_bentkus_p_value(3, 10, .9) == pytest.approx(bentkus, rel=1e-12)
    for total, k in ((3 + .9e-9, 3), (3 + 1.5e-9, 4), (2.2, 3),
                     (2, 2)):      # sums carry rounding of about 1e-9
        tail, r = np.e*binom.cdf(k, 10, .9), total/10
        other = np.exp(-10*(r*np.log(r/.9) + (1 - r)*np.log((1 - r)/.1)))
        assert hoeffding_bentkus_p_value(total, 10, .9) == pytest.approx(min(tail, other), rel=1e-9)
    plain = np.exp(-20*(.475*np.log(.95) + .525*np.log(1.05)))
    assert hoeffding_bentkus_p_value(9.5, 20, .5) == pytest.approx(plain) and plain < np.e*binom.cdf(10, 20,
                                                                                                     .5)
    assert hoeffding_bentkus_p_value(10, 10, .3) == hoeffding_bentkus_p_value(5, 10, .5) == 1


def test_totals_reach_up_to_n():
    assert hoeffding_bentkus_p_value(5*(1 + .9e-9), 5, .1) == 1
    for total in (5*(1 + 1.1e-9), 5.5, 7, [1, 6]):
        with pytest.raises(ValueError, match="^total must be at most n"):
            hoeffding_bentkus_p_value(total, 5, .1)
    with pytest.raises(ValueError, match="^total must be"): hoeffding_bentkus_p_value(-1e-6, 5, .1)
    assert hoeffding_bentkus_p_value([0, 5.], 5, [.1, .2]).shape == (2,)
