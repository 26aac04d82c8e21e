"""Tests of nbs/core/09_figures.ipynb, extracted from its test cells: edit them there."""
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
