"""Tests of nbs/strategies/00_overview.ipynb, extracted from its test cells: edit them there."""
import inspect
import numpy as np
import reject_nb.strategies as strategies
import subprocess
import sys

def test_every_public_name_is_there_and_says_what_it_is():
    for name in strategies.__all__:
        found = getattr(strategies, name)
        assert inspect.getdoc(found) and name in dir(strategies)
        assert name not in {"models", "losses", "curves", "surrogate", "scores", "ordinal", "guarantees",
                            "selective", "ranks"}


def test_the_three_models_agree_on_a_law():
    r, p = np.array([.02, .1, .3, .5]), np.array([.4, .3, .2, .1])
    s = strategies.BoundedImprovement(.1).solve(r, p)
    for other in (strategies.CostBased(s.threshold, s.accept_at_threshold),
                  strategies.BoundedAbstention(s.coverage)):
        np.testing.assert_allclose(other.solve(r, p)(r), s(r), atol=1e-12)


def test_functions_of_arrays_need_no_scikit_learn():
    use = "s.certify(s.BoundedImprovement(.1), [0.]*99, range(99)), s.selective_metrics([0, 1], [1, 2])"
    code = f"import sys, reject_nb.strategies as s; {use}; print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True).stdout == "False\n"
