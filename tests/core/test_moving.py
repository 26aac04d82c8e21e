"""Tests of nbs/core/12_moving.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import pytest
from reject_nb.core.figures import PALETTE
from reject_nb.core.moving import _fill
from types import SimpleNamespace

from reject_nb.core.moving import Curve, STYLES, _still, _trace, moving, region

def _line(value): return [Curve(name="y = ax", x=[0, 1], y=[0, value])]

_AXES = {"xlabel": "x", "ylabel": "y", "xlim": (0, 1), "ylim": (0, 2)}

def test_a_picture_has_one_frame_a_position_with_the_numbers_of_draw():
    found = moving("a", [0, .5, 2], _line, shown=1, **_AXES)
    assert [f["data"][0]["y"] for f in found.plotly["frames"]] == [[0, 0], [0, .5], [0, 2]]
    assert found.plotly["data"] == found.plotly["frames"][1]["data"]
    slider = found.plotly["layout"]["sliders"][0]
    assert [s["args"][0][0] for s in slider["steps"]] == [f["name"] for f in found.plotly["frames"]]
    assert slider["active"] == 1 and found.words.endswith("At a = 0.5")


def test_the_slider_jumps():
    steps = moving("a", [0, 1], _line, **_AXES).plotly["layout"]["sliders"][0]["steps"]
    for _, how in [s["args"] for s in steps]:
        assert how["frame"]["duration"] == 0 and how["transition"]["duration"] == 0


def test_dots_are_markers_and_the_others_lines():
    modes = {style: moving("a", [0, 1], lambda v: [Curve(name="p", x=[0, 1], y=[v, v], style=style)],
                           **_AXES).plotly["data"][0]["mode"] for style in STYLES}
    assert modes == {"line": "lines", "dashes": "lines", "area": "lines", "dots": "markers"}


def test_a_picture_can_be_written_and_has_a_still():
    bundle = moving("a", [0, np.float64(1)], _line, **_AXES)._repr_mimebundle_()
    assert json.loads(json.dumps(bundle["application/vnd.plotly.v1+json"], allow_nan=False))
    assert bundle["image/png"].startswith("iVBOR")


@pytest.mark.parametrize("values", [[1], [1, 1], []], ids=str)
def test_positions_must_differ(values):
    with pytest.raises(ValueError, match="values"): moving("a", values, _line, **_AXES)


def test_curves_must_stay_as_many():
    with pytest.raises(ValueError, match="draw"): moving("a", [1, 2], lambda v: _line(v)*v, **_AXES)


def test_a_style_is_one_of_four():
    with pytest.raises(ValueError, match="style"): Curve(name="x", x=[0], y=[0], style="wavy")


def test_a_ring_has_its_hole():
    ring = region("ring", lambda Z: np.abs(np.hypot(*Z.T) - 1) - .3, (-2, 2), (-2, 2))
    pieces = np.isnan(ring.x).sum()
    assert pieces == 2 and .69 < np.nanmin(np.hypot(ring.x, ring.y)) < .72


def test_nothing_is_an_empty_curve():
    assert np.isnan(region("none", lambda Z: 1 + 0*Z[:, 0], (0, 1), (0, 1)).x).all()


def test_closed_outlines_are_filled_piece_by_piece():
    "Two squares, a piece of two points, and a point of which one coordinate is missing."
    nan, filled = np.nan, []
    x = [0, 1, 1, 0, nan, 5, 6, 6, 5, nan, 2, 3, 9]
    y = [0, 0, 1, 1, nan, 5, 5, 6, 6, 1., 2, 3, nan]
    _fill(SimpleNamespace(add_patch=filled.append), Curve(name="a", x=x, y=y, style="area"))
    path = filled[0].get_path()
    assert len(filled) == 1 and len(path.vertices[np.isfinite(path.vertices).all(axis=1)]) >= 8
    starts = path.vertices[path.codes == path.MOVETO]
    assert starts.tolist() == [[0, 0], [5, 5]]
    assert path.contains_point((.5, .5)) and path.contains_point((5.5, 5.5))
    _fill(SimpleNamespace(add_patch=filled.append), Curve(name="a", x=[0, 1], y=[0, 1], style="area"))
    assert len(filled) == 1


def test_what_plotly_is_given_for_each_style():
    line = {"color": "red", "width": 2, "dash": "solid"}
    want = {"line": {"mode": "lines", "line": line},
            "dashes": {"mode": "lines", "line": line | {"dash": "dash"}},
            "area": {"mode": "lines", "line": line, "fill": "toself", "opacity": .45},
            "dots": {"mode": "markers", "marker": {"color": "red", "size": 5}}}
    for style, more in want.items():
        found = _trace(Curve(name="c", x=[0, np.nan], y=[1/3, np.inf], color="red", style=style))
        assert found == {"type": "scatter", "name": "c", "x": [0, None], "y": [.3333, None],
                         "hoverinfo": "x+y+name", **more}


def test_what_plotly_is_given_around_them():
    def draw(v): return [Curve(name="c", x=[0, 1], y=[0, v])], f"slope {v}"
    found = moving("a", [1, 2.5], draw, xlabel="x [m]", ylabel="y", xlim=(0, 1), ylim=(-1, 2), shown=1)
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = [{"label": label, "method": "animate", "args": [[label], still]} for label in ("1", "2.5")]
    assert found.plotly["layout"] == {
        "xaxis": {"title": {"text": "x [m]"}, "range": [0, 1], "zeroline": False},
        "yaxis": {"title": {"text": "y"}, "range": [-1, 2], "zeroline": False},
        "title": {"text": "slope 2.5", "font": {"size": 14}}, "height": 460,
        "margin": {"l": 60, "r": 20, "t": 60, "b": 60}, "hovermode": "closest",
        "legend": {"orientation": "h", "y": 1.08},
        "sliders": [{"active": 1, "steps": steps, "currentvalue": {"prefix": "a = "}, "pad": {"t": 40}}]}
    assert [f["layout"] for f in found.plotly["frames"]] == [{"title": {"text": "slope 1"}},
                                                             {"title": {"text": "slope 2.5"}}]
    assert found.words == "y against x [m] for 2 values of a. At a = 2.5: slope 2.5"
    assert found._repr_mimebundle_()["text/plain"] == found.words


def test_a_still_is_what_matplotlib_draws():
    from matplotlib.axes import Axes
    from unittest import mock
    drawn, about = [], {}
    curves = [Curve(name=style, x=[0, 1], y=[0, 1], style=style, color="red") for style in STYLES]
    with mock.patch.object(Axes, "plot", lambda ax, *a, **k: drawn.append((a, k))), \
         mock.patch.object(Axes, "set", lambda ax, **k: about.update(k)), \
         mock.patch.object(Axes, "legend", lambda ax, **k: about.update(k)):
        image = _still(curves, "x", "y", (0, 1), (0, 2), "t")
    assert [a for a, _ in drawn] == [([0, 1], [0, 1], mark) for mark in ("-", "--", "-", ".")]
    assert [k for _, k in drawn] == [{"color": "red", "label": style, "ms": 4} for style in STYLES]
    assert about == {"xlabel": "x", "ylabel": "y", "xlim": (0, 1), "ylim": (0, 2), "loc": "best"}
    width, height = (int.from_bytes(image[i:i + 4], "big") for i in (16, 20))    # in the head of a PNG
    assert image.startswith(b"\x89PNG") and (width, height) == (540, 324) and b"Software" not in image


def test_a_region_is_where_the_function_is_at_most_the_level():
    "A half plane x <= 1/4 of the unit square: its outline is that rectangle."
    found = region("half", lambda Z: Z[:, 0], (0, 1), (0, 1), level=.25, n=5)
    inside = ~np.isnan(found.x)
    assert (found.x[inside].min(), found.x[inside].max()) == (0, .25)
    assert (found.y[inside].min(), found.y[inside].max()) == (0, 1)
    assert (found.name, found.style, found.color) == ("half", "area", PALETTE[0]) and (~inside).sum() == 1
    other = region("half", lambda Z: Z[:, 1] + 1, (0, 1), (0, 1), n=2, color="red")
    assert other.color == "red" and np.isnan(other.x).all() and len(other.x) == 1
