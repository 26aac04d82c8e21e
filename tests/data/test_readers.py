"""Tests of nbs/data/02_readers.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.data.readers import cifar_batches, marketing, metro, pendigits, shuttle, table

def test_table_spellings():
    names = ("x1", "x2")
    want = table(("a",), names=names)(lambda n: b"1,2,no\n3,4,yes\n")
    for raw, kw in ((b"h,k,class\r\n1,2,no\r\n3,4,yes", dict(header="h,")), (b"no,1,2\nyes,3,4\n", dict(label=0)), (b"1\t2\tno\r3\t4\tyes\r", dict(sep="\t"))):
        got = table(("a",), names=names, **kw)(lambda n, raw=raw: raw)
        np.testing.assert_array_equal(got.X, want.X)
        assert got.y.tolist() == [0, 1] and got.target_names == ("no", "yes") and got.splits == {}
    two = table(("a",), ("b",), names=names, sep=" ,", header="A")(lambda n: b"A B C\n1, 2 5\n3,4,6\n" if n == "a" else b"7 8 5\n")
    assert two.target_names == ("5", "6") and two.splits["train"].tolist() == [0, 1] and two.splits["test"].tolist() == [2]
    with pytest.raises(ValueError): table(("a",), names=names)(lambda n: b"1,x,no\n")


def test_pendigits_and_shuttle_spellings():
    plain = {"pendigits.tra": b"  1,100, 8\n", "pendigits.tes": b" 0, 3, 0\n"}
    coded = {"pendigits.tra": b"1,100,0000000010\n", "pendigits.tes": b"0,3,1000000000\n"}
    for raw in (plain, coded):
        got = pendigits(raw.get)
        assert got.y.tolist() == [8, 0] and got.X.tolist() == [[1, 100], [0, 3]]
    official = {"shuttle.trn": b"50 21 2\n55 0 4\n", "shuttle.tst": b"1 2 7\n"}
    words = {"shuttle.trn": b"50,21,Flow Proportioning Valve Close\n55,0,High\n", "shuttle.tst": b"1,2,Bipropellant Valve Open\n"}
    for raw in (official, words): assert shuttle(raw.get).y.tolist() == [1, 3, 6] and shuttle(raw.get).X.shape == (3, 2)


def test_marketing_and_metro_spellings():
    a = b'"age";"job";"y"\n30;"clerk";"no"\n40;"boss";"yes"\n'
    b = b"age,job,y\r\n40,boss,yes\r\n30,clerk,no\r\n40,boss,yes\r\n"          # a row too many
    for raw in (a, b):
        got = marketing(lambda n, raw=raw: raw)
        assert got.feature_names == ("age", "job=boss", "job=clerk") and got.X.tolist() == [[30, 0, 1], [40, 1, 0]] and got.y.tolist() == [0, 1]
    head = b"holiday,temp,rain_1h,snow_1h,clouds_all,weather_main,weather_description,date_time,traffic_volume"
    rows = [(f"{y}-{m:02d}-{d:02d} {h:02d}:00:00", f"{d:02d}-{m:02d}-{y} {h:02d}:00") for y, m, d, h in [(2012, 10, 2, 9 + i) for i in range(12)]]
    official, copy = ("\n".join([head.decode()] + [f"None,288,0,0,{i},Clouds,few,{r[k]},{100 + i}" for i, r in enumerate(rows)]).encode() for k in (0, 1))
    one_way, other = metro(lambda n: official), metro(lambda n: copy)
    np.testing.assert_array_equal(one_way.X, other.X)
    assert one_way.feature_names[-3:] == ("month", "day", "hour") and one_way.X[0, -3:].tolist() == [10, 2, 9] and one_way.target[0] == 100


def test_cifar_batches():
    import io, pickle, tarfile
    rng = np.random.default_rng(0)
    flat = rng.integers(0, 256, (3, 3072), dtype=np.uint8)
    pack = io.BytesIO()
    with tarfile.open(fileobj=pack, mode="w:gz") as t:
        for name, content in (("train", {b"data": flat, b"fine_labels": [1, 0, 1]}), ("test", {b"data": flat[:1], b"fine_labels": [0]}),
                              ("meta", {b"fine_label_names": [b"apple", b"bear"]})):
            raw = pickle.dumps(content)
            info = tarfile.TarInfo("x/" + name); info.size = len(raw)
            t.addfile(info, io.BytesIO(raw))
    read = cifar_batches("a.tar.gz", ("train",), ("test",), b"fine_labels", b"fine_label_names")
    got = read(lambda n: pack.getvalue())
    assert got.X.shape == (4, 32, 32, 3) and got.y.tolist() == [1, 0, 1, 0] and got.target_names == ("apple", "bear")
    np.testing.assert_array_equal(got.X[0, 5, 7], flat[0].reshape(3, 32, 32)[:, 5, 7])   # stored channel by channel
    assert read(lambda n: pack.getvalue(), "test").X.shape == (1, 32, 32, 3) and got.splits["test"].tolist() == [3]
