"""Tests of nbs/data/10_loading.ipynb, extracted from its test cells: edit them there."""
import contextlib
import numpy as np
import os
import pytest
import re
import tempfile
import threading
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from reject_nb.data.entries import Entry
from reject_nb.data.entries import File
from reject_nb.data.entries import Variant
from reject_nb.data.readers import Content
from reject_nb.data.readers import table
from types import SimpleNamespace
from unittest import mock

from reject_nb.data.loading import (
    ChecksumError, MissingDataError, TASKS, UnknownDataError, _first, _part, available, checksum, download,
    entry, fetch, fingerprint, is_bundled, load, most, names, needs, registry,
)

@pytest.mark.parametrize("spelt, name", [
    ("SATTELITE", "satellite"), ("Breast-Cancer", "breast_cancer"), ("cod rna", "cod-rna"),
                                         ("MNIST", "mnist")])
def test_spellings(spelt, name):
    assert entry(spelt).name == name and entry(entry(spelt)).name == name


def test_names():
    assert "iris" in names() and len(names()) == len(registry())
    assert set(names("ordinal")) < set(names(paper="strategies"))
    with pytest.raises(UnknownDataError, match="did you mean.*shuttle"): entry("shutle")
    with pytest.raises(UnknownDataError, match="lists all"): entry("xyzxyz")


def test_registry_is_consistent():
    lower = [a.lower() for e in registry().values() for a in (*e.aliases, e.name)]
    assert len(lower) == len(set(lower))
    for e in registry().values():
        assert e.rows > 0 and e.licence and e.papers and e.task in TASKS, e.name
        assert e.source.startswith("http"), e.name
        for f in (f for v in e.variants for f in v.files):
            assert not f.sha256 or re.fullmatch("[0-9a-f]{64}", f.sha256), e.name
            assert all(u.startswith(("http://", "https://")) for u in f.urls) and "/" not in f.name, e.name


def test_fingerprint():
    X, y = np.arange(6.).reshape(3, 2), np.array([0, 1, 0])
    same = fingerprint(X, y)
    assert fingerprint(X * (1 + 1e-12), y.astype(np.int32)) == same
    assert fingerprint(np.where(X == 0, -0.0, X), y) == same
    assert len({same, fingerprint(X, 1 - y), fingerprint(X[::-1], y), fingerprint(X.reshape(2, 3), y),
                fingerprint(X + 1e-3, y)}) == 5


def test_bundled_sets():
    from sklearn.datasets import load_breast_cancer, load_diabetes
    ours, theirs = load("breast_cancer"), load_breast_cancer()
    np.testing.assert_array_equal(ours.X, theirs.data)
    np.testing.assert_array_equal(ours.y, theirs.target)
    assert ours.target_names == ("malignant", "benign") and ours.feature_names[0] == "mean radius"
    assert ours.target is None
    np.testing.assert_array_equal(load("diabetes").target, load_diabetes().target)
    for e in registry().values():
        if not is_bundled(e): continue
        d = load(e)
        assert d.X.shape == (e.rows, e.columns) and len(d.target_names) == e.classes, e.name
        assert available(e) and fetch(e) == [], e.name


def test_splits_are_checked():
    with pytest.raises(ValueError, match="split must be None"): load("iris", split="test")
    with pytest.raises(ValueError, match="test, train"): load("mnist", split="validation", download=False)
    with pytest.raises(ValueError, match="test"): load("notmnist", split="train", download=False)


def test_a_part_is_its_rows():
    splits = {"train": np.array([0, 2]), "test": np.array([1]), "all": np.arange(3)}
    whole = Content(np.arange(6.).reshape(3, 2), np.array([0, 1, 0]), ("u", "v"), ("a", "b"),
                    np.array([.5, 1., 0.]), splits)
    part = _part(whole, "train", None)
    assert part.X.tolist() == [[0, 1], [4, 5]] and part.y.tolist() == [0, 0]
    assert part.target.tolist() == [.5, 0]
    assert list(part.splits) == ["train"] and part.splits["train"].tolist() == [0, 1]
    assert _part(whole, None, None) is whole and _part(whole, "all", None) is whole

SMALL = ("spambase", "wdbc", "pima", "sonar", "ionosphere", "german", "heart", "new-thyroid", "banana",
         "platooning")

