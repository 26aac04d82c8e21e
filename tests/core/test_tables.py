"""Tests of nbs/core/08_tables.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from reject_nb.core.files import is_full
from reject_nb.core.made import load_made
from reject_nb.core.made import record_made
from unittest import mock

from reject_nb.core.tables import load_table, markdown_table, save_table, show_table, stored

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
        env.setenv("REJECT_NB_OUT", folder)
        env.delenv("REJECT_NB_STORE", raising=False)
        env.setenv("REJECT_NB_MODE", "quick")
        with pytest.raises(FileNotFoundError, match="reproduce nowhere --full"): stored("nowhere/t", compute)
        env.setenv("REJECT_NB_MODE", "full")
        full = stored("nowhere/t", compute)
        assert load_made("nowhere", folder)["t.csv"]["command"] == "reject-nb reproduce nowhere --full"
        record_made("nowhere", "t.csv", "another command", 0, folder)
        stored("nowhere/t", compute)
        assert load_made("nowhere", folder)["t.csv"]["command"] == "another command"
        calls.pop()
        env.setenv("REJECT_NB_MODE", "quick")
        assert stored("nowhere/t", compute)["x"].tolist() == full["x"].tolist() == [1.5,
                                                                                    2.5] and len(calls) == 1


def test_mode_is_checked():
    with pytest.MonkeyPatch.context() as env:
        env.setenv("REJECT_NB_MODE", "fast")
        with pytest.raises(ValueError, match="REJECT_NB_MODE"): is_full()


def test_a_table_in_markdown():
    "Numbers stand to the right; a bar or the end of a line in a cell breaks no row."
    said = markdown_table({"set": ["a|b", "c\nd"], "risk": [.123456, 2], "n": np.array([3, 40])}, digits=3)
    assert said.splitlines() == ["| set | risk | n |",
                                 "|---|---:|---:|", "| a\\|b | 0.123 | 3 |", "| c d | 2 | 40 |"]
    mixed = markdown_table({"a": [1, "x"]}).splitlines()
    assert mixed[1] == "|---|" and mixed[2:] == ["| 1 |", "| x |"]
    assert "0.1235" in markdown_table({"a": [.123456]})


@pytest.mark.parametrize("title", [None, "risks"])
def test_a_table_is_shown_with_its_title(title):
    shown = []
    with mock.patch("IPython.display.display", shown.append): show_table({"a": [.123456]}, title, digits=2)
    head, _, table = shown[0].data.rpartition("\n\n") if title else ("", "", shown[0].data)
    assert head == (f"**{title}**" if title else "") and table == markdown_table({"a": [.123456]}, 2)
