"""Tests of nbs/bernstein/09_blocks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import reject_nb.bernstein.blocks as module
import reject_nb.bernstein.uncertain_data as uncertain_data
from reject_nb.bernstein.blocks import BlockSystem
from reject_nb.bernstein.cones import ConeSystem
from reject_nb.bernstein.cones import cone_data
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.scaling import empty_scaling

def _sets(kind, n=90, d=4, seed=0):
    "Random sets: 'r' intervals of means, 'd' diagonal, 'f' full ellipsoids."
    rng = np.random.default_rng(seed)
    scale = rng.uniform(.1, .5, (n, d)) if "d" in kind else None
    if "f" in kind: scale = np.linalg.qr(rng.normal(size=(n, d, d)))[0]*rng.uniform(.1, .5, (n, 1, d))
    return UncertaintySet(centre=rng.normal(size=(n, d)), scale=scale,
                          radius=rng.uniform(0, .3, (n, d))*[1., 0., 1., 1.] if "r" in kind else None)


def _both(kind, seed=0, kept=True):
    "The same constraints with and without blocks, and the start."
    sets, rng = _sets(kind, seed=seed), np.random.default_rng(seed)
    y, cost = np.where(np.arange(90) % 3, 1., -1.), rng.uniform(.5, 2, 90)
    whole = ConeSystem.of(cone_data(sets, y, 1.3, .7, cost))
    parts = BlockSystem(sets, lambda s: s, y, 1.3, .7, cost)
    parts.parts = [slice(0, 40), slice(40, 80), slice(80, 90)]
    parts.kept = [parts._data(rows) for rows in parts.parts] if kept else None
    parts.scaling = empty_scaling(90, parts.k) if kept else parts.bench.scaling
    return whole, parts

KINDS = pytest.mark.parametrize("kind", ["", "r", "d", "rd", "f", "rf"])

@KINDS
def test_blocks_start_and_turn_as_the_whole(kind):
    whole, parts = _both(kind)
    (x, z), (x1, z1) = whole.start(), parts.start()
    np.testing.assert_allclose(x1, x, rtol=1e-13)
    for a, b in zip(z1, z): np.testing.assert_allclose(a, b, rtol=1e-13)
    np.testing.assert_allclose(parts.transpose(z), whole.transpose(z), rtol=1e-12, atol=1e-12)
    slack = whole.apply(x)
    slack.cone[:, 0] -= 1
    np.testing.assert_allclose(parts.products(x, slack, z, parts.transpose(z)),
                               whole.products(x, slack, z, None), rtol=1e-12)
    z.cone[:, 0] += .1
    z.cone[:, 1:] = .05
    np.testing.assert_allclose(parts.points(z), whole.points(_sets(kind), z), rtol=1e-12)


@pytest.mark.parametrize("kept", [True, False])
@KINDS
def test_a_step_in_blocks_is_the_step_of_the_whole(kind, kept):
    from reject_nb.bernstein.newton import INSIDE, Iterate, cold_start, next_iterate, progress, work_arrays
    whole, parts = _both(kind, kept=kept)
    a, b = cold_start(whole), cold_start(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FAR", np.inf)
        for _ in range(4):
            work = work_arrays(90, a.dual.cone.shape[1] - 1)
            a = next_iterate(whole, a, progress(whole, a), work)
            b = Iterate(*parts.step(b, progress(parts, b), b.dual.cone, INSIDE)[1:])
    np.testing.assert_allclose(b.x, a.x, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(b.dual.cone, a.dual.cone, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(b.slack.linear, a.slack.linear, rtol=1e-7, atol=1e-9)


def test_arrays_that_are_in_use_are_not_handed_out():
    _, parts = _both("d")
    first = parts.array()
    second = parts.array(first)
    third = parts.array(first, second)
    assert first is not second and third is not first and third is not second and len(parts.spare) == 3
    assert parts.array(second, third) is first


@KINDS
def test_large_problems_are_solved_in_blocks(kind):
    import reject_nb.bernstein.newton as newton
    from reject_nb.bernstein.certificate import Problem
    y = np.where(np.arange(90) % 3, 1., -1.)
    cost = np.random.default_rng(1).uniform(.5, 2, 90)
    problem = Problem(_sets(kind), y, 3., .8, cost)
    want = newton.newton(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newton, "SMALL", 0)
        patch.setattr(uncertain_data, "ENTRIES", 300)
        systems, make = [], newton.system_of
        patch.setattr(newton, "system_of", lambda *a: systems.append(make(*a)) or systems[0])
        got = newton.newton(problem)
    # two arrays of multipliers: where it is and where it goes; the points of the sets take the place of one
    assert len(systems[0].spare) == 2 and (got.points.base is not None) == (systems[0].k > 0)
    np.testing.assert_allclose(got.points.T@(got.weights*y), want.points.T@(want.weights*y), atol=1e-3)
    assert got.status == want.status == "optimal" and got.state is None
    np.testing.assert_allclose(got.objective, want.objective, rtol=2e-7)
    np.testing.assert_allclose(got.bound, want.bound, rtol=2e-7)