@needs(*SMALL)
def test_small_sets():
    from sklearn.datasets import load_breast_cancer
    for name in SMALL:
        e, d = entry(name), load(name, download=False)
        assert d.X.shape == (e.rows, e.columns) and len(d.feature_names) == e.columns, name
        assert len(np.unique(d.y)) == len(d.target_names) == e.classes, name
        assert d.X.dtype == np.float64 and np.isfinite(d.X).all(), name
        assert d.provenance.verified == "checksum" and e.content in ("", fingerprint(d.X, d.y)), name
    cells, other = load("wdbc", download=False), load_breast_cancer()
    np.testing.assert_allclose(cells.X, other.data, rtol=1e-12)
    np.testing.assert_array_equal(cells.y, 1 - other.target)
    assert load("spambase", download=False).y.sum() == 1813                   # as UCI says


@needs("mnist", split="test")
def test_mnist_test_part():
    d = load("mnist", split="test", download=False)
    assert d.X.shape == (10000, 28, 28) and d.X.dtype == np.uint8
    assert d.provenance.files[0][0].startswith("t10k")
    assert np.bincount(d.y).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert 33.30 < d.X.mean() < 33.80                          # .1325 * 255, the value that others print


def _changed(**names):
    "The loader with other functions or values under some names."
    return mock.patch.dict(load.__globals__, names)


def _only(folder):
    "Nothing is found but in one folder, as REJECT_NB_DATA and as cache."
    both = contextlib.ExitStack()
    both.enter_context(mock.patch.dict(os.environ, REJECT_NB_DATA=str(folder)))
    both.enter_context(_changed(cache=lambda: Path(folder)))
    return both


def test_needs_skips():
    ran = []
    with tempfile.TemporaryDirectory() as empty, _only(empty), _changed(_in_pytest=lambda: True):
        needs("iris")(lambda: ran.append(1))()
        with pytest.raises(pytest.skip.Exception, match="spambase"):
            needs("iris", "spambase")(lambda: ran.append(2))()
    assert ran == [1]
    with pytest.raises(UnknownDataError): needs("irs")

GOOD = b"1,2,a\n3,4,b\n5,6,a\n"
READ = table(("toy.csv",), names=("u", "v"))

def _toy(*files, content="", rows=3, read=READ):
    "An entry of the registry for a small table."
    return Entry(name="toy", title="Toy", task="classification", rows=rows, columns=2, classes=2,
                 licence="none",
                 source="http://localhost/", papers=("gpc",), variants=(Variant(files, read),),
                 content=content)


def _content(raw, read=READ):
    "The fingerprint of what a file holds."
    parsed = read(lambda name: raw)
    return fingerprint(parsed.X, parsed.y)


def test_order_of_search_and_checksums():
    e = _toy(File("toy.csv", checksum(GOOD)))
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        where = {k: base/k/"toy"/"toy.csv" for k in ("home", "REJECT_NB_DATA", "cache")}
        environment = mock.patch.dict(os.environ, REJECT_NB_DATA=str(base/"REJECT_NB_DATA"))
        with environment, _changed(cache=lambda: base/"cache"):
            with pytest.raises(MissingDataError, match="no such folder"): load(e, base/"home")
            for k in ("cache", "REJECT_NB_DATA", "home"):       # the later ones come first in the search
                where[k].parent.mkdir(parents=True)
                where[k].write_bytes(GOOD)
                assert load(e, base/"home").provenance.found == k and available(e, base/"home")
            d = load(e, base/"home")
            assert d.X.tolist() == [[1, 2], [3, 4], [5, 6]] and d.y.tolist() == [0, 1, 0]
            assert d.target_names == ("a", "b") and str(base) not in repr(d.provenance)
            assert d.provenance.files == (("toy.csv", checksum(GOOD)),)
            where["home"].write_bytes(GOOD + b"\n")
            with pytest.raises(ChecksumError, match="toy.csv has sha256"): load(e, base/"home")
            with pytest.raises(ChecksumError): fetch(e, base/"home")
            assert where["home"].read_bytes() == GOOD + b"\n"                  # neither used nor deleted
            assert load(e).provenance.found == "REJECT_NB_DATA"


@contextlib.contextmanager
def _at_home(raw):
    "A home folder that holds the toy set."
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"toy").mkdir()
        (Path(folder)/"toy"/"toy.csv").write_bytes(raw)
        yield folder


