"""Tests of nbs/bernstein/06_newton.ipynb, extracted from its test cells: edit them there."""
import numpy as np

from reject_nb.bernstein.newton import _corrected, _scaled_step, _scaling, _unscale

def test_scaling_maps_both_points_to_one_and_steps_reach_the_boundary():
    rng = np.random.default_rng(0)
    S, Z, D = (rng.normal(size=(6, 4)) for _ in range(3))
    for M in (S, Z): M[:, 0] = np.linalg.norm(M[:, 1:], axis=1) + rng.uniform(1e-6, 2, 6)
    u, lam, back, ds, dq, w, e = *(np.empty_like(S) for _ in range(6)), np.empty(6)
    assert _scaling(S, Z, u, e, lam)
    _unscale(u, e, S, back)
    np.testing.assert_allclose(back, lam, rtol=1e-6)                 # cones within 1e-6 of their boundary
    np.testing.assert_allclose((S*Z).sum(axis=1), (lam*lam).sum(axis=1), rtol=1e-7)
    t = _scaled_step(u, e, lam, lam, D, ds, dq)
    ends = [lam + ds/t, lam + dq/t]
    assert abs(min((p[:, 0] - np.linalg.norm(p[:, 1:], axis=1)).min() for p in ends)) < 1e-8
    _corrected(u, e, lam, ds, dq, .3, w, back)
    v = w - lam                                                       # lam o v must be ds o dq - .3 e
    left = np.column_stack([(lam*v).sum(axis=1), lam[:, :1]*v[:, 1:] + v[:, :1]*lam[:, 1:]])
    right = np.column_stack([(ds*dq).sum(axis=1) - .3, ds[:, :1]*dq[:, 1:] + dq[:, :1]*ds[:, 1:]])
    np.testing.assert_allclose(left, right, atol=1e-7*abs(right).max())


def test_scaling_reports_points_outside():
    S = np.array([[1., 0.], [1., 2.]]); u = np.empty_like(S); e = np.empty(2)
    assert not _scaling(S, np.ones((2, 2))*[2., 0.], u, e, u.copy())
