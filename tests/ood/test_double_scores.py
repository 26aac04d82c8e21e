"""Tests of nbs/ood/85_double_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.experiments.synthetic import synthetic_example

from reject_nb.ood.experiments.double_scores import (
    Half, Known, PRIOR, _half_of_law, bad_answers, cost_without_labels, law_rows, orders, poscod_order,
    summary,
)

def _law(mean, seed=0):
    rng = np.random.default_rng(seed)
    law = synthetic_example(ood_mean=mean)
    return _half_of_law(law, 3000, rng), _half_of_law(law, 6000, rng)


def test_bad_answers_by_hand():
    half = Half(np.zeros(6), np.zeros(6), np.zeros(6), np.zeros((6, 1)), np.array([0, 1, 0, 0, 0, 0], bool),
                np.array([0, 0, 0, 0, 1, 1], bool))
    assert bad_answers(np.array([1., 2, 3, 4, 1.5, 9]), half, .5) == pytest.approx(.625)
    assert bad_answers(np.zeros(6), half, .5) == pytest.approx((.75*.25 + .25)/1)     # ties come together


def test_no_order_beats_the_best():
    "By more than sampling allows, on the law, for every mean of foreign inputs."
    for mean in (0., 2., 5.):
        fit, new = _law(mean)
        best = bad_answers(new.s_r + PRIOR/(1 - PRIOR)*new.s_g, new, .7)
        for name, order in orders(fit, new, .7).items(): assert bad_answers(order, new, .7) > best - .01, name


def test_cost_without_labels_is_near_the_cost_with_labels():
    "The share of the mixture that is answered is known within some 1/sqrt(n)."
    new = _half_of_law(synthetic_example(ood_mean=2.), 60_000, np.random.default_rng(0))
    first = np.arange(len(new.s_r)) % 2 == 0
    rows = ~(first & new.is_ood)
    known = Known((first & ~new.is_ood)[rows], new.wrong[rows])
    order = new.s_r + new.s_g/3
    assert cost_without_labels(order[rows], known, .7) == pytest.approx(bad_answers(order, new, .7), abs=.02)


def test_poscod_reads_no_label_of_foreign_inputs():
    "Errors of foreign inputs and the order of the labels inside the mixture change nothing."
    fit, new = _law(2., 1)
    other = fit._replace(wrong=np.where(fit.is_ood, True, fit.wrong))
    assert np.array_equal(poscod_order(fit, new, .7), poscod_order(other, new, .7))


def test_a_summary_by_hand():
    table = {"law": ["a"]*6, "tpr": [.7]*6, "method": ["x", "tuned line"]*3, "repetition": [0, 0, 1, 1, 2, 2],
             "bad": [.2, .1, .4, .2, .6, .3]}
    found = summary(table, ("law",), "repetition")
    assert found["bad"] == pytest.approx([.4, .2]) and found["less"] == pytest.approx([.2, 0])
    assert found["+-"][0] == pytest.approx(4.30265*.2/np.sqrt(3), rel=1e-4)
    assert found["less +-"][0] == pytest.approx(4.30265*.1/np.sqrt(3), rel=1e-4)


def test_the_rows_of_a_law():
    found = law_rows((5.,), (.7,), 2, 1500, 2000)
    assert len(found["bad"]) == 14 and set(found["repetition"]) == {0, 1}
    assert found["method"][6] == "best possible" and all(0 <= b <= 1 for b in found["bad"])
