"""Tests of nbs/strategies/00_overview.ipynb, extracted from its test cells: edit them there."""
import reject_nb.strategies as room

def test_public_names_of_the_room():
    for name in """CostBased BoundedImprovement BoundedAbstention conditional_risk bayes_predict risk_coverage_curve aurc sele sele_surrogate MaxClassProbability MarginScore
                   RegressionScore SeleScore TrueClassProbabilityScore SelectiveClassifier OrdinalSVM average_ranks nemenyi""".split():
        assert getattr(room, name).__doc__


def test_the_three_models_agree_on_a_law():
    import numpy as np
    r, p = np.array([.02, .1, .3, .5]), np.array([.4, .3, .2, .1])
    s = room.BoundedImprovement(.1).solve(r, p)
    for other in (room.CostBased(s.threshold, s.accept_at_threshold), room.BoundedAbstention(s.coverage)):
        np.testing.assert_allclose(other.solve(r, p)(r), s(r), atol=1e-12)
