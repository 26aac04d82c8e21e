"""Tests of nbs/core/07_made.ipynb, extracted from its test cells: edit them there."""
import json
import pytest
import tempfile
from pathlib import Path

from reject_nb.core.made import NOT_RECORDED, cost_table, load_made, record_made

def test_what_is_recorded_is_read_back():
    with tempfile.TemporaryDirectory() as folder:
        assert load_made("sdr", folder) == {}
        record_made("sdr", "b.npz", "make b", 2., folder)
        entry = record_made("sdr", "a.csv", "make a", 3.14159, folder)
        assert load_made("sdr", folder)["a.csv"] == entry and entry["seconds"] == 3.1
        assert list(load_made("sdr", folder)) == ["a.csv", "b.npz"] and "python" in entry["versions"]


def test_the_costliest_comes_first_and_the_unknown_last():
    with tempfile.TemporaryDirectory() as folder:
        for name, seconds in (("a", 1.), ("b", 9.)): record_made("ood", name, "make", seconds, folder)
        path = Path(folder)/"sdr"
        path.mkdir()
        (path/"made.json").write_text(json.dumps({"c": dict(command="x", versions={}, seconds=NOT_RECORDED)}))
        assert cost_table(("sdr", "ood"), folder)["file"] == ["ood/b", "ood/a", "sdr/c"]


@pytest.mark.parametrize("command, seconds, words",
                         [("x", -1., "seconds"), ("x", float("nan"), "seconds"), (3, 1., "command")])
def test_entries_are_checked(command, seconds, words):
    with tempfile.TemporaryDirectory() as folder, pytest.raises(ValueError, match=words):
        record_made("sdr", "a.csv", command, seconds, folder)
