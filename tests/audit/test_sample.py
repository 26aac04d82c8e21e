"""Tests of nbs/audit/02_sample.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.audit.sample import _given_losses
from reject_nb.audit.sample import _slack

from reject_nb.audit.sample import (
    Names, Sample, check_probabilities, make_sample, sample_of_table, softmax_of,
)

Y = np.array([0, 1, 1, 0])
P = np.array([[.9, .1], [.2, .8], [.6, .4], [.5, .5]])

def test_predictions_follow_from_probabilities():
    found = make_sample(Y, probabilities=P)
    assert found.losses.tolist() == [0, 0, 1, 0] and found.classes == ("0",
        "1") and found.binary and found.n == 4
    np.testing.assert_allclose(found.scores["max_probability"], [.1, .2, .4, .5], rtol=1e-15)
    same = make_sample(Y, probabilities=P[:, 1])
    np.testing.assert_allclose(same.scores["max_probability"], found.scores["max_probability"], rtol=1e-15)


def test_logits_are_fine_near_zero():
    found = make_sample([1, 1], logits=[[0., 40.], [0., 50.]])
    np.testing.assert_allclose(found.scores["max_probability"], np.exp([-40., -50.]), rtol=1e-14)
    assert make_sample([1, 1], logits=[40., 50.]).hash == found.hash
    assert np.isfinite(make_sample([0], logits=[[-1e308, 1e308]]).probabilities).all()


def test_losses_of_any_kind():
    found = make_sample(Y, [1, 1, 0, 0], scores=[1, 2, 3, 4], loss=[[0, 2.], [5., 0]])
    assert found.losses.tolist() == [2, 0, 5,
                                     0] and found.bound == 5 and found.kind == "matrix" and not found.binary
    found = make_sample(losses=[.2, .3], scores={"a": [1, 2], "b": [2, np.inf]})
    assert list(found.scores) == ["a", "b"] and found.bound == 1 and found.kind == "given"


def test_labels_counted_from_0_and_from_1():
    p = [[.1, .2, .7], [.8, .1, .1]]
    assert make_sample([2, 0], probabilities=p).losses.tolist() == [0, 0]
    for y, classes, wrong in (([1, 2], "012", [1, 1]), ([1, 2], "123", [1, 1]), ([3, 1], "123", [0, 0])):
        assert make_sample(y, probabilities=p, classes=list(classes)).losses.tolist() == wrong
    assert make_sample([1, 2, 3], probabilities=[*p, p[0]]).classes == ("1", "2", "3")


@pytest.mark.parametrize("bound, target", [(1., .05), (.06, .05), (.05, .0025), (.04, .002), (1e-6, 5e-8)])
def test_the_usual_target_lies_below_the_bound(bound, target):
    assert Sample(losses=np.zeros(1), scores={}, bound=bound).usual_target == pytest.approx(target)


def test_inputs_of_no_class_cost_the_most():
    found = make_sample([0, None, 1], probabilities=P[:3], is_ood=[False, True, False])
    assert found.losses.tolist() == [0, 1, 1] and found.labels.tolist() == [0, -1, 1]
    assert make_sample(["a", "b", "?"], probabilities=P[:3], is_ood=[0, 0, 1]).classes == ("a", "b")


def test_disagreements_are_said():
    found = make_sample(Y, y_pred=[1, 1, 0, 0], probabilities=P)
    assert "1 of 4 predictions" in found.notes[0] and found.losses.tolist() == [1, 0, 1, 0]
    assert "exactly 1" in make_sample([0, 1], probabilities=[[1., 0.], [0., 1.]]).notes[1]


def test_the_hash_knows_every_number():
    base = make_sample(Y, probabilities=P, groups=list("abab"))
    others = [make_sample(Y, probabilities=P), make_sample(1 - Y, probabilities=P, groups=list("abab")),
              make_sample(Y, probabilities=P + [1e-9, -1e-9], groups=list("abab")), make_sample(Y,
                  probabilities=P, groups=list("abac"))]
    assert len({s.hash for s in [base, *others]}) == 5
    assert base.hash == make_sample(Y.tolist(), probabilities=P.tolist(), groups=np.array(list("abab"))).hash

BAD = [(dict(y_true=Y, probabilities=P*2),
        "probabilities must be in \\[0, 1\\], got 1.8 at index \\(0, 0\\)"),
       (dict(y_true=Y, probabilities=P*.9),
        "probabilities must be one that sums to 1 over its row, got a sum of 0.9"),
       (dict(y_true=[0, 1, 2, 0], probabilities=P), "classes must be given"),
       (dict(y_true=[1, 2, 2, 1], probabilities=np.full((4, 3), 1/3)),
        "classes must be given: the labels 1, 2 of 3 columns may be counted from 0 or from 1"),
       (dict(y_true=[0, 1, 2, 0], probabilities=P, classes=[0, 1]),
        "y_true must be one of the classes 0, 1, got '2' at index 2"),
       (dict(y_true=Y, y_pred=Y), "scores must be given"), (dict(y_true=Y, scores=Y),
                                                            "y_pred .* must be given"),
       (dict(scores=Y), "y_true .* must be given"), (dict(y_true=Y[:3], probabilities=P),
                                                     "y_true and probabilities must be of one length"),
       (dict(y_true=Y, probabilities=P, logits=P), "logits must not"), (dict(losses=[2.], scores=[1]),
           "give bound"),
       (dict(y_true=Y, y_pred=Y, scores=[1, 2, np.nan, 3]), "scores must be without NaN"),
       (dict(y_true=Y, probabilities=P, loss="hinge"), "loss must be"), (dict(y_true=Y, probabilities=P,
           scores={}), "scores must be"),
       (dict(y_true=Y, probabilities=P, is_ood=[1]*4), "is_ood must be False"), (dict(y_true=[0, None, 1, 1],
           probabilities=P), "y_true must be")]

@pytest.mark.parametrize("arguments, words", BAD)
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words): make_sample(**arguments)

ROUNDED = [(2, 10, True), (3, 100, True), (6, 100, True), (None, 1000, True)]

@pytest.mark.parametrize("decimals, k, good", ROUNDED)
def test_rounded_probabilities_pass(decimals, k, good):
    logits = np.random.default_rng(0).normal(0, 3, (300, k))
    p = softmax_of(logits)[0]
    p = p if decimals is None else p.round(decimals)
    assert check_probabilities(p, Names()).shape == p.shape

CELLS = {"y": ["cat", "dog", "cat"], "yhat": ["cat", "cat", "dog"], "p_dog": [.1, .4, .7],
         "p_cat": [.9, .6, .3], "m": [.1, .2, .3],
         "site": ["a", "b", "a"], "ood": [0, 0, 1]}

def _of(change=None, **asked): return sample_of_table(CELLS | (change or {}),
                                                      **{"label": "y", "probabilities": "p_*"} | asked)


def test_columns_stand_for_classes():
    for asked in ({}, {"probabilities": ["p_cat", "p_dog"]}, {"classes": ["dog", "cat"]}):
        found = _of(**asked)
        assert found.losses.tolist() == [0, 1, 1] and set(found.classes) == {"cat", "dog"}
    assert _of(classes=["cat", "dog"]).losses.tolist() == [1, 0, 0]
    one = _of(probabilities="p_dog")
    assert one.columns["probabilities"] == ["p_dog"]
    assert one.losses.tolist() == [0, 1, 1] and one.hash == _of().hash


def test_one_column_says_which_class_it_is_about():
    for star, label in (("cat", ["cat", "dog", "cat"]), ("dog", ["cat", "dog", "cat"]), ("0", [0, 1, 0])):
        cells = {"y": label, f"p_{star}": [.9, .1, .9] if star != "dog" else [.1, .9, .1], "s": [1, 2, 3]}
        found = sample_of_table(cells, label="y", probabilities="p_*")
        assert found.losses.tolist() == [0, 0, 0] and found.given[2] == f"probability of {star}"
    by_name = sample_of_table(CELLS, label="y", probabilities="p_cat")
    assert by_name.given[2] == "probability of dog" and by_name.losses.tolist() == [1, 0, 0]
    assert "probabilities of the classes" in _of().given


def test_everything_is_found():
    found = _of(prediction="yhat", scores={"margin": "m"}, group="site", ood="ood")
    assert found.losses.tolist() == [0, 1, 1] and found.groups.tolist() == [0, 1,
        0] and list(found.scores) == ["max_probability", "margin"]
    assert found.columns == {"label": "y", "prediction": "yhat", "probabilities": ["p_dog", "p_cat"],
                             "scores": {"margin": "m"}, "group": "site", "ood": "ood"}
    only = sample_of_table(CELLS, losses="m", scores="p_dog")
    assert only.losses.tolist() == [.1, .2, .3] and list(only.scores) == ["p_dog"] and only.kind == "given"

BAD_TABLES = [(dict(label="why"), None, "column \'why\' \\(label\\) is missing"),
              (dict(probabilities="q_*"), None, "no column fits"), (dict(label=None), None,
                  "label must name"),
              ({}, {"p_cat": [.9, None, .3]}, "column 'p_cat', row 2: must be a finite number"), ({},
                  {"p_cat": [.9, .7, .3]}, "row 2: probabilities must be one that sums to 1"),
              ({}, {"p_cat": [1.9, .6, .3]}, "column 'p_cat', row 1: probabilities must be in"), ({},
                  {"y": ["cat", "cow",
                         "dog"]}, "column 'y', row 2: y_true must be one of the classes dog, cat, got 'cow'"),
              (dict(prediction="site"), None, "column 'site', row 1: y_pred must be one"), ({},
                  {"y": ["cat", "", "dog"]}, "column 'y', row 2: must be a label"),
              (dict(ood="m"), None, "column 'm', row 1: must be 0, 1"), (dict(scores={"s": "no"}), None,
                  "column \'no\' \\(scores\\) is missing"), (dict(logits="p_*"), None, "logits must not"),
              (dict(probabilities=["m", "p_cat"]), None, "sums to 1"), (dict(group=3), None,
                  "group must be the name")]

@pytest.mark.parametrize("asked, change, expected", BAD_TABLES)
def test_bad_tables_are_named(asked, change, expected):
    with pytest.raises(ValueError, match=expected): _of(change, **asked)


@pytest.mark.parametrize("rows, slack", [
    ([[.1, .2, .7]], .151),                       # three classes, one decimal: half a unit each
    ([[.123, .2, .677]], .0025),                  # one row with three decimals
    ([[.1234567, .2, .6765433]], .001),           # seven decimals are none that were rounded
    ([[.123456, .2, .676544]], .0010015),
    ([[.25, .75]], .011), ([[.3, .7]], .001),     # of two classes a single decimal says nothing
    ([[.01]*100], .001 + 5*(100/12)**.5*.01)])    # many classes: five standard deviations of the sum
def test_the_decimals_say_how_far_a_sum_may_be_from_one(rows, slack):
    assert _slack(np.array(rows)) == pytest.approx(slack, rel=1e-12)


def test_a_thousand_rows_show_the_decimals():
    rows = np.tile([.1, .2, .7], (1001, 1))
    rows[1000] = [.12, .2, .68]
    assert _slack(rows) == pytest.approx(.151)
    rows[999] = [.12, .2, .68]
    assert _slack(rows) == pytest.approx(.016)


def test_an_ood_input_costs_the_bound():
    losses, flags = [0., 2., 1.], np.array([True, False, False])
    assert _given_losses(losses, "zero-one", 5, flags)[0].tolist() == [5, 2, 1]
    found, most = _given_losses(losses, "zero-one", 5, None)
    assert found.tolist() == losses and most == 5
    with pytest.raises(ValueError, match="losses go up to 2, above 1"):
        _given_losses(losses, "zero-one", None, flags)
    assert _given_losses([0., 1.], "zero-one", None, None)[1] == 1
