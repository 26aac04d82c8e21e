"""Tests of nbs/data/04_loading.ipynb, extracted from its test cells: edit them there."""
import hashlib
import numpy as np
import os
import pytest
import tempfile
from pathlib import Path
from reject_nb.data.sets import Entry
from reject_nb.data.sets import File
from reject_nb.data.sets import Variant
from unittest import mock

from reject_nb.data.loading import (
    ChecksumError, MissingDataError, UnknownDataError, available, entry, fetch, fingerprint, is_bundled,
    load, names, needs, registry,
)

def test_names():
    assert entry("SATTELITE").name == "satellite" and entry("Breast-Cancer").name == "breast_cancer" and entry("IJCNN").name == "ijcnn1"
    with pytest.raises(UnknownDataError, match="spambase"): entry("spambaes")
    with pytest.raises(UnknownDataError, match=r"names\(\)"): entry("qqqqqq")
    with pytest.raises(TypeError, match="name"): entry(3)
    assert len(names(task="ordinal")) == 11 and "mnist" in names(paper="gpc") and set(names()) == set(registry())


def test_registry_is_well_formed():
    every = list(registry().values())
    spoken = [a.lower() for e in every for a in (e.name, *e.aliases)]
    assert len(set(spoken)) == len(spoken)
    for e in every:
        assert e.title and e.licence and e.source.startswith("http") and e.papers, e.name
        for v in e.variants:
            for f in v.files:
                assert len(f.sha256) in (0, 64) and len(f.md5) in (0, 32)
                assert f.sha256 or f.md5 or f.urls, (e.name, f.name)          # known, or at least known where
        kinds = [all(f.sha256 or f.md5 for f in v.files) for v in e.variants]
        assert all(kinds) or e.content or not any(kinds), e.name              # what has no checksum is known by content, or nothing is known


def test_fingerprint():
    X, y = np.arange(6.).reshape(3, 2), np.array([0, 1, 0])
    same = fingerprint(X, y)
    assert fingerprint(X * (1 + 1e-12), y.astype(np.int32)) == same and fingerprint(np.where(X == 0, -0.0, X), y) == same
    assert len({same, fingerprint(X, 1 - y), fingerprint(X[::-1], y), fingerprint(X.reshape(2, 3), y), fingerprint(X + 1e-3, y)}) == 5


def test_bundled_sets():
    from sklearn.datasets import load_breast_cancer, load_diabetes
    ours, theirs = load("breast_cancer"), load_breast_cancer()
    np.testing.assert_array_equal(ours.X, theirs.data)
    np.testing.assert_array_equal(ours.y, theirs.target)
    assert ours.target_names == ("malignant", "benign") and ours.feature_names[0] == "mean radius" and ours.target is None
    np.testing.assert_array_equal(load("diabetes").target, load_diabetes().target)
    for e in registry().values():
        if not is_bundled(e): continue
        d = load(e)
        assert d.X.shape == (e.rows, e.columns) and len(d.target_names) == e.classes and available(e) and fetch(e) == [], e.name


def test_splits_are_checked():
    with pytest.raises(ValueError, match="split must be one of none"): load("iris", split="test")
    with pytest.raises(ValueError, match="test, train"): load("mnist", split="validation", download=False)
    with pytest.raises(ValueError, match="test"): load("notmnist", split="train", download=False)


@needs("spambase", "wdbc", "pima", "sonar", "ionosphere", "german", "heart", "new-thyroid", "banana", "platooning")
def test_small_sets():
    from sklearn.datasets import load_breast_cancer
    for name in ("spambase", "wdbc", "pima", "sonar", "ionosphere", "german", "heart", "new-thyroid", "banana", "platooning"):
        e, d = entry(name), load(name, download=False)
        assert d.X.shape == (e.rows, e.columns) and len(np.unique(d.y)) == len(d.target_names) == e.classes, name
        assert d.X.dtype == np.float64 and len(d.feature_names) == e.columns and np.isfinite(d.X).all(), name
        assert d.provenance.verified == "checksum" and e.content in ("", fingerprint(d.X, d.y)), name
    cells, other = load("wdbc", download=False), load_breast_cancer()
    np.testing.assert_allclose(cells.X, other.data, rtol=1e-12)
    np.testing.assert_array_equal(cells.y, 1 - other.target)
    assert load("spambase", download=False).y.sum() == 1813                   # as UCI says


@needs("mnist", split="test")
def test_mnist_test_part():
    d = load("mnist", split="test", download=False)
    assert d.X.shape == (10000, 28, 28) and d.X.dtype == np.uint8 and [n for n, _ in d.provenance.files][0].startswith("t10k")
    assert np.bincount(d.y).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert 33.30 < d.X.mean() < 33.80                                          # .1325 * 255, the value that others print


def test_needs_skips():
    ran = []
    with tempfile.TemporaryDirectory() as empty, mock.patch.dict(os.environ, REJECT_NB_DATA=empty), \
            mock.patch.dict(load.__globals__, cache=lambda: Path(empty), _in_pytest=lambda: True):
        needs("iris")(lambda: ran.append(1))()
        with pytest.raises(pytest.skip.Exception, match="spambase"): needs("iris", "spambase")(lambda: ran.append(2))()
    assert ran == [1]


