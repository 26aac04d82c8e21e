"""Tests of nbs/core/09_figures.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile

from reject_nb.core.figures import bars, decision_region, figure, save

def test_figure_is_byte_identical():
    import matplotlib.pyplot as plt
    def draw(folder):
        fig, ax = figure(width=2, height=2)
        ax.plot([0, 1], [0, 1])
        ax.set_title("a")
        path = save(fig, "room/f", {"x": [0, 1]}, folder)
        plt.close(fig)
        return path.read_bytes(), path.with_suffix(".csv").read_bytes()
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        assert draw(a) == draw(b)


def test_decision_region_values_are_those_of_the_function():
    import matplotlib.pyplot as plt
    fig, ax = figure(width=2, height=2)
    values = decision_region(ax, lambda P: P[:, 0] + 10*P[:, 1], (0, 1), (0, 2), n=3)
    plt.close(fig)
    assert values.tolist() == [[0, .5, 1], [10, 10.5, 11], [20, 20.5, 21]]


@pytest.mark.parametrize("level, drawn", [(.5, 2), (5., 1), (-5., 0)], ids=str)
def test_a_region_has_a_boundary_where_the_function_crosses_the_level(level, drawn):
    import matplotlib.pyplot as plt
    fig, ax = figure(width=2, height=2)
    decision_region(ax, lambda P: P[:, 0], (0, 1), (0, 1), level=level, n=5)
    plt.close(fig)
    assert len(ax.collections) == drawn
    if drawn == 2: assert (ax.collections[1].get_paths()[0].vertices[:, 0] == level).all()


@pytest.mark.parametrize("errors", [None, {"a": [.1, .2]}])
def test_bars_of_a_group_stand_beside_each_other(errors):
    "Two series of two groups: four bars of width .4, .08 of each free, around 0 and 1."
    fig, ax = figure()
    bars(ax, ["x", "y"], {"a": [1, 2], "b": [3, 4]}, errors)
    middles = [bar.get_x() + bar.get_width()/2 for bar in ax.patches]
    assert np.allclose(middles, [-.2, .8, .2, 1.2])
    assert [bar.get_height() for bar in ax.patches] == [1, 2, 3, 4]
    assert np.allclose([bar.get_width() for bar in ax.patches], .4*.92)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y"] and ax.get_xticks().tolist() == [0, 1]
    assert [c.get_label() for c in ax.containers if c.get_label()[0] != "_"] == ["a", "b"]
    lines = [bar.errorbar for bar in ax.containers if getattr(bar, "errorbar", None)]
    assert len(lines) == (errors is not None)
    if errors:
        whiskers = lines[0][2][0].get_segments()
        assert np.allclose([w[:, 1] for w in whiskers], [[.9, 1.1], [1.8, 2.2]])
