"""Tests of nbs/sdr/81_guarantees.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.files import project_root
from reject_nb.core.tables import load_table
from reject_nb.sdr.calibration import calibrate_level
from scipy import stats

from reject_nb.sdr.experiments.guarantees import DELTA, EPS, WORLDS, draw, places, violations

def test_by_hand():
    # 29 scores at eps .1: the smallest is the level; broken where it exceeds the .1 quantile
    u = np.random.default_rng(0).random((4000, 29))
    level = np.array([calibrate_level(row, eps=.1, delta=.05).level for row in u])
    assert (level == u.min(1)).all() and abs((level > .1).mean() - .9**29) < 4*np.sqrt(.047*.953/4000)


@pytest.mark.parametrize("world", WORLDS, ids=["normal", "other"])
@pytest.mark.parametrize("procedure", ["RegionPerClass", "calibrate, scaling_unsafe"])
def test_promises_are_kept(world, procedure):
    row = violations(world, procedure, 60, start=50_000)
    assert row["violations"] <= stats.binom(60, DELTA).ppf(.9999) and 0 < row["mean_share"] < EPS


def test_shares_are_those_of_draws():
    # the places against a million draws, inside an interval
    world, rng = WORLDS[1], np.random.default_rng(1)
    X, y = draw(world, 300_000, rng)
    for k, at in enumerate(places(world)):
        x = X[y == k, 0]
        want = ((x > -1) & (x < 1)).mean()
        assert abs(((at > -1) & (at < 1)).mean() - want) < .002 + 5*np.sqrt(.25/len(x))


def test_the_stored_tables():
    root = project_root()/"figures"
    broken, held = load_table("sdr/violations", root), load_table("sdr/coverage", root)
    sure = broken["procedure"] != "calibrate, conformal_unsafe"
    allowed = stats.binom(broken["repetitions"], DELTA).ppf(.9999)
    assert (broken["violations"] <= allowed)[sure].all() and (broken["mean_share"] < EPS + .005).all()
    right = held["world"] == "normal"
    assert (np.minimum(held["tpr"], held["fpr"])[right] > .75).all()
