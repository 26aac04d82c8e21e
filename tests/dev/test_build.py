"""Tests of nbs/dev/10_build.ipynb, extracted from its test cells: edit them there."""
import nbformat
import pytest
from reject_nb.dev.notebooks import ExtractionError
from reject_nb.dev.notebooks import notebook_paths
from reject_nb.dev.notebooks import relative
from reject_nb.dev.notebooks import root
from reject_nb.dev.runner import NotebookRun

from reject_nb.dev.build import _NOISE, _failure, extract_tests, parse_test_cell, presentable, site_toc

def test_extractor_supplies_imports_and_marks_slow():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (
        "#| default_exp a.b", "#| export\nfrom numpy.linalg import norm as length\nclass Thing: pass", "import math as m",
        "#| test\n#| slow\nLIMIT = 3\ndef test_it():\n    y = [m.pi for m2 in range(LIMIT)]\n    assert length(y) and Thing()\n\ntest_it()")])
    text = extract_tests(nb, root()/"nbs"/"99_demo.ipynb")
    assert "from numpy.linalg import norm as length" in text and "import math as m" in text and "from reject_nb.a.b import Thing" in text
    assert "@pytest.mark.slow\ndef test_it" in text and "\ntest_it()" not in text and "LIMIT = 3" in text
    compile(text, "x", "exec")


def test_extractor_keeps_helpers_and_cases_in_order():
    source = ("#| test\nCASES = [(n, n**2) for n in range(3)]\ndef _square(n): return n*n\n"
              "@pytest.mark.parametrize(\"n, square\", CASES)\ndef test_square(n, square): assert _square(n) == square\n\nrun_tests(test_square)")
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in ("import pytest\nfrom reject_nb.dev.testing import run_tests", source)])
    text = extract_tests(nb, root()/"nbs"/"99_demo.ipynb")
    assert "import pytest" in text and "run_tests" not in text
    assert text.index("CASES =") < text.index("def _square") < text.index("@pytest.mark.parametrize") < text.index("def test_square")


def test_extractor_names_what_a_test_may_not_use():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (
        "demo = 3", "#| test\ndef test_it(): assert demo == 3\n\ntest_it()")])
    with pytest.raises(ExtractionError, match="uses demo"): extract_tests(nb, root()/"nbs"/"99_demo.ipynb")


def test_extractor_refuses_what_would_be_lost():
    cases = {"def helper(): assert 1": "named test_", "x = 1": "UPPER_CASE", "def test_a(): pass\ntest_a()": "cannot fail", "1 + 1": "only imports",
             "def test_a(): assert 1": "never calls test_a", "test_b()": "this cell's tests", "for i in []: pass": "only imports"}
    for source, words in cases.items():
        with pytest.raises(ExtractionError, match=words): parse_test_cell(source, "nbs/x.ipynb")


def test_readers_see_no_directives_and_no_hidden_cells():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (
        "#| default_exp x", "#| export\nx = 1", "#| hide\nsecret = 1", "#| test\ndef test_x(): assert 1", "x")])
    assert [c.source for c in presentable(nb, fold_tests=False).cells] == ["x = 1", "x"]
    site = presentable(nb, fold_tests=True).cells
    assert [c.source for c in site] == ["x = 1", "def test_x(): assert 1", "x"] and site[1].metadata["tags"] == ["hide-cell"]
    assert len(nb.cells) == 5


def test_every_notebook_is_on_the_site_once():
    pages = [c["file"] for part in site_toc()["parts"] for c in part["chapters"]]
    assert sorted(pages + ["index"]) == sorted(relative(p)[4:-6] for p in notebook_paths())


def test_noise_is_found():
    assert _NOISE["a memory address"].search("<object at 0x7f3a2b>") and not _NOISE["a memory address"].search("0x7f")
    assert _NOISE["a path of this machine"].search("File /home/someone/x.py") and not _NOISE["a path of this machine"].search("figures/sdr/home/x and/or")


def test_failure_names_the_cell_and_ends_with_its_traceback():
    from pathlib import Path
    run = NotebookRun(Path("x.ipynb"), "failed", 3, "f()", "AssertionError: ", "\n".join(f"line {i}" for i in range(40)))
    lines = _failure(run, "nbs/x.ipynb").splitlines()
    assert lines[0] == "nbs/x.ipynb, cell 3 (f()): AssertionError:" and lines[-1] == "    line 39" and len(lines) < 20