def test_order_of_search_and_checksums():
    from reject_nb.data.readers import table
    good = b"1,2,a\n3,4,b\n5,6,a\n"
    e = Entry("toy", "Toy", "classification", 3, 2, 2, "none", "http://localhost/", ("gpc",),
              (Variant((File("toy.csv", hashlib.sha256(good).hexdigest()),), table(("toy.csv",), names=("u", "v"))),))
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        where = {k: base / k / "toy" / "toy.csv" for k in ("home", "REJECT_NB_DATA", "cache")}
        with mock.patch.dict(os.environ, REJECT_NB_DATA=str(base / "REJECT_NB_DATA")), mock.patch.dict(load.__globals__, cache=lambda: base / "cache"):
            with pytest.raises(MissingDataError, match="no such folder"): load(e, base / "home")
            for k in ("cache", "REJECT_NB_DATA", "home"):                      # the later ones come first in the search
                where[k].parent.mkdir(parents=True)
                where[k].write_bytes(good)
                assert load(e, base / "home").provenance.found == k and available(e, base / "home")
            d = load(e, base / "home")
            assert d.X.tolist() == [[1, 2], [3, 4], [5, 6]] and d.y.tolist() == [0, 1, 0] and d.target_names == ("a", "b")
            assert str(base) not in repr(d.provenance) and d.provenance.files == (("toy.csv", hashlib.sha256(good).hexdigest()),)
            where["home"].write_bytes(good + b"\n")
            with pytest.raises(ChecksumError, match="toy.csv has sha256"): load(e, base / "home")
            with pytest.raises(ChecksumError): fetch(e, base / "home")
            assert where["home"].read_bytes() == good + b"\n"                  # neither used nor deleted
            assert load(e).provenance.found == "REJECT_NB_DATA"


def test_content_verification():
    from reject_nb.data.readers import table
    good = b"1,2,a\n3,4,b\n5,6,a\n"
    read = table(("toy.csv",), names=("u", "v"))
    parsed = read(lambda n: good)
    e = Entry("toy", "Toy", "classification", 3, 2, 2, "none", "http://localhost/", ("gpc",),
              (Variant((File("toy.csv"),), read),), fingerprint(parsed.X, parsed.y))
    unknown = Entry("toy", "Toy", "classification", 3, 2, 2, "none", "http://localhost/", ("gpc",), (Variant((File("toy.csv"),), read),))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "toy" / "toy.csv"
        path.parent.mkdir()
        for raw in (good, good.replace(b"\n", b"\r\n"), good.replace(b"1,", b"1.0,")):
            path.write_bytes(raw)
            assert load(e, folder).provenance.verified == "content"
            assert load(unknown, folder).provenance.verified.startswith("counts alone")
        for raw, what in ((good + b"7,8,a\n", "4 rows instead of 3"), (b"1,a\n2,b\n3,b\n", "1 columns instead of 2"), (good[:-6], "2 rows"), (good.replace(b"b", b"a"), "1 classes"),
                          (good.replace(b"6", b"7"), "not the values"), (b"<html>", "1 rows instead of 3"), (b"", "cannot be read")):
            path.write_bytes(raw)
            with pytest.raises(ChecksumError, match=what): load(e, folder)


def test_missing_message():
    with tempfile.TemporaryDirectory() as empty, mock.patch.dict(os.environ, REJECT_NB_DATA=empty), mock.patch.dict(load.__globals__, cache=lambda: Path(empty)):
        with pytest.raises(MissingDataError) as caught: load("shuttle", download=False)
        for part in ("shuttle.trn + shuttle.tst", "https://archive.ics.uci.edu/", "folder shuttle/", "$REJECT_NB_DATA"): assert part in str(caught.value)
        with pytest.raises(MissingDataError, match="ibug"): load("300w")
        with pytest.raises(MissingDataError, match="ibug"): fetch("300w")
        with pytest.raises(MissingDataError, match="no direct download"): load("usps")


