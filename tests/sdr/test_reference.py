"""Tests of nbs/sdr/80_reference.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.files import project_root
from reject_nb.core.tables import load_table
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.experiments.reference import log_density
from reject_nb.sdr.experiments.reference import score
from reject_nb.sdr.families import Independent

from reject_nb.sdr.experiments.reference import (
    Plain, _digits, checked, digits, has_digits, ours, quasi, random_case, split, truth, worst,
)

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
