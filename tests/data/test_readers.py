"""Tests of nbs/data/03_readers.ipynb, extracted from its test cells: edit them there."""
import io
import numpy as np
import pickle
import pytest
from reject_nb.data.archives import Member

from reject_nb.data.readers import (
    PHISHING_NAMES, banana_keel, cifar_batches, faces68, marketing, metro, pendigits, phishing, pima_openml,
    shuttle, table,
)

def _get(raw): return lambda *names: raw


@pytest.mark.parametrize("raw, spelling", [
    (b"h,k,class\r\n1,2,no\r\n3,4,yes", dict(header="h,")), (b"no,1,2\nyes,3,4\n", dict(label=0)),
    (b"1\t2\tno\r3\t4\tyes\r", dict(sep="\t")), (b"1,no,2\n3,yes,4\n", dict(label=1)),
                                           (b"1,no,2\n3,yes,4\n", dict(label=-2))])
def test_table_spellings(raw, spelling):
    want = table(("a",), names=("x1", "x2"))(_get(b"1,2,no\n3,4,yes\n"))
    got = table(("a",), names=("x1", "x2"), **spelling)(_get(raw))
    np.testing.assert_array_equal(got.X, want.X)
    assert got.y.tolist() == [0, 1] and got.target_names == ("no", "yes") and got.splits == {}


def test_table_of_two_parts():
    files = {"a": b"A B C\n1, 2.0000001 5\n3,4,6\n", "b": b"7 8 5\n"}
    two = table(("a",), ("b",), names=("x1", "x2"), sep=" ,", header="A")(files.get)
    assert two.target_names == ("5", "6") and two.X[0, 1] == 2.0000001          # no digit is lost
    assert two.splits["train"].tolist() == [0, 1] and two.splits["test"].tolist() == [2]


@pytest.mark.parametrize("raw, what", [
    (b"1,x,no\n", "a.csv, line 1: 'x' is no number"), (b"", "a.csv has no rows"),
                                       (b"1,2,no\n1,no\n", "a.csv, line 2: 2 cells")])
def test_tables_name_file_and_line(raw, what):
    with pytest.raises(ValueError, match=what):
        table(("a.csv",), names=("x1", "x2"))(_get(Member(raw, "a.csv")))


@pytest.mark.parametrize("raw", [
    {"pendigits.tra": b"  1,100, 8\n", "pendigits.tes": b" 0, 3, 0\n"},
    {"pendigits.tra": b"1,100,0000000010\n", "pendigits.tes": b"0,3,1000000000\n"}])
def test_pendigits_spellings(raw):
    got = pendigits(raw.get)
    assert got.y.tolist() == [8, 0] and got.X.tolist() == [[1, 100], [0, 3]]


@pytest.mark.parametrize("raw", [
    {"shuttle.trn": b"50 21 2\n55 0 4\n", "shuttle.tst": b"1 2 7\n"},
    {"shuttle.trn": b"50,21,Flow Proportioning Valve Close\n55,0,High\n",
     "shuttle.tst": b"1,2,Bipropellant Valve Open\n"}])
def test_shuttle_spellings(raw):
    got = shuttle(raw.get)
    assert got.y.tolist() == [1, 3, 6] and got.X.tolist() == [[50, 21], [55, 0], [1, 2]]


@pytest.mark.parametrize("raw", [
    b'"age";"job";"y"\n30;"clerk";"no"\n40;"boss";"yes"\n',
    b"age,job,y\r\n40,boss,yes\r\n30,clerk,no\r\n40,boss,yes\r\n"])              # a row too many
def test_marketing_spellings(raw):
    got = marketing(_get(raw))
    assert got.feature_names == ("age", "job=boss", "job=clerk")
    assert got.X.tolist() == [[30, 0, 1], [40, 1, 0]] and got.y.tolist() == [0, 1]


@pytest.mark.parametrize("head", [False, True])
def test_phishing_spellings(head):
    "A copy lacks the names, which are known."
    names = "".join(f"@attribute {name} {{-1,1}}\n" for name in [*PHISHING_NAMES, "Result"])
    raw = (f"@relation phishing\n\n{names}\n@data\n" if head else "") + "-1,"*30 + "1\n" + "1,"*30 + "-1\n"
    got = phishing(_get(raw.encode()))
    assert got.feature_names[:2] == ("having_IP_Address=-1", "having_IP_Address=1")
    assert got.X.tolist() == [[1, 0]*30, [0, 1]*30] and got.y.tolist() == [1, 0]


