"""Tests of nbs/audit/01_table.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tempfile
from pathlib import Path
from unittest import mock

from reject_nb.audit.table import (
    Table, TableError, _read_large_csv, encode, from_frame, is_lazy, numbers, open_table, words,
)

ROWS = {"y": ["cat", "dog", "cat"], "g": [1, 2, 1], "p": [.25, .5, 1e-3], "ok": [True, False, True]}

def _five(folder):
    "The same table as pandas, polars, pyarrow, CSV and Parquet."
    frame = pl.DataFrame(ROWS)
    frame.write_csv(Path(folder)/"a.csv")
    frame.write_parquet(Path(folder)/"a.parquet")
    files = Path(folder)/"a.csv", str(Path(folder)/"a.parquet")
    return frame.to_pandas(), frame, frame.to_arrow(), *files, ROWS


def test_all_kinds_of_tables_are_alike():
    with tempfile.TemporaryDirectory() as folder:
        for table in _five(folder):
            found = open_table(table)
            assert found.names == ("y", "g", "p", "ok") and found.n == 3
            assert numbers(found, "p").tolist() == [.25, .5, 1e-3]
            codes, names = encode({"y": words(found, "y")})
            assert names == ("cat", "dog") and codes["y"].tolist() == [0, 1, 0]
            assert encode({"g": words(found, "g")})[1] == ("1", "2")
            assert encode({"ok": words(found, "ok")})[1] == ("False", "True")


def test_labels_are_compared_with_all_their_digits():
    for a, b in ((2**53, 2**53 + 1), ("12345678901234567890", "12345678901234567891")):
        codes, names = encode({"y": np.array([a, b, a], dtype=object)})
        assert codes["y"].tolist() == [0, 1, 0] and names == (str(a), str(b))
    codes, _ = encode({"y": np.array(["1e300", "inf", "1", "1.0"], dtype=object)})
    assert codes["y"].tolist() == [1, 2, 0, 0]

BAD_FILES = [("", "empty"), ("y,p\n", "header only"), ("y;p\n1;2\n", "semicolons"), ("y\tp\n1\t2\n", "tabs"),
             ('y;p_a;"p_b,c";p_d;p_e\n1;0;0;0;1\n', "semicolons"),
             ("y,y\n1,2\n", "twice"), ("y,\n1,2\n", "name"), ("y,p\n1,2\n1\n", "row 2 must have 2 cells"),
             ("y,p\n1,2,3\n", "row 1 must have 2 cells"), ('y,p\n"1,2\n', "CSV"), ("y,p\n1,\0\n",
                 "number|CSV")]

@pytest.mark.parametrize("content, expected", BAD_FILES)
def test_bad_files_are_named(content, expected):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.csv"
        path.write_text(content)
        with pytest.raises(TableError, match=expected): numbers(open_table(path), "p")


def test_files_that_are_none():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.csv"
        with pytest.raises(TableError, match="there is none"): open_table(path)
        path.write_bytes(b"y,p\n\xff\xfe,1\n")
        with pytest.raises(TableError, match="UTF-8"): open_table(path)
        path.rename(Path(folder)/"a.parquet")
        with pytest.raises(TableError, match="must be a Parquet file"): open_table(Path(folder)/"a.parquet")
        (Path(folder)/"a.xlsx").write_text("y")
        with pytest.raises(TableError, match="must end in"): open_table(Path(folder)/"a.xlsx")

CELLS = ["", "n/a", "nan", "NaN", "1_000", "0,5", "inf", "1 2"]

@pytest.mark.parametrize("cell", CELLS)
def test_cells_that_are_no_numbers_are_named(cell):
    with pytest.raises(TableError) as found: numbers(from_frame({"p": [".5", cell]}), "p")
    assert (found.value.column, found.value.row, found.value.value) == ("p", 2, cell)


def test_missing_values_are_named_in_every_frame():
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        table = open_table(make({"p": [.5, None], "y": ["a", None]}))
        with pytest.raises(TableError, match="column 'p', row 2"): numbers(table, "p")
        with pytest.raises(TableError, match="column 'y', row 2"): words(table, "y")
    with pytest.raises(TableError, match="row 1"): numbers(open_table(pl.DataFrame({"p": [np.nan]})), "p")


def test_pandas_own_kinds_are_read():
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": pd.Categorical(["x", "y"])})
    assert words(open_table(frame), "b").tolist() == ["x", "y"]
    with pytest.raises(TableError, match="column 'a', row 2"): numbers(open_table(frame), "a")


def test_large_files_are_read_alike():
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder)/"a.csv"
        path.write_text('y,p\n007,.5\n" b, c ",1e-3\n,.25\n')
        slow = open_table(path)
        patch.setattr("reject_nb.audit.table.LARGE", 0)
        patch.setitem(globals(), "LARGE", 0)
        fast = open_table(path)
        assert fast["y"].tolist() == slow["y"].tolist() == ["007", "b, c", ""]
        assert numbers(fast, "p").tolist() == numbers(slow, "p").tolist()
        path.write_text("y,p\n1,2\n1\n")
        with pytest.raises(TableError, match="row 2 must have"): open_table(path)


def test_labels_are_compared_in_one_way():
    object_ = lambda *v: np.array(v, dtype=object)
    assert encode({"a": object_("1.0", "2"), "b": np.array([2, 1])})[0]["b"].tolist() == [1, 0]
    assert encode({"a": object_("007")})[1] == ("7",) and encode({"a": object_("007", "x")})[1] == ("007",
        "x")
    assert encode({"a": object_(" x", "x ")})[1] == ("x",) and encode({"a": np.array([.5, 2.])})[1] == ("0.5",
        "2")
    assert encode({"a": np.array([True]), "b": object_("false")})[1] == ("False", "True")
    assert encode({"a": np.array([3])}, first=["5", "3"])[1] == ("5", "3")


def test_a_column_twice_is_named_in_every_frame():
    twice = pd.DataFrame([[1., 2.]], columns=["p", "p"])
    for table in (twice, pa.Table.from_arrays([pa.array([1.]), pa.array([2.])], names=["p", "p"])):
        for reader in (open_table, from_frame, is_lazy):
            with pytest.raises(TableError, match="^table must have each column once, 'p'"): reader(table)


def test_tables_are_not_written_over_folders():
    with tempfile.TemporaryDirectory() as folder:
        with pytest.raises(ValueError, match="^path must be the name of a file"):
            Table({"a": [1]}).to_csv(folder)


def test_tables_go_anywhere():
    table = Table({"a": [1, 2], "b": ["x", "y"]}, note="n")
    assert pd.DataFrame(table).shape == pl.DataFrame(dict(table)).shape == (2, 2) and table.note == "n"
    assert table.to_csv() == "a,b\n1,x\n2,y\n" and table.rows()[1] == {"a": 2, "b": "y"}
    with pytest.raises(ValueError, match="of one length"): Table({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize("content", ["# made in May\ny,p\n1,2\n", "#\ny,p\n1,2\n", "# a, b, c\ny,p\n1,2\n"])
def test_a_comment_above_the_header_is_named(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.csv"
        path.write_text(content)
        with pytest.raises(TableError, match="^the first line must be the header, delete the comment"):
            open_table(path)


def test_a_header_may_begin_with_a_hash():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.csv"
        path.write_text("#,p\n1,.5\n")
        assert open_table(path).names == ("#", "p") and numbers(open_table(path), "#").tolist() == [1.]


def test_what_pyarrow_reads_and_what_it_leaves():
    pytest.importorskip("pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.csv"
        path.write_text("\ufeffy, p\n007,.5\n x ,1e-3\n,2\n")
        found = _read_large_csv(path)
        assert found.names == ("y", "p") and found.n == 3
        assert found["y"].tolist() == ["007", "x", ""] and found["p"].tolist() == [.5, .001, 2]
        for text in ("", "\n", "y,p\n", "y,p\n1\n"):                 # nothing, no rows, a short row
            path.write_text(text)
            assert _read_large_csv(path) is None
        path.write_text("y\n1\n")
        with mock.patch.dict("sys.modules", pyarrow=None): assert _read_large_csv(path) is None
