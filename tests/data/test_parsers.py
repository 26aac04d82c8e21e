"""Tests of nbs/data/01_parsers.ipynb, extracted from its test cells: edit them there."""
import bz2
import gzip
import io
import numpy as np
import pytest
import tarfile
import tempfile
import zipfile
from pathlib import Path

from reject_nb.data.parsers import (
    Bundle, arff, cells, class_index, idx, images, inflate, integers, libsvm, numbers, one_hot,
    ordinal_classes, unlzw, xlsx,
)

def test_bundle_finds_members():
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as z:
        z.writestr("__MACOSX/flowers.data", "shadow")
        z.writestr("deep/flowers.data", "1,2,a")
    with tempfile.TemporaryDirectory() as folder:
        outer = Path(folder) / "all.zip"
        with zipfile.ZipFile(outer, "w") as z:
            z.writestr("inner.zip", inner.getvalue())
            z.writestr("t.gz", gzip.compress(b"zipped"))
        tar = Path(folder) / "more.tar.gz"
        with tarfile.open(tar, "w:gz") as t:
            info = tarfile.TarInfo("x/Notes.TXT"); info.size = 3
            t.addfile(info, io.BytesIO(b"abc"))
        plain = Path(folder) / "plain.csv.bz2"
        plain.write_bytes(bz2.compress(b"p"))
        bundle = Bundle([outer, tar, plain])
        assert bundle("flowers.data") == b"1,2,a" and bundle("t") == b"zipped"
        assert bundle("notes.txt") == b"abc" and bundle("plain.csv") == b"p" and bundle("nothing", "t") == b"zipped"
        with pytest.raises(KeyError, match="nowhere"): bundle("nowhere")


def test_unlzw_inverts_compress():
    def compress(raw, max_bits):       # the encoder of Unix compress, checked against `gzip -d` when this was written
        out, pending, held, bits = bytearray([0x1f, 0x9d, 0x80 | max_bits]), 0, 0, 9
        table, count, emitted = {bytes([i]): i for i in range(256)}, 257, 0
        def emit(code):
            nonlocal pending, held
            pending |= code << held; held += bits
            while held >= 8: out.append(pending & 255); pending >>= 8; held -= 8
        word = b""
        for c in (raw[i:i + 1] for i in range(len(raw))):
            if word + c in table: word += c; continue
            emit(table[word]); emitted += 1
            if count < 1 << max_bits: table[word + c] = count; count += 1
            if count > 1 << bits and bits < max_bits:
                while emitted % 8: emit(0); emitted += 1
                bits, emitted = bits + 1, 0
            word = c
        emit(table[word])
        if held: out.append(pending & 255)
        return bytes(out)
    rng = np.random.default_rng(0)
    for raw in (b"ab" * 30, bytes(1000), rng.integers(0, 256, 5000, dtype=np.uint8).tobytes(), rng.integers(97, 101, 9000, dtype=np.uint8).tobytes()):
        for max_bits in (12, 16):
            assert inflate(compress(raw, max_bits)) == raw


def test_unlzw_refuses_damage():
    with pytest.raises(ValueError, match="mark"): unlzw(b"abc")
    with pytest.raises(ValueError, match="damaged"): unlzw(b"\x1f\x9d\x90\xff\xff\xff")


def test_numbers():
    want = np.array([[1, 2], [3, 4.5]])
    for raw, sep in ((b"1,2\n3,4.5\n", ","), (b"1 2\r\n3  4.5\r\n", " "), (b"\xef\xbb\xbf1\t2\r3\t4.5", "\t"), (b"1, 2\n3 4.5", " ,")):
        np.testing.assert_array_equal(numbers(raw, sep), want)
    np.testing.assert_array_equal(numbers(b"h,k\n1,2\n3,4.5", header="h,k"), want)
    with pytest.raises(ValueError): numbers(b"1,2\n3\n")
    with pytest.raises(ValueError): numbers(b"1,2\n3,x\n")


def test_integers():
    A = np.random.default_rng(0).integers(-7000, 7000, (50, 7))
    raw = "\n".join(",".join(map(str, row)) for row in A).encode()
    for block in (1, 7, 50, 1000):
        np.testing.assert_array_equal(integers(raw, block=block), numbers(raw))
    for bad, what in ((b"1,2\n3\n", "2 columns"), (b"1,x\n", "whole"), (b"1,\n", "empty"), (b"1,2.5\n", "whole")):
        with pytest.raises(ValueError, match=what): integers(bad)


