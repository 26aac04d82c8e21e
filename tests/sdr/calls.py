"""Every public call of the sdr module with valid arguments, for the test of bad ones."""
import numpy as np

from reject_nb.sdr import (Bernoulli, Beta, Binomial, ChiSquared, Exponential, Gamma, Gaussian, Independent, Poisson,
                           GenerativeClassifier, SafeDecisionRegion, SafeRegionClassifier, explore, goodness_of_fit, radius)
from reject_nb.sdr.advanced.fitted import bootstrap_rates
from reject_nb.sdr.region import quadric
from reject_nb.sdr.rates import rates

RNG = np.random.default_rng(1)    # points to which a Gaussian fits: no warning
PLANE = RNG.normal(size=(8, 2))
AMOUNTS = np.array([.2, .5, 1.5, 3.])
SHARES = np.array([.2, .5, .6, .9])
COUNTS = np.array([0., 1., 1., 3.])
MIXED = np.column_stack([AMOUNTS, COUNTS])
LABELS = np.arange(8) % 2
SAFE, UNSAFE = Gaussian([0, 0], np.eye(2)), Gaussian([1, 0], [[2, .3], [.3, 1]])
REGION = SafeDecisionRegion(SAFE, UNSAFE)
PRODUCT = Independent([Gamma(2, 1), Poisson(1)])


def _fitted(): return SafeRegionClassifier(eps=.2, calibration_share=None).fit(PLANE, LABELS)


def _construct_and_fit(**parameters): return SafeRegionClassifier(**({'calibration_share': None} | parameters)).fit(PLANE, LABELS)


WEIGHT = np.array([1., 2., 1., 1., 3., 1., 2., 1.])
MANY = np.random.default_rng(1).normal(size=(24, 2))
MANY_LABELS = np.arange(24) % 2


def _several(**parameters): return GenerativeClassifier(**parameters).fit(MANY, MANY_LABELS)


