"""Tests of nbs/ood/17_shaped_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.logit_scores import log_softmax

from reject_nb.ood.shaped_scores import _shaped, _strongest, ash, dice, gradnorm

RNG = np.random.default_rng(6)
F = np.abs(RNG.normal(size=(30, 8)))
TRAIN = np.abs(RNG.normal(size=(40, 8)))
HEAD = RNG.normal(size=(3, 8))
SHIFT = RNG.normal(size=3)

def _energy(features, weight=HEAD): return -np.log(np.exp(features@weight.T + SHIFT).sum(1))


@pytest.mark.parametrize("share", [0., .4, .8])
def test_ash_row_by_row(share):
    keep = 8 - round(8*share)
    for f, found in zip(F, ash(F, HEAD, SHIFT, share, "p")):
        level = np.sort(f)[-keep]
        assert np.isclose(found, _energy(np.where(f >= level, f, 0)[None])[0], rtol=1e-12)
    for f, found in zip(F, ash(F, HEAD, SHIFT, share, "s")):
        kept = np.where(f >= np.sort(f)[-keep], f, 0)
        assert np.isclose(found, _energy((kept*np.exp(f.sum()/kept.sum()))[None])[0], rtol=1e-12)


def test_ash_b_keeps_the_sum():
    kept = _strongest(F, .5)
    shaped = _shaped(F, kept, "b")
    assert np.allclose(shaped.sum(1), F.sum(1)) and (shaped[~kept] == 0).all()


def test_dice_keeps_the_weights_that_matter():
    contribution = TRAIN.mean(0)*HEAD
    level = np.sort(contribution.ravel())[int(.75*23)]
    expected = _energy(F, np.where(contribution > level, HEAD, 0))
    share = int(.75*23)/23
    assert np.allclose(dice(F, HEAD, SHIFT, TRAIN, share), expected, rtol=1e-12)
    assert np.allclose(dice(F, HEAD, SHIFT, TRAIN, 1.), -np.log(np.exp(SHIFT).sum()))


def test_gradnorm_against_differences():
    "The gradient of the cross-entropy, entry by entry, by central differences."
    def loss(W, f, T): return -np.mean(log_softmax(((W@f + SHIFT)/T)[None])[0])
    for f in F[:3]:
        gradient = [(loss(HEAD + h, f, 2.) - loss(HEAD - h, f, 2.))/2e-6
                    for h in 1e-6*np.eye(HEAD.size).reshape(-1, *HEAD.shape)]
        assert np.isclose(gradnorm(f[None], HEAD, SHIFT, 2.)[0], -np.abs(gradient).sum(), rtol=1e-6)


@pytest.mark.parametrize("call, named", [
    (lambda: ash(F, HEAD, SHIFT, 1.), "share"), (lambda: ash(F, HEAD, SHIFT, variant="x"), "variant"),
    (lambda: ash(-F, HEAD, SHIFT), "features"), (lambda: ash(F[:, :3], HEAD, SHIFT), "weight"),
    (lambda: dice(F, HEAD, SHIFT, TRAIN, 1.1), "share"),
    (lambda: dice(F, HEAD, SHIFT, TRAIN[:, 1:]), "train_features"),
    (lambda: gradnorm(F, HEAD, SHIFT, 0.), "temperature"), (lambda: gradnorm(F, HEAD, SHIFT[:2]), "bias")],
    ids=["share", "variant", "sum", "weight", "dice-share", "train", "temperature", "bias"])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): call()
