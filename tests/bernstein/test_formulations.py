"""Tests of nbs/bernstein/04_formulations.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.formulations import FORMULATIONS
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.uncertain_data import UncertainData

from reject_nb.bernstein.formulations import _root, certified_eps, kappa

@pytest.mark.parametrize("eps", [1e-6, .01, .3, .9])
@pytest.mark.parametrize("bound", ["chebyshev", "bernstein"])
def test_certified_eps_undoes_kappa(bound, eps):
    np.testing.assert_allclose(certified_eps(bound, kappa(bound, eps)), eps, rtol=1e-12)


def test_kappa_by_hand():
    assert kappa("none", .1) == 0 and kappa("chebyshev", .1) == 3 and kappa("chebyshev", .5) == 1
    assert abs(kappa("bernstein", np.exp(-2.)) - 2) < 1e-15 and kappa("bernstein", 1e-300) > 37


@pytest.mark.parametrize("eps", [0, 1, -1, float("nan"), "x", True, None, 1e-301])
def test_eps_outside_its_range_is_named(eps):
    with pytest.raises(ValueError, match="^eps must be"): kappa("bernstein", eps)


def test_the_twelve_models():
    rows = [(f.equation, len(f.needs), f.bound, f.intersect, f.uses_eps) for f in FORMULATIONS.values()]
    assert rows[:4] == [("(1)", 1, "none", False, False), ("(2)", 1, "none", False, False),
                        ("(3)", 1, "none", False, False),
                        ("(4)", 2, "chebyshev", False, True)]
    assert [r[0][:4] for r in rows[4:]] == ["(16)", "(23)", "(24)", "(26)", "(27)", "(29)", "(30)", "(32)"]
    assert [r[1] for r in rows[4:]] == [3]*4 + [2]*4 and [r[3] for r in rows[4:]] == [False, True]*4
    assert list(FORMULATIONS)[4:] == ["MM-SBMV", "MM-SBMV-I", "MM-SMV", "MM-SMV-I", "MM-SBM", "MM-SBM-I",
                                      "MM-SM", "MM-SM-I"]
    assert FORMULATIONS["MM-SM-I"].needs == ("support", "mean")
    assert FORMULATIONS["MM-SBMV"].needs == ("support", "mean_bounds", "moment")
    with pytest.raises(ValueError, match="bound must be one of"): kappa("hoeffding", .1)


def _unit_box(**known): return UncertainData(np.zeros((2, 2)), np.ones((2, 2)), **known)


@pytest.mark.parametrize("name", [n for n in FORMULATIONS if n not in ("SVM", "MM-S")])
def test_a_box_alone_lacks_the_mean(name):
    with pytest.raises(ValueError, match=f"{name} needs .* lack .*mean.*mean=..."):
        uncertainty_set(name, _unit_box())


def test_missing_information_is_named():
    half = np.full((2, 2), .5)
    for name in ("SVM", "MM-S"): assert (uncertainty_set(name, _unit_box()).centre == .5).all()
    with pytest.raises(ValueError, match="lack covariance"): uncertainty_set("MM-MC", _unit_box(mean=half))
    with pytest.raises(ValueError, match="lack moment.*second_moment="):
        uncertainty_set("MM-SMV", _unit_box(mean=half))
    bounds = _unit_box(mean_lower=half - .1, mean_upper=half + .1)
    with pytest.raises(ValueError, match="lack mean"): uncertainty_set("MM-SM", bounds)
    np.testing.assert_allclose(uncertainty_set("MM-SBM", bounds).radius, .1, rtol=1e-12)
    for name in ("MM-X", None, 3):
        with pytest.raises(ValueError, match="^formulation must be one of"):
            uncertainty_set(name, _unit_box())


@pytest.mark.parametrize("exact, bounds", [("MM-SMV", "MM-SBMV"), ("MM-SM", "MM-SBM"),
                                           ("MM-SMV-I", "MM-SBMV-I")])
def test_bounds_that_coincide_are_the_exact_mean(exact, bounds):
    U = UncertainData.from_replicates(np.random.default_rng(7).normal(size=(4, 9, 3)))
    a, b = uncertainty_set(exact, U), uncertainty_set(bounds, U)
    assert b.radius is None
    np.testing.assert_allclose(a.scale, b.scale, atol=1e-14)
    np.testing.assert_allclose(a.centre, b.centre, atol=1e-14)


def test_sets_by_hand():
    U = UncertainData([[-1.]], [[1.]], mean=[[0.]], mean_lower=[[-.5]], mean_upper=[[.5]],
                      second_moment=[[.25]], covariance=[[.25]])
    for name, scale in (("MM-MC", .5), ("MM-SMV", .581490885748307), ("MM-SBMV", .301786190372306),
                        ("MM-SM", 1.)):
        # gold values of nu
        np.testing.assert_allclose(uncertainty_set(name, U).scale, scale, rtol=1e-14)
    assert uncertainty_set("MM-SBMV", U).radius[0, 0] == .5 and uncertainty_set("MM-SMV", U).radius is None
    cut = uncertainty_set("MM-SMV-I", U)
    assert cut.intersect and cut.box_half[0, 0] == 1 and cut.box_centre[0, 0] == 0
    assert not uncertainty_set("MM-S", U).intersect
    assert len(cut[[0, 0]].centre) == 2 and cut[[0, 0]].radius is None and cut[:0].box_half.shape == (0, 1)


def test_full_covariances_are_rooted():
    rng = np.random.default_rng(1)
    B = rng.normal(size=(3, 4, 4))
    full = B@B.transpose(0, 2, 1)
    D = _root(full)
    np.testing.assert_allclose(D@D.transpose(0, 2, 1), full, atol=1e-12)
    np.testing.assert_array_equal(_root(np.array([[4., 9.]])), [[2., 3.]])


def test_bounds_that_coincide_need_no_mean():
    "Lower and upper bounds of the mean are equal, the mean itself was not given: centre and no radius."
    ends = np.array([[1.5, 2.], [0., 1.]])
    data = UncertainData(ends - 1, ends + 3, mean_lower=ends, mean_upper=ends, second_moment=ends**2 + 1)
    for name, form in FORMULATIONS.items():
        if "mean_bounds" not in form.needs: continue
        found = uncertainty_set(name, data)
        np.testing.assert_allclose(found.centre, ends, atol=1e-12)
        assert found.radius is None
    wide = UncertainData(ends - 1, ends + 3, mean_lower=ends - .5, mean_upper=ends + .5,
                         second_moment=ends**2 + 4)
    found = uncertainty_set("MM-SBM", wide)
    np.testing.assert_allclose(found.centre, ends, atol=1e-12)
    np.testing.assert_allclose(found.radius, np.full((2, 2), .5), atol=1e-12)
