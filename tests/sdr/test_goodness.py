"""Tests of nbs/sdr/07_goodness.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import ChiSquared
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian
from scipy import stats

from reject_nb.sdr.goodness import _cells, _chi_square, _largest_difference, distance, goodness_of_fit

@pytest.mark.parametrize("law, dist", [(Gamma(2, 1), stats.gamma(2)), (Gaussian(0, 4), stats.norm(0, 2)),
                                       (Beta(2, 3), stats.beta(2, 3)), (Exponential(2), stats.expon(scale=2)),
                                       (ChiSquared(3), stats.chi2(3))])
def test_distance_is_scipys(law, dist):
    x = law.sample(200, 0).reshape(-1, 1)
    assert abs(distance(law, x) - stats.kstest(x[:, 0], dist.cdf).statistic) < 1e-12


def test_distance_by_hand():
    assert _largest_difference(np.array([.75, .25, .5])) == .25
    block = Gaussian([1, 0], [[2, .5], [.5, 1]])
    X = block.sample(300, 1)
    squares = np.einsum("ni,ij,nj->n", X - block.mean, np.linalg.inv(block.cov), X - block.mean)
    assert abs(distance(block, X) - stats.kstest(squares, stats.chi2(2).cdf).statistic) < 1e-12


def test_counts_by_hand():
    # twenty fair coins thrown thrice: expected 2.5, 7.5, 7.5, 2.5; cells {0, 1} and {2, 3} expect 10 each
    law, x = Binomial(3, .5), np.repeat([0., 1., 2., 3.], [4, 8, 6, 2])
    assert _cells(law, 20).tolist() == [1.] and _chi_square(law, x) == ((12 - 10)**2 + (8 - 10)**2)/10
    assert _chi_square(Poisson(1e-3), np.zeros(10)) == 0 # one cell
    x = Poisson(4).sample(500, 0)
    ends = _cells(Poisson(4), 500)
    cells = np.diff(np.concatenate([[0], stats.poisson(4).cdf(ends), [1]]))*500
    seen = np.histogram(x, np.concatenate([[-1], ends + .5, [1e9]]))[0]
    assert cells.min() >= 5 and abs(_chi_square(Poisson(4), x) - ((seen - cells)**2/cells).sum()) < 1e-10


@pytest.mark.parametrize("law", [Gamma(2, 1), Poisson(3), Gaussian([0, 0], [[1, .5], [.5, 1]])])
def test_p_values_are_uniform_where_the_family_is_right(law):
    # 150 p-values of 19 draws each: at most .2 in a fifth of all cases, four standard errors
    rng = np.random.default_rng(0)
    p = []
    for _ in range(150):
        X = law.sample(40, rng).reshape(40, -1)
        p.append(goodness_of_fit(law.fit(X), X, 19, rng)[0].p_value)
    assert abs((np.array(p) <= .2).mean() - .2) < 4*np.sqrt(.2*.8/150)


def test_tables_are_scipys_and_no_smaller_than_the_bootstrap():
    X = np.random.default_rng(4).gamma(1.5, size=300)
    law = Gaussian.fit(X)
    table, bootstrap = (goodness_of_fit(law, X, n, 0)[0] for n in (None, 99))
    assert abs(table.p_value - stats.kstwobign.sf(np.sqrt(300)*table.value)) < 1e-12
    assert table.value == bootstrap.value and bootstrap.p_value == .01 and table.p_value < .01
    k = Poisson(4).sample(500, 0)
    found = goodness_of_fit(Poisson(4.5), k, None)[0]
    assert abs(found.p_value - stats.chi2.sf(found.value, len(_cells(Poisson(4.5), 500)))) < 1e-12
    assert goodness_of_fit(Poisson(1e-3), np.zeros(9), None)[0].p_value == 1
    # laws that are right: at most .2 in no more than a fifth of all cases, four standard errors
    rng, p = np.random.default_rng(0), []
    for _ in range(400):
        X = rng.gamma(2., size=50)
        p.append(goodness_of_fit(Gamma.fit(X), X, None)[0].p_value)
    assert (np.array(p) <= .2).mean() < .2
    blocks = [rng.normal(size=(200, 10)) for _ in range(100)]
    p = [goodness_of_fit(Gaussian.fit(X), X, None)[0].p_value for X in blocks]
    assert (np.array(p) <= .2).mean() < .2
    assert goodness_of_fit(Gaussian.fit(blocks[0]), blocks[0][:199], None)[0].p_value == 1


@pytest.mark.parametrize("draw, family, right", [("gamma", Gaussian, False), ("gamma", Gamma, True),
                                                 ("exponential", Gamma, True)])
def test_wrong_families_are_seen(draw, family, right):
    rng = np.random.default_rng(1)
    X = rng.gamma(1.5, size=400) if draw == "gamma" else rng.exponential(size=400)
    fit = goodness_of_fit(family.fit(X), X, 99, 0)[0]
    assert (fit.p_value > .05) == right and fit.n == 400 and fit.columns == (0,)


def test_products_line_by_line():
    law = Independent([Gaussian([0, 0], np.eye(2)), Poisson(3)])
    X = law.sample(100, 0)
    fits = goodness_of_fit(law.fit(X), X, 9, 0)
    assert [f.columns for f in fits] == [(0, 1), (2,)] and [f.statistic[:3] for f in fits] == ["Kol", "chi"]
    assert fits[1].value == distance(Poisson(float(X[:, 2].mean())), X[:, 2:])
    assert all(.1 <= f.p_value <= 1 for f in fits)


@pytest.mark.parametrize("options, word",
                         [(dict(law=3), "law"), (dict(X=[[1., 2.]]), "X"),
                          (dict(n_bootstrap=0), "n_bootstrap"), (dict(X=np.zeros((0, 1))), "X"),
                          (dict(random_state="x"), "random_state")])
def test_bad_arguments(options, word):
    with pytest.raises(ValueError, match=word): goodness_of_fit(**(dict(law=Gamma(2), X=[1., 2.]) | options))
