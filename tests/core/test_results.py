"""Tests of nbs/core/02_results.ipynb, extracted from its test cells: edit them there."""
import math
import pickle
import pytest

from reject_nb.core.results import Budget, Clock, Status, relative_gap

def test_a_status_is_its_text_and_has_a_remedy():
    for status in Status:
        assert status == str(status) == status.value and len(status.remedy) > 20
        assert pickle.loads(pickle.dumps(status)) is status
    assert Status("optimal") is Status.optimal and f"{Status.not_converged}" == "not_converged"


@pytest.mark.parametrize("gap_abs, objective, gap",
                         [(2, 8, .25), (2, -8, .25), (0, 0, 0), (1, 0, math.inf), (-1e-17, 1, 0),
                                                     (math.inf, 1, math.inf)])
def test_relative_gap(gap_abs, objective, gap): assert relative_gap(gap_abs, objective) == gap


@pytest.mark.parametrize("name, value", [("tol", 0), ("tol", "1"), ("max_iter", 0), ("max_iter", 2.),
                                         ("time_limit", -1),
                                         ("time_limit", math.nan), ("progress", 3)])
def test_a_budget_is_checked(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"): Budget(**{name: value})


def test_a_clock_runs_out():
    assert Clock(None).left == math.inf and not Clock(None).out_of_time()
    clock = Clock(1e-9)
    while clock.elapsed <= 1e-9: pass
    assert clock.out_of_time() and clock.left <= 0 and not Clock(1e9).out_of_time()
    said = []
    Budget(progress=said.append).tell("x")
    Budget().tell("y")
    assert said == ["x"]
