"""Tests of nbs/core/12_moving.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import pytest
from reject_nb.core.moving import _fill
from types import SimpleNamespace

from reject_nb.core.moving import Curve, STYLES, moving, region

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
