"""Tests of nbs/dev/08_checks.ipynb, extracted from its test cells: edit them there."""
import nbformat
import pytest
from reject_nb.dev.notebooks import notebook_paths

from reject_nb.dev.checks import (
    DONE, NOISE, PARTS, check_tool, names_in_tables, names_of_code, noise_in, part_of_notebook,
    semicolons_in, shape_of, slow_kernels,
)

def test_noise_is_found():
    address = NOISE["a memory address"]
    assert address.search("<object at 0x7f3a2b>") and not address.search("0x7f")
    machine = NOISE["a path of this machine"]
    assert machine.search("File /home/someone/x.py") and not machine.search("figures/sdr/home/x and/or")
    assert noise_in(nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])) == ["an error"]
    assert noise_in(nbformat.v4.new_output("stream", name="stderr", text="x")) == ["a warning"]

TABLES = [("| symbol | shape |\n|---|---|\n| `rho` | `(n,)` |", ["rho", "n"]),
          ("| name | meaning |\n|---|---|\n| `low`, `high` | see `other` |", ["low", "high"]),
          ("| directive | meaning |\n|---|---|\n| `keep` | x |", []),
          ("| name | meaning |\n|---|---|\n| `python -m this` | x |", []),
          ("| name | meaning |\n|:--|--:|\n| `#\\| word` and `a.b` | x |\n\n`later`", ["a"]),
          ("| in the paper | here |\n|---|---|\n| `Z` | `f(\"text\")` |", ["f"])]

@pytest.mark.parametrize("text, names", TABLES)
def test_names_of_notation_tables(text, names):
    assert names_in_tables(text) == names


def test_words_of_code_leave_comments_out():
    code = nbformat.v4.new_code_cell("#| export\nx = f(1)  # about y\n# z\n'text'")
    nb = nbformat.v4.new_notebook(cells=[code, nbformat.v4.new_markdown_cell("`w`")])
    assert names_of_code(nb) == {"x", "f", "text"}

SHAPES = [("# T\n\n> one", ["## Limits"], True, 0), ("# T\n\n> one", [], True, 1),
          ("# T\n\n> one", [], False, 0), ("## T", [], False, 2),
          ("# T\n\ntext", ["## When not to use it"], False, 1)]

@pytest.mark.parametrize("first, others, concept, missing", SHAPES)
def test_shape_of_a_notebook(first, others, concept, missing):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(s) for s in (first, *others)])
    assert len(shape_of(nb, concept)) == missing

KERNELS = [("@njit\ndef f(a): return a.argsort()", 1),
           ("@numba.jit(nopython=True)\ndef f(a): return np.unique(a)", 1),
           ("@njit\ndef f(a, b): a[0, 1:] = b[:3]", 1), ("@njit\ndef f(a, b): a[1:] = b[0]", 0),
           ("def f(a, b): a[1:] = b[:-1]", 0),
           ("@vectorize\ndef f(a): return np.abs(a)", 0), ("@cache\ndef f(a): return np.sort(a)", 0)]

@pytest.mark.parametrize("source, found", KERNELS)
def test_slow_kernels_are_found(source, found):
    assert len(slow_kernels(source)) == found


def test_statements_on_a_line_are_counted():
    assert semicolons_in("a = 1; b = ';'\nc = 2") == [1] and semicolons_in("a = 1\nplot(a);") == []


def test_a_tool_that_fails_is_heard():
    assert check_tool("this_module_is_nowhere") and check_tool("json.tool", "--help") == []


def test_parts_are_known():
    assert {*DONE} <= set(PARTS) and {part_of_notebook(p) for p in notebook_paths()} <= set(PARTS)