@pytest.mark.parametrize("raw", [GOOD, GOOD.replace(b"\n", b"\r\n"), GOOD.replace(b"1,", b"1.0,")])
def test_the_same_values_are_recognised(raw):
    with _at_home(raw) as home:
        assert load(_toy(File("toy.csv"), content=_content(GOOD)), home).provenance.verified == "content"
        assert load(_toy(File("toy.csv")), home).provenance.verified.startswith("counts alone")


@pytest.mark.parametrize("raw, what", [
    (GOOD + b"7,8,a\n", "4 rows instead of 3"), (b"1,a\n2,b\n3,b\n", "1 columns instead of 2"),
                                       (GOOD[:-6], "2 rows"),
    (GOOD.replace(b"b", b"a"), "1 classes"), (GOOD.replace(b"6", b"7"), "not the values"),
    (b"<html>", "1 rows instead of 3"), (b"", "toy.csv has no rows"),
    (GOOD.replace(b"4", b"x"), "cannot be read as data set 'toy' .toy.csv, line 2: 'x' is no number"),
    (GOOD.replace(b"4", b"nan"), "line 2: 'nan' is no number")])
def test_other_content_is_refused(raw, what):
    with _at_home(raw) as home, pytest.raises(ChecksumError, match=what):
        load(_toy(File("toy.csv"), content=_content(GOOD)), home)


def test_what_is_checked_is_what_is_read():
    "The file is exchanged after it was read and before it is parsed."
    def exchange(get, split=None):
        Path(home, "toy", "toy.csv").write_bytes(GOOD.replace(b"6", b"7"))
        return READ(get)
    with _at_home(GOOD) as home:
        d = load(_toy(File("toy.csv", checksum(GOOD)), read=exchange), home)
        assert d.X[2, 1] == 6 and d.provenance.files == (("toy.csv", checksum(GOOD)),)


def test_bombs_are_refused():
    import gzip
    with tempfile.TemporaryDirectory() as home:
        (Path(home)/"toy").mkdir()
        (Path(home)/"toy"/"toy.csv.gz").write_bytes(gzip.compress(bytes(most(_toy()) + 1)))
        with pytest.raises(ChecksumError, match="toy.csv.gz unpacks to more than 16,000,192 bytes"):
            load(_toy(File("toy.csv.gz")), home)


def test_missing_message():
    with tempfile.TemporaryDirectory() as empty, _only(empty):
        with pytest.raises(MissingDataError) as caught: load("shuttle", download=False)
        for part in ("shuttle.trn + shuttle.tst", "https://archive.ics.uci.edu/", "folder shuttle/",
                     "$REJECT_NB_DATA"):
            assert part in str(caught.value)
        with pytest.raises(MissingDataError, match="ibug"): load("300w")
        with pytest.raises(MissingDataError, match="ibug"): fetch("300w")
        with pytest.raises(MissingDataError, match="no direct download"): load("usps")

LARGE = b"".join(b"%d,%d,%d\n" % (i, i * i, i % 2) for i in range(5000))
OVER = threading.Event()