def test_cells():
    assert cells(b'a,b\n"1,5", 2 \n\n') == [["a", "b"], ["1,5", "2"]]
    assert cells(b"a;b\r1;2\r", sep=";", header="a;b") == [["1", "2"]]
    assert cells("é\n".encode("latin-1")) == [["é"]]
    with pytest.raises(ValueError, match="row 1 has 1 cells"): cells(b"a,b\nc\n")


def test_one_hot_and_classes():
    block, names = one_hot(["10", "9", "10"], "month")
    assert names == ["month=9", "month=10"] and block.tolist() == [[0, 1], [1, 0], [0, 1]]
    y, labels = class_index(["b", "a", "b"])
    assert y.tolist() == [1, 0, 1] and labels == ("a", "b")
    assert class_index(["b", "a"], order=("b", "a"))[0].tolist() == [0, 1]
    with pytest.raises(ValueError, match="'c' is none of a, b"): class_index(["c"], order=("a", "b"))


def test_ordinal_classes():
    rng = np.random.default_rng(1)
    t = rng.permutation(np.arange(1000.))
    assert np.bincount(ordinal_classes(t, 10)[0]).tolist() == [100] * 10
    tied = np.concatenate([np.zeros(500), rng.permutation(np.arange(500.)) + 1])
    y, cuts = ordinal_classes(tied, 5)
    assert np.bincount(y).tolist() == [600, 100, 100, 100, 100]       # the 500 ties and a fifth of the rest
    assert all(tied[y == k].max() == cuts[k] < tied[y == k + 1].min() for k in range(4))
    heavy = [0, 0] + [1] * 5 + [2] * 3 + [3, 4]                       # five ones do not fit in the first shares: the second class takes them
    y, cuts = ordinal_classes(heavy, 5)
    assert cuts.tolist() == [0, 1, 2, 3] and np.bincount(y).tolist() == [2, 5, 3, 1, 1]
    with pytest.raises(ValueError, match="too few"): ordinal_classes([0, 0, 1], 3)
    with pytest.raises(ValueError, match="too unequal"): ordinal_classes([0, 1, 2] + [3] * 90, 5)


def test_libsvm_and_arff():
    X, y = libsvm(b"1 1:0.5 3:2\n-1 2:4\n", 4)
    assert X.tolist() == [[.5, 0, 2, 0], [0, 4, 0, 0]] and y.tolist() == [1, -1]
    names, rows = arff(b"@relation r\n@attribute 'a b' { 0,1 }\n@ATTRIBUTE c real\n\n@data\n% remark\n0,1.5\n'1', 2\n\n")
    assert names == ["a b", "c"] and rows == [["0", "1.5"], ["1", "2"]]
    with pytest.raises(ValueError, match="not 1 values"): arff(b"@attribute a real\n@data\n1,2\n")


def test_idx():
    raw = b"\0\0\x08\x02" + (2).to_bytes(4, "big") + (3).to_bytes(4, "big") + bytes(range(6))
    assert idx(raw).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="5 bytes"): idx(raw[:-1])
    with pytest.raises(ValueError, match="not an idx"): idx(b"PK\3\4abc")


def test_xlsx():
    ns = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as z:
        z.writestr("xl/sharedStrings.xml", f"<sst {ns}><si><t>AT</t></si><si><r><t>P</t></r><r><t>E</t></r></si></sst>")
        z.writestr("xl/worksheets/sheet1.xml", f'<worksheet {ns}><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
                   f'<row><c><v>1.5</v></c><c/><c><v>-2e3</v></c></row></sheetData></worksheet>')
    assert xlsx(book.getvalue()) == [["AT", "PE"], [1.5, -2000.0]]


def test_images():
    from PIL import Image
    pictures = np.random.default_rng(0).integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)
    pack = io.BytesIO()
    with zipfile.ZipFile(pack, "w") as z:
        for name, p in zip(("b/2.png", "a/1.png"), pictures):
            raw = io.BytesIO(); Image.fromarray(p).save(raw, "png")
            z.writestr(name, raw.getvalue())
        z.writestr("readme.txt", "no picture")
    X, names = images(pack.getvalue())
    assert names == ["a/1.png", "b/2.png"]
    np.testing.assert_array_equal(X, pictures[::-1])
    with pytest.raises(ValueError, match="no picture"): images(pack.getvalue(), suffix=(".gif",))
