"""Tests of nbs/sdr/04_counts.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from math import comb
from math import exp
from math import factorial
from math import log
from reject_nb.sdr.amounts import LARGEST_COUNT

from reject_nb.sdr.counts import Bernoulli, Binomial, Poisson, _Trials, _proportion

RATE = 2.

def test_poisson_by_hand():
    law, k = Poisson(RATE), np.arange(-1., 12)
    mass = [0.] + [exp(-RATE)*RATE**i/factorial(i) for i in range(12)]
    np.testing.assert_allclose(law._cdf(k), np.cumsum(mass), rtol=1e-13)
    np.testing.assert_allclose(law._sf(k), 1 - np.cumsum(mass), rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(np.exp(law.log_density(k)), mass, rtol=1e-13)
    assert law._moments == (2., 2**.5) and law.log_normaliser == 2. and type(law.log_normaliser) is float
    np.testing.assert_allclose(law.g([0, 3]), [0, log(6) - 3*log(2)], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(law._sf(np.array([30.])),
                               exp(-2)*2**31/factorial(31)*(1 + 2/32 + 4/32/33 + 8/32/33/34), rtol=1e-4)


@pytest.mark.parametrize("n, p", [(4, Fraction(1, 4)), (1, Fraction(3, 4)), (7, Fraction(1, 2))])
def test_binomial_in_fractions(n, p):
    law, k = Binomial(n, float(p)), np.arange(-2., n + 3)
    mass = [comb(n, int(i))*p**int(i)*(1 - p)**(n - int(i)) if 0 <= i <= n else Fraction(0) for i in k]
    below = [sum(mass[:i + 1]) for i in range(len(k))]
    np.testing.assert_allclose(law._cdf(k), [float(v) for v in below], rtol=1e-13, atol=0)
    np.testing.assert_allclose(law._sf(k), [float(1 - v) for v in below], rtol=1e-13, atol=0)
    np.testing.assert_allclose(np.exp(law.log_density(k)), [float(v) for v in mass], rtol=1e-13)
    assert abs(law.log_normaliser + n*log(1 - p)) < 1e-14 and law.support == (0., float(n))
    np.testing.assert_allclose(law._moments, [float(n*p), float(n*p*(1 - p))**.5], rtol=1e-15)
    inner = np.arange(n + 1.)
    np.testing.assert_allclose(law.g(inner), [-log(comb(n, int(i))) - i*log(p/(1 - p)) for i in inner],
                               rtol=1e-12, atol=1e-14)


def test_bernoulli_is_one_trial():
    one, law = Binomial(1, .8), Bernoulli(.8)
    k = np.arange(-1., 3)
    for a, b in ((one._cdf, law._cdf), (one._sf, law._sf), (one.log_density, law.log_density)):
        np.testing.assert_allclose(a(k), b(k), rtol=1e-14)
    np.testing.assert_allclose(law.g([0, 1]), [0, -log(4)], rtol=1e-14)
    assert law.trials == one.trials == 1 and law.support == (0., 1.) and law._moments == one._moments


def test_points_between_counts_have_no_mass():
    for law in (Poisson(2), Binomial(4, .5), Bernoulli(.5)):
        assert law.discrete and np.isneginf(law.log_density([.5, -1., 1 + 1e-9])).all()
    with pytest.raises(NotImplementedError): _Trials().trials


def test_fits_by_hand():
    assert Poisson.fit([1, 2, 6]) == Poisson(3) and Poisson.fit([1, 2, 6], [2, 0, 1]) == Poisson(8/3)
    assert Bernoulli.fit([0, 1, 1, 1]) == Bernoulli(.75) and Bernoulli.fit([0, 1], [3, 1]) == Bernoulli(.25)
    assert Binomial(4, .9).fit([1, 2, 3, 3]) == Binomial(4, 9/16) == Binomial.fit([1, 2, 3, 3], n=4)
    assert Binomial(4, .9).fit([1, 2, 3, 3], n=5) == Binomial(5, .45)          # what is said goes before
    assert Binomial(3, .5).fit([0, 3]) == Binomial(3, .5) and Poisson.fit([0, 1]) == Poisson(.5)


@pytest.mark.parametrize("x, n, words", [
    ([0., 0.], 1, r"^X is zero throughout: the maximum-likelihood estimate p = 0 of L is not in \(0, 1\)$"),
    ([3., 3.], 3, r"^X is 3 throughout: the maximum-likelihood estimate p = 1 of L is not in \(0, 1\)$"),
    ([1., 4.], 3, r"^X has values outside the support of L \(0, ..., 3\), first 4.0$"),
    ([1., -1.], 3, "first -1.0"), ([1., 1.5], 3, "first 1.5")])
def test_shares_that_no_law_has(x, n, words):
    with pytest.raises(ValueError, match=words): _proportion(np.array(x), np.ones(2), n, "L")


def test_how_many_trials_there_may_be():
    assert Binomial(int(LARGEST_COUNT), .5).n == 10**15
    for n in (0, 10**15 + 1, -1):
        with pytest.raises(ValueError, match="^n must be"): Binomial(n, .5)
    with pytest.raises(ValueError, match="^X has values outside the support of Poisson .*first 1.5"):
        Poisson.fit([1., 1.5])
