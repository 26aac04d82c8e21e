"""Tests of nbs/bernstein/10_newton.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from reject_nb.bernstein.certificate import Plane
from reject_nb.bernstein.certificate import Problem
from reject_nb.bernstein.certificate import solver_units
from reject_nb.bernstein.cones import Values
from reject_nb.bernstein.formulations import FORMULATIONS
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.scaling import centring
from reject_nb.bernstein.scaling import nesterov_todd
from reject_nb.bernstein.scaling import unscale
from reject_nb.bernstein.uncertain_data import UncertainData
from reject_nb.core.results import Budget
from reject_nb.core.results import Status

from reject_nb.bernstein.newton import (
    PATIENCE, WARM, cold_start, corrected_step, interior_point, moved, newton, next_iterate, predicted,
    progress, system_of, warm_start, work_arrays,
)

def _data(seed=0, n=24, d=3):
    "Two overlapping classes with everything known; one feature of one point without width."
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1., -1.)
    g = rng.normal(size=(n, 6, d)) + y[:, None, None]*rng.uniform(0, 1.5, d)
    g[0, :, 0] = g[0, 0, 0]
    lower, upper = g.min(axis=1), g.max(axis=1)
    mean = np.clip(g.mean(axis=1), lower, upper)
    r = rng.uniform(0, .2, mean.shape)
    return UncertainData(lower, upper, mean=mean, mean_lower=np.maximum(mean - r, lower),
                         mean_upper=np.minimum(mean + r, upper),
                         second_moment=(g**2).mean(axis=1) + .01,
                         covariance=np.array([np.cov(v.T, bias=True) for v in g]), nominal=g[:, 0]), y


def _problem(name, seed=0, C=1., eps=.1):
    U, y = _data(seed)
    sets = uncertainty_set(name, U)
    return Problem(sets, y, C, kappa(sets.bound, eps))


def _copied(step):
    "A step that may be spent."
    return step._replace(slack=Values(step.slack.linear, step.slack.cone.copy()))


def _some_iterate(name, seed=0):
    "A system and an iterate well inside, some steps from its start."
    problem = _problem(name, seed)
    system = system_of(problem, solver_units(problem))
    at = cold_start(system)
    for _ in range(3):
        work = work_arrays(*np.subtract(at.slack.cone.shape, (0, 1)))
        assert nesterov_todd(at.slack.cone, at.dual.cone, work.scaling)
        factor, seen = system.factor(at.dual.linear/at.slack.linear, work.scaling), progress(system, at)
        guess = predicted(system, factor, at, work, seen)
        kept = guess._replace(ds=guess.ds.copy(), dz=guess.dz.copy())
        step = corrected_step(system, factor, at, work, seen, guess)
        old, at = at, moved(system, at, work, _copied(step), .7*min(1., 1/step.worst))
    return system, old, work, seen, kept, step


def _product(x, y):
    "x o y, row by row."
    return np.column_stack([(x*y).sum(axis=1), x[:, :1]*y[:, 1:] + y[:, :1]*x[:, 1:]])

NAMES = pytest.mark.parametrize("name", ["MM-M", "MM-S", "MM-MC", "MM-SMV", "MM-SBMV", "MM-SMV-I",
                                         "MM-SBMV-I"])

@NAMES
def test_directions_solve_their_newton_equations(name):
    system, at, work, seen, guess, step = _some_iterate(name)
    scaling = work.scaling
    live, unit = system.live, np.eye(1, scaling.lam.shape[1])
    shift = centring(guess.worst, seen.mean)
    for s, products, extra in ((guess, 0., 0.), (step, shift, 1.)):
        dual = np.empty_like(s.dz)
        unscale(scaling, s.dz, dual)
        change = np.zeros_like(s.x)
        change[:system.d] = system.phi*s.x[:system.d]
        # the first equation, linearised
        left = change - system.transpose(Values(s.linear*live, dual))
        np.testing.assert_allclose(left, -seen.rest, atol=1e-9*(1 + abs(seen.rest).max()))
        # products of the half lines
        lines = at.slack.linear*s.linear + at.dual.linear*s.slack.linear
        want = -at.slack.linear*at.dual.linear + products - extra*guess.slack.linear*guess.linear
        np.testing.assert_allclose(lines[live > 0], want[live > 0], atol=1e-10)
        cones = _product(scaling.lam, s.ds + s.dz)
        want = -_product(scaling.lam, scaling.lam) + products*unit - extra*_product(guess.ds, guess.dz)
        np.testing.assert_allclose(cones, want, atol=1e-9)
        back = np.empty_like(s.ds)
        unscale(scaling, s.slack.cone, back)
        np.testing.assert_array_equal(back, s.ds)


@NAMES
def test_steps_stay_feasible_and_inside(name):
    system, at, work, seen, _, step = _some_iterate(name)
    value = system.apply(at.x)
    np.testing.assert_allclose(at.slack.cone[:, 0], value.cone[:, 0] - 1, atol=1e-12)
    np.testing.assert_allclose(at.slack.linear, np.where(system.live > 0, value.linear, 1), atol=1e-12)
    half = moved(system, at, work, _copied(step), .5)
    # linear equations: half of the residual is gone
    np.testing.assert_allclose(progress(system, half).rest, .5*seen.rest, atol=1e-9)
    np.testing.assert_allclose(half.x, at.x + .5*step.x)
    for size, inside in ((.999, True), (1.001, False)):
        to = moved(system, at, work, _copied(step), size/step.worst)
        cones = [(c[:, 0] - np.linalg.norm(c[:, 1:], axis=1)).min() for c in (to.slack.cone, to.dual.cone)]
        assert (min(*cones, to.slack.linear.min(), to.dual.linear[system.live > 0].min()) > 0) == inside


@NAMES
def test_progress_is_the_gap(name):
    system, at, _, seen, _, _ = _some_iterate(name)
    w, xi = at.x[:system.d], at.x[system.slots]
    np.testing.assert_allclose(seen.value, .5*system.phi*w@w + xi.sum())
    plain = Values(at.dual.linear*system.live, at.dual.cone)
    weights = at.dual.cone[:, 0]
    pull = system.transpose(plain)[:system.d]                              # sum of weights times points
    bound = weights.sum() - .5*pull@pull/system.phi
    np.testing.assert_allclose(seen.value - bound, seen.loss, rtol=1e-9)
    np.testing.assert_allclose(seen.mean*(system.live.sum() + len(system.y)), seen.products)
    assert abs(seen.rest[system.d:]).max() < 1e-9


@NAMES
@pytest.mark.parametrize("eps", [.5, .01])
def test_warm_starts_are_inside(name, eps):
    _, old, *_ = _some_iterate(name)
    problem = _problem(name, eps=eps)
    system = system_of(problem, solver_units(problem))
    at = warm_start(system, old)
    assert (at.slack.cone[:, 0] > np.linalg.norm(at.slack.cone[:, 1:], axis=1) + 9e-4).all()
    assert at.slack.linear.min() > 0
    assert at.dual is old.dual and (at.x >= old.x).all()
    assert (at.x[system.slots] > old.x[system.slots]).any() == (at.x != old.x).any()
    value = system.apply(at.x)
    np.testing.assert_allclose(at.slack.cone[:, 0], value.cone[:, 0] - 1)


def test_loss_is_infinite_while_multipliers_are_not_feasible():
    system, at, *_ = _some_iterate("MM-S")
    off = at._replace(dual=Values(at.dual.linear*1.01, at.dual.cone))
    assert progress(system, off).loss == math.inf and progress(system, at).loss < math.inf

ONE_D = [  # sets around +-2 with labels +-1, kappa, and where the worst points end up
    (dict(), 0., 2.), (dict(radius=.5), 0., 1.5), (dict(scale=1.), 1., 1.),
         (dict(scale=1., radius=.25), .5, 1.25), (dict(scale=.5), 3., .5),
    (dict(scale=1., box_half=.7), 1., 1.3), (dict(scale=1., box_half=3.), 1., 1.),
         (dict(scale=.4, radius=.3, box_half=.6), 1., 1.4),
    (dict(scale=.2, radius=.3, box_half=.6), 1., 1.5), (dict(scale=0., radius=.5, box_half=.7), 1., 1.5),
         (dict(scale=1., box_half=.7), 0., 2.)]

def _one_d(pieces, kap, C):
    two, y = np.array([[2.], [-2.]]), np.array([1., -1.])
    arrays = {k: np.full((2, 1), v) for k, v in pieces.items()}
    if "box_half" in pieces: arrays["box_centre"] = two
    return Problem(UncertaintySet(centre=two, **arrays), y, C, kap)


@pytest.mark.parametrize("C", [1e-2, 1., 1e6])
@pytest.mark.parametrize("pieces, kap, worst", ONE_D)
def test_closed_form_on_a_line(pieces, kap, worst, C):
    got = newton(_one_d(pieces, kap, C))
    # without slacks, or where slacks are cheaper
    w = min(1/worst, 2*C*worst)
    value = .5*w*w + 2*C*max(0, 1 - w*worst)
    np.testing.assert_allclose([got.objective, got.bound], value, rtol=1e-7)
    # the plane moves with the root of the gap
    np.testing.assert_allclose(got.coef[0], w, rtol=1e-3)
    assert got.status == "optimal" and 0 < got.iterations < 25


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", FORMULATIONS)
def test_every_formulation_is_certified_in_few_steps(name, seed):
    problem = _problem(name, seed, C=10.**(2*seed - 1), eps=.05)
    got = newton(problem)
    assert got.status == Status.optimal and got.gap < 1e-7 and got.iterations <= 22
    margin = problem.margins(Plane(got.coef, got.intercept))
    np.testing.assert_allclose(got.slack, np.maximum(0, 1 - margin), atol=1e-12)
    again = newton(Problem(problem.sets, problem.y, problem.C/3, problem.kap), warm=got.state)
    cold = newton(Problem(problem.sets, problem.y, problem.C/3, problem.kap))
    np.testing.assert_allclose(again.objective, cold.objective, rtol=2e-7)
    assert again.status == "optimal" and again.iterations <= cold.iterations + 4


@pytest.mark.parametrize("scale, shift", [(1e-6, 0.), (1e6, 0.), (1., 1e5), (1e-100, 0.), (1e100, 0.)])
def test_units_and_place_do_not_matter(scale, shift):
    base = _problem("MM-SBMV-I")
    s = base.sets
    sets = UncertaintySet(centre=s.centre*scale + shift, radius=s.radius*scale, scale=s.scale*scale,
                          box_centre=s.box_centre*scale + shift,
                          box_half=s.box_half*scale, bound=s.bound)
    got, ref = newton(Problem(sets, base.y, base.C/scale**2, base.kap)), newton(base)
    np.testing.assert_allclose(got.objective*scale**2, ref.objective, rtol=1e-6)
    assert got.status == "optimal"


def test_labels_may_be_exchanged():
    a = _problem("MM-SMV")
    b = newton(Problem(a.sets, -a.y, a.C, a.kap))
    np.testing.assert_allclose(b.coef, -newton(a).coef, atol=1e-4)
    np.testing.assert_allclose(b.objective, newton(a).objective, rtol=1e-7)


class _Elapsed:
    "A clock that runs out after some looks."
    def __init__(self, looks): self.looks = looks
    def out_of_time(self):
        self.looks -= 1
        return self.looks < 0


def test_limits_are_said():
    problem = _problem("MM-SMV")
    short = newton(problem, max_iter=3)
    assert short.status == Status.iteration_limit and short.iterations == 3
    assert "raise max_iter" in short.message and short.gap > 1e-7
    late = newton(problem, time_limit=1e-9)
    assert late.status == Status.time_limit and late.iterations == 0
    assert late.bound <= newton(problem).objective*(1 + 1e-12)
    system = system_of(problem, solver_units(problem))
    run = interior_point(system, cold_start(system), 1e-7, 100, _Elapsed(5))
    assert run.iterations == 5 and run.stopped == Status.time_limit and len(run.losses) == 6
    assert run.best is run.last
    assert newton(problem, max_iter=100).status == "optimal"
    assert newton(problem, tol=.5).iterations < newton(problem).iterations
    with pytest.raises(ValueError, match="^max_iter must"): newton(problem, max_iter=0)
    with pytest.raises(ValueError, match="^tol must"): newton(problem, tol=0.)
    with pytest.raises(ValueError, match="^time_limit must"): newton(problem, time_limit=-1.)


def test_the_iteration_gives_up_with_its_best_multipliers():
    problem = _problem("MM-SMV")
    system = system_of(problem, solver_units(problem))
    run = interior_point(system, cold_start(system), 1e-30, 100, Budget().start())
    losses = np.array(run.losses)
    assert run.iterations < 60 and run.stopped == Status.not_converged
    assert progress(system, run.best).loss == losses.min() < 1e-9 and progress(system, run.warm).mean < WARM
    assert losses.argmin() >= len(losses) - 2 - PATIENCE


def test_an_iterate_outside_goes_no_further():
    system, at, work, seen, *_ = _some_iterate("MM-SMV")
    assert next_iterate(system, at, seen, work) is not None
    at.slack.cone[0, 0] = 0
    assert next_iterate(system, at, seen, work) is None


def _tied(seed):
    "Points of a few integers, some of them several times, with weights of one and two."
    rng = np.random.default_rng(seed)
    n, d, times = int(rng.integers(2, 5)), int(rng.integers(1, 4)), int(rng.choice([1, 2, 4]))
    X = np.repeat(rng.integers(-1, 2, (n, d)), times, axis=0).astype(float)
    U = UncertainData.from_box(X, float(rng.choice([.25, .5, 1., 2.])), law="uniform")
    y = np.repeat(np.where(np.arange(n) % 2, 1., -1.), times)
    cost = rng.choice([1., 2.], len(y))/2 if rng.random() < .6 else None
    return U, y, float(rng.choice([1e-2, .25, .5, 1., 2., 100.])), cost


@pytest.mark.parametrize("name", FORMULATIONS)
def test_tiny_problems_with_ties_end_optimal(name):
    for seed in range(12):
        U, y, C, cost = _tied(seed)
        sets = uncertainty_set(name, U)
        got = newton(Problem(sets, y, C, kappa(sets.bound, .1), cost), tol=1e-8)
        assert got.status == "optimal" and got.gap <= 1e-8 and got.iterations <= 22, (seed, got.message)


@pytest.mark.parametrize("name, times, C, half, bands",
                         [("MM-M", 4, .5, .5, ([-1., 0.], [-1., 1.])),
                          ("MM-SBMV-I", 2, 2., 1., ([1.], [-1.]))])
def test_ties_that_once_cost_all_digits(name, times, C, half, bands):
    # without a floor under the centring these stalled at gaps of 1.6e-6 and 1.9e-6
    U = UncertainData.from_box(np.repeat(bands, times, axis=0), half, law="uniform")
    sets, y = uncertainty_set(name, U), np.repeat([-1., 1.], times)
    cost = np.array([.5, 1., .5, .5]) if times == 2 else None
    got = newton(Problem(sets, y, C*(1 if cost is None else 2), kappa(sets.bound, .1), cost), tol=1e-9)
    assert got.status == "optimal" and got.gap <= 1e-9


@pytest.mark.parametrize("name", FORMULATIONS)
def test_columns_of_any_size_end_optimal(name):
    rng = np.random.default_rng(3)
    X, values = rng.normal(size=(40, 3)), []
    y = np.where(X@[1, 1, 1] + .5*rng.normal(size=40) > 0, 1., -1.)
    for power in (0, 10, 30, 100, 140):
        size = np.array([10.**-power, 1., 10.**power])
        U = UncertainData.from_box(X*size, .3*size, law="uniform")
        sets = uncertainty_set(name, U)
        got = newton(Problem(sets, y, 2., kappa(sets.bound, .1)))
        assert got.status == "optimal" and got.gap <= 1e-7 and got.bound < got.objective, (power, got.message)
        assert power or "wider" not in got.message
        assert np.isfinite(got.coef).all() and abs(got.coef[0]*size[0]) < 1e-15 or power == 0
        values.append(got.objective)
    np.testing.assert_allclose(values[2:], values[1], rtol=1e-6)


def test_sizes_of_columns_move_the_value_one_way():
    # a longer column costs less: the value can only fall
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    y = np.where(X.sum(axis=1) + rng.normal(size=30) > 0, 1., -1.)
    found = []
    for power in range(0, 150, 7):
        centre = X*[1., 10.**power]
        found.append(newton(Problem(UncertaintySet(centre=centre), y, 1., 0.)))
    assert all(f.status == "optimal" for f in found)
    assert all(b.bound <= a.objective*(1 + 1e-9) for a, b in zip(found, found[1:]))
