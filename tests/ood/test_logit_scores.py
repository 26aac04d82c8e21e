"""Tests of nbs/ood/15_logit_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy import special
from scipy import stats

from reject_nb.ood.logit_scores import energy, entropy, gen, kl_matching

Z = np.random.default_rng(1).normal(size=(50, 4))*3

def test_energy_against_scipy_and_its_limits():
    assert np.allclose(energy(Z, 2.), -2*special.logsumexp(Z/2, axis=1), rtol=1e-14)
    assert np.allclose(energy(Z, 1e-3), -Z.max(1), atol=1e-2)
    assert np.allclose(energy(Z + 7), energy(Z) - 7) and np.isfinite(energy(Z*1e200)).all()


def test_entropy_against_scipy():
    assert np.allclose(entropy(Z), stats.entropy(special.softmax(Z, axis=1), axis=1), rtol=1e-12)
    assert np.isclose(entropy(np.zeros((1, 7)))[0], np.log(7)) and entropy([[0., 2000.]])[0] == 0


@pytest.mark.parametrize("top", [None, 1, 3])
def test_gen_by_definition(top):
    p = -np.sort(-special.softmax(Z, axis=1), axis=1)[:, :top]
    assert np.allclose(gen(Z, .1, top), ((p*(1 - p))**.1).mean(1), rtol=1e-9)


def test_gen_keeps_tiny_probabilities():
    "By hand: two classes, logits 0 and 60: both terms are (e^-60)^gamma to rounding."
    assert np.isclose(gen([[0., 60.]], gamma=.1)[0], np.exp(-6), rtol=1e-12)


def test_kl_matching_by_definition():
    train = np.random.default_rng(2).normal(size=(80, 4))*2
    p, q = special.softmax(Z, axis=1), special.softmax(train, axis=1)
    means = np.array([q[q.argmax(1) == k].mean(0) for k in np.unique(q.argmax(1))])
    expected = np.array([[stats.entropy(a, b) for b in means] for a in p]).min(1)
    assert np.allclose(kl_matching(Z, train), expected, rtol=1e-9, atol=1e-14)


def test_kl_matching_where_a_typical_probability_vanishes():
    assert np.isfinite(kl_matching([[0., 0.]], [[0., 3000.]])).all()


@pytest.mark.parametrize("call, named", [
    (lambda: energy(Z, 0), "temperature"), (lambda: gen(Z, -1), "gamma"), (lambda: gen(Z, top=5), "top"),
    (lambda: gen(Z, top=True), "top"), (lambda: entropy([[np.nan, 1]]), "logits"),
    (lambda: kl_matching(Z, Z[:, :3]), "train_logits")], ids=["T", "gamma", "top", "bool", "nan", "train"])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): call()
