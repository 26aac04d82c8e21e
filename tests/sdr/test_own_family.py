"""Tests of nbs/sdr/18_own_family.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from dataclasses import dataclass
from reject_nb import sdr
from reject_nb.sdr.amounts import ContinuousLaw
from reject_nb.sdr.amounts import weighted_mean
from reject_nb.sdr.laws import Place
from scipy import stats

@dataclass(frozen=True, repr=False)
class _Half(ContinuousLaw):
    "Half normal law: |Z| scale."
    scale: float

    @property
    def coefficients(self): return np.array([.5/self.scale**2, 0, 0, 0])

    @property
    def log_normaliser(self): return np.log(self.scale) + np.log(np.pi/2)/2

    def _log_cdf(self, at): return stats.halfnorm(scale=self.scale).logcdf(at.x)

    def _log_sf(self, at): return stats.halfnorm(scale=self.scale).logsf(at.x)

    def _draw(self, rng, n): return np.abs(rng.normal(size=n))*self.scale

    @classmethod
    def _fit(cls, x, template, weight): return cls(np.sqrt(weighted_mean(x**2, weight)))


class _HalfContour(_Half):
    @property
    def natural(self): return (.5/self.scale**2,)

    @staticmethod
    def _log_integral(rate): return -np.log(rate)/2 + np.log(np.pi)/2 - np.log(2)


def test_density_and_fit_of_a_new_law():
    law, x = _Half(1.7), np.array([.2, 1., 4.])
    np.testing.assert_allclose(law.log_density(x), stats.halfnorm(scale=1.7).logpdf(x), rtol=1e-12)
    np.testing.assert_allclose(law._log_density_at(Place(x, np.log(x), 0.)), law.log_density(x), rtol=1e-12)
    assert law.fit([3., 4.]).scale == np.sqrt(12.5) and np.isneginf(law.log_density([-1.]))[0]


@pytest.mark.parametrize("law", [_Half, _HalfContour])
def test_rates_of_a_new_law_in_closed_form(law):
    # Gamma = x^2 (1/2 - 1/8) - ln 2 is below rho up to one place
    r = sdr.SafeDecisionRegion(law(1.), law(2.)).rates(.5, .4)
    end = np.sqrt((sdr.radius(.5, .4) + np.log(2))*8/3)
    assert abs(r.tpr - stats.halfnorm.cdf(end)) < 1e-12 and abs(r.fpr - stats.halfnorm.cdf(end/2)) < 1e-12


def test_columns_of_a_new_law_are_those_of_a_gaussian_pair():
    # |Z| and Z have the same Gamma where both means are 0: three columns are one Gaussian block
    safe, unsafe = [1., 1., 2.], [2., .7, 3.]
    want = sdr.SafeDecisionRegion(sdr.Gaussian(np.zeros(3), np.diag(np.square(safe))),
                                  sdr.Gaussian(np.zeros(3), np.diag(np.square(unsafe)))).rates(.4, .3)
    for law in (_Half, _HalfContour):
        r = sdr.SafeDecisionRegion(*(sdr.Independent([law(s) for s in scales]) for scales in (safe, unsafe)))
        r = r.rates(.4, .3)
        assert abs(r.tpr - want.tpr) <= r.tpr_error + want.tpr_error
        assert abs(r.fpr - want.fpr) <= r.fpr_error + want.fpr_error and r.status == "optimal"


def test_a_new_law_in_the_classifier():
    X = np.concatenate([_Half(1.).sample(300, 1), _Half(3.).sample(300, 2)])[:, None]
    clf = sdr.SafeRegionClassifier(family=_Half, eps=.3).fit(X, np.repeat([1, 0], 300))
    assert abs(clf.region_.safe.scale - 1) < .15 and clf.predict([[.1], [9.]]).tolist() == [1, 0]
    assert sdr.goodness_of_fit(clf.region_.safe, X[:300], 99, 0)[0].p_value > .01
    assert sdr.goodness_of_fit(_Half.fit(np.full(300, 2.)), np.full(300, 2.), 99, 0)[0].p_value == .01
