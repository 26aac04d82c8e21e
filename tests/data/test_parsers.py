"""Tests of nbs/data/02_parsers.ipynb, extracted from its test cells: edit them there."""
import io
import numpy as np
import pytest
import re
import zipfile
from reject_nb.data.archives import Member

from reject_nb.data.parsers import (
    arff, block, cells, class_index, idx, image, images, integers, libsvm, numbers, one_hot,
    ordinal_classes, xlsx,
)

WANT = [[1, 2], [3, 4.5]]

@pytest.mark.parametrize("raw, sep", [
    (b"1,2\n3,4.5\n", ","), (b"1 2\r\n3  4.5\r\n", " "), (b"\xef\xbb\xbf1\t2\r3\t4.5", "\t"),
    (b"1, 2\n3 4.5", " ,"), (b"\n\n1;2\n\n3; 4.5\n\n", ";"), (b"+1,2e0\n3.,.45e1", ",")])
def test_numbers(raw, sep):
    assert numbers(raw, sep).tolist() == WANT
    assert numbers(b"h" + raw.lstrip(b"\xef\xbb\xbf\n"), sep, header="h").tolist() == WANT[1:]


@pytest.mark.parametrize("raw, what", [
    (b"1,2\n3\n", "line 2: 1 cells, the first row has 2"), (b"1,2\n3,x\n", "line 2: 'x' is no number"),
    (b"1,2\n3,4 # no\n", "line 2: '4 # no' is no number"), (b"# 1,2\n", "line 1: '# 1' is no number"),
    (b"1,2\n\n3,nan\n", "line 3: 'nan' is no number"), (b"1,1e999\n", "line 1: '1e999' is no number"),
    (b"1_0,2\n", "line 1: '1_0' is no number"), (b"1,\n", "line 1: '' is no number"),
    (b"", "line 1: no numbers"),
    (b"1,2\n3,4 5\n", "line 2: '4 5' is no number"), ("١,2\n".encode(), "line 1: '١' is no number"),
    (b"1,2\n3,--4\n", "line 2: '--4' is no number")])
def test_numbers_refuse(raw, what):
    with pytest.raises(ValueError, match=f"t.csv, {re.escape(what)}"): numbers(Member(raw, "t.csv"))


def test_lines_are_counted_with_the_header():
    with pytest.raises(ValueError, match="data, line 4: 'x' is no number"):
        numbers(b"\nh,k\n1,2\n3,x\n", header="h,k")
    with pytest.raises(ValueError, match="data, line 4: 1 cells"): cells(b"\nh,k\n1,2\n3\n", header="h,k")


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_integers_are_numbers(size):
    A = np.random.default_rng(0).integers(-7000, 7000, (50, 7))
    raw = "\n".join(",".join(map(str, row)) for row in A).encode()
    assert integers(raw, block=size).tolist() == numbers(raw).tolist() == A.tolist()


def test_eighteen_digits_are_read():
    "2^59 has eighteen of them and is exact in single precision."
    assert integers(f"{2**59},-{2**59}\n{5:018},{0:018}\n".encode()).tolist() == [[2**59, -2**59], [5, 0]]


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize("raw, what", [
    (b"1,2\n3\n", "line 2: 1 cells, the first row has 2"), (b"1,x\n", "line 1: a cell is not a whole number"),
    (b"1,2\n1,\n", "line 2: a cell is empty"), (b"1,2.5\n", "line 1: a cell is not a whole number"),
    (b"1,2,3\n4,5\n6,7,8,9\n", "line 2: 2 cells, the first row has 3"), (b"", "line 1: a cell is empty"),
    (b"1\n2\n-\n", "line 3: a cell is empty"), (b"1\n\n2\n", "line 2: a cell is empty"),
    (b"1\n12345678901234567890\n", "line 2: a cell has more than 18"),
    (b"1\n2\n16777217\n", "line 3: 16777217 is not exact")])
def test_integers_refuse(raw, what, size):
    with pytest.raises(ValueError, match=f"t.csv, {what}"): integers(Member(raw, "t.csv"), block=size)


def test_cells():
    assert cells(b'a,b\n"1,5", 2 \n\n') == [["a", "b"], ["1,5", "2"]]
    assert cells(b"a;b\r1;2\r", sep=";", header="a;b") == [["1", "2"]]
    assert cells("é\n".encode("latin-1")) == [["é"]] and cells(b"") == []


@pytest.mark.parametrize("raw, what", [
    (b"a,b\n\nc\n", "line 3: 1 cells, the first row has 2"),
    (b'a,b\n"c,d\n', "line 2: unexpected end of data"),
    (b'a\n"b"c\n', "line 2: ',' expected")])
