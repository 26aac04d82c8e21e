"""Tests of nbs/sdr/00_overview.ipynb, extracted from its test cells: edit them there."""
import pytest
from reject_nb.sdr.families import Gamma
from reject_nb.sdr.families import Gaussian
from reject_nb.sdr.region import SafeDecisionRegion

from reject_nb.sdr import explore

def test_public_names():
    import reject_nb.sdr as room
    for name in ("Gaussian", "Gamma", "ChiSquared", "Exponential", "Poisson", "Bernoulli", "Binomial", "Beta", "Independent", "SafeDecisionRegion", "SafeRegionClassifier", "radius"):
        assert name in room.__all__ and hasattr(room, name)


def test_sliders_redraw():
    widgets = pytest.importorskip("ipywidgets")
    import matplotlib.pyplot as plt
    region = SafeDecisionRegion(Gaussian([4, 6], [[1.3, .9], [.9, 1.3]]), Gaussian([3, 8], [[.6, 0], [0, 1.4]]))
    box = explore(region, (0, 8), (2, 12), n=20)
    assert [w.description for w in box.children[:2]] == ["p_safe", "eps"]
    before = plt.isinteractive(); plt.ioff()
    try:
        for p, eps in ((.2, .3), (.9, .01)): box.f(p, eps)
    finally:
        plt.close("all")
        if before: plt.ion()
    with pytest.raises(ValueError, match="two"): explore(SafeDecisionRegion(Gamma(2), Gamma(3)), (0, 1), (0, 1))
