"""Tests of nbs/dev/01_diagrams.ipynb, extracted from its test cells: edit them there."""
import pytest
from matplotlib.figure import Figure

from reject_nb.dev.diagrams import flow, places

def test_boxes_of_a_column_are_spread_and_columns_are_apart():
    at = places([["a"], ["b", "c"], []])
    assert at == {"a": (0., .5), "b": (1., .75), "c": (1., .25)}


def _axes(): return Figure().subplots()   # of no notebook


def test_every_box_and_arrow_is_drawn():
    ax = _axes()
    flow(ax, [["a"], ["b", "c"]], [("a", "b"), ("a", "c")])
    labels = [text.get_text() for text in ax.texts]
    assert labels.count("") == 2 and {"a", "b", "c"} <= set(labels)


def test_a_link_to_nowhere_is_refused():
    ax = _axes()
    with pytest.raises(ValueError, match="links"): flow(ax, [["a"], ["b"]], [("a", "d")])
