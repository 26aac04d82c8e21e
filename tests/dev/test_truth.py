"""Tests of nbs/dev/09_truth.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from reject_nb.dev.truth import stored_files, there_is, typed_in

@pytest.mark.parametrize("call, expected", [
    ("claim('sdr/a', measured=x, holds=x > 1)", 0),
    ("claim('sdr/a', measured=f'{x:.2f}', holds=bool(x > 1))", 0),
    ("claim('sdr/a', measured=x, holds=x > 1, falsified=False)", 1),
    ("claim('sdr/a', measured=x, holds=x > 1, falsified=-x > 1)", 0),
    ("claim('sdr/a', measured=3)", 1), ("claim('sdr/a', -.5)", 1),
    ("claim('sdr/a', measured='three', holds=True)", 2),
    ("claim('sdr/a', f'three', x > 1)", 1), ("claim('sdr/a', measured=x, holds=bool(True))", 1),
    ("claim('sdr/a', measured=y, holds=x > 1)", 1), ("claim('sdr/a', measured=x, holds=not False)", 1),
    ("claim('sdr/a', measured='a' + 'b', holds=x > 1)", 1),
    ("claim('sdr/a', measured=f'{y}', holds=x > 1)", 1),
    ("y = x + 1\nclaim('sdr/a', measured=y, holds=x > 1)", 0)])
def test_what_is_typed_is_found(call, expected):
    assert len(typed_in(f"x = compute()\ny = 'said'\n{call}")) == expected


@pytest.mark.parametrize("evidence, expected", [
    ("sdr/appendix_a.csv", True), ("sdr/nothing.csv", False), ("sdr/90_paper#zzzzzzzz", False),
    ("sdr/89_nothing#a", False)])
def test_evidence_is_looked_up(evidence, expected):
    assert there_is(evidence) is expected


def test_what_only_a_full_run_computes_is_stored():
    "A table beside a picture is written with it, unless a notebook stores it under its whole name."
    files = ("kept.csv", "kept_2.csv", "weights.npz", "benchmark_a.csv", "benchmark_b.csv", "benchmark_b.png",
             "curve.csv", "curve.png", "kept.png", "loose.csv", "run_1.csv", "run_2.csv", "run_2.png")
    cell = SimpleNamespace(cell_type="code", source="stored('sdr/kept', f)\nstored(f'sdr/run_{k}', f)")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"figures"/"sdr").mkdir(parents=True)
        for name in files: (Path(folder)/"figures"/"sdr"/name).write_text("")
        places = {"root": lambda: Path(folder), "notebook_paths": lambda: [Path("nbs/sdr/90_paper.ipynb")],
                  "read": lambda path: SimpleNamespace(cells=[cell])}
        with mock.patch.dict(stored_files.__globals__, places): found = stored_files("sdr")
    assert found == ["benchmark_a.csv", "kept.csv", "run_1.csv", "weights.npz"]
