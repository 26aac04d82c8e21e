"""Tests of nbs/bernstein/91_benchmark.ipynb, extracted from its test cells: edit them there."""
import numpy as np

def test_rivals_agree_at_another_size():
    from reject_nb.bernstein.conic import clarabel
    from reject_nb.bernstein.formulations import kappa, uncertainty_set
    from reject_nb.bernstein.newton import newton
    from reject_nb.bernstein import UncertainData
    rng = np.random.default_rng(1)
    y = np.where(np.arange(120) % 2, 1., -1.)
    U = UncertainData.from_replicates(rng.normal(size=(120, 8, 12))*.6 + y[:, None, None]*rng.normal(size=12)*.4)
    for name in ("MM-SMV", "MM-SMV-I", "MM-S", "MM-MC"):
        S = uncertainty_set(name, U); k = kappa(S.bound, .1)
        a, b = newton(S, y, 2., k), clarabel(S, y, 2., k)
        assert abs(a.objective/b.objective - 1) < 1e-6 and a.iterations < 40
