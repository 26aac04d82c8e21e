"""Tests of nbs/bernstein/07_conic.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.bernstein.formulations import FORMULATIONS
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.newton import newton
from reject_nb.bernstein.uncertain_data import UncertainData

from reject_nb.bernstein.conic import ConicModel, clarabel, cvxpy_solve

def test_three_solvers_agree_on_every_formulation():
    rng = np.random.default_rng(1)
    for trial in range(2):
        n, d = 24, 3 + 2*trial
        y = np.where(np.arange(n) % 3 == 0, 1., -1.)
        g = rng.normal(size=(n, 6, d)) + y[:, None, None]*rng.uniform(0, 1.5, d)
        lower, upper, mean = g.min(axis=1), g.max(axis=1), g.mean(axis=1)
        r = rng.uniform(0, .2, mean.shape)
        U = UncertainData(lower, upper, mean=mean, mean_lower=np.maximum(mean - r, lower), mean_upper=np.minimum(mean + r, upper),
                          second_moment=(g**2).mean(axis=1) + .01, covariance=np.array([np.cov(v.T) for v in g]), nominal=g[:, 0])
        for name, f in FORMULATIONS.items():
            S, C, k = uncertainty_set(name, U), 10.**rng.uniform(-1, 1), kappa(f.bound, 10.**rng.uniform(-3, -.3))
            a, b, c = newton(S, y, C, k), clarabel(S, y, C, k), cvxpy_solve(S, y, C, k)
            assert a.status == "optimal" and a.relative_gap < 1e-7, (name, a.message)
            for other in (b, c):
                assert abs(other.objective - a.objective) <= 1e-6*a.objective, (name, a.objective, other.objective)
                assert other.relative_gap < 1e-5


def test_parameters_reuse_one_compilation():
    rng = np.random.default_rng(2)
    y = np.where(np.arange(20) % 2, 1., -1.)
    U = UncertainData.from_replicates(rng.normal(size=(20, 5, 2)) + y[:, None, None])
    S = uncertainty_set("MM-SMV", U)
    model = ConicModel(S, y)
    assert model.problem.is_dcp(dpp=True)
    for C, k in ((.1, 1.), (5., .5), (1., 3.)):
        assert abs(model.solve(C, k).objective/newton(S, y, C, k).objective - 1) < 1e-6
