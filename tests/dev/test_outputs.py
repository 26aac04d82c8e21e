"""Tests of nbs/dev/02_outputs.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from base64 import b64encode
from io import BytesIO
from nbformat.v4 import new_code_cell
from nbformat.v4 import new_notebook
from nbformat.v4 import new_output
from pathlib import Path
from tempfile import TemporaryDirectory

from reject_nb.dev.outputs import (
    Moved, moved_outputs, moved_tables, picture, same_picture, same_text, shown, taken_apart,
)

SAME = [("1.0", "0.9999999999"), ("-0.0", "0.0"), ("1e3", "1000.0"), ("inf", "inf"), ("7", "7"), ("+3", "3")]
OTHER = [("1.0", "1.00001"), ("7", "8"), ("7", "-7"), ("2e-9", "4e-9"), ("1000000", "1000001"),
         ("0.5", "-0.5"), ("1", "1.1")]

@pytest.mark.parametrize("old, new", SAME)
def test_same_numbers(old, new): assert same_text(old, new) and same_text(new, old)


@pytest.mark.parametrize("old, new", OTHER)
def test_other_numbers(old, new): assert not same_text(old, new) and not same_text(new, old)

TEXTS = [("a 1", "a 1 2"), ("a 1 2", "a 1"), ("a 1", "b 1"), ("", "a"), ("[1, nan]", "[1, 2.0]"),
         ("x1", "x2"), ("True", "False"), ("1-2", "1-3")]

@pytest.mark.parametrize("old, new", TEXTS)
def test_other_texts(old, new): assert not same_text(old, new)


def test_spaces_and_addresses_are_nothing():
    assert same_text("| a   |  1.50 |\n", "| a |   1.5 |")
    assert same_text("<f at 0x7f3a>", "<f at 0x55b1>")
    assert taken_apart("0x7f and .5e-3") == ("@ and #", [".5e-3"])


def _cell(source, *outputs): return new_code_cell(source, outputs=list(outputs))


def _out(text, name="stdout"): return new_output("stream", name=name, text=text)


def test_shown_takes_what_is_printed_and_returned():
    html = new_output("display_data", {"text/html": "<b>4</b>", "image/png": "x"})
    result = new_output("execute_result", {"text/plain": "2"})
    assert shown(_cell("f()", _out("1\n"), _out("careful", "stderr"), result, html)) == "1\n2\n<b>4</b>"


def test_moved_outputs_names_cell_and_line():
    def notebook(last, marked):
        texts = ("a", "x 1\ny 2\n"), ("b", f"x 1\ny {last}\nz"), ("c", marked)
        cells = [_cell(source, _out(text)) for source, text in texts]
        cells[2].source = "#| varies\nc"
        return new_notebook(cells=cells)
    old, new = notebook(2, "1 s"), notebook(3, "2 s")
    assert moved_outputs(old, old) == () == moved_outputs(old, new, skip=[1])
    assert moved_outputs(old, new, skip=[0]) == (Moved(2, "y 2", "y 3"),)
    old.cells[2].source = new.cells[2].source = "c"
    assert [moved.cell for moved in moved_outputs(old, new)] == [2, 3]


def test_an_output_that_appears_or_vanishes_is_told():
    full, empty = new_notebook(cells=[_cell("a", _out("1"))]), new_notebook(cells=[_cell("a")])
    assert moved_outputs(empty, full) == (Moved(1, "", "1"),)
    assert moved_outputs(full, empty) == (Moved(1, "1", ""),)
    with pytest.raises(ValueError): moved_outputs(full, new_notebook(cells=[]))


def _png(*points, size=(20, 50)):
    "A grey picture with some points of another grey, given as (row, column, grey)."
    import matplotlib.image
    grey = np.full((*size, 3), .5)
    for row, column, value in points: grey[row, column] = value
    matplotlib.image.imsave(file := BytesIO(), grey, format="png")
    return b64encode(file.getvalue()).decode()

PICTURES = [([(0, 0, 1.)], True), ([(0, 0, 1.), (19, 49, 0.)], False),
            ([(row, 7, .7) for row in range(20)], True), ([(row, 7, .8) for row in range(20)], False)]

@pytest.mark.parametrize("points, same", PICTURES)
def test_pictures_are_the_same_up_to_specks(points, same):
    "Of 1,000 points one may differ, by a quarter of the range all may."
    assert same_picture(_png(), _png(*points)) == same_picture(_png(*points), _png()) == same
    assert picture(_png(*points)).shape == (20, 50, 4)


def test_pictures_of_another_size_are_others():
    assert not same_picture(_png(), _png(size=(20, 51))) and not same_picture(_png(), _png(size=(21, 50)))


def _shows(*pictures):
    outputs = [new_output("display_data", {"image/png": data, "text/plain": "<Figure>"}) for data in pictures]
    return new_notebook(cells=[_cell("plot()", *outputs)])


def test_a_picture_that_moves_or_vanishes_is_told():
    plain, dark = _png(), _png(*((row, 7, 0.) for row in range(20)))
    assert moved_outputs(_shows(plain), _shows(plain)) == ()
    told = (Moved(1, "a picture", "another picture"),)
    assert moved_outputs(_shows(plain), _shows(dark)) == told
    assert moved_outputs(_shows(plain, dark), _shows(dark, plain)) == told
    assert moved_outputs(_shows(plain, plain), _shows(plain)) != ()

MADE = [("a.csv", "x,y\n1,2.0\n", []), ("a.csv", "x,y\n1,3.0\n", ["has other numbers"]),
        ("sub/b.csv", "x\n1\n", ["sub/b.csv is not committed"]), ("b.png", "x", []),
        ("a.csv", "x,z\n1,2.0\n", ["has other numbers"])]

@pytest.mark.parametrize("name, text, expected", MADE)
def test_tables_that_a_run_makes(name, text, expected):
    with TemporaryDirectory() as folder:
        stored, made = Path(folder)/"stored", Path(folder)/"made"
        for path, content in ((stored/"a.csv", "x,y\n1,2\n"), (stored/"c.csv", "x"), (made/name, text)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        said = moved_tables(stored, made)
    assert len(said) == len(expected) and all(part in line for part, line in zip(expected, said))