def test_cells_refuse(raw, what):
    with pytest.raises(ValueError, match=f"t.csv, {what}"): cells(Member(raw, "t.csv"))


@pytest.mark.parametrize("cell", ["1_0", "nan", "inf", "", "x", "?", "1e999", "１", "1 2", "0x10"])
def test_blocks_of_numbers(cell):
    rows = cells(Member(f"a,1,2\nb,3,{cell}\n".encode(), "t.csv"))
    assert block(rows, slice(1, 2)).tolist() == block(rows, [1]).tolist() == [[1], [3]]
    with pytest.raises(ValueError, match=f"t.csv, line 2: {re.escape(repr(cell))} is no number"):
        block(rows, slice(1, None))


def test_one_hot_and_classes():
    block, names = one_hot(["10", "9", "10"], "month")
    assert names == ["month=9", "month=10"] and block.tolist() == [[0, 1], [1, 0], [0, 1]]
    y, labels = class_index(["b", "a", "b"])
    assert y.tolist() == [1, 0, 1] and labels == ("a", "b")
    assert class_index(["b", "a"], order=("b", "a"))[0].tolist() == [0, 1]
    assert class_index(["10", "9", "1_0"])[1] == ("10", "1_0", "9")          # not all are numbers: as words
    with pytest.raises(ValueError, match="'c' is none of a, b"): class_index(["c"], order=("a", "b"))
    with pytest.raises(ValueError, match="labels must not be empty"): class_index([])


def test_ordinal_classes():
    rng = np.random.default_rng(1)
    t = rng.permutation(np.arange(1000.))
    assert np.bincount(ordinal_classes(t, 10)[0]).tolist() == [100] * 10
    tied = np.concatenate([np.zeros(500), rng.permutation(np.arange(500.)) + 1])
    y, cuts = ordinal_classes(tied, 5)
    assert np.bincount(y).tolist() == [600, 100, 100, 100, 100]       # the 500 ties and a fifth of the rest
    assert all(tied[y == k].max() == cuts[k] < tied[y == k + 1].min() for k in range(4))


def test_a_value_that_many_share_moves_to_the_next_class():
    heavy = [0, 0] + [1] * 5 + [2] * 3 + [3, 4]   # five ones are too many for the first share
    y, cuts = ordinal_classes(heavy, 5)
    assert cuts.tolist() == [0, 1, 2, 3] and np.bincount(y).tolist() == [2, 5, 3, 1, 1]


@pytest.mark.parametrize("t, n_classes, what", [
    ([0, 0, 1], 3, "too few"), ([0, 1, 2] + [3] * 90, 5, "too unequal"), ([0, 1, np.nan], 2, "t must"),
    ([], 2, "t must"), ([0, 1, np.inf], 2, "t must"), ([0, 1, 2], 1, "n_classes must"),
    ([0, 1, 2], 0, "n_classes must"),
    ([0, 1, 2], 2., "n_classes must"), (["a", "b"], 2, "t must")])
def test_ordinal_classes_refuse(t, n_classes, what):
    with pytest.raises(ValueError, match=what): ordinal_classes(t, n_classes)

SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

def _book(*rows, words="", sheet=1):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("xl/sharedStrings.xml", f"<sst {SPACE}>{words}</sst>")
        body = "".join(f"<row>{row}</row>" for row in rows)
        z.writestr(f"xl/worksheets/sheet{sheet}.xml",
                   f"<worksheet {SPACE}><sheetData>{body}</sheetData></worksheet>")
    return Member(out.getvalue(), "t.xlsx")


def test_libsvm_and_arff():
    X, y = libsvm(b"1 1:0.5 3:2\n-1 2:4\n", 4)
    assert X.tolist() == [[.5, 0, 2, 0], [0, 4, 0, 0]] and y.tolist() == [1, -1]
    head = b"@relation r\n@attribute 'a b' { 0,1 }\n@ATTRIBUTE c real\n\n@data\n"
    names, rows = arff(head + b"% remark\n0,1.5\n'1', 2\n\n")
    assert names == ["a b", "c"] and rows == [["0", "1.5"], ["1", "2"]] and rows[1].where == "data, line 8"


@pytest.mark.parametrize("raw, what", [
    (b"1 1:nan\n", "line 1: b'n' belongs to no number"), (b"1 1:1\n1 1:1_0\n", "line 2: b'_'"),
    (b"1 1:1 # remark\n", "line 1: b'#'"), (b"1 5:1\n", "t.txt: "), (b"1 0:1\n", "t.txt: "),
    (b"1 1:1e999\n", "not finite"),
    (b"1 2:1 1:1\n", "t.txt: "), (b"1 1\n", "t.txt: ")])
