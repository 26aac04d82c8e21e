"""Tests of nbs/core/09_figures.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from types import SimpleNamespace

from reject_nb.core.figures import PALETTE, bars, decision_region, figure, save

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


def _asked(level, fill=True, **options):
    "What a region asks of the axes, for a function that goes from 0 to 1."
    asked = {}
    ax = SimpleNamespace(**{name: lambda *a, name=name, **k: asked.update({name: (a, k)})
                            for name in ("contourf", "contour", "plot")})
    decision_region(ax, lambda P: P[:, 0], (0, 1), (0, 1), level=level, n=3, fill=fill, **options)
    return asked


def test_what_a_region_draws():
    found = _asked(.5, label="r", linestyles="--", color="red")
    (x, y, values), options = found["contourf"]
    assert x.tolist() == y.tolist() == [0, .5, 1] and values.tolist() == [[0, .5, 1]]*3
    assert options == {"levels": [-1, .5], "colors": ["red"], "alpha": .15}
    assert found["contour"][1] == {"levels": [.5], "colors": ["red"], "linestyles": "--"}
    assert found["plot"] == (([], []), {"color": "red", "label": "r", "linestyle": "--"})
    assert _asked(.5, label="r")["plot"][1]["linestyle"] == "-"


def test_a_border_that_is_not_crossed_is_not_drawn():
    for level, names in ((0., []), (-1., []), (1., ["contourf"]), (2., ["contourf"]),
                         (.5, ["contour", "contourf"])):
        assert sorted(_asked(level)) == names
    assert sorted(_asked(.5, fill=False)) == ["contour"]


def test_what_bars_ask_for():
    asked = []
    ax = SimpleNamespace(bar=lambda *a, **k: asked.append((a, k)), set_xticks=lambda *a: asked.append(a))
    bars(ax, ["x"], {str(k): [k] for k in range(len(PALETTE) + 1)}, {"1": [.5]})
    assert [k["color"] for _, k in asked[:-1]] == [*PALETTE, PALETTE[0]]
    assert [k["yerr"] for _, k in asked[:3]] == [None, [.5], None] and {k["capsize"]
                                                                        for _, k in asked[:-1]} == {2}
    bars(ax, ["x", "y"], {"one": [1, 2]})
    (places, heights, width), options = asked[-2]
    assert places.tolist() == [0, 1] and heights == [1, 2] and abs(width - .736) < 1e-12
    assert options["yerr"] is None and asked[-1][0].tolist() == [0, 1] and asked[-1][1] == ["x", "y"]
