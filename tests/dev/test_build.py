"""Tests of nbs/dev/10_build.ipynb, extracted from its test cells: edit them there."""
import pytest
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from reject_nb.dev.runner import NotebookRun

from reject_nb.dev.build import failure, main, moved_claims

def test_failure_names_the_cell_and_ends_with_its_traceback():
    traceback = "\n".join(f"line {i}" for i in range(40))
    run = NotebookRun(Path("x.ipynb"), "failed", 3, "f()", "AssertionError: ", traceback)
    lines = failure(run, "nbs/x.ipynb").splitlines()
    assert lines[0] == "nbs/x.ipynb, cell 3 (f()): AssertionError:"
    assert lines[-1] == "    line 39" and len(lines) < 20


def test_claims_that_appear_or_vanish_are_told():
    assert moved_claims({"a": "match"}, {"a": "match"}) == []
    appeared, vanished = moved_claims({"b": "match"}, {"a": "differs"})
    assert "a: committed as missing, now differs" in appeared
    assert "b: committed as match, now missing" in vanished


def test_unknown_steps_are_refused():
    with redirect_stderr(StringIO()) as said, pytest.raises(SystemExit): main(["nonsense"])
    assert "nonsense" in said.getvalue()
