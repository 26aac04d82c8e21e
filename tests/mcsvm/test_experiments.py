"""Tests of nbs/mcsvm/80_experiments.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.experiments import EXAMPLE_1
from reject_nb.mcsvm.experiments import EXAMPLE_2
from reject_nb.mcsvm.experiments import draw
from reject_nb.mcsvm.experiments import example1

@pytest.mark.parametrize("laws", (EXAMPLE_1, EXAMPLE_2))
def test_samples_have_the_moments_of_their_laws(laws):
    # 40,000 points of each class: standard error of a mean about .008 (sd 1.6 at most), five of them allowed
    X, y = draw(laws, 80_000, .5, 3)
    for sign, law in zip((1, -1), laws):
        np.testing.assert_allclose(X[y == sign].mean(0), law.mean, atol=.04)
        np.testing.assert_allclose(np.cov(X[y == sign].T), law.cov, atol=.08)


def test_the_points_of_a_seed_do_not_depend_on_the_share():
    few, many = draw(EXAMPLE_1, 100, .1, 7), draw(EXAMPLE_1, 100, .9, 7)
    assert (few[1] > 0).sum() == 10 and (many[1] > 0).sum() == 90
    np.testing.assert_array_equal(few[0][:10], many[0][:10])
    np.testing.assert_array_equal(few[0][90:], many[0][90:])


def test_an_array_of_priors_is_drawn_from():
    # mean prior .5: 10,000 labels, four standard deviations are .02
    _, y = draw(EXAMPLE_1, 10_000, np.arange(1, 10)/10, 0)
    assert abs(np.mean(y > 0)-.5) < .02 and abs(np.mean(example1(10_000, 0, .2)[1] > 0)-.2) < .02