def calls():
    """Name -> (callable, valid keyword arguments)."""
    clf = _fitted()
    found = {
        "radius": (radius, dict(p_safe=.5, eps=.05)),
        "explore": (explore, dict(region=REGION, xlim=(0., 8.), ylim=(2., 12.), n=5)),
        "Gaussian": (Gaussian, dict(mean=[0., 1.], cov=[[1., .2], [.2, 1.]])),
        "Gamma": (Gamma, dict(shape=2., scale=1.5)), "ChiSquared": (ChiSquared, dict(df=3.)),
        "Exponential": (Exponential, dict(scale=2.)), "Poisson": (Poisson, dict(rate=3.)), "Bernoulli": (Bernoulli, dict(p=.3)),
        "Binomial": (Binomial, dict(n=5, p=.3)), "Beta": (Beta, dict(a=2., b=.5)),
        "Independent": (Independent, dict(distributions=[Gamma(2, 1), Poisson(1)])),
        "Gaussian.fit": (Gaussian.fit, dict(X=PLANE, sample_weight=WEIGHT, shrinkage=.1)), "Gamma.fit": (Gamma.fit, dict(X=AMOUNTS, sample_weight=WEIGHT[:4])),
        "ChiSquared.fit": (ChiSquared.fit, dict(X=AMOUNTS)), "Exponential.fit": (Exponential.fit, dict(X=AMOUNTS)),
        "Poisson.fit": (Poisson.fit, dict(X=COUNTS)), "Bernoulli.fit": (Bernoulli.fit, dict(X=np.array([0., 1., 1.]))),
        "Binomial.fit": (Binomial.fit, dict(X=COUNTS, n=4)), "Beta.fit": (Beta.fit, dict(X=SHARES)),
        "Independent.fit": (Independent.fit, dict(X=MIXED, families=[Gamma, Poisson])),
        "SafeDecisionRegion": (SafeDecisionRegion, dict(safe=SAFE, unsafe=UNSAFE)),
        "SafeDecisionRegion.gamma": (REGION.gamma, dict(X=PLANE)),
        "SafeDecisionRegion.posterior": (REGION.posterior, dict(X=PLANE, p_safe=.3)),
        "SafeDecisionRegion.contains": (REGION.contains, dict(X=PLANE, p_safe=.3, eps=.2)),
        "SafeDecisionRegion.rates": (REGION.rates, dict(p_safe=.3, eps=.2)),
        "SafeDecisionRegion.quadric": (REGION.quadric, dict(p_safe=.3, eps=.2)),
        "rates": (rates, dict(safe=SAFE, unsafe=UNSAFE, p_safe=.3, eps=.2)),
        "quadric": (quadric, dict(safe=SAFE, unsafe=UNSAFE, rho=.2)),
        "Quadric.__call__": (REGION.quadric(), dict(X=PLANE)),
        "SafeRegionClassifier": (_construct_and_fit, dict(family="gaussian", p_safe=.4, eps=.2, safe_label=1, class_weight="balanced", shrinkage=.1, probability=True, calibration_share=.4, delta=.2, random_state=0)),
        "SafeRegionClassifier.fit": (SafeRegionClassifier(eps=.2, calibration_share=None).fit, dict(X=PLANE, y=LABELS, sample_weight=WEIGHT)),
        "SafeRegionClassifier.predict": (clf.predict, dict(X=PLANE)),
        "SafeRegionClassifier.decision_function": (clf.decision_function, dict(X=PLANE)),
        "SafeRegionClassifier.posterior": (clf.posterior, dict(X=PLANE, p_safe=.4)),
        "SafeRegionClassifier.predict_region": (clf.predict_region, dict(X=PLANE, p_safe=.4, eps=.2)),
        "SafeRegionClassifier.calibrate": (_fitted().calibrate, dict(X=PLANE, y=LABELS, rule="scaling_unsafe", eps=.2, delta=.3)),
        "SafeDecisionRegion.margin": (REGION.margin, dict(X=PLANE, level=.5)),
        "SafeRegionClassifier.rates": (clf.rates, dict(p_safe=.4, eps=.2, n_bootstrap=2, confidence=.8, random_state=0)),
        "SafeRegionClassifier.predict_proba": (SafeRegionClassifier(probability=True, calibration_share=None).fit(PLANE, LABELS).predict_proba, dict(X=PLANE)),
        "bootstrap_rates": (bootstrap_rates, dict(region=REGION, p_safe=.4, eps=.2, n_safe=20, n_unsafe=20, n_bootstrap=2, confidence=.8,
                                                  n_test=20, shrinkage=None, random_state=0)),
        "goodness_of_fit": (goodness_of_fit, dict(distribution=Gamma(2, 1), X=AMOUNTS, n_bootstrap=2, random_state=0, shrinkage=.1)),
        "GenerativeClassifier": (_several, dict(family="gaussian", shrinkage=.1, calibrated=False)),
        "GenerativeClassifier.fit": (GenerativeClassifier().fit, dict(X=MANY, y=MANY_LABELS, sample_weight=np.arange(1., 25.))),
        **{f"GenerativeClassifier.{name}": (getattr(_several(), name), dict(X=PLANE)) for name in ("predict", "predict_proba", "decision_function")},
    }
    points = {"Gaussian": (SAFE, PLANE), "Gamma": (Gamma(2, 1), AMOUNTS), "ChiSquared": (ChiSquared(3), AMOUNTS),
              "Exponential": (Exponential(2), AMOUNTS), "Poisson": (Poisson(2), COUNTS), "Bernoulli": (Bernoulli(.3), COUNTS[:3]),
              "Binomial": (Binomial(5, .3), COUNTS), "Beta": (Beta(2, 3), SHARES), "Independent": (PRODUCT, MIXED)}
    for name, (law, X) in points.items():
        for method in ("log_density", "g", "g_tilde"): found[f"{name}.{method}"] = (getattr(law, method), dict(X=X))
        found[f"{name}.sample"] = (law.sample, dict(n=5, random_state=0))
    return found


LEGAL = {
    ("*", "random_state", "none"): "the documented default: fresh randomness",
    ("*", "random_state", "huge"): "a seed may be any whole number",
    ("goodness_of_fit", "n_bootstrap", "none"): "a bound of the p-value from tables",
    ("quadric", "rho", "huge"): "every finite number is a level",
    ("SafeRegionClassifier", "p_safe", "none"): "the documented default: the share in the training data",
    ("SafeRegionClassifier", "safe_label", "none"): "the documented default: the last label",
    ("SafeRegionClassifier.posterior", "p_safe", "none"): "the documented default: the prior of the fit",
    ("SafeRegionClassifier.predict_region", "p_safe", "none"): "the documented default: the prior of the fit",
    ("SafeRegionClassifier.predict_region", "eps", "none"): "the documented default: the risk of the fit",
    ("SafeRegionClassifier.calibrate", "eps", "none"): "the documented default: the risk of the fit",
    ("SafeDecisionRegion.margin", "level", "huge"): "every number is a level",
    ("SafeDecisionRegion.margin", "level", "inf"): "nothing is below -inf, every finite score is below inf",
    ("*", "sample_weight", "none"): "the documented default: 1 each",
    ("*", "shrinkage", "none"): "the documented default: maximum likelihood",
    ("SafeRegionClassifier", "calibration_share", "none"): "nothing is held out",
    ("SafeRegionClassifier", "class_weight", "none"): "the documented default: 1 each",
    ("SafeRegionClassifier.rates", "n_bootstrap", "none"): "the documented default: no intervals",
    ("SafeRegionClassifier.rates", "p_safe", "none"): "the documented default: the prior of the fit",
    ("SafeRegionClassifier.rates", "eps", "none"): "the documented default: the risk of the fit",
}
