"""Tests of nbs/sdr/11_panels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.columns import Atoms
from reject_nb.sdr.columns import ScalarPair
from reject_nb.sdr.columns import place
from reject_nb.sdr.gaussian import Gaussian
from reject_nb.sdr.inversion import LogCdf
from reject_nb.sdr.inversion import chernoff_cgf
from reject_nb.sdr.inversion import log_cdf
from reject_nb.sdr.panels import _apart
from scipy import stats
from scipy.special import ndtr

from reject_nb.sdr.panels import (
    Column, MANY, Values, _window_mass, carried_error, corners_of, likely, limits_with, mass_coordinates,
    on_panels, on_series, with_atoms, with_column,
)

def _known(function): return lambda q: Values(function(q), np.zeros(len(q)))


def _normal_panels(): return on_panels(_known(ndtr), (0., 1.))


@pytest.mark.parametrize("function, ends, corners, most", [
    (lambda q: np.sqrt(np.clip(q - .3, 0, 1)), (0., 1.), (.3, 1.3), 40),
    (lambda q: np.clip(q, 0, 1), (0., 1.), (0., 1.), 20),
    (lambda q: .2 + .5*ndtr(q*1e-3), (.2, .7), (), 60),
    (lambda q: 1 - np.sqrt(np.clip(.5 - q, 0, 1)), (0., 1.), (-.5, .5), 20),
    (ndtr, (0., 1.), (), 60)])
def test_panels_keep_their_bound(function, ends, corners, most):
    panels = on_panels(_known(function), ends, corners)
    q = np.concatenate([np.linspace(-4, 4, 2001), np.linspace(-4e3, 4e3, 2001), [np.inf, -np.inf]])
    found = panels(q)
    assert (np.abs(found.p - function(q)) <= found.error + 1e-13).all() and found.error.max() < 1e-9
    assert len(panels.errors) <= most and panels(np.array([np.nan])).p != panels(np.array([np.nan])).p
    assert (np.diff(panels.edges) > 0).all()


def test_a_corner_nobody_told_is_seen_in_the_bound():
    panels = on_panels(_known(lambda q: np.sqrt(np.clip(q - .3, 0, 1))), (0., 1.))
    q = np.concatenate([np.linspace(-1, 2, 3001), .3 + np.geomspace(1e-16, 1, 500)])
    found, past = panels(q), np.clip(q - .3, 0, 1)
    rounding = 2e-16/np.sqrt(np.maximum(past, 1e-16)) # of q itself, which is known to 1e-16
    assert (np.abs(found.p - np.sqrt(past)) <= found.error + rounding + 1e-13).all()
    assert 1e-9 < found.error.max() < 1e-4 # on panels around .3 only
    assert (found.error[np.abs(q - .3) > 1e-3] < 1e-9).all()


@pytest.mark.parametrize("shift", [0., 1e-8, .37, -2.])
def test_root_beside_a_root(shift):
    # 6x(1-x) against 1: P(Gamma <= q) = sqrt(1 - exp(-q - ln 1.5)) under the second. Twice that, convolved:
    # the same with a table of 200,000 quantiles
    column = Column(ScalarPair(Beta(2, 2), Beta(1, 1)), "unsafe")
    low = -np.log(1.5)
    def one(q): return np.sqrt(-np.expm1(-np.maximum(q - low, 0)))
    panels = on_panels(_known(one), (0., 1.), corners_of(column.pair))
    q = np.array([2*low + abs(shift), shift, shift + .1])
    found = with_column(panels, column)(q)
    x = (np.arange(200_000) + .5)/200_000
    want = np.array([one(at + np.log(6*x*(1 - x))).mean() for at in q])
    # between two midpoints the root rises by at most sqrt(1/200,000), over two such steps
    assert (np.abs(found.p - want) < 2*5e-6**1.5 + 1e-6).all() and found.error.max() < 1e-10


@pytest.mark.parametrize("under", ["safe", "unsafe"])
@pytest.mark.parametrize("pair", [(Gamma(2, 1), Gaussian(2, 1)), (Gaussian(.5, 1), Gamma(2, 1)),
                                  (Beta(2, .5), Exponential(1)), (Exponential(1), Beta(2, .6))])
def test_with_column_against_a_table(pair, under):
    # a normal variable plus Gamma of the column: quantile midpoints of the column, 1e5 of them
    column, panels = Column(ScalarPair(*pair), under), _normal_panels()
    law = pair[under == "unsafe"]
    X = law.sample(400_000, 0)
    with np.errstate(divide="ignore"):
        logs = [one._log_density(X.reshape(-1, 1)) for one in pair]
    gamma = logs[1] - logs[0]
    for q in (-1., .4, 3.):
        values = ndtr(q - gamma)
        found = with_column(panels, column)(np.array([q]))
        assert abs(values.mean() - found.p[0]) < 5*values.std()/np.sqrt(len(X)) + 1e-12
        assert found.error[0] < 1e-10
    ends = limits_with(panels, column)
    assert abs(ends[0] - np.isneginf(gamma).mean()) < 5e-3 and abs(ends[1] - (gamma < np.inf).mean()) < 5e-3


def test_windows():
    # Gamma is x/2 less a constant: the densest window is at x = 0
    column = Column(ScalarPair(Exponential(1), Exponential(2)), "safe") # Gamma = x/2 - ln 2
    mass = _window_mass(column, np.array([1e-3, .1]))
    np.testing.assert_allclose(mass, -np.expm1(-2*np.array([1e-3, .1])), rtol=1e-9)
    panels = _normal_panels()
    assert carried_error(panels, column) == panels.errors.max()
    worse = panels._replace(errors=np.where(np.arange(len(panels.errors)) == 3, 1e-3, panels.errors))
    width = np.diff(panels.edges)[3]
    want = 2e-3*_window_mass(column, np.array([2**np.ceil(np.log2(width))]))[0] + panels.errors.max()
    assert abs(carried_error(worse, column) - min(want, 1e-3)) < 1e-12


def test_atoms():
    line = on_panels(_known(lambda q: np.clip(q, 0, 1)), (0., 1.), (0., 1.))
    both = with_atoms(line, Atoms(np.array([-np.inf, 0., .5]), np.log([.1, .3, .6])))
    np.testing.assert_allclose(both(np.array([-1., .25, .75, 2.])).p, [.1, .175, .1 + .225 + .15, 1.],
                               atol=1e-11)
    values, p, left = likely(Atoms(np.arange(4.), np.log([.5, .5, 1e-17, 1e-18])))
    assert sorted(values) == [0, 1] and 1e-17 <= left < 2e-17 and p.sum() == 1
    assert likely(Atoms(np.zeros(1), np.zeros(1)))[2] == 0


@pytest.mark.parametrize("law, support, dist",
                         [(Gamma(2, 3), (0, np.inf), stats.gamma(2, scale=3)),
                          (Beta(2, .3), (0, 1), stats.beta(2, .3)),
                          (Exponential(2.), (0, np.inf), stats.expon(scale=2))])
def test_mass_coordinates(law, support, dist):
    t = mass_coordinates(law, support)
    at = place(t, support)
    found = np.concatenate([np.exp(law._log_cdf(at))[:6], np.exp(law._log_sf(at))[6:]])
    # coordinates are known to 1e-3, so probabilities to a few per mille of their size
    np.testing.assert_allclose(found, [1e-17, 1e-9, 1e-3, .2, .5, .8, 1e-3, 1e-9, 1e-17], rtol=.1)
    assert len(mass_coordinates(Gaussian(-100, 1), (0, 1))) == 0


def test_pieces_grow_once():
    column = Column(ScalarPair(Gamma(2, 1), Gaussian(2, 1)), "safe")
    assert abs(column.room.weight[column.roots].sum() - 1) < 1e-9 and abs(column.inside - 1) < 1e-12
    first = column.halves(column.roots)
    size = column.size
    assert (column.halves(column.roots) == first).all() and column.size == size == 3*len(column.roots)
    np.testing.assert_array_equal(column.room.high[first], column.room.low[first + 1])
    for _ in range(8): first = column.halves(first)
    assert abs(column.room.weight[column.roots[0]].sum()
               - column.room.weight[column.halves(column.roots[:1])[0] + np.arange(2)].sum()) < 1e-9


def _counted(log_f, asked, rounding=1e-15):
    def below(q, log_floor=-np.inf):
        asked.append(len(q))
        log_p = log_f(q)
        return LogCdf(log_p, rounding*np.exp(np.minimum(log_p, 0.)))
    return below


@pytest.mark.parametrize("log_f, ends, most", [
    (stats.norm.logcdf, (-30, 8), 2000),
    (lambda q: np.log(.3 + .7*np.sqrt(np.clip(q, 0, 1))), (-1, 2), 6000), # a corner that nobody told
    (lambda q: np.minimum(3*np.log(np.clip(q, 1e-300, 1)), 0), (-1, 1.5), 9500), # nothing below 0: 8,000
    (lambda q: np.log(.25)*(q < .1), (0, 1), 6000)]) # a jump
def test_series_are_the_distribution(log_f, ends, most):
    q, asked = np.random.default_rng(0).uniform(*ends, 20_000), []
    with np.errstate(divide="ignore"):
        found, want = on_series(_counted(log_f, asked))(q), log_f(q)
        nothing = np.isneginf(want) | (want < -700)
        off = np.abs(np.expm1((found.log_p - want)[~nothing]))
        bound = found.error[~nothing]/np.exp(want[~nothing])
    assert sum(asked) <= most and (found.log_p <= 0).all()
    assert (off <= bound + 1e-15).all() and off.max() < 1e-11
    assert (found.log_p[nothing] < -690).all()


def test_few_thresholds_are_asked_for_themselves():
    asked, floors = [], []
    def below(q, log_floor=-np.inf):
        asked.append(len(q))
        floors.append(log_floor)
        return LogCdf(stats.norm.logcdf(q), np.zeros(len(q)))
    z = np.linspace(-3, 3, MANY - 1)
    assert (on_series(below)(z, -5.).log_p == stats.norm.logcdf(z)).all()
    assert asked == [MANY - 1] and floors == [-5.]
    same = on_series(below)(np.full(MANY, .5)) # one place, thousands of times
    assert (same.log_p == stats.norm.logcdf(.5)).all() and asked[1:] == [MANY]


def test_series_ask_for_the_lowest_floor_of_their_panel():
    z, seen = np.linspace(-3, 3, 5000), []
    def below(q, log_floor=-np.inf):
        seen.append((q, np.broadcast_to(log_floor, q.shape)))
        return LogCdf(stats.norm.logcdf(q), np.zeros(len(q)))
    on_series(below)(z[::-1], -np.abs(z[::-1])) # floors from -3 to 0, least at both ends
    q, floor = (np.concatenate(part) for part in zip(*seen))
    assert (floor <= -np.abs(q) + 1e-3).all() and floor.min() == -3


def test_series_of_a_contour_keep_digits_in_the_tail():
    cgf = chernoff_cgf(Gamma(2.3, 1), Gamma(3.1, 1.4)) + chernoff_cgf(Gamma(.7, 2), Gamma(1.2, 1.9))
    z, asked = np.linspace(-12, 9, 4000), []
    def below(q, log_floor=-np.inf):
        asked.append(len(q))
        return log_cdf(cgf, q, log_floor)
    found, rows = on_series(below)(z), np.arange(0, 4000, 97)
    want = log_cdf(cgf, z[rows])
    some = np.isfinite(want.log_p)
    assert sum(asked) < 2000 and (np.isneginf(found.log_p[rows]) == ~some).all()
    off = np.abs(np.expm1((found.log_p[rows] - want.log_p)[some]))
    assert (off <= ((found.error[rows] + want.error)/np.exp(want.log_p))[some]).all() and off.max() < 1e-11


@pytest.mark.parametrize("values, found", [
    ([], []), ([3.], [3.]), ([2., 1., 2.], [1., 2.]), ([.5, .5 + 1.5e-12], [.5, .5 + 1.5e-12]),
    ([.5, .5 + .5e-12], [.5 + .5e-12]), ([1e5, 1e5 + 5e-8, 2e5], [1e5 + 5e-8, 2e5]),
    ([-1e5, -1e5 + 2e-7], [-1e5, -1e5 + 2e-7]), ([0., 1., 1. + 5e-13, 2.], [0., 1. + 5e-13, 2.])])
def test_values_that_differ_by_rounding_are_one(values, found):
    assert _apart(np.array(values)).tolist() == found
