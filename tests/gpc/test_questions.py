"""Tests of nbs/gpc/20_questions.ipynb, extracted from its test cells: edit them there."""
import pytest
from reject_nb.gpc.questions import Certifiable

@pytest.mark.parametrize("name, count", [("_target_of", 1), ("_asked_probability", 7), ("_asked_margin", 5),
                                         ("_class_at", 2), ("_margin_at", 3), ("_probability_at", 2),
                                         ("_arrays", 0), ("_labels_of", 1), ("save", 1)])
def test_nothing_is_promised_for_free(name, count):
    with pytest.raises(NotImplementedError): getattr(Certifiable(), name)(*[None]*count)
