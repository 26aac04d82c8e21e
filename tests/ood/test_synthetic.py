"""Tests of nbs/ood/08_synthetic.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.ood.metrics import check_sample
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import BoundedTPRFPR

from reject_nb.ood.synthetic import population, population_areas, synthetic_example

def test_notes_of_the_table():
    "Values found independently (by integration), three digits."
    law, m = synthetic_example(2.), BoundedTPRFPR(.7, .2)
    for name, want in (("A", .1585), ("B", .1418), ("D", .1259)): assert abs(population(law, name, m)["selective_risk"] - want) < 1e-4
    c = population(law, "C", m)
    assert c["status"] == "infeasible" and abs(c["tpr"] - .589) < 1e-3
    assert abs(population(law, "D", BoundedPrecisionRecall(.9, .7, .25))["selective_risk"] - .1242) < 1e-4
    assert np.allclose(population_areas(law, "A"), (.878, .962, .820), atol=1e-3) and np.allclose(population_areas(law, "C"), (.758, .914, .862), atol=1e-3)
    assert abs(population(synthetic_example(), "A", m)["selective_risk"] - .2291) < 1e-4


def test_samples_come_near_the_law():
    law, m = synthetic_example(2.), BoundedTPRFPR(.7, .2)
    s = law.sample(100_000, 1)
    assert abs(s.is_ood.mean() - .25) < .007 and abs(s.losses[~s.is_ood].mean() - law.risk(s.x[~s.is_ood]).mean()) < .007   # five standard deviations
    for name in ("A", "B", "D"): assert abs(s.tune(name, m).selective_risk - population(law, name, m)["selective_risk"]) < .01
    check_sample(s.scores("D"), s.is_ood, s.losses, double=True)
