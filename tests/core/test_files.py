"""Tests of nbs/core/07_files.ipynb, extracted from its test cells: edit them there."""
import os
import pytest
import tempfile
from pathlib import Path
from unittest import mock

from reject_nb.core.files import is_full, out_dir, path_of, project_root, read_dirs, write_atomic

def test_write_atomic_keeps_the_old_file_when_it_fails():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a"/"b.txt"
        write_atomic(path, b"old")
        with pytest.raises(TypeError): write_atomic(path, "not bytes")
        assert path.read_bytes() == b"old" and [p.name for p in path.parent.iterdir()] == ["b.txt"]


def test_path_of_refuses_what_leaves_the_folder():
    for bad in ("figure1", "sdr/", "/figure1", "../x/y", "a/b/c"):
        with pytest.raises(ValueError, match="id must look like"): path_of(bad, ".png")


def test_path_of_is_below_the_folder():
    assert path_of("sdr/risk", ".csv", "kept") == Path("kept/sdr/risk.csv")
    assert path_of("sdr/risk", ".csv") == out_dir()/"sdr"/"risk.csv"


def _told(**values): return mock.patch.dict(os.environ, values)


def test_a_run_is_quick_unless_it_is_full():
    for said, full in (("quick", False), ("full", True)):
        with _told(REJECT_NB_MODE=said): assert is_full() is full
    with _told(REJECT_NB_MODE="fast"), pytest.raises(ValueError,
                                                     match="^REJECT_NB_MODE must be 'quick' or 'full'"):
        is_full()
    with mock.patch.dict(os.environ):
        os.environ.pop("REJECT_NB_MODE", None)
        assert is_full() is False


def test_where_files_are_written_and_looked_for():
    root = project_root()
    with _told(REJECT_NB_OUT="/scratch"):
        assert out_dir() == Path("/scratch") and read_dirs() == [Path("/scratch"), root/"figures"]
        assert read_dirs(Path("a")) == [Path("a"), root/"figures"]
        with mock.patch.dict(read_dirs.__globals__, project_root=lambda: None):
            assert read_dirs() == [Path("/scratch")]
    with _told(REJECT_NB_OUT=""):
        assert out_dir() == root/"figures"
        with mock.patch.dict(out_dir.__globals__, project_root=lambda: None):
            assert out_dir() == Path.cwd()/"figures"


def test_a_checkout_has_settings_and_notebooks():
    "From two folders below; a folder with one of both is none."
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        inner = top/"a"/"b"
        inner.mkdir(parents=True)
        (top/"a"/"settings.ini").write_text("")
        with mock.patch.dict(project_root.__globals__, __file__=str(inner/"c"/"d"/"e.py")):
            try:
                os.chdir(inner)
                assert project_root() is None
                (top/"settings.ini").write_text("")
                (top/"nbs").mkdir()
                assert project_root() == top
                (top/"a"/"nbs").mkdir()
                assert project_root() == top/"a"
                os.chdir(before)
                for part in ("settings.ini", "nbs/x"): (inner/part).parent.mkdir(exist_ok=True)
                (inner/"settings.ini").write_text("")
                assert project_root() == inner                       # the package's own parent comes first
            finally: os.chdir(before)


def test_writing_twice_and_what_is_left():
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)/"a"/"b"/"c.txt"
        assert write_atomic(path, b"one") == path and write_atomic(str(path), b"two") == path
        assert path.read_bytes() == b"two" and path.stat().st_mode & 0o777 == 0o644
        failing = mock.Mock(side_effect=OSError("full"))
        with mock.patch.object(os, "replace", failing), pytest.raises(OSError, match="full"):
            write_atomic(path, b"three")
        gone = mock.Mock(side_effect=lambda part, _: (os.unlink(part), failing()))
        with mock.patch.object(os, "replace", gone), pytest.raises(OSError, match="full"):
            write_atomic(path, b"three")          # what is gone already need not be removed
        assert path.read_bytes() == b"two" and [p.name for p in path.parent.iterdir()] == ["c.txt"]


def test_names_below_a_folder():
    assert path_of("a/b", "", Path("x")) == Path("x/a/b")
    for bad in ("a/..", "a/b..c", "", "a", "/", "a/"):
        with pytest.raises(ValueError, match="^id must look like 'module/name'"): path_of(bad, ".csv")