def test_libsvm_refuses(raw, what):
    with pytest.raises(ValueError, match=what): libsvm(Member(raw, "t.txt"), 4)


@pytest.mark.parametrize("raw, what", [
    (b"@attribute a real\n@data\n1,2\n", "t.arff, line 3: 2 values for 1 attributes"),
    (b"\n@attribute a real\n@data\n1,2\n", "t.arff, line 4: 2 values for 1 attributes"),
    (b"@attribute a real\n@data\n1\n% x\n1,2\n", "t.arff, line 5: 2 cells, the first row has 1"),
    (b"@attribute a real\n", "no @data"), (b"", "no @data")])
def test_arff_refuses(raw, what):
    with pytest.raises(ValueError, match=what): arff(Member(raw, "t.arff"))

RAW_IDX = b"\0\0\x08\x02" + (2).to_bytes(4, "big") + (3).to_bytes(4, "big") + bytes(range(6))

@pytest.mark.parametrize("raw, what", [
    (RAW_IDX[:-1], "5 bytes"), (RAW_IDX + b"x", "7 bytes"), (b"PK\3\4abc", "not an idx"),
    (b"\0\0\x08", "not an idx"), (b"", "not an idx"), (b"\0\0\x08\xff", "not an idx"),
    (b"\0\0\x08\3" + bytes([255]*12), "0 bytes for shape")])
def test_idx_refuses(raw, what):
    assert idx(RAW_IDX).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match=what): idx(raw)


def test_xlsx():
    words = "<si><t>AT</t></si><si><r><t>P</t></r><r><t>E</t></r></si>"
    head = '<c t="s"><v>0</v></c><c t="s"><v>1</v></c>'
    book = _book(head, "<c><v>1.5</v></c><c><v>-2e3</v></c><c/>", "", words=words)
    assert xlsx(book) == [["AT", "PE"], [1.5, -2000.0]]
    row = '<c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="str"><f>x</f><v>b</v></c>'
    assert xlsx(_book(row)) == [["a", "b"]]


@pytest.mark.parametrize("row, what", [
    ("<c><v>1</v></c><c/><c><v>2</v></c>", "row 2: an empty cell between others"),
    ('<c r="A2"><v>1</v></c><c r="C2"><v>2</v></c>', "row 2: an empty cell between others"),
    ("<c><v>1</v></c>", "row 2: 1 cells, the first row has 2"),
    ('<c t="s"><v>7</v></c>', "row 2: list index"),
    ('<c t="e"><v>#N/A</v></c>', "row 2: '#N/A' of type 'e'"),
    ("<c><v>nan</v></c>", "row 2: 'nan' of type 'n'"),
    ('<c t="b"><v>1</v></c>', "row 2: '1' of type 'b'"), ("<c><v>1_0</v></c>", "row 2: '1_0'")])
def test_xlsx_refuses(row, what):
    with pytest.raises(ValueError, match=f"t.xlsx, {re.escape(what)}"):
        xlsx(_book("<c><v>1</v></c><c><v>2</v></c>", row))


def test_workbooks_that_are_none():
    with pytest.raises(ValueError, match="no sheet 2"): xlsx(_book("<c/>"), 2)
    with pytest.raises(ValueError, match="t.xlsx is damaged"): xlsx(Member(b"PK", "t.xlsx"))
    with pytest.raises(ValueError, match="unpacks to more than 100 bytes"):
        xlsx(Member(_book("<c><v>1</v></c>"*100), "t.xlsx", limit=100))


def test_images():
    from PIL import Image
    pictures = np.random.default_rng(0).integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)
    pack = io.BytesIO()
    with zipfile.ZipFile(pack, "w") as z:
        for name, p in zip(("b/2.png", "a/1.png"), pictures):
            raw = io.BytesIO()
            Image.fromarray(p).save(raw, "png")
            z.writestr(name, raw.getvalue())
        z.writestr("readme.txt", "no picture")
    X, names = images(pack.getvalue())
    assert names == ["a/1.png", "b/2.png"]
    np.testing.assert_array_equal(X, pictures[::-1])
    with pytest.raises(ValueError, match="t.zip unpacks to"): images(Member(pack.getvalue(), "t.zip", 200))
    with pytest.raises(ValueError, match="no picture"): images(pack.getvalue(), suffix=(".gif",))
    with pytest.raises(ValueError, match="t.png is damaged"): image(Member(raw.getvalue()[:40], "t.png"))
