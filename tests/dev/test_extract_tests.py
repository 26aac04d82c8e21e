"""Tests of nbs/dev/04_extract_tests.ipynb, extracted from its test cells: edit them there."""
import ast
import nbformat
import pytest
import tempfile
from pathlib import Path
from reject_nb.core.files import write_atomic
from reject_nb.dev.notebooks import ExtractionError
from reject_nb.dev.notebooks import root
from unittest import mock

from reject_nb.dev.extract_tests import (
    _import_line, bound_in, extract_tests, parse_test_cell, too_early, without_calls, write_tests,
)

def _cells(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


def _extracted(*sources): return extract_tests(_cells(*sources), root()/"nbs"/"99_demo.ipynb")


def test_extractor_supplies_imports_and_marks_slow():
    text = _extracted("#| default_exp a.b",
                      "#| export\nfrom numpy.linalg import norm as length\nclass Thing: pass",
                      "import math as m",
                      "#| test\n#| slow\nLIMIT = 3\ndef test_it():\n    y = [m.pi for m2 in range(LIMIT)]\n"
                      "    assert length(y) and Thing()\n\ntest_it()")
    assert "from numpy.linalg import norm as length" in text and "import math as m" in text
    assert "from reject_nb.a.b import Thing" in text
    assert "@pytest.mark.slow\ndef test_it" in text and "\ntest_it()" not in text and "LIMIT = 3" in text
    compile(text, "x", "exec")


def test_extractor_keeps_helpers_and_cases_in_order():
    text = _extracted("import pytest\nfrom reject_nb.dev.testing import run_tests",
                      "#| test\nCASES = [(n, n**2) for n in range(3)]\ndef _square(n): return n*n\n"
                      "@pytest.mark.parametrize(\"n, square\", CASES)\n"
                      "def test_square(n, square): assert _square(n) == square\n\nrun_tests(test_square)")
    assert "import pytest" in text and "run_tests" not in text
    pieces = "CASES =", "def _square", "@pytest.mark.parametrize", "def test_square"
    order = [text.index(piece) for piece in pieces]
    assert order == sorted(order)


def test_extractor_names_what_a_test_may_not_use():
    cell = "#| test\ndef test_it(): assert demo == 3\n\ntest_it()"
    with pytest.raises(ExtractionError, match="uses demo"): _extracted("demo = 3", cell)


def test_calls_are_left_out_line_by_line():
    cell = ("#| test\nX = f()\ndef test_a(): assert X\n\ntest_a()\nrun_tests(test_a,\n          test_a)\n"
            "def test_b():\n    test_a()\n    assert 1\n\ntest_b()")
    bare = without_calls(cell)
    assert bare.splitlines()[:3] == cell.splitlines()[:3] and bare.count("\n") == cell.count("\n")
    assert [line for line in bare.splitlines() if line] == [
        "#| test", "X = f()", "def test_a(): assert X", "def test_b():", "    test_a()", "    assert 1"]
    for other in ("test_a()", "#| export\ntest_a()", "#| hide\nrun_tests(test_a)"):
        assert without_calls(other) == other

BINDS = {"a, (b, *c) = x": "abc", "import a.b, d as c": "ac", "for a in x: b = 1": "ab",
         "def a(x): y = 1": "a", "class a: b = 1": "a", "with x as a: pass": "a", "if (a := x): pass": "a",
         "%time a = 1\nb = 2": "b",
         "a += 1": "a", "[x for x in y]": "", "a: int = 1": "a", "try: a\nexcept E as b: pass": "b"}

@pytest.mark.parametrize("source, names", BINDS.items())
def test_bound_names(source, names): assert bound_in(source) == set(names)


@pytest.mark.parametrize("cells, names", [
    (("x = 1", "#| test\ndef test_a(): assert x\ntest_a()"), []),
    (("#| test\ndef test_a(): assert x\ntest_a()", "x = 1"), [(1, "x")]),
    (("#| test\ndef _b(): return c\ndef test_a(): assert _b()\ntest_a()", "#| test\nc = d = 1"), [(1, "c")]),
    (("print(y)", "#| test\ndef test_a(): assert len(__name__) and max(1, 2)\ntest_a()"), []),
    (("#| test\ndef test_a(x=z): assert x\ntest_a()",), [(1, "z")])])
def test_names_that_come_too_late(cells, names): assert too_early(_cells(*cells)) == names


def test_two_tests_of_one_name_are_refused():
    cell = "#| test\ndef test_it(): assert 1\n\ntest_it()"
    with pytest.raises(ExtractionError, match="two tests are named test_it"): _extracted(cell, cell)


def test_long_imports_are_wrapped():
    names = [f"a_long_name_{i}" for i in range(20)]
    lines = _import_line("reject_nb.x", names)
    assert max(map(len, lines)) <= 110 and len(lines) > 2
    scope = ast.parse("\n".join(lines)).body[0]
    assert [a.name for a in scope.names] == names and _import_line("x", ["a"]) == ["from x import a"]


def test_what_changed_is_written_and_what_is_made_no_more_goes():
    new = {"tests/a/test_x.py": "new", "tests/b/test_y.py": "made", "tests/a/test_same.py": "same"}
    old = {"tests/a/test_x.py": "old", "tests/a/test_gone.py": "gone", "tests/a/test_same.py": "same"}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in old.items(): write_atomic(Path(folder)/name, content.encode())
        places = {"root": lambda: Path(folder), "all_tests": lambda: new, "generated_tests": lambda: old}
        with mock.patch.dict(write_tests.__globals__, places):
            assert write_tests() == ["tests/a/test_gone.py", "tests/a/test_x.py", "tests/b/test_y.py"]
        there = {p.relative_to(folder).as_posix(): p.read_text() for p in Path(folder).rglob("*.py")}
    assert there == new

LOST = {"def helper(): assert 1": "named test_", "x = 1": "UPPER_CASE", "1 + 1": "only imports",
        "def test_a(): pass\ntest_a()": "cannot fail", "def test_a(): assert 1": "never calls test_a",
        "test_b()": "this cell's tests", "for i in []: pass": "only imports",
        "class test_b: pass": "named test_"}

@pytest.mark.parametrize("source, words", LOST.items())
def test_extractor_refuses_what_would_be_lost(source, words):
    with pytest.raises(ExtractionError, match=words): parse_test_cell(source, "nbs/x.ipynb")
