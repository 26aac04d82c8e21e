"""Tests of nbs/sdr/80_reference.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import re
import tempfile
from pathlib import Path
from reject_nb.core.files import project_root
from reject_nb.core.tables import load_table
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import ChiSquared
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.counts import Bernoulli
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.experiments import reference
from reject_nb.sdr.experiments.reference import Block
from reject_nb.sdr.experiments.reference import COARSER
from reject_nb.sdr.experiments.reference import Line
from reject_nb.sdr.experiments.reference import PLACES
from reject_nb.sdr.experiments.reference import Plain
from reject_nb.sdr.experiments.reference import WHOLE
from reject_nb.sdr.experiments.reference import _at_kinks
from reject_nb.sdr.experiments.reference import _digits
from reject_nb.sdr.experiments.reference import _digits_of_counts
from reject_nb.sdr.experiments.reference import _one_scrambling
from reject_nb.sdr.experiments.reference import _reach
from reject_nb.sdr.experiments.reference import _spread
from reject_nb.sdr.experiments.reference import atoms_of
from reject_nb.sdr.experiments.reference import crossing
from reject_nb.sdr.experiments.reference import exact
from reject_nb.sdr.experiments.reference import gamma_at
from reject_nb.sdr.experiments.reference import grow
from reject_nb.sdr.experiments.reference import has_digits
from reject_nb.sdr.experiments.reference import jacobian
from reject_nb.sdr.experiments.reference import log_density
from reject_nb.sdr.experiments.reference import main
from reject_nb.sdr.experiments.reference import mass_between
from reject_nb.sdr.experiments.reference import ours
from reject_nb.sdr.experiments.reference import plain
from reject_nb.sdr.experiments.reference import quantile
from reject_nb.sdr.experiments.reference import quasi
from reject_nb.sdr.experiments.reference import random_case
from reject_nb.sdr.experiments.reference import score
from reject_nb.sdr.experiments.reference import split
from reject_nb.sdr.experiments.reference import sums_of
from reject_nb.sdr.experiments.reference import tails
from reject_nb.sdr.experiments.reference import timed
from reject_nb.sdr.experiments.reference import truth
from reject_nb.sdr.experiments.reference import two_lines
from reject_nb.sdr.experiments.reference import values_at
from reject_nb.sdr.experiments.reference import worst
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian
from scipy import stats
from scipy.special import expit
from scipy.special import gammaln
from scipy.special import ndtr
from scipy.stats import qmc

from reject_nb.sdr.experiments.reference import checked, digits

def test_exponentials_by_hand():
    pair = Independent([Exponential(1)]), Independent([Exponential(3)])
    for under, want in ((0, 1 - 3**-1.5), (1, 1 - 3**-.5)):
        found = truth(*pair, 0., under, 0)
        assert abs(found.value - want) < 1e-13 and found.method == "closed form"


def test_the_ways_agree():
    # two exponential columns, by quadrature and by points
    pair = [Independent([Exponential(m), Exponential(2*m)]) for m in (1., 3.)]
    exact_one = truth(*pair, .3, 0, 0)
    lines, blocks, counts = split(*pair, 0)
    sampled = quasi(lines, blocks, counts, .3, 1, 12)
    assert exact_one.method == "quadrature" and exact_one.error < 1e-11
    assert abs(exact_one.value - sampled.value) < sampled.error < 1e-3


@pytest.mark.parametrize("start", range(0, 40, 5))
def test_rates_lie_within_their_bounds(start):
    for seed in range(2000 + start, 2005 + start): # cases that the stored table does not have
        row = checked(seed)
        assert row["status"] == "optimal" and worst(row) <= 1, row


def test_thirty_digits_near_one():
    # by hand: Beta(1, b) lies below x with probability 1 - (1 - x)^b, here 1 - exp(-100 b) at 1 - x = e^-100
    mp = pytest.importorskip("mpmath")
    with mp.workdps(30):
        between = _digits(mp, Plain("beta", 1., .02), 2)[1]
        t = mp.mpf(100)
        for found in (between(None, t), 1 - between(t, None), between(-t, t)):
            assert abs(found - (1 - mp.exp(-t*mp.mpf(.02)))) < 1e-25


def test_thirty_digits():
    pytest.importorskip("mpmath")
    seeds = [seed for seed in range(2000, 2060) if has_digits(random_case(seed)[0])]
    for seed in seeds:
        case = random_case(seed)
        found, other = ours(case), digits(case)
        for name, value in zip(("tpr", "fpr"), other):
            assert abs(found[name] - value) <= found[f"{name}_error"] + 1e-16
    assert len(seeds) > 10


def test_the_stored_table():
    table = load_table("sdr/rates_checked", project_root()/"figures")
    rows = [dict(zip(table, values)) for values in zip(*table.values())]
    assert (table["case"] == np.arange(2000)).all() and max(map(worst, rows)) <= 1
    assert (table["status"] == "optimal").all() and np.isfinite(table["tpr_off_digits"]).sum() >= 30

SLOPES = [("normal", .3, 1.7, 0), ("normal", .3, 1.7, 1), ("normal", .3, 1.7, 2), ("gamma", 2.5, .6, 1),
          ("beta", 1.5, 3., 2)]

@pytest.mark.parametrize("kind, one, two, chart", SLOPES)
def test_a_score_is_the_slope_of_the_log_density(kind, one, two, chart):
    law, t, step = Plain(kind, one, two), np.array([-1.3, .2, .9]), 1e-6
    slope = (log_density(law, t + step, chart) - log_density(law, t - step, chart))/(2*step)
    np.testing.assert_allclose(score(law, t, chart), slope, rtol=1e-7)

PLAIN = {"normal": Plain("normal", .3, 1.7), "gamma": Plain("gamma", 2.5, .6), "beta": Plain("beta", 1.5, 3.),
         "other normal": Plain("normal", -.4, .8), "other gamma": Plain("gamma", .7, 2.),
         "other beta": Plain("beta", 4., .6), "shifted": Plain("normal", 2., 1.7)}
SAMPLE = [("normal", "other normal"), ("normal", "shifted"), ("normal", "gamma"), ("normal", "beta"),
          ("gamma", "beta"), ("gamma", "other gamma"), ("beta", "other beta"), ("beta", "other normal"),
          ("other gamma", "normal"), ("beta", "gamma")]

def _theirs(law):
    "The same law in scipy.stats."
    if law.kind == "normal": return stats.norm(law.one, law.two)
    if law.kind == "gamma": return stats.gamma(law.one, scale=law.two)
    return stats.beta(law.one, law.two)


def _points(t, chart): return [t, np.exp(t), expit(t)][chart]


def _many(safe, unsafe, under, n=40_001):
    "Gamma at the midpoints of n parts of equal mass of one law, by scipy."
    x = _theirs((safe, unsafe)[under]).ppf((np.arange(n) + .5)/n)
    with np.errstate(all="ignore"): return _theirs(unsafe).logpdf(x) - _theirs(safe).logpdf(x)


def test_laws_as_two_numbers():
    assert plain(Gaussian(2., 9.)) == ("normal", 2., 3.) and plain(Gamma(2.5, .5)) == ("gamma", 2.5, .5)
    assert plain(ChiSquared(5.)) == ("gamma", 2.5, 2.) and plain(Exponential(.25)) == ("gamma", 1., .25)
    assert plain(Beta(.5, 4.)) == ("beta", .5, 4.)


@pytest.mark.parametrize("kind, chart", [("normal", 0), ("normal", 1), ("normal", 2), ("gamma", 1),
                                         ("gamma", 2), ("beta", 2)])
def test_densities_and_tails_are_those_of_scipy(kind, chart):
    law, t = PLAIN[kind], np.array([-1.3, .2, .9, 2.])
    x = _points(t, chart)
    np.testing.assert_allclose(log_density(law, t, chart), _theirs(law).logpdf(x), rtol=1e-12)
    low, high = tails(law, t, chart)
    np.testing.assert_allclose(low, _theirs(law).cdf(x), rtol=1e-11)
    np.testing.assert_allclose(high, _theirs(law).sf(x), rtol=1e-11)
    mass = mass_between(law, t[:-1], t[1:], chart)
    np.testing.assert_allclose(mass, np.diff(_theirs(law).cdf(x)), atol=1e-14)
    slope = (_points(t + 1e-6, chart) - _points(t - 1e-6, chart))/2e-6
    np.testing.assert_allclose(np.exp(jacobian(t, chart)), slope, rtol=1e-8)
    got = np.broadcast_arrays(*values_at(t, chart))
    np.testing.assert_allclose(got[0], x, rtol=1e-15)
    if chart: np.testing.assert_allclose(np.exp(got[1]), x, rtol=1e-14)
    if chart == 2: np.testing.assert_allclose(np.exp(got[2]), 1 - x, rtol=1e-13)


def test_masses_have_their_digits_in_both_tails():
    law = PLAIN["normal"]
    for a, b in ((-20., -18.), (18., 20.)): # sd 1.7: ten standard deviations
        want = ndtr(-abs(18. - .3*np.sign(a))/1.7) - ndtr(-abs(20. - .3*np.sign(a))/1.7)
        np.testing.assert_allclose(mass_between(law, a, b, 0), want, rtol=1e-12)
    # below e^-400 the leading term of the series is all: x^a / (scale^a a Gamma(a)), x^a / (a B(a, b))
    low, high = tails(Plain("gamma", .02, 3.), np.array([-400.]), 1)
    want = np.exp(.02*(-400 - np.log(3)) - gammaln(1.02))
    np.testing.assert_allclose([*low, *high], [want, 1 - want], rtol=1e-13)
    near = np.log(.02) + gammaln(.02) + gammaln(.5) - gammaln(.52)
    low, high = tails(Plain("beta", .02, .5), np.array([-400.]), 2)
    np.testing.assert_allclose([*low, *high], [np.exp(-8 - near), 1 - np.exp(-8 - near)], rtol=1e-12)
    low, high = tails(Plain("beta", .5, .02), np.array([400.]), 2)
    np.testing.assert_allclose([*low, *high], [1 - np.exp(-8 - near), np.exp(-8 - near)], rtol=1e-12)


@pytest.mark.parametrize("kind", PLAIN)
def test_quantiles_are_those_of_scipy(kind):
    law, u = PLAIN[kind], np.array([1e-9, .01, .3, .5, .9, .999])
    chart = reference.CHART[law.kind]
    np.testing.assert_allclose(_points(quantile(law, u), chart), _theirs(law).ppf(u), rtol=1e-9)


def test_quantiles_where_x_underflows():
    # a = .002: the quantile of 1/4 is near e^-690, the leading term gives its logarithm
    for law in (Plain("gamma", .002, 3.), Plain("beta", .002, 2.), Plain("beta", 2., .002)):
        u = np.array([.25, .75]) if law.one < 1 else 1 - np.array([.25, .75])
        t = quantile(law, u)
        low, high = tails(law, t, reference.CHART[law.kind])
        np.testing.assert_allclose(low, u, rtol=1e-9)
        assert abs(t[0]) > 600 and np.isfinite(t).all()


@pytest.mark.parametrize("safe, unsafe", SAMPLE)
@pytest.mark.parametrize("under", [0, 1])
def test_one_column_against_many_points(safe, unsafe, under):
    line = Line(PLAIN[safe], PLAIN[unsafe], under)
    many = _many(PLAIN[safe], PLAIN[unsafe], under)
    many = np.where(np.isnan(many), np.inf, many)
    some = np.quantile(many[np.isfinite(many)], np.linspace(.03, .97, 12))
    counted = (many <= some[:, None]).mean(1)
    np.testing.assert_allclose(line.below(some), counted, atol=1e-4)
    assert line.below(np.array(1e9)) == pytest.approx(np.mean(many < np.inf), abs=5e-5)
    assert line.below(np.array(-1e9)) == pytest.approx(np.mean(many == -np.inf), abs=5e-5)
    for table in line.tables: # every level inside a piece is met where `crossing` says
        lo, hi = sorted(table[1][[0, -1]])
        level = lo + (hi - lo)*np.linspace(.01, .99, 23)
        at = crossing(line, table, level)
        np.testing.assert_allclose(line.gamma(at), level, rtol=1e-11, atol=1e-12)
        assert (at >= table[0][0]).all() and (at <= table[0][-1]).all()
    ends = tails(line.law, np.array(line.ends), line.chart)
    assert line.ends[0] == pytest.approx(_reach(line)[0]) and line.under == under
    if line.chart == reference.CHART[line.law.kind]:
        assert 5e-18 < ends[0][0] < 2e-17 and ends[1][1] < 2e-17


@pytest.mark.parametrize("safe, unsafe", SAMPLE)
@pytest.mark.parametrize("under", [0, 1])
def test_gamma_at_quantiles_and_its_quartiles(safe, unsafe, under):
    line, u = Line(PLAIN[safe], PLAIN[unsafe], under), np.linspace(.01, .99, 99)
    x = _theirs(line.law).ppf(u)
    with np.errstate(all="ignore"): want = _theirs(PLAIN[unsafe]).logpdf(x) - _theirs(PLAIN[safe]).logpdf(x)
    np.testing.assert_allclose(gamma_at(line, u), want, rtol=1e-8, atol=1e-9)
    finite = want[np.isfinite(want)]
    np.testing.assert_allclose(_spread(line), np.diff(np.quantile(finite, [.25, .75]))[0], rtol=1e-8)


def test_where_gamma_turns():
    # normal: the difference of two parabolas; gamma: (k' - k)/x = 1/s' - 1/s; beta: a'' (1 - x) = b'' x
    line = Line(PLAIN["normal"], PLAIN["other normal"], 0)
    want = (.3/1.7**2 + .4/.8**2)/(1/1.7**2 - 1/.8**2)
    assert len(line.turns) == 3 and line.turns[1] == pytest.approx(want, abs=1e-7)
    line = Line(PLAIN["gamma"], PLAIN["other gamma"], 1)
    assert np.exp(line.turns[1]) == pytest.approx((.7 - 2.5)/(1/2. - 1/.6), rel=1e-7) and len(line.turns) == 3
    line = Line(PLAIN["beta"], Plain("beta", 2.5, 4.5), 1)
    assert expit(line.turns[1]) == pytest.approx(1/2.5, rel=1e-7) and len(line.tables) == 2
    assert len(Line(PLAIN["normal"], PLAIN["shifted"], 0).turns) == 2
    nowhere = Line(Plain("normal", -50., 1.), PLAIN["gamma"], 0) # Gamma is finite above 0 alone
    assert nowhere.sure == 1 and nowhere.below(np.array([0.])) == pytest.approx(1)


def test_safe_points_outside_of_the_unsafe_support():
    normal, gamma, beta = (PLAIN[name] for name in ("normal", "gamma", "beta"))
    assert Line(normal, gamma, 0).sure == pytest.approx(stats.norm(.3, 1.7).cdf(0))
    assert Line(normal, beta, 0).sure == pytest.approx(stats.norm(.3, 1.7).cdf(0) + stats.norm(.3, 1.7).sf(1))
    assert Line(gamma, beta, 0).sure == pytest.approx(stats.gamma(2.5, scale=.6).sf(1))
    for pair in ((normal, gamma), (normal, beta), (gamma, beta)): assert Line(*pair, 1).sure == 0
    assert Line(beta, normal, 0).sure == Line(gamma, normal, 0).sure == 0


def test_the_rule_of_fifteen_points():
    # Kronrod's is exact up to degree 22, Gauss' up to 13; both are symmetric
    for degree in range(23):
        want = 2/(degree + 1) if degree % 2 == 0 else 0.
        assert PLACES**degree @ WHOLE == pytest.approx(want, abs=1e-14)
        if degree < 14: assert PLACES**degree @ COARSER == pytest.approx(want, abs=1e-14)
    assert abs(PLACES**14 @ COARSER - 2/15) > 1e-6 and abs(PLACES**24 @ WHOLE - 2/25) > 1e-12


def test_two_normal_columns_by_hand():
    # equal variances: Gamma_i is normal with mean -+ d^2/2 and variance d^2, and so is the sum
    first = (Plain("normal", 0., 1.), Plain("normal", 1.5, 1.))
    second = (Plain("normal", 0., 2.), Plain("normal", 1., 2.))
    d2 = 1.5**2 + .5**2
    levels, weights = np.array([-1., .4, 2.]), np.array([.2, .5, .3])
    for under, sign in ((0, -1), (1, 1)):
        lines = Line(*first, under), Line(*second, under)
        want = weights @ ndtr((levels - sign*d2/2)/np.sqrt(d2))
        value, error = two_lines(*lines, levels, weights)
        assert abs(value - want) < error < 1e-11
        rough, far = two_lines(*lines, levels, weights, budget=0)
        assert error < far and abs(rough - want) < far
    value, error = two_lines(Line(PLAIN["normal"], PLAIN["gamma"], 0), Line(*first, 0), np.array([50.]), [2.])
    assert value == pytest.approx(2., abs=1e-10) # all mass, the safe points without Gamma included


def test_intervals_are_cut_at_the_corners():
    first, second = (Line(PLAIN["normal"], PLAIN["other normal"], 0) for _ in range(2))
    cuts, levels, weights = np.linspace(*first.ends, 5), np.array([-1.5, .1]), np.array([.7, .3])
    parts = (np.tile(cuts[:-1], 2), np.tile(cuts[1:], 2), np.repeat(levels, 4), np.repeat(weights, 4))
    low, high, q, w = _at_kinks(first, second, levels, parts)
    corners = second.gamma(second.turns)
    for level, weight in zip(levels, weights):
        some = np.argsort(low[q == level])
        a, b = low[q == level][some], high[q == level][some]
        assert a[0] == cuts[0] and b[-1] == cuts[-1] and (a[1:] == b[:-1]).all()
        assert (w[q == level] == weight).all()
        new = np.setdiff1d(a, cuts)
        assert len(new) >= 2
        np.testing.assert_allclose(np.abs(level - first.gamma(new)[:, None] - corners).min(1), 0, atol=1e-11)


def _pmf(law, k):
    if isinstance(law, Poisson): return stats.poisson(law.rate).logpmf(k)
    return stats.binom(getattr(law, "n", 1), law.p).logpmf(k)


@pytest.mark.parametrize("safe, unsafe", [(Poisson(2.), Poisson(5.)), (Binomial(4, .3), Poisson(3.)),
                                          (Bernoulli(.3), Binomial(3, .4)),
                                          (Poisson(90.), Binomial(200, .5))])
def test_atoms_of_counts(safe, unsafe):
    mp = pytest.importorskip("mpmath")
    for under in (0, 1):
        g, p = atoms_of(safe, unsafe, under)
        k = np.arange(400)
        s, u = _pmf(safe, k), _pmf(unsafe, k)
        with np.errstate(all="ignore"): gamma = np.where(np.isneginf(s), np.inf, u - s)
        keep = np.exp((s, u)[under]) > 1e-25
        np.testing.assert_allclose(p, np.exp((s, u)[under])[keep])
        np.testing.assert_allclose(g, gamma[keep])
        assert p.sum() == pytest.approx(1, abs=1e-12)
        with mp.workdps(30): more = _digits_of_counts(mp, [(safe, unsafe)], under)
        values, masses = np.array(more, dtype=float).T
        keep = np.exp((s, u)[under]) > 1e-22
        np.testing.assert_allclose(masses, np.exp((s, u)[under])[keep], rtol=1e-9)
        np.testing.assert_allclose(values, gamma[keep], rtol=1e-9, atol=1e-10)


def test_sums_of_counts():
    pairs = [(np.array([0., 1.]), np.array([.25, .75])),
             (np.array([0., 10., 20.]), np.array([.5, .5, 1e-23]))]
    g, p = sums_of(pairs, 6)
    assert g.tolist() == [0, 10, 1, 11] and p.tolist() == [.125, .125, .375, .375]
    assert sums_of(pairs, 5) is None and [part.tolist() for part in sums_of([], 0)] == [[0], [1]]

COVARIANCES = [(np.array([[2., .5], [.5, 1.]]), np.array([[2., .5], [.5, 1.]])),
               (np.array([[2., .5], [.5, 1.]]), np.array([[1., -.3], [-.3, .4]])),
               (np.array([[1., -.3], [-.3, .4]]), np.array([[2., .5], [.5, 3.]])),
               (np.eye(2), np.array([[2., 0.], [0., 1.]]))]

@pytest.mark.parametrize("covs", COVARIANCES)
@pytest.mark.parametrize("under", [0, 1])
@pytest.mark.parametrize("away", [-.8, 0., 1.])
def test_a_block_of_gaussians(covs, under, away):
    safe, unsafe = Gaussian([0., 1.], covs[0]), Gaussian([1., 1. + away], covs[1])
    block, z = Block(safe, unsafe, under), np.array([[.3, -.4], [-1., 2.]])
    law = (safe, unsafe)[under]
    def gamma(x):
        return (stats.multivariate_normal(unsafe.mean, unsafe.cov).logpdf(x)
                - stats.multivariate_normal(safe.mean, safe.cov).logpdf(x))
    def at(z): return law.mean + z @ np.linalg.cholesky(law.cov).T
    np.testing.assert_allclose(block.gamma(z), gamma(at(z)))
    last = stats.norm.ppf((np.arange(20_000) + .5)/20_000)
    for row in z:
        many = gamma(at(np.column_stack([np.full(len(last), row[0]), last])))
        for level in (many.min() - 1, *np.quantile(many, [.2, .7]), many.max() + 50.):
            found = block.below(row[None], np.array([level + 1e-9]))
            assert abs(found[0] - np.mean(many <= level + 1e-9)) < 2e-4


def test_what_a_case_consists_of():
    safe = Independent([Exponential(1), Poisson(2), Gaussian([0., 0], np.eye(2)), Beta(2., 3.)])
    unsafe = Independent([Exponential(2), Poisson(3), Gaussian([1., 0], np.eye(2)), Beta(3., 3.)])
    for under in (0, 1):
        lines, blocks, counts = split(safe, unsafe, under)
        assert [line.pair for line in lines] == [(("gamma", 1., 1.), ("gamma", 1., 2.)),
                                                 (("beta", 2., 3.), ("beta", 3., 3.))]
        assert [line.under for line in lines] == [under]*2 and len(blocks) == len(counts) == 1
        assert blocks[0].law is (safe, unsafe)[under].laws[2]
        np.testing.assert_array_equal(counts[0], atoms_of(Poisson(2), Poisson(3), under))

E3 = Independent([Exponential(1)]*3), Independent([Exponential(2), Exponential(3), Exponential(.5)])
MIXED = Independent([Exponential(1), Poisson(2)]), Independent([Exponential(3), Poisson(3)])

def _by_hand(rho, under):
    "An exponential and a Poisson column: Gamma = -ln 3 + 2 x/3 + k ln(3/2) - 1."
    rate, mean = ((2, 1.), (3, 3.))[under]
    k = np.arange(200)
    x = (rho + np.log(3) - k*np.log(1.5) + 1)*1.5
    return float(stats.poisson(rate).pmf(k) @ np.where(x > 0, -np.expm1(-np.maximum(x, 0)/mean), 0))


def test_the_way_that_is_gone():
    for under in (0, 1):
        for rho in (-1., .3, 2.):
            found = truth(*MIXED, rho, under, 0)
            assert found.method == "closed form" and abs(found.value - _by_hand(rho, under)) < 1e-12
            assert 2e-13 <= found.error < 3e-13
            sampled = quasi(*split(*MIXED, under), rho, 0, 10)
            assert abs(sampled.value - found.value) < sampled.error < .02
    counts = [Independent([Poisson(m), Bernoulli(b)]) for m, b in ((2, .3), (3, .6))]
    found = truth(*counts, .2, 0, 0)
    k = np.arange(100)[:, None]
    gamma = k*np.log(1.5) - 1 + np.log([.4/.7, 2.])
    want = (stats.poisson(2).pmf(k)*[.7, .3])[gamma <= .2].sum()
    assert found.method == "sum" and abs(found.value - want) < found.error == 1e-13
    border = float(2*np.log(1.5) - 1 + np.log(2.)) # P(Gamma <= one of its values) counts that value
    want = (stats.poisson(2).pmf(k)*[.7, .3])[gamma <= border + 1e-9].sum()
    assert truth(*counts, border, 0, 0).value == pytest.approx(want, abs=1e-12)
    assert quasi([], [], split(*counts, 0)[2], border, 0, 8).value == pytest.approx(want, abs=5e-3)
    assert truth(*E3, 0., 0, 0, 6).method == "quasi Monte Carlo"
    both = truth(Independent([Exponential(1), Exponential(1), Bernoulli(.3)]),
                 Independent([Exponential(3), Exponential(3), Bernoulli(.5)]), .4, 1, 0)
    x = (.4 + 2*np.log(3) - np.log([.5/.7, .5/.3]))*1.5/3 # the sum of two unit exponentials
    want = np.mean(1 - np.exp(-x)*(1 + x))
    assert both.method == "quadrature" and abs(both.value - want) < both.error < 1e-10
    wide = [Independent([Exponential(m), Exponential(2*m), Poisson(5e4*m)]) for m in (1., 1.2)]
    assert truth(*wide, 0., 0, 0, 4).method == "quasi Monte Carlo" # more than 300 atoms and two columns


def test_quasi_monte_carlo_by_hand():
    lines, blocks, counts = split(*E3, 0)
    order = sorted(lines, key=_spread)
    assert [line.pair[1].two for line in order] == [2., 3., .5] # the spread goes with |1 - 1/m|
    rng = np.random.default_rng(5)
    points = [qmc.Sobol(2, rng=rng).random_base2(5) for _ in range(4)]
    means = [_one_scrambling(order, [], [], .5, u).mean() for u in points]
    found = quasi(lines, blocks, counts, .5, 5, 5, repeats=4)
    assert found.value == pytest.approx(np.mean(means), abs=1e-15)
    assert found.error == pytest.approx(6*np.std(means, ddof=1)/2 + 8/(4*32), rel=1e-12)


def test_one_scrambling_by_hand():
    # exponential columns: Gamma = -ln m + x (1 - 1/m), x = -ln(1 - u); the last is left to its distribution
    u, rho, m = np.array([[.2, .7], [.9, .5]]), .5, np.array([2., .5, 3.])
    lines = [Line(Plain("gamma", 1., 1.), Plain("gamma", 1., value), 0) for value in m]
    x = -np.log1p(-u)
    rest = rho - (-np.log(m[:2]) + x*(1 - 1/m[:2])).sum(1)
    want = -np.expm1(-np.maximum(rest + np.log(3), 0)*1.5)
    np.testing.assert_allclose(_one_scrambling(lines, [], [], rho, u), want)
    coin, die = (np.array([-1., 2.]), np.array([.25, .75])), (np.array([.5, 0., 3.]), np.array([.5, .2, .3]))
    got = _one_scrambling([], [], [coin, die], 2., np.array([[.1], [.3], [.25]]))
    np.testing.assert_allclose(got, [1., .2, 1.]) # rest 3: all; rest 0: the atom at 0 alone
    got = _one_scrambling(lines[2:], [], [coin], 1., np.array([[.1], [.3]]))
    np.testing.assert_allclose(got, -np.expm1(-np.maximum(1 - coin[0] + np.log(3), 0)*1.5))
    never = (np.array([np.inf]), np.array([1.]))
    assert (_one_scrambling(lines[2:], [], [never], 1., u[:, :1]) == 0).all()
    always = (np.array([-np.inf]), np.array([1.]))
    assert (_one_scrambling(lines[2:], [], [always], 1., u[:, :1]) == 1).all()
    block = Block(Gaussian([0., 0.], np.eye(2)), Gaussian([1., .5], np.eye(2)), 0)
    got = _one_scrambling([], [block], [], .3, np.array([[.2], [.6]]))
    z = stats.norm.ppf([.2, .6]) # Gamma = z1 - 1/2 + z2/2 - 1/8
    np.testing.assert_allclose(got, ndtr((.3 + .625 - z)*2), rtol=1e-12)
    got = _one_scrambling(lines[2:], [block], [], .3, np.array([[.2, .3], [.6, .9]]))
    z = stats.norm.ppf([[.2, .3], [.6, .9]])
    rest = .3 + .625 - z[:, 0] - z[:, 1]/2
    np.testing.assert_allclose(got, -np.expm1(-np.maximum(rest + np.log(3), 0)*1.5), rtol=1e-11)


@pytest.mark.parametrize("safe, unsafe", [
    (Gaussian(0., 1.), Gaussian(1., 4.)), (Gaussian(1., 2.), Gamma(2., .5)), (Gaussian(.5, 1.), Beta(2., 3.)),
    (Gamma(2., .5), Beta(2., 3.)), (Gamma(2., .5), Gamma(.5, 2.)), (Beta(2., 3.), Beta(.5, .7)),
    (Beta(2., 3.), Gaussian(.2, 1.)), (Gamma(2., .5), Gaussian(.2, 1.))])
def test_thirty_digits_and_closed_forms(safe, unsafe):
    pytest.importorskip("mpmath")
    pair = Independent([safe]), Independent([unsafe])
    counted = Independent([safe, Binomial(2, .3)]), Independent([unsafe, Poisson(1.)])
    for under in (0, 1):
        for rho in (-.7, .6): assert abs(exact(*pair, rho, under) - truth(*pair, rho, under, 0).value) < 1e-13
        assert abs(exact(*counted, .1, under) - truth(*counted, .1, under, 0).value) < 1e-13


def test_a_mass_with_all_digits():
    mp = pytest.importorskip("mpmath")
    for kind, chart in (("normal", 0), ("normal", 1), ("normal", 2), ("gamma", 1), ("gamma", 2), ("beta", 2)):
        with mp.workdps(30):
            log_f, between = _digits(mp, PLAIN[kind], chart)
            for a, b in ((-1.5, .3), (.4, 2.)):
                x = _points(np.array([a, b]), chart)
                want = np.diff(_theirs(PLAIN[kind]).cdf(x))[0]
                assert float(between(mp.mpf(a), mp.mpf(b))) == pytest.approx(want, rel=1e-11)
                if chart < 2 or kind == "beta":
                    want = _theirs(PLAIN[kind]).logpdf(x[0])
                    assert float(log_f(mp.mpf(a))) == pytest.approx(want, rel=1e-11)
            below, above = between(None, mp.mpf(.4)), between(mp.mpf(.4), None)
            ends = [(-np.inf, np.inf), (0, np.inf), (0, 1)][chart] # between them lies what the chart can see
            whole = np.diff(_theirs(PLAIN[kind]).cdf(ends))[0]
            assert float(below + above) == pytest.approx(whole) == pytest.approx(float(between(None, None)))

NUMBER = r"-?[\d.]+(?:e[-+]\d+)?"

def test_the_cases_are_those_of_the_table():
    table = load_table("sdr/rates_checked", project_root()/"figures")
    for seed in range(250):
        safe, unsafe, p_safe, eps = random_case(seed)
        assert safe.n_features == table["columns"][seed]
        for law, name in ((safe, "safe"), (unsafe, "unsafe")):
            got, want = str(law.laws)[1:-1], str(table[name][seed])
            assert re.sub(NUMBER, "", got) == re.sub(NUMBER, "", want)
            numbers = [np.array(re.findall(NUMBER, text), dtype=float) for text in (got, want)]
            np.testing.assert_allclose(*numbers, rtol=1e-9)
        np.testing.assert_allclose([p_safe, eps], [table["p_safe"][seed], table["eps"][seed]], rtol=2e-5)


def test_which_cases_have_thirty_digits():
    e, p, g = Exponential(1.), Poisson(2.), Gaussian([0., 0.], np.eye(2))
    for laws, want in (([e], True), ([e, p], True), ([p], False), ([e, e], False), ([e, p, p], False),
                       ([g], False), ([g, p], False)):
        assert has_digits(Independent(laws)) is want
    nothing = reference.digits((Independent([e, e]), Independent([e, e]), .5, .1))
    assert len(nothing) == 2 and np.isnan(nothing).all()


def test_what_a_row_says():
    case, row = random_case(1), reference.checked(1)
    r = reference.rates(*case)
    assert [row[k] for k in ("tpr", "tpr_error", "fpr", "fpr_error", "status")] == [
        r.tpr, r.tpr_error, r.fpr, r.fpr_error, r.status.name]
    rho = np.log(case[3]/(1 - case[3])) + np.log(case[2]/(1 - case[2]))
    for under, name in enumerate(("tpr", "fpr")):
        other = truth(*case[:2], rho, under, [1, under], 12)
        assert row[f"{name}_off"] == pytest.approx(abs(row[name] - other.value), abs=1e-15)
        assert row[f"{name}_reference_error"] == pytest.approx(other.error, rel=1e-3)
        assert row["method"] == other.method
    assert row["case"] == 1 and row["columns"] == 2 and row["p_safe"] == case[2] and row["eps"] == case[3]
    seen = []
    def recorded(safe, unsafe, rho, under, seed, power):
        seen.append((seed, power))
        return reference.Truth(.5, .1, "none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "truth", recorded)
        for fine in (False, True): reference.checked(3, fine)
    assert seen == [([3, 0], 12), ([3, 1], 12), ([3, 0], 16), ([3, 1], 16)]
    def failing(*case): raise ArithmeticError
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "rates", failing)
        row = ours(case)
    assert row["status"] == "ArithmeticError"
    assert np.isnan([row[k] for k in row if k not in ("status", "seconds")]).all()
    assert 0 <= row["seconds"] < 60 and len(row) == 6


def test_the_worst_ratio_by_hand():
    row = dict(tpr_off=2., tpr_error=1., tpr_reference_error=3.,
               fpr_off=1., fpr_error=4., fpr_reference_error=4., tpr_off_digits=np.nan, fpr_off_digits=np.nan)
    assert worst(row) == .5 and worst(row | {"fpr_off": 6.}) == .75
    assert worst(row | {"tpr_off_digits": 3.}) == 3.
    assert worst(row | {"fpr_off_digits": 12., "tpr_off_digits": .1}) == 3.
    assert worst(row | {"fpr_error": 0., "fpr_off_digits": 1e-16}) == 1.


def test_rows_grow_and_are_stored():
    seen = []
    def row(seed, fine=False):
        seen.append((seed, fine))
        return dict(case=seed, columns=2, safe="a, b", unsafe="c", status="optimal", method="sum",
                    seconds=.25, tpr=.5)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        tmp_path = Path(folder)
        path = tmp_path/"rows.csv"
        patch.setattr(reference, "checked", row)
        assert len(grow(3, path)) == 3 and len(path.read_text().splitlines()) == 4
        rows = grow(122, path)
        assert [r["case"] for r in rows[:4]] == ["0", "1", "2", 3] and len(rows) == 122
        assert [seed for seed, _ in seen] == list(range(122))
        assert [seed for seed, fine in seen if fine] == [20, 120]
        assert len(path.read_text().splitlines()) == 123 and path.read_text().count("case") == 1
        patch.setenv("REJECT_NB_OUT", str(tmp_path))
        main(["5", str(path)])
        table = load_table("sdr/rates_checked", tmp_path)
        assert table["case"].tolist() == list(range(5)) and table["columns"].tolist() == [2]*5
        assert table["safe"].tolist() == ["a, b"]*5 and table["tpr"].tolist() == [.5]*5
        made = (tmp_path/"sdr"/"made.json").read_text()
        assert '"seconds": 1.2' in made and "reference 5 rows.csv" in made # 5 times .25, one digit
        main(["times", "2"])
        table = load_table("sdr/rates_seconds", tmp_path)
        assert table["case"].tolist() == [0, 1] and table["columns"].tolist() == [3, 2]
        assert (table["seconds"] >= 0).all()
        assert table["status"].tolist() == ["optimal"]*2
        assert "reference times 2" in (tmp_path/"sdr"/"made.json").read_text()
        assert timed(1)["columns"] == 2 and timed(1)["tpr"] == 1
