"""Tests of nbs/sdr/00_overview.ipynb, extracted from its test cells: edit them there."""
import pytest
import reject_nb.sdr as module
import subprocess
import sys

PUBLIC = ["Bernoulli", "Beta", "Binomial", "ChiSquared", "Exponential", "Gamma", "Gaussian", "Independent",
          "Poisson", "Quadric", "RateIntervals", "Rates", "RegionPerClass",
          "SafeDecisionRegion", "SafeRegionClassifier", "explore", "goodness_of_fit", "radius"]

def test_public_names():
    assert sorted(module.__all__) == PUBLIC and set(PUBLIC) <= set(dir(module))
    for name in PUBLIC:
        assert getattr(module, name).__doc__ and getattr(module, name).__module__.startswith("reject_nb.sdr.")
    with pytest.raises(AttributeError, match="nothing"): module.nothing


def test_import_is_light():
    # what is heavy is loaded with the first name that needs it
    code = ("import sys, reject_nb.sdr as m; "
            "heavy = {'sklearn', 'scipy', 'numpy', 'matplotlib'} & set(sys.modules); m.Gaussian(0, 1); "
            "print(heavy, {'sklearn', 'matplotlib'} & set(sys.modules))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set() set()", done.stdout + done.stderr
