"""Tests of nbs/bernstein/11_conic.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.certificate import Problem
from reject_nb.bernstein.conic import ConicModel
from reject_nb.bernstein.conic import ConicSolves
from reject_nb.bernstein.formulations import FORMULATIONS
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.newton import newton
from reject_nb.bernstein.uncertain_data import UncertainData
from reject_nb.core.results import Status
from unittest import mock

from reject_nb.bernstein.conic import clarabel, conic_form, cvxpy_solve

def _rich(trial):
    "Points about which everything is known, and their labels."
    rng = np.random.default_rng([1, trial])
    n, d = 24, 3 + 2*trial
    y = np.where(np.arange(n) % 3 == 0, 1., -1.)
    g = rng.normal(size=(n, 6, d)) + y[:, None, None]*rng.uniform(0, 1.5, d)
    lower, upper, mean = g.min(axis=1), g.max(axis=1), g.mean(axis=1)
    r = rng.uniform(0, .2, mean.shape)*[1., 0., *[1.]*(d - 2)]
    return UncertainData(lower, upper, mean=mean, mean_lower=np.maximum(mean - r, lower),
                         mean_upper=np.minimum(mean + r, upper),
                         second_moment=(g**2).mean(axis=1) + .01,
                         covariance=np.array([np.cov(v.T, bias=True) for v in g]), nominal=g[:, 0]), y, rng


@pytest.mark.parametrize("trial", range(2))
@pytest.mark.parametrize("name", FORMULATIONS)
def test_three_solvers_agree_on_every_formulation(name, trial):
    U, y, rng = _rich(trial)
    problem = Problem(uncertainty_set(name, U), y, 10.**rng.uniform(-1, 1),
                      kappa(FORMULATIONS[name].bound, 10.**rng.uniform(-3, -.3)))
    a = newton(problem)
    assert a.status == "optimal" and a.gap < 1e-7
    for other in (clarabel(problem), cvxpy_solve(problem)):
        assert abs(other.objective - a.objective) <= 1e-6*a.objective and other.gap < 1e-5
        assert other.iterations > 3


def test_parameters_reuse_one_compilation():
    U, y, _ = _rich(0)
    S = uncertainty_set("MM-SMV", U)
    model = ConicModel(S, y)
    assert model.problem.is_dcp(dpp=True)
    for C, k in ((.1, 1.), (5., .5), (1., 3.)):
        assert abs(model.solve(C, k).objective/newton(Problem(S, y, C, k)).objective - 1) < 1e-6


@pytest.mark.parametrize("solver", [clarabel, cvxpy_solve])
def test_limits_are_said(solver):
    U, y, _ = _rich(0)
    problem = Problem(uncertainty_set("MM-SMV", U), y, 1., 1.)
    short = solver(problem, max_iter=2)
    assert short.status == Status.iteration_limit and short.gap > 1e-7 and " says " in short.message
    assert solver(problem, time_limit=1e-9).status == Status.time_limit
    assert solver(problem, time_limit=1e3).status == Status.optimal
    with pytest.raises(ValueError, match="^tol must"): solver(problem, tol=-1.)


def test_forms_by_hand():
    two, y, ball = np.array([[2.], [-2.]]), np.array([1., -1.]), np.ones((2, 1))
    form = conic_form(UncertaintySet(centre=two, radius=.5*ball), y, 3., 0.)
    assert form.q.tolist() == [0, 0, 3, 3, 0] and form.cone == 0 and form.n_linear == 6
    assert form.P.toarray().sum() == 1
    want = [[0, 0, -1, 0, 0], [0, 0, 0, -1, 0], [1, 0, 0, 0, -1], [-1, 0, 0, 0, -1], [-2, -1, -1, 0, .5],
            [-2, 1, 0, -1, .5]]
    assert form.A.toarray().tolist() == want and form.b.tolist() == [0, 0, 0, 0, -1, -1]
    assert clarabel(Problem(UncertaintySet(centre=two, radius=.5*ball), y, 1.,
                            0.)).coef.round(6).tolist() == [.666667]


@pytest.mark.parametrize("said, status",
                         [("MaxIterations", Status.iteration_limit), ("odd", Status.not_converged),
                                          ("user_limit", Status.iteration_limit),
                                          ("MaxTime", Status.time_limit)])
def test_a_solver_that_brings_nothing(said, status):
    "The zero plane, no steps, and what the solver said."
    sets, asked = UncertaintySet(centre=np.array([[1.], [-1.]])), []
    model = ConicModel(sets, np.array([1., -1.]))
    def silent(problem, tol, **options):
        asked.append((tol, options))
        return said
    with mock.patch.dict(ConicSolves.solve.__globals__, _said=silent):
        found = model.solve(3., 0., tol=1e-3, max_iter=17)
        model.solve(3., 0., tol=1e-14, time_limit=50.)
    assert found.status == status and found.iterations == 0 and said in found.message
    assert found.coef.tolist() == [0] and found.objective == 6 and found.bound == 0
    assert asked[0] == (1e-4, {"max_iter": 17})
    assert asked[1][0] == 1e-11 and 49 < asked[1][1]["time_limit"] <= 50
