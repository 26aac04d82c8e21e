"""Tests of nbs/03_figures.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path

from reject_nb.figures import (decision_region, figure, is_full, load_table, path_of, save, save_table, stored, write_atomic)

def test_write_atomic_keeps_the_old_file_when_it_fails():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a"/"b.txt"
        write_atomic(path, b"old")
        with pytest.raises(TypeError): write_atomic(path, "not bytes")
        assert path.read_bytes() == b"old" and [p.name for p in path.parent.iterdir()] == ["b.txt"]


def test_path_of_refuses_what_leaves_the_folder():
    for bad in ("figure1", "sdr/", "/figure1", "../x/y", "a/b/c"):
        with pytest.raises(ValueError, match="id must look like"): path_of(bad, ".png")


def test_table_round_trip():
    with tempfile.TemporaryDirectory() as folder:
        save_table("room/t", {"n": [1, 2], "x": [1/3, -0.0], "s": ["a, b", "c\"d"]}, folder)
        t = load_table("room/t", folder)
        assert t["n"].dtype.kind == "i" and t["n"].tolist() == [1, 2]
        assert t["x"].tolist() == [0.333333, 0.0] and not np.signbit(t["x"][1])   # six significant digits
        assert t["s"].tolist() == ["a, b", "c\"d"]


def test_table_refuses_ragged_columns():
    with pytest.raises(ValueError, match="of one length"): save_table("room/t", {"a": [1], "b": [1, 2]})
    with pytest.raises(ValueError, match="non-empty"): save_table("room/t", {})


def test_stored_computes_only_in_a_full_run():
    calls = []
    def compute():
        calls.append(1)
        return {"x": [1.5, 2.5]}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        env.setenv("REJECT_NB_OUT", folder); env.delenv("REJECT_NB_STORE", raising=False); env.setenv("REJECT_NB_MODE", "quick")
        with pytest.raises(FileNotFoundError, match="reproduce nowhere --full"): stored("nowhere/t", compute)
        env.setenv("REJECT_NB_MODE", "full")
        full = stored("nowhere/t", compute)
        env.setenv("REJECT_NB_MODE", "quick")
        assert stored("nowhere/t", compute)["x"].tolist() == full["x"].tolist() == [1.5, 2.5] and len(calls) == 1


def test_mode_is_checked():
    with pytest.MonkeyPatch.context() as env:
        env.setenv("REJECT_NB_MODE", "fast")
        with pytest.raises(ValueError, match="REJECT_NB_MODE"): is_full()


def test_figure_is_byte_identical():
    import matplotlib.pyplot as plt
    def draw(folder):
        fig, ax = figure(width=2, height=2)
        ax.plot([0, 1], [0, 1]); ax.set_title("a")
        path = save(fig, "room/f", {"x": [0, 1]}, folder)
        plt.close(fig)
        return path.read_bytes(), path.with_suffix(".csv").read_bytes()
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        assert draw(a) == draw(b)


def test_decision_region_values_are_those_of_the_function():
    import matplotlib.pyplot as plt
    fig, ax = figure(width=2, height=2)
    values = decision_region(ax, lambda P: P[:, 0] + 10*P[:, 1], (0, 1), (0, 2), n=3)
    plt.close(fig)
    assert values.tolist() == [[0, .5, 1], [10, 10.5, 11], [20, 20.5, 21]]
