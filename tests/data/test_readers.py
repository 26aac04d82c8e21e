"""Tests of nbs/data/03_readers.ipynb, extracted from its test cells: edit them there."""
import io
import numpy as np
import pickle
import pytest
from reject_nb.data.archives import Member
from reject_nb.data.readers import BIKES
from reject_nb.data.readers import COVERS
from reject_nb.data.readers import DAYS
from reject_nb.data.readers import abalone
from reject_nb.data.readers import bikeshare
from reject_nb.data.readers import bundled
from reject_nb.data.readers import ccpp
from reject_nb.data.readers import covtype
from reject_nb.data.readers import dtd
from reject_nb.data.readers import facebook
from reject_nb.data.readers import facebook_names
from reject_nb.data.readers import gpu
from reject_nb.data.readers import houses
from reject_nb.data.readers import idx_images
from reject_nb.data.readers import msd
from reject_nb.data.readers import npz_images
from reject_nb.data.readers import regression_arff
from reject_nb.data.readers import regression_text
from reject_nb.data.readers import satellite
from reject_nb.data.readers import sparse_pair
from reject_nb.data.readers import superconductivity
from reject_nb.data.readers import svhn
from reject_nb.data.readers import tiny_imagenet
from reject_nb.data.readers import usps
from reject_nb.data.readers import wdbc

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


def _lines(rows): return "\n".join(",".join(map(str, row)) for row in rows).encode()


def _counted(n:int, width:int) -> np.ndarray:
    "Rows of different whole numbers: row i starts at 1000 i."
    return 1000*np.arange(n)[:, None] + np.arange(width)


def test_abalone_merges_rare_rings():
    rows = [["M", *[.5]*7, rings] for rings in (1, 3, 4, 20, 21, 29)] + [["F", *range(1, 8), 9]]
    got = abalone(_get(_lines(rows)))
    assert got.y.tolist() == [0, 0, 1, 17, 18, 18, 6] and len(got.target_names) == 19
    assert got.target_names[:2] == ("<= 3 rings", "4 rings")
    assert got.target_names[17:] == ("20 rings", ">= 21 rings")
    assert got.feature_names[:3] == ("sex=F", "sex=M", "length")
    assert got.target.tolist() == [1, 3, 4, 20, 21, 29, 9]
    assert got.X[0].tolist() == [0, 1, *[.5]*7] and got.X[-1].tolist() == [1, 0, *range(1, 8)]

MATERIAL = ["number_of_elements", *(f"n{i}" for i in range(1, 82))]

@pytest.mark.parametrize("read, file, head, width, taken, target", [
    (houses, "cal_housing.data", None, 9, range(8), 8),
    (gpu, "sgemm_product.csv", ["MWG", *(f"n{i}" for i in range(1, 18))], 18, range(14), slice(14, 18)),
    (superconductivity, "train.csv", MATERIAL, 82, range(81), 81),
    (bikeshare, "hour.csv", ["instant", *BIKES, "casual", "registered", "cnt"], 15, range(1, 12), 14),
    (regression_text("a", n_features=3), "a", None, 4, range(3), 3)])
def test_targets_stand_behind_their_features(read, file, head, width, taken, target):
    "Twelve rows; the target is a column, or the mean of several, and what is neither is left out."
    A = _counted(12, width)
    asked = []
    got = read(lambda name: asked.append(name) or _lines(([head] if head else []) + A.tolist()))
    t = A[:, target]
    assert asked == [file] and got.X.tolist() == A[:, list(taken)].tolist()
    assert got.target.tolist() == (t.mean(axis=1) if t.ndim == 2 else t).tolist()
    assert len(got.feature_names) == len(taken) and got.y.tolist() == [0, *range(10), 9]
    if head: assert got.feature_names == tuple(np.array(head)[list(taken)])


def test_class_names_tell_the_range_of_the_target():
    got = regression_text("a", n_features=1)(_get(_lines([i, i/2] for i in range(12))))
    assert got.target_names[:2] == ("<= 0.5", "0.5 to 1") and got.target_names[-1] == "> 4.5"


