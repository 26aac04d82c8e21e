"""Tests of nbs/audit/08_markup.ipynb, extracted from its test cells: edit them there."""
import html
import numpy as np
import pytest
import re

from reject_nb.audit.markup import (
    Frame, Html, alone, axes, band, bullets, escape, join, line, percent, table_html, tag, ticks,
)

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


def test_axes_carry_a_number_beside_every_line():
    "From 0 to 100 % across and 0 to 20 % up: corners and a middle, by hand."
    made = str(axes(Frame((0, 1), (0, .2)), "Share", "Risk"))
    grid = re.findall(r'<line x1="96" x2="604" y1="([0-9.]+)" y2="([0-9.]+)" class="grid">', made)
    assert grid == [(y, y) for y in ("292.0", "222.5", "153.0", "83.5", "14.0")]
    texts = re.findall(r'<text x="([0-9.]+)" y="([0-9.]+)" text-anchor="([a-z]+)"([^>]*)>([^<]*)', made)
    up = [("88.0", f"{297 - 69.5*k:.1f}", "end", "", f"{5*k} %") for k in range(5)]
    across = [(f"{96 + 101.6*k:.1f}", "314.0", "middle", "", f"{20*k} %") for k in range(6)]
    turned = ' transform="translate(17 153.0) rotate(-90)"'
    assert texts == [*up, *across, ("350.0", "344.0", "middle", "", "Share"),
                     ("0.0", "0.0", "middle", turned, "Risk")]


def test_lines_and_bands_go_around():
    frame = Frame((0, 1), (0, .5))
    assert 'points="96.0,292.0 604.0,14.0" class="line seen"' in line(frame, [0, 1], [0, .5], "seen")
    around = 'points="96.0,153.0 604.0,14.0 604.0,236.4 96.0,292.0" class="band seen"'
    assert around in band(frame, np.array([0, 1]), np.array([0, .1]), [.25, .5], "seen")


def test_a_picture_that_stands_alone():
    page = Html('<svg width="2"><title>t</title><svg ></svg><title>u</title></svg>')
    text = alone(page)
    begin = '<svg xmlns="http://www.w3.org/2000/svg" width="2"><title>t</title><style>'
    assert text.startswith(begin + "svg{--bg:#fff;")
    assert text.count("xmlns") == 1 and text.count("<style>") == 1 and "@media" not in text
    assert text.endswith("</style><svg ></svg><title>u</title></svg>") # the first of each only
