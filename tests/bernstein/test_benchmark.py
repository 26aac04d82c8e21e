"""Tests of nbs/bernstein/91_benchmark.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein import UncertainData
from reject_nb.bernstein.certificate import Problem
from reject_nb.bernstein.conic import clarabel
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.newton import newton

@pytest.mark.parametrize("name", ["MM-SMV", "MM-SMV-I", "MM-S", "MM-MC"])
def test_rivals_agree_at_another_size(name):
    rng = np.random.default_rng(1)
    y = np.where(np.arange(120) % 2, 1., -1.)
    U = UncertainData.from_replicates(rng.normal(size=(120, 8, 12))*.6
                                      + y[:, None, None]*rng.normal(size=12)*.4)
    sets = uncertainty_set(name, U)
    problem = Problem(sets, y, 2., kappa(sets.bound, .1))
    a, b = newton(problem), clarabel(problem)
    assert abs(a.objective/b.objective - 1) < 1e-6 and a.iterations < 40
