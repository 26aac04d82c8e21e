"""Tests of nbs/core/09_figures.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile

from reject_nb.core.figures import decision_region, figure, save

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
