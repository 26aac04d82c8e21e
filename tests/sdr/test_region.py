"""Tests of nbs/sdr/13_region.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.counts import Bernoulli
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian
from reject_nb.sdr.likelihood_ratio import radius
from reject_nb.sdr.rates import rates

from reject_nb.sdr.region import BLOCK, SafeDecisionRegion, _caption, _check_picture, explore

EXAMPLE_1 = SafeDecisionRegion(Gaussian([4, 6], [[1.3, .9], [.9, 1.3]]),
                               Gaussian([3, 8], [[.6, 0], [0, 1.4]]))
PAIRS = [(Gaussian([0, 1], [[2, .5], [.5, 1]]), Gaussian([1, 0], np.eye(2))),
         (Gaussian(0, 1), Gaussian(2, 4)), (Gamma(2, 1), Gamma(5, .7)),
         (Beta(2, 3), Beta(3, 1)), (Poisson(3), Poisson(5)),
         (Gaussian(np.zeros(12), np.eye(12)), Gaussian(np.ones(12)/4, 2*np.eye(12))),
         (Independent([Gamma(2), Poisson(3)]), Independent([Exponential(2), Poisson(1)]))]

@pytest.mark.parametrize("safe, unsafe", PAIRS)
def test_posterior_is_bayes(safe, unsafe):
    # against densities multiplied out, where they do not underflow
    rng = np.random.default_rng(0)
    region = SafeDecisionRegion(safe, unsafe)
    X = np.concatenate([safe.sample(50, rng), unsafe.sample(50, rng)])
    fs, fu = np.exp(safe.log_density(X)), np.exp(unsafe.log_density(X))
    for p in (.01, .5, .9):
        np.testing.assert_allclose(region.posterior(X, p), p*fs/(p*fs + (1 - p)*fu), rtol=1e-9)
    np.testing.assert_allclose(np.exp(region.gamma(X)), fu/fs, rtol=1e-9)
    levels = np.linspace(.1, .9, len(X)) # a level for each point
    assert (region.contains(X, levels, .3) == [region.contains(X[i:i+1], levels[i], .3)[0]
                                               for i in range(len(X))]).all()
    np.testing.assert_allclose(region.posterior(X, levels),
                               [region.posterior(X[i:i+1], levels[i])[0] for i in range(len(X))], rtol=1e-12)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(.01, .99), st.floats(.01, .99), st.integers(0, 10**6))
def test_scaling_form_is_the_definition(p, eps, seed):
    # Proposition 3, away from ties; 1e-9 is far above the rounding of the posterior
    X = np.random.default_rng(seed).normal([3.5, 7], 3, size=(30, 2))
    posterior = EXAMPLE_1.posterior(X, p)
    clear = np.abs(posterior - (1 - eps)) > 1e-9
    assert (EXAMPLE_1.contains(X, p, eps) == (posterior >= 1 - eps))[clear].all()


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(.01, .99), st.floats(.01, .99), st.floats(.01, .99))
def test_border_points_are_inside(p_safe, a, b):
    # eps chosen so that x = 1 is on the border in exact arithmetic
    eps = (1 - p_safe)*b/(p_safe*a + (1 - p_safe)*b)
    region = SafeDecisionRegion(Bernoulli(a), Bernoulli(b))
    assert region.contains([1], p_safe, eps)[0]
    assert not region.contains([1], p_safe, eps*(1 - 1e-9))[0]


@pytest.mark.parametrize("d", [2, 12])
def test_blocks_of_points(d):
    # the last point of a long matrix is treated as the first of a short one
    rng = np.random.default_rng(d)
    region = SafeDecisionRegion(Gaussian(np.zeros(d), np.eye(d)),
                                Gaussian(np.ones(d), np.diag(1 + np.arange(d))))
    X = rng.normal(size=(2*BLOCK + 3, d))
    whole = region.gamma(X)
    for i in (0, BLOCK - 1, BLOCK, 2*BLOCK, 2*BLOCK + 2):
        np.testing.assert_allclose(region.gamma(X[i:i+1])[0], whole[i], rtol=1e-12, atol=1e-12)


def test_zero_densities():
    region = SafeDecisionRegion(Exponential(1), Gaussian(2, 1))
    assert region.gamma([-1.])[0] == np.inf and region.posterior([-1.], .5)[0] == 0
    assert not region.contains([-1.], .999, .999)[0]
    mirrored = SafeDecisionRegion(Gaussian(2, 1), Exponential(1))
    assert mirrored.gamma([-1.])[0] == -np.inf and mirrored.posterior([-1.], .5)[0] == 1
    assert mirrored.contains([-1.], .001, .001)[0]
    with pytest.raises(ValueError, match="outside the support of both"):
        SafeDecisionRegion(Gamma(2), Exponential(1)).gamma([1, -1])
    with pytest.raises(ValueError, match="outside the support of both"):
        SafeDecisionRegion(Poisson(2), Poisson(3)).contains([1.5], .5, .5)


@pytest.mark.parametrize("X, word", [([[1., np.nan]], "X must be"), ([[1., 2., 3.]], "X must be"),
                                     ([1., 2.], "X must be"), ([["a", "b"]], "X must be"),
                                     ([[1j, 0]], "X must be"), ([[1e200, 0]], "X must be"),
                                     (None, "X must be")])
def test_bad_points(X, word):
    for call in (EXAMPLE_1.gamma, lambda X: EXAMPLE_1.posterior(X, .5),
                 lambda X: EXAMPLE_1.contains(X, .5, .5)):
        with pytest.raises(ValueError, match=f"^{word}"): call(X)


@pytest.mark.parametrize("value", [0, 1, 1.5, -.1, None, "x", np.nan, [.1, .2], True])
def test_bad_levels(value):
    X = np.zeros((3, 2))
    rates_too = value != [.1, .2] # for which there are two rates
    for call in (lambda p: EXAMPLE_1.contains(X, p, .5), lambda p: EXAMPLE_1.posterior(X, p),
                 lambda p: EXAMPLE_1.rates(p, .5))[:2 + rates_too]:
        with pytest.raises(ValueError, match="^p_safe must be"): call(value)
    for call in (lambda e: EXAMPLE_1.contains(X, .5, e), lambda e: EXAMPLE_1.rates(.5, e))[:1 + rates_too]:
        with pytest.raises(ValueError, match="^eps must be"): call(value)


def test_points_too_far_out():
    narrow = SafeDecisionRegion(Gaussian(0, 1e-20), Gaussian(1, 2e-20))
    with pytest.raises(ValueError, match="^X is too far out"): narrow.gamma([1e149])


def test_bad_pairs():
    with pytest.raises(ValueError, match="^unsafe"):
        SafeDecisionRegion(Gaussian([0, 0], np.eye(2)), Gaussian(0, 1))
    with pytest.raises(ValueError, match="^safe"): SafeDecisionRegion("gaussian", Gamma(2))


def test_identical_laws():
    region = SafeDecisionRegion(Gamma(2, 3), Gamma(2, 3))
    rng = np.random.default_rng(0)
    for d in (1, 2, 6):
        B = rng.normal(size=(d, d))
        law = Gaussian(rng.normal(size=d)*100, B @ B.T + .01*np.eye(d))
        assert (SafeDecisionRegion(law, Gaussian(law.mean,
                                                 law.cov)).gamma(rng.normal(size=(9, d))*100) == 0).all()
    x = np.linspace(.1, 9, 20)
    assert (region.gamma(x) == 0).all() and region.contains(x, .5, .5).all()
    assert not region.contains(x, .5, .4999).any()


def test_methods_are_those_of_the_modules():
    assert EXAMPLE_1.rates(.5, .05) == rates(EXAMPLE_1.safe, EXAMPLE_1.unsafe, .5, .05)
    q = EXAMPLE_1.quadric(.3, .2)
    assert q.rho == radius(.3, .2) and EXAMPLE_1.quadric().rho == 0
    assert repr(EXAMPLE_1).startswith("SafeDecisionRegion(safe=Gaussian(")


def test_margin_counts_rounding_against_the_point():
    region = SafeDecisionRegion(Exponential(1.), Gaussian(2, 1))
    X = np.array([-1., .5, 1., 2.])
    gamma = region.gamma(X)
    for level in gamma[1:]:
        # a point is never below its own level
        assert not (region.margin(X, level) > 0)[gamma == level].any()
        np.testing.assert_allclose(region.margin(X, level)[1:], level - gamma[1:], atol=1e-12)
    assert (region.margin(X, -np.inf) == -np.inf).all()
    assert region.margin(X, np.inf).tolist() == [-np.inf, np.inf, np.inf, np.inf]
    assert (region.margin(X, 0.) == -np.inf).tolist() == [True, False, False, False]
    for bad in (np.nan, "a", None, [1., 2.]):
        with pytest.raises(ValueError, match="level"): region.margin(X, bad)


def test_sliders_redraw():
    pytest.importorskip("ipywidgets")
    import matplotlib.pyplot as plt
    box = explore(EXAMPLE_1, (0, 8), (2, 12), n=20)
    assert [(w.description, w.value) for w in box.children[:2]] == [("p_safe", .5), ("eps", .05)]
    shown, original = [], plt.show
    plt.show = lambda: shown.append(plt.gcf().axes[0].get_title()) or plt.close("all")
    try:
        for p, eps in ((.2, .3), (.9, .01)): box.f(p, eps)
    finally: plt.show = original
    assert len(shown) == 2 and "tpr" in shown[0] and shown[0] != shown[1]


@pytest.mark.parametrize("change, word", [
    (dict(region=SafeDecisionRegion(Gamma(2), Gamma(3))), "^region must have two columns"),
    (dict(region=None), "^region must be"),
    (dict(xlim=(1, 0)), "^xlim must be"), (dict(ylim=3), "^ylim must be"),
    (dict(ylim=(1, 1)), "^ylim must be"), (dict(n=1), "^n must be"), (dict(n=2.), "^n must be")])
def test_what_cannot_be_drawn(change, word):
    with pytest.raises(ValueError, match=word):
        explore(**{**dict(region=EXAMPLE_1, xlim=(0, 8), ylim=(2, 12)), **change})


def test_caption_without_rates():
    # two columns of two families each have no exact rates
    region = SafeDecisionRegion(Gaussian([2, 2], [[1, .5], [.5, 1]]), Independent([Gamma(2), Gamma(2)]))
    assert _caption(region, .5, .5) == "rho = 0.00" and "tpr 0.468" in _caption(EXAMPLE_1, .5, .05)


@pytest.mark.parametrize("n, good", [(1, False), (2, True), (10_000, True), (10_001, False)])
def test_a_picture_has_two_to_ten_thousand_points_a_side(n, good):
    region = EXAMPLE_1
    if good: _check_picture(region, (0, 1), (0, 1), n)
    else:
        with pytest.raises(ValueError, match="^n must be"): _check_picture(region, (0, 1), (0, 1), n)
    with pytest.raises(ValueError, match="^ylim"): _check_picture(region, (0, 1), (1, 1), 2)
