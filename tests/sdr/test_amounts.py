"""Tests of nbs/sdr/03_amounts.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.laws import Place
from scipy.integrate import quad
from scipy.special import betaln
from scipy.special import digamma

from reject_nb.sdr.amounts import (
    Beta, ChiSquared, ContinuousLaw, Exponential, Gamma, GammaLike, ParametricLaw, TINY, _check_scale,
    _check_spread, _leading, check_not_zero, check_shape, check_support, inverse_digamma, log_complement,
    weighted_mean,
)

def _at(x):
    "Places with their logarithms; ln(1 - x) matters for shares alone."
    x = np.asarray(x, float)
    with np.errstate(divide="ignore"): return Place(x, np.log(x), np.log1p(-np.minimum(x, 1)))


def test_what_every_law_must_say_itself():
    for ask in (lambda: ParametricLaw().sample(2), lambda: ParametricLaw.fit([1., 2.]),
                lambda: ContinuousLaw().coefficients, lambda: GammaLike().natural):
        with pytest.raises(NotImplementedError): ask()


def test_names_and_means_by_hand():
    assert [repr(law) for law in (Gamma(2, 3), ChiSquared(4), Exponential(.5), Beta(2, .25))] == [
        "Gamma(2, 3)", "ChiSquared(4)", "Exponential(0.5)", "Beta(2, 0.25)"]
    x = np.array([1., 2., 6.])
    assert weighted_mean(x, np.ones(3)) == 3 and weighted_mean(x, np.array([2., 0., 1.])) == 8/3
    assert type(weighted_mean(x, np.ones(3))) is float


def test_what_a_law_refuses_by_its_first_value():
    x = np.array([1., -2., -3.])
    with pytest.raises(ValueError, match=r"^X has values outside the support of L \(x > 0\), first -2.0$"):
        check_support(x, x > 0, "L", "x > 0")
    assert check_support(x, x < 2, "L", "x < 2") is None and check_not_zero(np.array([0., 1.]), "L") is None
    with pytest.raises(ValueError, match="^X is zero throughout: L has no"): check_not_zero(np.zeros(3), "L")


@pytest.mark.parametrize("scale", [1e-140, 1., 1e140])
def test_a_spread_is_relative(scale):
    x = scale*np.array([1., 1.])
    assert _check_spread(x*[1, 1 + 1e-13], "L") is None
    for same in (x, x*[1, 1 + 4e-15]):
        with pytest.raises(ValueError, match="^X is constant at .*: L has no"): _check_spread(same, "L")


@pytest.mark.parametrize("check, low, high", [(check_shape, 5e-324, 1e15), (_check_scale, 1e-150, 1e150)])
def test_how_small_and_how_large_a_parameter_may_be(check, low, high):
    assert (check(low, "a"), check(high, "a")) == (low, high)
    for value in (low*.5, np.nextafter(high, np.inf), -1.):
        with pytest.raises(ValueError, match="^a must be"): check(value, "a")


def test_the_other_probability():
    found = log_complement(np.log([.25, .5, .75]))
    np.testing.assert_allclose(np.exp(found), [.75, .5, .25], rtol=1e-15)
    assert log_complement(0.) == log_complement(1e-9) == -np.inf and log_complement(-np.inf) == 0
    np.testing.assert_allclose(log_complement(-1e-20), np.log(1e-20))    # its digits are kept
    assert TINY == -38. and 1 + np.exp(TINY) == 1


@pytest.mark.parametrize("law, terms", [(Gamma(3, .5), [0, 2, -2, 0]), (ChiSquared(6), [0, .5, -2, 0]),
                                        (Exponential(4), [0, .25, 0, 0]), (Beta(3, 4), [0, 0, -2, -3])])
def test_coefficients_and_normalisers_by_hand(law, terms):
    assert law.coefficients.tolist() == terms
    made = {Gamma: np.log(2*.125), ChiSquared: np.log(2*8), Exponential: np.log(4), Beta: -np.log(60)}
    np.testing.assert_allclose(law.log_normaliser, made[type(law)], rtol=1e-14)
    for x in (.25, .5):
        g = terms[1]*x + terms[2]*np.log(x) + terms[3]*np.log(1 - x)
        np.testing.assert_allclose(law.g([x]), g, rtol=1e-14)
        np.testing.assert_allclose(law.log_density([x]), -g - law.log_normaliser, rtol=1e-14)
        np.testing.assert_allclose(law._log_density_at(_at(x)), -g - law.log_normaliser, rtol=1e-14)


def test_terms_that_are_not_there_do_not_meet_an_infinite_logarithm():
    assert Exponential(2)._log_density_at(_at(0.)) == -np.log(2) and Beta(2, 1).log_density([1.]) == np.log(2)
    assert Beta(2, 1)._log_density_at(_at(1.)) == np.log(2) == Beta(1, 2)._log_density_at(_at(0.))
    assert Beta(1, 1).log_density([0., 1.]).tolist() == [0, 0]
    assert np.isneginf(Beta(1, 1).log_density([-1e-300, 1 + 1e-15])).all()


def test_tails_by_hand():
    "Shape 2: P(X > x) = (1 + x) exp(-x) in units of the scale; shares with density 2x and 3(1 - x)^2."
    x = np.array([.5, 1., 3., 40.])
    above = (1 + x)*np.exp(-x)
    for law, unit in ((Gamma(2, 1), 1), (Gamma(2, 3), 3), (ChiSquared(4), 2)):
        np.testing.assert_allclose(np.exp(law._log_sf(_at(unit*x))), above, rtol=1e-13)
        np.testing.assert_allclose(np.exp(law._log_cdf(_at(unit*x))), 1 - above, rtol=1e-13)
    np.testing.assert_allclose(Exponential(2)._log_sf(_at(x)), -x/2)
    np.testing.assert_allclose(np.exp(Exponential(2)._log_cdf(_at(x))), -np.expm1(-x/2), rtol=1e-13)
    x = np.array([1e-9, .3, .5, .9])
    np.testing.assert_allclose(np.exp(Beta(2, 1)._log_cdf(_at(x))), x**2, rtol=1e-13)
    np.testing.assert_allclose(np.exp(Beta(2, 1)._log_sf(_at(x))), 1 - x**2, rtol=1e-13)
    np.testing.assert_allclose(np.exp(Beta(1, 3)._log_sf(_at(x))), (1 - x)**3, rtol=1e-13)


def test_where_a_place_is_tiny():
    "ln(r x) below -38 for amounts; for shares a large b brings the border nearer to 0."
    for log_rx, tiny in ((-37.9, False), (-38.1, True)):
        at = Place(0., log_rx - np.log(.5), 0.)
        found, leading = Gamma(3, 2)._tiny(at)
        assert found == tiny and abs(leading - (3*log_rx - np.log(6))) < 1e-12
        assert _leading(2., 1., log_rx)[0] == _leading(2., .1, log_rx)[0] == tiny
        assert _leading(2., 3., log_rx - np.log(3))[0] == tiny
    assert not _leading(2., 1e6, -45.)[0] and _leading(2., 1e6, -52.)[0]
    assert abs(_leading(2., 3., -40.)[1] - (-80 - np.log(2) - betaln(2, 3))) < 1e-12
    assert _leading(2., 3., 5.)[1] == 0


@pytest.mark.parametrize("shape, rate", [(2.5, 1.5), (2.5 + .4j, 1.5 - .3j), (.7 - 1j, 2.)])
def test_integrals_of_powers_with_complex_exponents(shape, rate):
    def part(f): return quad(lambda x: f(x**(shape - 1)*np.exp(-rate*x)), 0, 60, limit=200)[0]
    want = part(np.real) + 1j*part(np.imag)
    assert abs(np.exp(Gamma._log_integral(shape, rate)) - want) < 1e-7
    def share(f): return quad(lambda x: f(x**(shape - 1)*(1 - x)**(rate - 1)), 0, 1, limit=200)[0]
    assert abs(np.exp(Beta._log_integral(shape, rate)) - (share(np.real) + 1j*share(np.imag))) < 1e-7


@pytest.mark.parametrize("x", [[.2, .5, .6], [1e-6, .5, 1 - 1e-6], [.5, .5 + 1e-5], [1e-9, 2e-9, 1e-8]])
@pytest.mark.parametrize("weight", [[1., 1, 1], [1., 3, 0]])
def test_shares_solve_their_equations(x, weight):
    x, weight = np.array(x), np.array(weight)[:len(x)]
    law = Beta.fit(x, sample_weight=weight)
    below = digamma(law.a) - digamma(law.a + law.b) - weighted_mean(np.log(x), weight)
    above = digamma(law.b) - digamma(law.a + law.b) - weighted_mean(np.log1p(-x), weight)
    assert max(abs(below), abs(above)) < 1e-9


@pytest.mark.parametrize("x", [[1., 2., 6.], [1e-30, 1., 1e30], [1., 1.001], [1e-140, 3e-140]])
def test_amounts_solve_their_equation(x):
    x = np.array(x)
    law = Gamma.fit(x)
    wide = np.ptp(x) > x.mean()/2
    spread = np.log(x.mean()) - np.log(x).mean() if wide else -np.log1p(x/x.mean() - 1).mean()
    assert abs(law.shape*law.scale/x.mean() - 1) < 1e-12
    assert abs((np.log(law.shape) - digamma(law.shape))/spread - 1) < 1e-6


def test_the_inverse_of_digamma_by_hand():
    euler = .57721566490153286
    assert abs(inverse_digamma(-euler) - 1) < 1e-14 and abs(inverse_digamma(1 - euler) - 2) < 1e-14
    assert abs(inverse_digamma(-euler - 2*np.log(2)) - .5) < 1e-15
    for y in (-2.2200001, -2.2199999, -1e8, 600.):
        x = inverse_digamma(y)
        assert type(x) is float and abs(digamma(x)/y - 1) < 1e-12


def test_fits_with_one_parameter_by_hand():
    law = ChiSquared.fit([1., 2., 6.])
    assert abs(digamma(law.df/2) - np.log(12)/3 + np.log(2)) < 1e-12 and abs(law.df - 3.22131) < 1e-5
    assert Exponential.fit([1., 2., 6.]) == Exponential(3) and Exponential.fit([0., 1.]) == Exponential(.5)
    for family, x in ((ChiSquared, [1., 0.]), (Gamma, [1., 0.]), (Exponential, [1., -1e-9]),
                      (Beta, [.5, 1.]), (Beta, [0., .5])):
        with pytest.raises(ValueError, match=f"outside the support of {family.__name__} "): family.fit(x)
    for family, value in ((Gamma, 0.), (ChiSquared, -1.), (Exponential, 1e-200)):
        with pytest.raises(ValueError, match=" must be "): family(value)
    rng = np.random.default_rng(1).standard_exponential(3)
    np.testing.assert_allclose(Exponential(3).sample(3, random_state=1), 3*rng)