def test_text_in_two_files_and_arff():
    A, head = _counted(12, 3), "".join(f"@attribute a{i} real\n" for i in range(3))
    two = regression_text("a", "b", n_features=2)({"a": _lines(A[:5]), "b": _lines(A[5:])}.get)
    one = regression_arff("c.arff")(_get(f"{head}@data\n".encode() + _lines(A)))
    assert two.X.tolist() == one.X.tolist() == A[:, :2].tolist() and two.feature_names == ("x1", "x2")
    assert one.feature_names == ("a0", "a1")
    assert two.target.tolist() == one.target.tolist() == A[:, 2].tolist()


def test_facebook_is_put_together_from_two_parts():
    A, asked = _counted(12, 54), []
    def get(*names): return asked.append(names) or _lines(A[:7] if "variant" in names[0] else A[7:])
    got = facebook(get)
    assert asked == [("features_variant_1.csv", "variant1_53features_reconstructed.csv"),
                     ("features_testset.csv",)]
    assert got.X.tolist() == A[:, :53].tolist() and got.target.tolist() == A[:, 53].tolist()
    assert got.splits["test"].tolist() == list(range(7, 12))
    names = facebook_names()
    assert len(names) == len(set(names)) == 53 and names[4] == "min_cc1" and names[28] == "std_cc5"
    assert names[29] == "cc1" and names[33] == "cc5" and names[-1] == "base_" + DAYS[-1]


