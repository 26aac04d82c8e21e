"""Tests of nbs/ood/84_all_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import os
import pytest
import tempfile
from importlib.util import find_spec
from reject_nb.core.tables import save_table
from reject_nb.ood import auroc
from reject_nb.ood.combined_scores import sirc
from reject_nb.ood.detectors import knn
from reject_nb.ood.detectors import msp
from reject_nb.ood.experiments.lenet import grey28
from reject_nb.ood.experiments.lenet import train_lenet
from reject_nb.ood.experiments.scores import stored_scores
from reject_nb.ood.feature_scores import mahalanobis
from reject_nb.ood.feature_scores import residual
from reject_nb.ood.logit_scores import energy
from reject_nb.strategies import aurc

from reject_nb.ood.experiments.all_scores import (
    FAMILY, METRICS, SUBJECTS, Trained, array_scores, half_width, mean_table, metrics_of, separations,
    six_score_table, stored_tables, table_of_training, training_table, values_of,
)

def _trained(rng, n=300, d=6, c=3):
    W, labels = rng.normal(size=(c, d)), rng.integers(0, c, n)
    F = np.abs(rng.normal(size=(n, d)) + 3*np.eye(c, d)[labels])
    return Trained(W, np.zeros(c), F, F@W.T, (F@W.T).argmax(1))


def test_every_score_of_the_package_is_there_and_high_on_far_strangers():
    rng = np.random.default_rng(0)
    t = _trained(rng)
    f = np.concatenate([t.features[:50], np.abs(rng.normal(8, 1, (50, 6)))])
    found = array_scores(f, f@t.weight.T + t.bias, t)
    assert len(found) == 19 and all(s.shape == (100,) and not np.isnan(s).any() for s in found.values())
    for name in ("mahalanobis", "relative_mahalanobis", "residual"):
        assert found[name][50:].mean() > found[name][:50].mean()


def test_scores_are_those_of_the_package():
    rng = np.random.default_rng(1)
    t = _trained(rng)
    f = np.abs(rng.normal(size=(20, 6)))
    z = f@t.weight.T + t.bias
    found = array_scores(f, z, t)
    assert np.array_equal(found["energy"], energy(z)) and np.array_equal(found["msp"], msp(z))
    assert np.allclose(found["mahalanobis"], mahalanobis(f, t.features, t.labels))
    assert np.allclose(found["knn"], knn(f, t.features), atol=1e-6)
    spread = residual(t.features, t.weight, t.bias, t.features)
    assert np.allclose(found["sirc"], sirc(msp(z), residual(f, t.weight, t.bias, t.features), spread))


def test_metrics_are_those_of_the_package():
    rng = np.random.default_rng(2)
    known, foreign, wrong = rng.random(80), rng.random(60) + .2, rng.random(80) < .3
    found = dict(zip(METRICS, metrics_of(known, foreign, wrong)))
    flags = np.repeat([False, True], [80, 60])
    assert np.isclose(found["auroc"], auroc(np.append(known, foreign), flags))
    assert np.isclose(found["aurc"], aurc(wrong.astype(float), known, ties="expected"))
    assert np.isclose(found["error_auroc"], auroc(known, wrong))


def test_a_table_has_a_row_for_each_set_and_score():
    rng = np.random.default_rng(3)
    scores = {name: {"msp": rng.random(30), "knn": rng.random(30)} for name in ("own", "like", "other")}
    table = training_table(scores, rng.random(30) < .4, ("like",))
    assert table["ood"] == ("like", "like", "other", "other") and table["kind"][1:3] == ("near", "far")
    assert table["score"] == ("msp", "knn")*2 and table["family"][:2] == ("logits", "features")


def test_separations_by_hand_and_without_a_difference():
    alone = [[[.8, .7]], [[.9, .79]], [[1., .9]]]
    found = separations(alone)
    assert not found["own intervals"].any() and found["paired over trainings"].tolist() == [[False, True],
                                                                                             [False, False]]
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(500):
        training = rng.normal(size=(3, 1, 1))
        wrong += separations(training + rng.normal(size=(3, 2, 4)))["paired over trainings"].sum()
    assert abs(wrong/(500*6) - .05) < .02
    far = separations([[[1., 0.]], [[1.1, .1]], [[.9, .05]]])
    assert all(m[0, 1] and not m[1, 0] for m in far.values())


def test_values_of_a_metric():
    table = {"kind": ["near"]*2 + ["far"]*2, "score": ["a", "b"]*2, "auroc": [.1, .2, .3, .4]}
    scores, values = values_of([table, table], kind="far")
    assert scores == ["a", "b"] and values.tolist() == [[[.3, .4]]]*2
    assert values_of([table])[1].shape == (1, 2, 2)


def test_half_width_covers():
    "Student's interval of five Gaussian trainings covers in 95 of 100 samples, within three standard errors."
    values = np.random.default_rng(4).normal(size=(5, 4000))
    inside = np.abs(values.mean(0)) <= half_width(values)
    assert abs(inside.mean() - .95) < 3*np.sqrt(.95*.05/4000) and np.isnan(half_width([1.]))


def test_means_over_stored_trainings():
    with tempfile.TemporaryDirectory() as out, pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "REJECT_NB_OUT", out)
        for seed, value in enumerate((.8, .9)):
            row = {"accuracy": [1.], "ood": ["x"], "kind": ["near"], "score": ["msp"], "family": ["logits"]}
            save_table(f"ood/scores_net_{seed}", row | {m: [value] for m in METRICS})
        found = mean_table("net")
        assert found["auroc"] == [pytest.approx(.85)] and found["trainings"] == [2]
        assert found["auroc +-"] == [pytest.approx(12.7062*.05, rel=1e-4)]
        with pytest.raises(FileNotFoundError, match="none"): mean_table("none")


def test_six_scores_of_the_stored_trainings():
    "AUROC as in the stored table of the trainings behind Table 2."
    found = six_score_table("lenet_mnist", ("notmnist", "fashion"), seeds=(0,))
    at = found["score"].index("msp")
    assert found["ood"][at] == "notmnist" and abs(found["auroc"][at] - .958857) < 1e-6
    assert len(found["ood"]) == 18 and found["kind"].count("far") == 6


def test_resnet18_is_stored_with_every_score():
    "Three trainings, of other numbers, whose accuracy lies between the small network's and that of Table 2."
    tables, subject = stored_tables("resnet18"), SUBJECTS["resnet18"]
    assert list(tables) == [0, 1, 2] and len({t["auroc"][0] for t in tables.values()}) == 3
    longer = 1 - stored_scores("resnet18_cifar10", 0)["wrong"].mean()
    small = stored_tables("resnet8-half")[0]["accuracy"][0]
    for t in tables.values():
        assert small < t["accuracy"][0] < longer
        assert set(zip(t["ood"].tolist(), t["score"].tolist())) == {
            (ood, score) for ood in (*subject.near, *subject.far) for score in FAMILY}

TORCH = ["torch"] if find_spec("torch") else []        # without it there is no case, and pytest skips

@pytest.mark.parametrize("name", TORCH)
def test_a_training_is_scored(name):
    pytest.importorskip(name)
    rng, y = np.random.default_rng(0), np.arange(800) % 10
    X = rng.integers(0, 60, (800, 28, 28), dtype=np.uint8)
    for k in range(10): X[y == k, 2*k:2*k + 4] += 150
    subject = SUBJECTS["lenet"]._replace(near=("noise",), far=(),
                                         train=lambda X, y, seed: train_lenet(grey28(X), y, seed, 8))
    noise = rng.integers(0, 255, (50, 28, 28), dtype=np.uint8)
    table = table_of_training(subject, 0, (X, y), {"mnist": (X[:100], y[:100]), "noise": (noise, None)})
    assert len(table["score"]) == 20 and set(table["kind"]) == {"near"} and table["accuracy"][0] > .9
    assert table["auroc"][table["score"].index("mahalanobis")] > .9
