"""Tests of nbs/core/07_files.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile
from pathlib import Path

from reject_nb.core.files import out_dir, path_of, write_atomic

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