def _sheet(rows):
    import zipfile
    pack, main = io.BytesIO(), "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    def cell(v):
        return f"<c><v>{v}</v></c>" if not isinstance(v, str) else f'<c t="inlineStr"><is><t>{v}</t></is></c>'
    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    with zipfile.ZipFile(pack, "w") as z:
        z.writestr("xl/worksheets/sheet1.xml",
                   f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>')
    return Member(pack.getvalue(), "folds5x2_pp.xlsx")


def test_power_of_a_plant():
    head, A = ["AT", "V", "AP", "RH", "PE"], _counted(12, 5)
    got = ccpp(_get(_sheet([head, *A.tolist()])))
    assert got.X.tolist() == A[:, :4].tolist() and got.target.tolist() == A[:, 4].tolist()
    assert got.feature_names == ("AT", "V", "AP", "RH")
    with pytest.raises(ValueError, match="text below its head"):
        ccpp(_get(_sheet([head, *A.tolist(), [1, 2, 3, 4, "five"]])))


def test_years_need_all_rows():
    with pytest.raises(ValueError, match="has shape \\(2, 91\\)"): msd(_get(_lines(_counted(2, 91))))


def test_labels_of_patients_and_of_soils_and_of_forests():
    got = wdbc(_get(_lines([[1, "M", *range(30)], [2, "B", *range(30, 60)]])))
    assert got.y.tolist() == [1, 0] and got.X.tolist() == [[*range(30)], [*range(30, 60)]]
    rows = [[*range(36), label] for label in (1, 7, 5, 2)]
    spaces, tabs = (b"\n".join(_lines([row]).replace(b",", sep) for row in rows) for sep in (b" ", b"\t"))
    got = satellite({"sat.trn": spaces, "sat.tst": b"1\t2\t3\t4\t" + b"5\t"*32 + b"9\n" + tabs}.get)
    assert got.y.tolist() == [0, 5, 4, 1]*2 and got.X.shape == (8, 36) and got.X[4].tolist() == [*range(36)]
    assert got.feature_names[0] == "pixel1_band1"
    assert got.feature_names[3:5] == ("pixel1_band4", "pixel2_band1")
    assert got.feature_names[-1] == "pixel9_band4" and got.splits["test"].tolist() == [4, 5, 6, 7]
    got = covtype(_get(_lines([[*range(54), 1], [*range(54), 7]]).replace(b"\n", b"\r\n")))
    assert got.y.tolist() == [0, 6] and got.X.shape == (2, 54) and len(got.target_names) == len(COVERS) == 7


@pytest.mark.parametrize("test", [None, ("t",)])
def test_sparse_parts(test):
    files = {"a": b"+1 1:2 4:3\n-1 2:1\n", "t": b"-1 3:5\n"}
    got = sparse_pair(("a",), test, 4)(files.get)
    want = [[2, 0, 0, 3], [0, 1, 0, 0]] + ([[0, 0, 5, 0]] if test else [])
    assert got.X.tolist() == want and got.y.tolist() == [1, 0, 0][:len(want)] and len(got.feature_names) == 4
    splits = {k: rows.tolist() for k, rows in got.splits.items()}
    assert splits == ({"train": [0, 1], "test": [2]} if test else {})


def _mat_file(**arrays):
    from scipy.io import savemat
    out = io.BytesIO()
    savemat(out, arrays)
    return out.getvalue()


def test_digits_start_at_nought():
    "USPS counts its labels from one, SVHN calls nought ten; its pictures are the last axis."
    flat = np.arange(512.).reshape(2, 256)
    got = usps(_get(_mat_file(fea=flat, gnd=np.array([[1], [10]]))))
    assert got.y.tolist() == [0, 9] and got.X.shape == (2, 16, 16) and got.X[1, 0, 1] == 257
    pictures = np.arange(2*2*3*4, dtype=np.uint8).reshape(2, 2, 3, 4)
    files = {f"{part}_32x32.mat": _mat_file(X=pictures, y=np.array([[10], [1], [9], [last]]))
             for part, last in (("train", 5), ("test", 6))}
    got = svhn(files.get)
    assert got.y.tolist() == [0, 1, 9, 5, 0, 1, 9, 6] and got.splits["test"].tolist() == [4, 5, 6, 7]
    np.testing.assert_array_equal(got.X[1], pictures[..., 1])
    alone = svhn(files.get, "test")
    assert alone.y.tolist() == [0, 1, 9, 6]
    assert list(alone.splits) == ["test"] and alone.splits["test"].tolist() == [0, 1, 2, 3]


def test_classes_of_pictures():
    notes = b"val_1.png\tn02\t0\t0\nval_0.png\tn01\t0\t0\n"
    pack, more = _zip_of_pictures({"v/val_0.png": 10, "v/val_1.png": 20}), io.BytesIO()
    import zipfile
    more.write(pack)
    with zipfile.ZipFile(more, "a") as z: z.writestr("val_annotations.txt", notes)
    got = tiny_imagenet(_get(more.getvalue()))
    assert got.y.tolist() == [0, 1] and got.target_names == ("n01", "n02") and got.X[1].max() == 20
    assert got.splits["test"].tolist() == [0, 1]
    got = dtd(_get(_zip_of_pictures({"d/wool/a.png": 10, "d/dots/b.png": 20})))
    assert [got.target_names[k] for k in got.y] == ["dots", "wool"] and got.X[:, 0, 0, 0].tolist() == [20, 10]
    assert got.splits["test"].tolist() == [0, 1]


def test_idx_and_npz_pictures():
    def raw(a):
        sizes = b"".join(n.to_bytes(4, "big") for n in a.shape)
        return b"\0\0\x08" + bytes([a.ndim]) + sizes + a.tobytes()
    X, y = np.arange(18, dtype=np.uint8).reshape(2, 3, 3), np.array([7, 2], np.uint8)
    files = {"train-images-idx3-ubyte": raw(X), "train-labels-idx1-ubyte": raw(y),
             "t10k-images-idx3-ubyte": raw(X[:1]), "t10k-labels-idx1-ubyte": raw(y[:1])}
    got = idx_images("0123456789")(files.get)
    assert got.y.tolist() == [7, 2, 7] and got.y.dtype == np.int64 and got.splits["test"].tolist() == [2]
    assert got.X[1].tolist() == X[1].tolist()
    assert idx_images("0123456789")(files.get, "test").X.shape == (1, 3, 3)
    pack = io.BytesIO()
    np.savez(pack, a=X, b=y)
    got = npz_images("f", "f", "a", "b", "0123456789")(_get(pack.getvalue()))
    assert got.X.shape == (2, 3, 3) and got.y.tolist() == [7, 2] and got.splits["test"].tolist() == [0, 1]


@pytest.mark.parametrize("name, classes", [("wine", 3), ("diabetes", 0)])
def test_sets_of_scikit_learn(name, classes):
    got = bundled(name)()
    assert len(got.target_names) == len(set(got.y)) * (classes > 0) == classes and got.y.dtype == np.int64
    assert len(got.X) == len(got.y) and got.X.shape[1] == len(got.feature_names)
    assert (got.target is None) == (classes > 0)
