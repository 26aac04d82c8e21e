"""Tests of nbs/strategies/17_ranks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.figures import figure
from reject_nb.strategies import average_ranks
from reject_nb.strategies import critical_difference
from reject_nb.strategies import friedman
from reject_nb.strategies import nemenyi
from scipy.stats import friedmanchisquare

from reject_nb.strategies.ranks import draw_nemenyi

TABLE_5A = [(3, .1, 2.052), (4, .1, 2.291), (3, .05, 2.343), (4, .05, 2.569)]

@pytest.mark.parametrize("k, alpha, q", TABLE_5A)
def test_critical_differences(k, alpha, q):
    assert abs(critical_difference(k, 11, alpha) - q*np.sqrt(k*(k + 1)/66)) < 5e-4


def test_critical_differences_of_the_paper():
    assert abs(critical_difference(4, 11) - 1.26) < .005 and abs(critical_difference(3, 11) - .875) < 5e-4


@pytest.mark.parametrize("values", [np.random.default_rng(1).random((9, 4)),
                                    np.random.default_rng(2).integers(0, 3, (9, 4))*1.],
                         ids=["distinct", "ties"])
def test_friedman_against_scipy(values):
    ours, theirs = friedman(values), friedmanchisquare(*values.T)
    np.testing.assert_allclose([ours.chi2, ours.p_value], theirs, rtol=1e-10)
    F = 8*ours.chi2/(9*3 - ours.chi2)
    np.testing.assert_allclose(ours.f, F, rtol=1e-10)
    from scipy.stats import f
    np.testing.assert_allclose(ours.f_p_value, f.sf(F, 3, 24), rtol=1e-10)


def test_friedman_at_the_ends():
    same, ordered = friedman(np.ones((5, 3))), friedman(np.tile([1, 2, 3], (5, 1)))
    assert (same.chi2, same.p_value, same.f, same.f_p_value) == (0, 1, 0, 1)
    assert ordered.f == np.inf and ordered.f_p_value == 0 and ordered.chi2 == pytest.approx(10)

RANKS = [([[1, 2, 3]], True, [1, 2, 3]), ([[1, 2, 3]], False, [3, 2, 1]),
         ([[1, 1, 3], [2, 1, 1]], True, [2.25, 1.5, 2.25])]

@pytest.mark.parametrize("values, lower, expected", RANKS)
def test_average_ranks(values, lower, expected):
    np.testing.assert_array_equal(average_ranks(values, lower_is_better=lower), expected)


def test_ranks_and_groups():
    r = nemenyi(np.tile([1., 2., 3.], (20, 1)))
    assert r.groups == [[0], [1], [2]] and r.significant.sum() == 6 and r.p_values[0, 1] < .1
    assert nemenyi(np.tile([1., 2., 3.], (3, 1))).groups == [[0, 1], [1, 2]]
    assert nemenyi(np.tile([1., 2., 3.], (3, 1)), lower_is_better=False).groups == [[2, 1], [1, 0]]
    # the p-value of a pair at the critical difference is alpha
    values = np.random.default_rng(3).random((7, 4))
    level = nemenyi(values).p_values[0, 1]
    assert critical_difference(4, 7, level) == pytest.approx(abs(np.diff(average_ranks(values)[:2])[0]),
                                                             rel=1e-4)
    assert (np.diag(nemenyi(values).p_values) == 1).all() and nemenyi(values).friedman == friedman(values)

BAD = [(lambda: average_ranks([1, 2]), "values must"), (lambda: average_ranks([[1, np.nan]]), "values must"),
       (lambda: nemenyi([[1], [2]]), "values must"), (lambda: friedman([[1, 2]]), "values must"),
       (lambda: average_ranks([["a", "b"]]), "values must"),
       (lambda: average_ranks([[1, 2]], lower_is_better="no"), "lower_is_better must"),
       (lambda: critical_difference(1, 5), "n_methods must"),
       (lambda: critical_difference(3., 5), "n_methods must"),
       (lambda: critical_difference(3, 0), "n_datasets must"),
       (lambda: critical_difference(3, 5, 1.), "alpha must"),
       (lambda: critical_difference("a", 5), "n_methods must"),
       (lambda: nemenyi([[1, 2], [2, 1]], alpha="x"), "alpha must")]

@pytest.mark.parametrize("call, words", BAD)
def test_ranks_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_a_drawing_holds_ranks_groups_and_the_difference():
    result, (_, ax) = nemenyi(np.tile([1., 2., 3.], (3, 1))), figure()
    draw_nemenyi(ax, result, ["a", "b", "c"])
    assert [t.get_text() for t in ax.texts] == ["a (1.00)", "b (2.00)", "c (3.00)",
                                                f"CD = {result.critical_difference:.2f}"]
    stems, bars, scale = ax.lines[:3], ax.lines[3:-1], ax.lines[-1]
    assert [line.get_xdata()[0] for line in stems] == [1, 2,
                                                       3] and all(line.get_ydata()[1] < 0 for line in stems)
    # a with b, b with c
    np.testing.assert_allclose([line.get_xdata() for line in bars], [[.96, 2.04], [1.96, 3.04]])
    np.testing.assert_allclose(np.diff(scale.get_xdata()), result.critical_difference)


def test_the_picture_of_ranks_holds_its_labels():
    "The critical difference stands over its bar, names within the picture, a bar joins each group."
    errors = np.random.default_rng(0).random((30, 4)) + np.array([0., .05, .5, .9])
    result, (_, ax) = nemenyi(errors), figure()
    draw_nemenyi(ax, result, ["a", "b", "c", "d"])
    words = {t.get_text(): t.get_position() for t in ax.texts}
    low, high = sorted(ax.get_ylim())
    assert all(low <= at[1] <= high for at in words.values())
    over = words[f"CD = {result.critical_difference:.2f}"]
    ends = [1, 1 + result.critical_difference]
    bar = next(line for line in ax.lines if np.allclose(line.get_xdata(), ends))
    assert over[0] == np.mean(bar.get_xdata()) and 0 < over[1] - bar.get_ydata()[0] < .2
    assert all(any(word.startswith(f"{name} (") for word in words) for name in "abcd")
    joined = sum(len(group) > 1 for group in result.groups)
    assert sum(line.get_linewidth() == 4 for line in ax.lines) == joined >= 1
