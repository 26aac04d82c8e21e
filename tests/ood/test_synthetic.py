"""Tests of nbs/ood/80_synthetic.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood import BoundedTPRFPR
from reject_nb.ood.models import BoundedPrecisionRecall

from reject_nb.ood.experiments.synthetic import population, population_areas, sample_areas, synthetic_example

@pytest.mark.parametrize("method, risk", [("A", .1585), ("B", .1418), ("D", .1259)])
def test_risks_found_by_integration(method, risk):
    assert abs(population(synthetic_example(2.), method,
                          BoundedTPRFPR(.7, .2))["selective_risk"] - risk) < 1e-4


def test_other_values_found_by_integration():
    law, m = synthetic_example(2.), BoundedTPRFPR(.7, .2)
    c = population(law, "C", m)
    assert c["status"] == "infeasible" and abs(c["tpr"] - .589) < 1e-3
    assert abs(population(law, "D", BoundedPrecisionRecall(.9, .7, .25))["selective_risk"] - .1242) < 1e-4
    assert np.allclose(population_areas(law, "A"), (.878, .962, .820),
                       atol=1e-3) and np.allclose(population_areas(law, "C"), (.758, .914, .862), atol=1e-3)
    assert abs(population(synthetic_example(), "A", m)["selective_risk"] - .2291) < 1e-4


def test_samples_come_near_the_law():
    law, m = synthetic_example(2.), BoundedTPRFPR(.7, .2)
    s = law.sample(100_000, 1)
    # five standard deviations
    assert abs(s.is_ood.mean() - .25) < .007
    assert abs(s.losses[~s.is_ood].mean() - law.risk(s.x[~s.is_ood]).mean()) < .007
    for name in ("A", "B", "D"):
        assert abs(s.tune(name, m).selective_risk - population(law, name, m)["selective_risk"]) < .01
    small = law.sample(3000, 2)
    assert np.allclose(sample_areas(small, "A", 9), population_areas(law, "A", 4000), atol=.04)
    assert np.allclose(sample_areas(small, "D", 9), population_areas(law, "D", 4000, 9), atol=.04)


@pytest.mark.parametrize("make, named", [(lambda: synthetic_example(np.nan), "ood_mean"),
                                         (lambda: synthetic_example(ood_variance=0), "ood_variance"),
                                         (lambda: synthetic_example(prior="a"), "prior"),
                                         (lambda: synthetic_example().sample(0), "n"),
                                         (lambda: synthetic_example().sample(5, "a"), "random_state"),
                                         (lambda: synthetic_example().sample(5, 0).scores("E"), "method"),
                                         (lambda: synthetic_example().risk("a"), "x"),
                                         (lambda: synthetic_example().cells(2.5), "n")])
def test_bad_input_is_named(make, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): make()
