"""Tests of nbs/gpc/32_own_numbers.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.many import certify_many
from reject_nb.gpc.own_numbers import ENDS
from reject_nb.gpc.own_numbers import OwnRows
from reject_nb.gpc.own_numbers import own_range
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.ranges import classification_range

POST = GPPosterior([[0., 0.], [2., 0.]], [1., -1.], [.3, .3], 1., 2.)

def test_ends_are_moved_apart():
    found = classification_range(POST, [0., 0.], [.3, .1], tol=1e-3)
    got = own_range(found, "mine", .01)
    assert got.min_lower == found.min_lower - .01 and got.min_upper == found.min_upper + .01
    assert got.max_lower == found.max_lower - .01 and got.max_upper == found.max_upper + .01
    assert got.speaks_of == "mine" and "mine" in repr(got) and got.status == found.status
    assert got.n_boxes == found.n_boxes and got.x_min is found.x_min and set(ENDS) <= set(vars(found))


def test_rows_keep_verdicts():
    rows = certify_many(POST, [[0., 0.], [.9, 0.]], .2)
    got = own_range(rows, "mine", .01)
    assert isinstance(got, OwnRows) and (got.verdict == rows.verdict).all() and len(got) == 2
    np.testing.assert_array_equal(got.max_upper, rows.max_upper + .01)
    np.testing.assert_array_equal(got.radius, rows.radius)


@pytest.mark.parametrize("bad", [None, .5, (0, 1)], ids=str)
def test_what_is_no_result_is_refused(bad):
    with pytest.raises(ValueError, match="found"): own_range(bad, "mine", 0.)


def test_a_number_is_not_moved_twice():
    once = own_range(classification_range(POST, [0., 0.], [.3, .1]), "mine", .1)
    with pytest.raises(ValueError, match="found must be .*exact"): own_range(once, "mine", .1)
