"""Tests of nbs/sdr/10_columns.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import ChiSquared
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.columns import ScalarPair
from reject_nb.sdr.columns import _positive_roots
from reject_nb.sdr.columns import crossings
from reject_nb.sdr.counts import Bernoulli
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.gaussian import Gaussian
from reject_nb.sdr.laws import Place
from scipy import stats

from reject_nb.sdr.columns import (
    Atoms, _inside_piece, atoms, convolve, coordinates, counts_of, discrete_runs, log_between,
    log_sum_below, log_surely_safe, meet, merge, place, runs_log_probability, scalar_log_cdf,
    turning_points,
)

SCALARS = [(Gamma(2, 1), Gamma(5, .7)), (Gamma(2, 1), Gaussian(3, 1)), (Gaussian(3, 1), Gamma(2, 1)),
           (Exponential(1), Exponential(3)),
           (ChiSquared(3), Exponential(2)), (Beta(2, 5), Beta(3, 1.5)), (Beta(.5, .5), Beta(2, 2)),
           (Beta(2, 2), Exponential(.3)),
           (Gaussian(.3, .1), Beta(.7, .4)), (Beta(.7, .4), Gaussian(.3, .1)), (Gamma(.5, 2), Gamma(.7, 2)),
           (Beta(1, 1), Gamma(3, .2)),
           (Gamma(.2, 3), Beta(1.26, .16)), (Exponential(.5), Beta(2, .6))]

def _coordinate_grid(pair): return np.linspace(-60, 60 if pair.support[1] == 1 else 6, 4001)


@pytest.mark.parametrize("safe, unsafe", SCALARS)
def test_gamma_and_its_slope(safe, unsafe):
    pair = ScalarPair(safe, unsafe)
    t = np.linspace(-3, 2, 41)
    x = place(t, pair.support).x
    np.testing.assert_allclose(pair.gamma(t), unsafe.log_density(x) - safe.log_density(x), rtol=1e-9,
                               atol=1e-10)
    h = 1e-6 # central difference: error h^2 and rounding 1e-10
    np.testing.assert_allclose(pair.slope(t), (pair.gamma(t + h) - pair.gamma(t - h))/(2*h), rtol=1e-6,
                               atol=1e-7)


@pytest.mark.parametrize("safe, unsafe", SCALARS)
def test_monotone_between_turning_points(safe, unsafe):
    pair = ScalarPair(safe, unsafe)
    points, t = turning_points(pair), _coordinate_grid(pair)
    piece = np.searchsorted(points, t)
    values = pair.gamma(t)
    noise = 1e-13*(1 + np.abs(values))
    for j in set(piece):
        steps, size = np.diff(values[piece == j]), noise[piece == j][1:]
        assert (steps >= -size).all() or (steps <= size).all()
    inner = points[1:-1]
    assert (np.abs(pair.slope(inner)) <= 1e-9*(1 + np.abs(pair.coefficients).max())).all()


@pytest.mark.parametrize("safe, unsafe", SCALARS)
def test_pieces_end_on_the_level(safe, unsafe):
    pair = ScalarPair(safe, unsafe)
    points = turning_points(pair)
    for level in (-1., .1, 3.):
        for start, end in zip(points, points[1:]):
            left, right = _inside_piece(pair, start, end, np.array([level]))
            low, high = float(np.squeeze(left)), float(np.squeeze(right))
            assert start <= low <= high <= end
            for cut in {low, high} - {start, end}: assert abs(pair.gamma(cut) - level) < 1e-8*(1 + abs(cut))
            if high > low:
                assert pair.gamma((max(low, -50) + min(high, 50))/2) <= level + 1e-9 or high < -50 or low > 50


def _shares(pair, level, under):
    "Probability by a fine grid of coordinates: density times step, one half where Gamma changes side."
    law = getattr(pair, under)
    t = np.linspace(-250, 250 if pair.support[1] == 1 else 8, 400_001)
    at = place(t, pair.support)
    jacobian = at.log_x + (at.log_1mx if pair.support[1] == 1 else 0.)
    density = np.exp(law._log_density_at(at) + jacobian)
    inside = pair.gamma(t) <= level
    return (density*inside).sum()*(t[1] - t[0]) + (np.exp(log_surely_safe(pair)) if under == "safe" else 0.)


@pytest.mark.parametrize("safe, unsafe", SCALARS)
@pytest.mark.parametrize("under", ["safe", "unsafe"])
def test_scalar_distribution(safe, unsafe, under):
    # the grid is good to its step times the density at the ends of the intervals:
    # below 1.3e-3 times at most 8 ends of density 1/4
    pair = ScalarPair(safe, unsafe)
    levels = np.array([-2., -.3, .2, 1.5])
    ours = np.exp(scalar_log_cdf(pair, levels, under))
    for level, value in zip(levels, ours): assert abs(_shares(pair, level, under) - value) < 3e-3
    np.testing.assert_allclose(ours, [np.exp(scalar_log_cdf(pair, [level], under))[0] for level in levels],
                               rtol=1e-13)


def test_beta_with_mass_at_one():
    # a quarter of a percent of this law lies within 1e-16 of 1: there Gamma = (1 - b) ln(1 - x) + const,
    # so the tail is an incomplete beta
    safe, unsafe = Beta(1.26, .16), Exponential(.93)
    pair = ScalarPair(safe, unsafe)
    for level in (-30., -300.):
        # gamma(x) = level where 1 - x = y, x = 1: ln f_U(1) - ln f_S = -1/.93 - ln .93 + ln B + .84 ln y
        log_y = (level + 1/.93 + np.log(.93) - safe.log_normaliser)/.84
        want = .16*log_y - np.log(.16) - safe.log_normaliser
        assert log_y < -36 and abs(scalar_log_cdf(pair, [level], "safe")[0] - want) < 1e-12*abs(want)


def test_places_keep_their_digits():
    at = place(50., (0, 1))
    assert at.x == 1 and abs(at.log_1mx + 50) < 1e-12 and abs(at.log_x + np.exp(-50.)) < 1e-30
    assert place(-3., (0, np.inf)) == (np.exp(-3.), -3., 0.)
    x = np.array([1e-300, .1, .5])
    np.testing.assert_allclose(place(coordinates(x, (0, 1)), (0, 1)).x, x, rtol=1e-12)
    np.testing.assert_allclose(place(coordinates(x, (0, np.inf)), (0, np.inf)).x, x, rtol=1e-12)


@pytest.mark.parametrize("law", [Gaussian(0, 1), Gamma(2, 1), Beta(2, .5)])
def test_probabilities_between(law):
    support = (0, 1) if isinstance(law, Beta) else (0, np.inf)
    dist = {"Gaussian": stats.norm(), "Gamma": stats.gamma(2), "Beta": stats.beta(2, .5)}[type(law).__name__]
    for low, high in ((.1, .4), (.6, .9), (.1, .9), (.4, .4), (.9, .1)):
        found = np.exp(log_between(law, place(coordinates(low, support), support),
                                   place(coordinates(high, support), support)))
        assert abs(found - max(dist.cdf(high) - dist.cdf(low), 0)) < 1e-14
    far = log_between(Gaussian(0, 1), Place(20., 0., 0.), Place(21., 0., 0.))
    assert abs(far - stats.norm.logsf(20.)) < 1e-8 # in the right tail without cancellation


@pytest.mark.parametrize("safe, unsafe, top", [
    (Poisson(3), Poisson(5), 200), (Binomial(20, .3), Binomial(20, .6), 20),
    (Binomial(5, .3), Poisson(4), 200), (Bernoulli(.8), Bernoulli(.3), 1),
    (Binomial(8, .5), Binomial(12, .4), 12), (Poisson(3), Binomial(10, .3), 200)])
@pytest.mark.parametrize("level", [-2., -.3, .4, 1.7])
def test_runs_are_the_points(safe, unsafe, top, level):
    # every point listed, decided and summed; 1e-12 is rounding
    k = np.arange(top + 1.)
    ps, pu = np.exp(safe.log_density(k)), np.exp(unsafe.log_density(k))
    with np.errstate(divide="ignore", invalid="ignore"): inside = (ps > 0) & (np.log(pu/ps) <= level)
    runs = discrete_runs(counts_of(safe, unsafe), level)
    covered = np.zeros(top + 1, bool)
    for low, high in runs: covered |= (k > low) & (k <= high)
    assert (covered == inside)[(ps > 1e-300) | (pu > 1e-300)].all()
    for law, p in ((safe, ps), (unsafe, pu)):
        assert abs(np.exp(runs_log_probability(law, runs)) - p[inside].sum()) < 1e-12
    for under, p in (("safe", ps), ("unsafe", pu)):
        found = log_sum_below(meet([atoms(safe, unsafe, under)]), level)
        assert abs(np.exp(found) - p[inside].sum()) < 1e-12


def test_far_runs_keep_their_digits():
    law = Poisson(3)
    tail = np.log(stats.poisson(3).pmf(np.arange(41, 90)).sum())
    assert abs(runs_log_probability(law, [(40., np.inf)]) - tail) < 1e-10
    assert np.isneginf(runs_log_probability(law, []))
    with pytest.raises(ValueError, match="2e.07"): counts_of(Poisson(1e13), Poisson(2e13))
    counts = counts_of(Poisson(1e6), Poisson(1.1e6))
    assert counts.log_s.max() > -10 and counts.log_s[0] < -700 and counts.log_u[-1] < -700


def test_atoms_add_up():
    a, b = Atoms(np.array([0., 1., 5.]), np.log([.2, .3, .5])), Atoms(np.array([-1., 0.]), np.log([.4, .6]))
    both = convolve(a, b)
    assert both.values.tolist() == [-1, 0, 1, 4, 5]
    np.testing.assert_allclose(np.exp(both.logp), [.08, .24, .18, .2, .3], rtol=1e-14) # 0 is 0 + 0 and 1 - 1
    for level, want in ((-1.1, 0), (-1., .08), (0., .32), (4.9, .7), (5., 1.)):
        for halves in ([both], [a, b], [b, a]):
            assert abs(np.exp(log_sum_below(halves, level)) - want) < 1e-14
    close = merge(Atoms(np.array([1. + 1e-14, 1., 1. + 1e-12]), np.log([.1, .2, .7])))
    assert len(close.values) == 2 and abs(np.exp(close.logp[0]) - .3) < 1e-15
    assert len(merge(Atoms(np.zeros(0), np.zeros(0))).values) == 0
    rare = convolve(Atoms(np.zeros(1), np.array([-60.])), Atoms(np.zeros(2), np.array([-30., -40.])))
    assert len(rare.values) == 1 and rare.logp[0] == -90


def test_two_halves():
    rng = np.random.default_rng(0)
    columns = [Atoms(rng.normal(size=n), np.log(np.full(n, 1/n))) for n in (1500, 1600, 700, 3)]
    halves = meet(columns)
    assert sorted(len(h.values) for h in halves) == [4800, 1_050_000] and meet([]) == []
    total = sum(rng.choice(c.values, 200_000) for c in columns)
    found = np.exp(log_sum_below(halves, .5)) # five standard errors of the draws
    assert abs((total <= .5).mean() - found) < 5*np.sqrt(found*(1 - found)/200_000)
    with pytest.raises(ValueError, match="too many combinations"): meet([columns[0]]*5)


@pytest.mark.parametrize("roots, high, found", [
    ([.25, 1., 2.], np.inf, [.25, 1., 2.]), ([.25, 1., 2.], 1.5, [.25, 1.]), ([.25, 1.], .999, [.25]),
    ([-1., .5], np.inf, [.5]), ([1e-6, 1e6], np.inf, [1e-6, 1e6]),
    ([0., .3, 0.], 1., [.3]), ([-2., -.1], 1., [])])
def test_positive_roots_of_a_polynomial_by_hand(roots, high, found):
    "Each is found twice, from either end of the coefficients; a pair of complex roots is none."
    for factor in ([1.], [1., 0., 1.]):
        got = np.sort(_positive_roots(np.polymul(np.poly(roots), factor), high))
        np.testing.assert_allclose(got, np.repeat(found, 2), rtol=1e-6)


@pytest.mark.parametrize("safe, unsafe", [(1., 3.), (3., 1.), (1., 1.001)])
def test_crossings_of_exponentials_in_closed_form(safe, unsafe):
    "Gamma = ln(s/u) + (1/s - 1/u) x, x = exp(t): it rises where unsafe points are larger, else it falls."
    pair, slope = ScalarPair(Exponential(safe), Exponential(unsafe)), 1/safe - 1/unsafe
    x = np.array([1e-6, .01, 1., 7., 300.])
    found = crossings(pair, -30., 10., np.log(safe/unsafe) + slope*x)
    np.testing.assert_allclose(np.exp(found)[1:], x[1:], rtol=1e-9)
    assert abs(np.exp(found[0]) - x[0]) < 1e-12/abs(slope)


def test_crossings_of_powers():
    "Shapes 2 and 3 with one scale: Gamma = t - ln 2 at x = exp(t)."
    found = crossings(ScalarPair(Gamma(2), Gamma(3)), -700., 5., np.array([-600., -.5, 0., 4.]))
    np.testing.assert_allclose(found, np.array([-600., -.5, 0., 4.]) + np.log(2), rtol=1e-14)
