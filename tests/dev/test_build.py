"""Tests of nbs/dev/10_build.ipynb, extracted from its test cells: edit them there."""
import pytest
from contextlib import redirect_stderr
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from reject_nb.dev.notebooks import root
from reject_nb.dev.outputs import Moved
from reject_nb.dev.runner import NotebookRun
from unittest import mock

from reject_nb.dev.build import check, check_running, failure, main, moved_claims, run_all

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


def test_moved_outputs_fail_where_they_are_compared():
    run = NotebookRun(root()/"nbs"/"x.ipynb", "done", moved=(Moved(3, "risk 0.1", "risk 0.2"),))
    with mock.patch.dict(run_all.__globals__, run_notebooks=lambda paths, env, **options: [run]), \
            redirect_stdout(StringIO()):
        assert run_all([], None, False) == []
        told = run_all([], None, False, compare=True)
    assert told == ["nbs/x.ipynb, cell 3 shows 'risk 0.2', stored is 'risk 0.1'"]


@pytest.mark.parametrize("tables, claims, expected", [
    ([], {}, []), (["table a.csv is not committed"], {}, ["table a.csv is not committed"]),
    ([], {"b": "match"}, ["claim b: committed as missing, now match; run `make figures`"])])
def test_running_compares_tables_and_claims(tables, claims, expected):
    asked = []
    def ran(paths, out, **options): return asked.append(options) or []
    def made(stored, out):
        return tables if stored == root()/"figures" and out != stored else ["wrong folders"]
    def loaded(folder):
        known = claims if folder != root()/"figures" else {}
        return {id: mock.Mock(status=status) for id, status in known.items()}
    with mock.patch.dict(check_running.__globals__, run_all=ran, moved_tables=made, load_claims=loaded):
        assert check_running() == expected
    assert asked == [{"keep": False, "jobs": 2, "tests": False, "warm": True, "compare": True}]


def test_ten_of_the_slowest_are_named():
    runs = [NotebookRun(root()/"nbs"/f"{i:02}.ipynb", "done", seconds=float(i)) for i in range(11)]
    runs.append(NotebookRun(root()/"nbs"/"x.ipynb", "failed", 3, "f()", "KeyError: 1", "", .2))
    with mock.patch.dict(run_all.__globals__, run_notebooks=lambda paths, env, **options: runs), \
            redirect_stdout(StringIO()) as said:
        wrong = run_all([], None, False)
    slowest = said.getvalue().splitlines()[-1]
    assert slowest.startswith("  slowest: nbs/10.ipynb 10 s, nbs/09") and slowest.count(".ipynb") == 10
    assert slowest.endswith("nbs/01.ipynb 1 s") and wrong == ["nbs/x.ipynb, cell 3 (f()): KeyError: 1"]


@pytest.mark.parametrize("sentences, status", [([], 0), (["a line"], 1)])
def test_checks_say_what_is_wrong(sentences, status):
    toys = {"CHECKS": {"one": lambda: [], "two": lambda: sentences}, "BESIDE": ("two",),
            "longest_cells": lambda n: [(9, f"cell {i}") for i in range(n)]}
    with mock.patch.dict(check.__globals__, toys), redirect_stdout(StringIO()) as said:
        assert check() == status
    first, *rest = said.getvalue().splitlines()
    assert first.count("(9 lines)") == 6 and sum("  a line" == line for line in rest) == status
    assert any(line.startswith(f"check: two: {'failed' if status else 'ok'}, ") for line in rest)


def test_unknown_steps_are_refused():
    with redirect_stderr(StringIO()) as said, pytest.raises(SystemExit): main(["nonsense"])
    assert "nonsense" in said.getvalue()
