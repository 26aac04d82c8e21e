"""Tests of nbs/core/06_sorting.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.core.sorting import (
    _count_digits, _median_of_three, _sort_by_digits, _sort_keys, _split, kth_smallest, stable_order,
    tie_ends, tie_starts,
)

@pytest.mark.parametrize("make", [
    lambda rng, n: rng.normal(size=n), lambda rng, n: rng.integers(0, 5, n).astype(float), lambda rng,
    n: np.zeros(n),
    lambda rng, n: rng.choice([-0., 0., np.inf, -np.inf, 5e-324, -5e-324], n), lambda rng,
    n: 10.**rng.uniform(-300, 300, n)])
@pytest.mark.parametrize("n", [0, 1, 1000, 1 << 16])
def test_the_order_is_that_of_a_stable_sort(make, n):
    scores = make(np.random.default_rng(n), n)
    np.testing.assert_array_equal(stable_order(scores), np.argsort(scores, kind="stable"))


def test_the_kernels_as_python():
    scores = np.random.default_rng(0).choice([-1.5, -0., 0., 2.], 40)
    keys = _sort_keys.py_func((scores + 0.).view(np.uint64))
    np.testing.assert_array_equal(keys, _sort_keys((scores + 0.).view(np.uint64)))
    np.testing.assert_array_equal(_count_digits.py_func(keys), _count_digits(keys))
    assert (_count_digits(keys).sum(1) == 40).all()
    np.testing.assert_array_equal(_sort_by_digits.py_func(keys.copy()), np.argsort(scores, kind="stable"))


@pytest.mark.parametrize("ordered", [[], [1.], [1., 1.], [1., 2.], [0., 0., 1., 5., 5., 5., np.inf, np.inf]])
def test_groups_are_those_of_unique(ordered):
    ordered = np.array(ordered)
    starts, counts = np.unique(ordered, return_index=True, return_counts=True)[1:]
    assert tie_starts(ordered).tolist() == starts.tolist()
    assert tie_ends(ordered).tolist() == (starts + counts - 1).tolist()


@pytest.mark.parametrize("function", [kth_smallest, kth_smallest.py_func], ids=["compiled", "python"])
def test_every_rank(function):
    rng = np.random.default_rng(0)
    for a in ([3.], rng.normal(size=9), rng.integers(0, 3, 30).astype(float), np.arange(20.),
              np.arange(20.)[::-1].copy(), np.zeros(7),
              np.array([np.inf, -np.inf, 0.])):
        a = np.asarray(a)
        before = a.copy()
        assert [function(a, k) for k in range(len(a))] == sorted(before) and (a == before).all()


def test_pieces_of_the_selection():
    assert [_median_of_three.py_func(*t)
            for t in ((1, 2, 3), (3, 1, 2), (2, 2, 1), (1, 3, 2))] == [2, 2, 2, 2]
    a = np.array([9., 2., 5., 2., 7., 0.])
    assert _split.py_func(a, 1, 4, 2.) == (1, 2) and sorted(a[1:3]) == [2, 2]
    assert a[0] == 9 and a[5] == 0 and set(a[3:5]) == {5, 7}