def test_download_from_a_server():
    import shutil
    import threading
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from reject_nb.data.readers import table
    good = b"".join(b"%d,%d,%d\n" % (i, i * i, i % 2) for i in range(5000))
    over = threading.Event()
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            kind = self.path.rsplit("/", 1)[-1]
            if kind == "none": return self.send_error(404)
            if kind == "silent": return over.wait(60)
            body = {"other": good[:-2] + b"9\n", "cut": good[:len(good) // 2]}.get(kind, good)
            self.send_response(200)
            self.send_header("Content-Length", str(len(good)))
            self.end_headers()
            self.wfile.write(body[:len(good) // 2] if kind == "broken" else body)
            if kind in ("broken", "cut"): self.close_connection = True
        def log_message(self, *args): pass
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    read = table(("toy.csv",), names=("u", "v"))
    parsed = read(lambda n: good)
    def make(*kinds, known=True):
        urls = tuple(f"http://127.0.0.1:{server.server_port}/{k}" for k in kinds)
        file = File("toy.csv", hashlib.sha256(good).hexdigest() if known else "", urls=urls)
        return Entry("toy", "Toy", "classification", 5000, 2, 2, "none", "http://localhost/", ("gpc",), (Variant((file,), read),), fingerprint(parsed.X, parsed.y))
    def patience(seconds): return mock.patch.dict(load.__globals__, TIMEOUT=(30, seconds))
    try:
        with tempfile.TemporaryDirectory() as folder, patience(30), mock.patch.dict(os.environ, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1"):
            target = Path(folder) / "toy"
            for known in (True, False):
                for kind, error, what in (("none", MissingDataError, "answered 404"), ("other", ChecksumError, "toy.csv"), ("broken", MissingDataError, "broken"), ("cut", MissingDataError, "cut"),
                                          ("silent", MissingDataError, "silent: ReadTimeout")):
                    with patience(.3 if kind == "silent" else 30), pytest.raises(error, match=what): fetch(make(kind, known=known), folder, progress=False)
                    assert not target.exists(), (kind, known)                  # nothing under the final name, no folder left over
                for kinds in (("good",), ("none", "broken", "good")):           # the next address is tried
                    assert [p.name for p in fetch(make(*kinds, known=known), folder, progress=False)] == ["toy.csv"]
                    assert [p.name for p in target.iterdir()] == ["toy.csv"] and (target / "toy.csv").read_bytes() == good
                    assert (target / "toy.csv").stat().st_mode & 0o777 == 0o644 or os.name == "nt"
                    shutil.rmtree(target)
            with mock.patch.dict(load.__globals__, cache=lambda: Path(folder) / "cache"), mock.patch.dict(os.environ, REJECT_NB_DATA=""):
                first, again = load(make("good"), progress=False), load(make("none"), progress=False)
            assert (first.provenance.found, again.provenance.found) == ("download", "cache")
            np.testing.assert_array_equal(first.X, again.X)
    finally:
        over.set()
        server.shutdown()


def test_interrupted_and_offline():
    from reject_nb.data.readers import table
    file = File("toy.csv", "0" * 64, urls=("http://127.0.0.1:9/toy.csv",))     # nobody listens on this port
    e = Entry("toy", "Toy", "classification", 1, 1, 2, "none", "http://localhost/", ("gpc",), (Variant((file,), table(("toy.csv",), names=("u",))),))
    def half(url, folder, file, progress):
        (Path(folder) / file.name).write_bytes(b"half")
        raise KeyboardInterrupt
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1"):
        (Path(folder) / "toy").mkdir()
        with pytest.raises(MissingDataError) as caught: fetch(e, folder, progress=False)
        for part in ("toy.csv", "http://127.0.0.1:9/toy.csv: ConnectionError", "folder toy/"): assert part in str(caught.value)
        assert "0x" not in str(caught.value).splitlines()[-1]                   # no address of an object in the reason
        with mock.patch.dict(load.__globals__, _get=half), pytest.raises(KeyboardInterrupt): fetch(e, folder, progress=False)
        assert list((Path(folder) / "toy").iterdir()) == []


@needs("avila", "letter", "marketing", "pendigits", "phishing", "satellite", "shuttle", "abalone", "ccpp", "cpu", "bank32nh", "california")
def test_table_2_of_the_smaller_sets():
    for name in ("avila", "letter", "marketing", "pendigits", "phishing", "satellite", "shuttle", "abalone", "ccpp", "cpu", "bank32nh", "california"):
        e, d = entry(name), load(name, download=False)
        assert (*d.X.shape, len(np.unique(d.y))) == e.table2, name
        assert e.content in ("", fingerprint(d.X, d.y if d.target is None else d.target)), name
        assert len(d.feature_names) == d.X.shape[1] and np.isfinite(d.X).all(), name
        if e.task == "ordinal":                                                # classes follow the order of the target
            assert all(d.target[d.y == k].max() < d.target[d.y == k + 1].min() for k in range(e.classes - 1)), name
    assert np.bincount(load("marketing", download=False).y).tolist() == [39922, 5289]                    # UCI's counts
    assert np.bincount(load("shuttle", download=False).y).tolist() == [45586, 50, 171, 8903, 3267, 10, 13]


@pytest.mark.slow
@needs("covtype", "cod-rna", "cifar10", "faces68", "tiny-imagenet", "facebook", "gpu", "metro", "usps")
def test_every_set_that_is_here():
    seen = 0
    for e in registry().values():
        if not available(e): continue
        d = load(e, download=False)
        rows = next((v.rows for v in e.variants if v.rows and v.note == d.provenance.note), e.rows)
        assert len(d.X) == len(d.y) == rows and int(np.prod(d.X.shape[1:])) == e.columns and len(d.target_names) == e.classes, e.name
        assert e.content in ("", fingerprint(d.X, d.y if d.target is None else d.target)), e.name
        assert all(len(set(rows)) == len(rows) and max(rows) < len(d.y) for rows in d.splits.values()), e.name
        if d.y.ndim == 1 and e.classes: assert set(d.y) <= set(range(e.classes)) and len(set(d.y)) >= e.classes - 1, e.name
        seen += 1
    assert seen >= 40