def test_official_arff_files():
    "The eight measurements of Pima, the two of banana, and the label behind them."
    head = "".join(f"@attribute a{i} real\n" for i in range(9))
    pima = pima_openml(_get(f"{head}@data\n1,2,3,4,5,6,7,8,tested_positive\n".encode()))
    assert pima.X.tolist() == [[1, 2, 3, 4, 5, 6, 7, 8]] and pima.y.tolist() == [1]
    head = "@attribute x real\n@attribute y real\n@attribute class {-1.0,1.0}\n@data\n"
    banana = banana_keel(_get(f"{head}.5,2,-1.0\n1,2,1.0\n".encode()))
    assert banana.X.tolist() == [[.5, 2], [1, 2]] and banana.y.tolist() == [0, 1]

HEAD = "holiday,temp,rain_1h,snow_1h,clouds_all,weather_main,weather_description,date_time,traffic_volume"

def _traffic(stamp):
    "Twelve hours of a day, with dates in one of two forms."
    rows = [f"None,288,0,0,{i},Clouds,few,{stamp.format(h=9 + i)},{100 + i}" for i in range(12)]
    return "\n".join([HEAD, *rows]).encode()


def test_metro_spellings():
    official, copy = _traffic("2012-10-02 {h:02d}:00:00"), _traffic("02-10-2012 {h:02d}:00")
    one_way, other = metro(_get(official)), metro(_get(copy))
    np.testing.assert_array_equal(one_way.X, other.X)
    assert one_way.feature_names[-3:] == ("month", "day", "hour") and one_way.target[0] == 100
    assert one_way.X[0, -3:].tolist() == [10, 2, 9] and one_way.X[:, -1].tolist() == list(range(9, 21))


def _tar_of_pickles(contents):
    import tarfile
    pack = io.BytesIO()
    with tarfile.open(fileobj=pack, mode="w:gz") as t:
        for name, content in contents.items():
            raw = pickle.dumps(content)
            info = tarfile.TarInfo("x/" + name)
            info.size = len(raw)
            t.addfile(info, io.BytesIO(raw))
    return pack.getvalue()


def test_cifar_batches():
    flat = np.random.default_rng(0).integers(0, 256, (3, 3072), dtype=np.uint8)
    pack = _tar_of_pickles({"train": {b"data": flat, b"fine_labels": [1, 0, 1]},
                            "test": {b"data": flat[:1], b"fine_labels": [0]},
                            "meta": {b"fine_label_names": [b"apple", b"bear"]}})
    read = cifar_batches("a.tar.gz", ("train",), ("test",), b"fine_labels", b"fine_label_names")
    got = read(_get(pack))
    assert got.X.shape == (4, 32, 32, 3) and got.y.tolist() == [1, 0, 1, 0]
    assert got.target_names == ("apple", "bear")
    channels = flat[0].reshape(3, 32, 32)                                       # stored channel by channel
    np.testing.assert_array_equal(got.X[0, 5, 7], channels[:, 5, 7])
    assert read(_get(pack), "test").X.shape == (1, 32, 32, 3) and got.splits["test"].tolist() == [3]


def _zip_of_pictures(pictures):
    import zipfile
    from PIL import Image
    pack = io.BytesIO()
    with zipfile.ZipFile(pack, "w") as z:
        for name, gray in pictures.items():
            picture = io.BytesIO()
            Image.fromarray(np.full((2, 2, 3), gray, np.uint8)).save(picture, "png")
            z.writestr(name, picture.getvalue())
    return pack.getvalue()


def test_landmarks_go_with_their_pictures():
    "The table lists the pictures in another order than their archive; x and y alternate."
    head = ",".join(f"{axis}{i}" for i in range(68) for axis in "xy")
    rows = [f"{name},{','.join(str(first + i) for i in range(136))}"
            for name, first in (("lfpw,b", 200), ("helen,a", 0))]
    files = {"crops160_landmarks.csv": "\n".join([f"subset,name,{head}", *rows]).encode(),
             "crops160_jpg.zip": _zip_of_pictures({"helen/a.png": 10, "lfpw/b.png": 20})}
    got = faces68(files.get)
    assert got.X[:, 0, 0, 0].tolist() == [20, 10] and got.y.shape == (2, 68, 2)
    assert got.y[:, 1].tolist() == [[202, 203], [2, 3]] and got.y[0, 67].tolist() == [334, 335]
    assert {k: rows.tolist() for k, rows in got.splits.items()} == {"helen": [1], "lfpw": [0]}
