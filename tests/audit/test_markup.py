"""Tests of nbs/audit/08_markup.ipynb, extracted from its test cells: edit them there."""
import html
import numpy as np
import pytest

from reject_nb.audit.markup import Frame, Html, alone, bullets, escape, join, percent, table_html, tag, ticks

@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a\"b'c", "x & y", "plain"])
def test_text_is_escaped_everywhere(text):
    table = table_html(text, [text], [[text, text]])
    made = join(tag("p", text, tag("i", text), title=text), table, bullets([text]))
    assert text not in made or not set(text) & set("<>\"'&")
    assert html.unescape(escape(text)) == text and escape(escape(text)) == escape(text)


@pytest.mark.parametrize("share, up, shown", [
    (0, None, "0.00 %"), (.05, True, "5.00 %"), (.050001, True, "5.01 %"), (.74239, False, "74.23 %"),
    (float("nan"), None, "\N{EM DASH}"), (None, True, "\N{EM DASH}"), (1e-6, True, "0.01 %")])
def test_promises_are_rounded_to_the_safe_side(share, up, shown):
    assert percent(share, up) == shown


@pytest.mark.parametrize("low, high", [(0, 1), (0, .1), (0, .37), (0, 1e-4), (-3, 5), (0, .069)])
def test_ticks_are_round_and_inside(low, high):
    found = ticks(low, high)
    step = np.diff(found)
    assert 3 <= len(found) <= 7 and low - 1e-9 <= found[0] and found[-1] <= high + 1e-9
    assert np.allclose(step, step[0]) and float(f"{step[0]:.0e}") == pytest.approx(step[0])


def test_frame_maps_corners():
    frame = Frame((0, 2), (0, .5))
    assert frame.x(0) == 96 and frame.x(2) == 604
    assert frame.y(0) == 292 and frame.y(.5) == frame.y(9) == 14


def test_a_picture_that_stands_alone():
    page = Html('<svg width="2"><title>t</title><svg ></svg><title>u</title></svg>')
    text = alone(page)
    begin = '<svg xmlns="http://www.w3.org/2000/svg" width="2"><title>t</title><style>'
    assert text.startswith(begin + "svg{--bg:#fff;")
    assert text.count("xmlns") == 1 and text.count("<style>") == 1 and "@media" not in text
    assert text.endswith("</style><svg ></svg><title>u</title></svg>") # the first of each only