class _Handler(BaseHTTPRequestHandler):
    "The last part of the address says what is answered."
    def do_GET(self):
        kind = self.path.rsplit("/", 1)[-1]
        if kind == "none": return self.send_error(404)
        if kind == "silent": return OVER.wait(60)
        body = {"other": LARGE[:-2] + b"9\n", "cut": LARGE[:len(LARGE) // 2]}.get(kind, LARGE)
        self.send_response(200)
        self.send_header("Content-Length", "abc" if kind == "length" else str(len(LARGE)))
        self.end_headers()
        self.wfile.write(body[:len(LARGE) // 2] if kind == "broken" else body)
        if kind in ("broken", "cut"): self.close_connection = True

    def log_message(self, *args): pass


@contextlib.contextmanager
def _server():
    "A folder, and a function that makes an entry with addresses of a server."
    OVER.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    def make(*kinds, known=True):
        urls = tuple(f"http://127.0.0.1:{server.server_port}/{k}" for k in kinds)
        file = File("toy.csv", checksum(LARGE) if known else "", urls=urls)
        return _toy(file, content=_content(LARGE), rows=5000)
    direct = mock.patch.dict(os.environ, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
    try:
        with tempfile.TemporaryDirectory() as folder, direct: yield Path(folder), make
    finally:
        OVER.set()
        server.shutdown()
        server.server_close()

BAD = {"none": (MissingDataError, "answered 404"), "other": (ChecksumError, "toy.csv"),
       "broken": (MissingDataError, "broken"), "cut": (MissingDataError, "cut"),
       "silent": (MissingDataError, "silent: ReadTimeout"),
       "length": (MissingDataError, "length: the answer makes no sense")}

@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", list(BAD))
def test_a_bad_answer_leaves_nothing(kind, known):
    error, what = BAD[kind]
    with _server() as (folder, make), _changed(TIMEOUT=(30, .3 if kind == "silent" else 30)):
        with pytest.raises(error, match=what): fetch(make(kind, known=known), folder, progress=False)
        assert not (folder/"toy").exists()              # nothing under the final name, no folder left over


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kinds", [("good",), ("none", "length", "broken", "good")])
def test_the_next_address_is_tried(kinds, known):
    with _server() as (folder, make):
        path, = fetch(make(*kinds, known=known), folder, progress=False)
        assert path == folder/"toy"/"toy.csv" and path.read_bytes() == LARGE
        assert list(path.parent.iterdir()) == [path]
        assert path.stat().st_mode & 0o777 == 0o644 or os.name == "nt"


def test_a_download_is_found_the_next_time():
    with _server() as (folder, make), _only(folder/"cache"), mock.patch.dict(os.environ, REJECT_NB_DATA=""):
        first, again = load(make("good"), progress=False), load(make("none"), progress=False)
    assert (first.provenance.found, again.provenance.found) == ("download", "cache")
    np.testing.assert_array_equal(first.X, again.X)


def test_leftovers_of_killed_downloads_go():
    with _server() as (folder, make):
        (folder/"toy"/".part-dead").mkdir(parents=True)
        (folder/"toy"/".part-dead"/"toy.csv").write_bytes(LARGE[:100])
        fetch(make("good"), folder, progress=False)
        assert [p.name for p in (folder/"toy").iterdir()] == ["toy.csv"]


def test_trouble_with_the_disk_is_said():
    def full(url, folder, file, progress): raise OSError(28, "No space left on device")
    with _server() as (folder, make), _changed(_get=full):
        with pytest.raises(MissingDataError, match="good: OSError: no space left"):
            fetch(make("good"), folder, progress=False)
        (folder/"afile").write_text("")
        with pytest.raises(MissingDataError, match="afile/toy: NotADirectoryError: not a directory"):
            fetch(make("good"), folder/"afile", progress=False)


def test_interrupted_and_offline():
    e = _toy(File("toy.csv", "0" * 64, urls=("http://127.0.0.1:9/toy.csv",)))   # nobody listens on this port
    def half(url, folder, file, progress):
        (Path(folder)/file.name).write_bytes(b"half")
        raise KeyboardInterrupt
    with _server() as (folder, _):
        (folder/"toy").mkdir()
        with pytest.raises(MissingDataError) as caught: fetch(e, folder, progress=False)
        for part in ("toy.csv", "http://127.0.0.1:9/toy.csv: ConnectionError", "folder toy/"):
            assert part in str(caught.value)
        assert "0x" not in str(caught.value).splitlines()[-1]      # no address of an object in the reason
        with _changed(_get=half), pytest.raises(KeyboardInterrupt): fetch(e, folder, progress=False)
        assert list((folder/"toy").iterdir()) == []

MEDIUM = ("avila", "letter", "marketing", "pendigits", "phishing", "satellite", "shuttle", "abalone", "ccpp",
          "cpu",
          "bank32nh", "california")

@needs(*MEDIUM)
def test_table_2_of_the_smaller_sets():
    for name in MEDIUM:
        e, d = entry(name), load(name, download=False)
        assert (*d.X.shape, len(np.unique(d.y))) == e.table2, name
        assert e.content in ("", fingerprint(d.X, d.y if d.target is None else d.target)), name
        assert len(d.feature_names) == d.X.shape[1] and np.isfinite(d.X).all(), name
        if e.task != "ordinal": continue
        of_class = [d.target[d.y == k] for k in range(e.classes)]   # classes follow the order of the target
        assert all(a.max() < b.min() for a, b in zip(of_class, of_class[1:])), name
    assert np.bincount(load("marketing", download=False).y).tolist() == [39922, 5289]        # UCI's counts
    assert np.bincount(load("shuttle", download=False).y).tolist() == [45586, 50, 171, 8903, 3267, 10, 13]


@pytest.mark.slow
@needs("covtype", "cod-rna", "cifar10", "faces68", "tiny-imagenet", "facebook", "gpu", "metro", "usps")
def test_every_set_that_is_here():
    here = [e for e in registry().values() if available(e)]
    assert len(here) >= 40
    for e in here:
        d = load(e, download=False)
        rows = next((v.rows for v in e.variants if v.rows and v.note == d.provenance.note), e.rows)
        assert len(d.X) == len(d.y) == rows and int(np.prod(d.X.shape[1:])) == e.columns, e.name
        assert len(d.target_names) == e.classes, e.name
        assert e.content in ("", fingerprint(d.X, d.y if d.target is None else d.target)), e.name
        assert all(len(set(rows)) == len(rows) and max(rows) < len(d.y) for rows in d.splits.values()), e.name
        if d.y.ndim == 1 and e.classes:
            assert set(d.y) <= set(range(e.classes)) and len(set(d.y)) >= e.classes - 1, e.name


def _downloaded(folder, *events, names=("a",)):
    "Variants with the files named, each tried in turn with what happens then."
    def variant(files): return SimpleNamespace(files=[SimpleNamespace(name=n, urls=(n,)*(n != "-"))
                                                      for n in files])
    variants, tried, happens = [variant(files) for files in names], [], iter(events)
    def get(e, v, target, split, progress, told):
        tried.append(variants.index(v))
        assert target.is_dir()
        if (event := next(happens)) is not None: raise event
    entry = SimpleNamespace(variants=variants)
    def lacking(e, home, split, told): return MissingDataError(f"nothing: {told}")
    there = dict(_download_variant=get, needed=lambda v, split: v.files, missing=lacking)
    with mock.patch.dict(download.__globals__, there):
        try: return variants.index(download(entry, Path(folder)/"toy", progress=False)), tried
        except (MissingDataError, ChecksumError) as error: return str(error), tried


def test_variants_are_tried_in_turn():
    "One of whose files any has no address, or that has no files, is left out; the first that comes is taken."
    with tempfile.TemporaryDirectory() as folder:
        assert _downloaded(folder, None, names=("a", "b")) == (0, [0])
        assert _downloaded(folder, None, names=("a-", "-", "", "b")) == (3, [3])
        assert _downloaded(folder, MissingDataError("x"), None, names=("a", "b")) == (1, [0, 1])
        assert _downloaded(folder, names=("-", "")) == ("nothing: ()", [])


def test_a_wrong_file_is_told_before_a_missing_one():
    with tempfile.TemporaryDirectory() as folder:
        wrong = ChecksumError("one"), ChecksumError("two")
        assert _downloaded(folder, *wrong, MissingDataError("x"), names=("a", "b", "c")) == ("one", [0, 1, 2])
        words, tried = _downloaded(folder, OSError(28, "No space left on device"), MissingDataError("x"),
                                   names=("a", "b"))
        assert tried == [0, 1] and words.startswith("nothing: ('") and "o space left on device" in words


def test_a_folder_that_was_made_for_nothing_goes():
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)/"toy"
        _downloaded(folder, MissingDataError("x"))
        assert not target.exists()
        target.mkdir()
        _downloaded(folder, MissingDataError("x"))
        assert target.exists()                                       # it was there before
        _downloaded(folder, None)
        assert target.exists()


def test_a_wrong_file_goes_before_the_next_address_is_asked():
    seen = []
    def get(url, part, file, progress):
        seen.append((url, [p.name for p in Path(part).iterdir()]))
        if url == "dead": raise OSError("no way")
        (Path(part)/"f").write_bytes(url.encode())
        return Path(part)/"f"
    def verify(data, file):
        if data != b"good": raise ChecksumError(data.decode())
    def first(*urls):
        told = []
        with mock.patch.dict(_first.__globals__, _get=get, verify_file=verify):
            try: return _first(SimpleNamespace(urls=urls, name="f"), folder, False, told), told
            except (ChecksumError, MissingDataError) as error: return str(error), told
    with tempfile.TemporaryDirectory() as folder:
        assert first() == ("f", []) and first("bad", "worse") == ("bad", ["bad: wrong checksum",
                                                                         "worse: wrong checksum"])
        assert first("dead")[0] == "f" and [p.name for p in Path(folder).iterdir()] == []
        assert first("dead", "bad", "good")[0] == (Path(folder)/"f", b"good")
    assert all(before == [] for _, before in seen) and len(seen) == 6
