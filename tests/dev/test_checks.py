"""Tests of nbs/dev/08_checks.ipynb, extracted from its test cells: edit them there."""
import nbformat
import pytest
import tempfile
import warnings
from contextlib import contextmanager
from nbformat.v4 import new_code_cell
from nbformat.v4 import new_markdown_cell
from pathlib import Path
from reject_nb.dev import checks
from reject_nb.dev.notebooks import notebook_paths
from reject_nb.dev.notebooks import to_text
from unittest import mock

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


@contextmanager
def _project(notebooks, **more):
    "A checkout of these notebooks (name -> cells, text is code, a tuple Markdown), with stand-ins."
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, cells in notebooks.items():
            made = [new_markdown_cell(c[0]) if isinstance(c, tuple) else new_code_cell(c) for c in cells]
            for number, cell in enumerate(made): cell["id"] = f"cell{number}"
            paths.append(Path(folder)/name)
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_text(to_text(nbformat.v4.new_notebook(cells=made)), encoding="utf-8")
        stand_ins = dict(notebook_paths=lambda: paths, notebooks_of=lambda parts: paths,
                         root=lambda: Path(folder), relative=lambda p: Path(p).relative_to(folder).as_posix())
        with mock.patch.dict(checks.check_lines.__globals__, stand_ins | more): yield Path(folder)


def test_wide_lines_and_packed_statements_are_named():
    wide = "x = " + "1"*107
    with _project({"a.ipynb": [("text; text " + "a"*200,), f"{wide[:-1]}\n{wide}", "a = 1; b = 2\nplot();"]}):
        assert checks.check_lines(("sdr",)) == ["a.ipynb, cell 2, line 2: wider than 110 characters",
                                                "a.ipynb, cell 3, line 1: two statements on a line"]


def test_the_longest_cells_come_first():
    cells = ["#| export\na = 1\n\nb = 2", "a = 1\nb = 2\nc = 3", "#| export\nx = 1",
             "#| exporti\na = 1\nb = 2\nc = 3"]
    with _project({"a.ipynb": cells, "b.ipynb": ["#| export\n" + "a = 1\n"*7]}):
        assert checks.longest_cells(3) == [(7, "b.ipynb, cell 1"), (3, "a.ipynb, cell 4"),
                                           (2, "a.ipynb, cell 1")]
        assert len(checks.longest_cells()) == 4


def test_names_of_tables_must_be_in_the_code():
    table = "| name | meaning |\n|---|---|\n| `rho` and `nu` and `nu` | x |"
    with _project({"a.ipynb": ["rho = 1", (table,)]}):
        said = ["a.ipynb, cell 2: the table names `nu`, which the code does not have"]
        assert checks.check_tables(("sdr",)) == said


@pytest.mark.parametrize("name, cells, wrong", [
    ("01_a.ipynb", ["#| export\nx = 1"], 3), ("80_a.ipynb", ["#| export\nx = 1"], 2),
    ("01_a.ipynb", ["x = 1"], 2)])
def test_concepts_need_limits(name, cells, wrong):
    with _project({name: cells}): assert len(checks.check_shape(("sdr",))) == wrong


def test_what_is_unclean_is_named():
    with _project({"a.ipynb": ["x = 1"], "b.ipynb": ["y = 2"]}) as folder:
        before = checks.check_notebooks()
        nb = nbformat.read(folder/"b.ipynb", 4)
        nb.cells[0].execution_count = 7
        nb.cells[0].outputs = [nbformat.v4.new_output("stream", name="stderr", text="x")]
        nb.cells.append(nb.cells[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # of nbformat: two cells have one id
            (folder/"b.ipynb").write_text(to_text(nb), encoding="utf-8")
            found = checks.check_notebooks()
    assert [line for line in before if "id" in line] == []
    assert "b.ipynb: a cell has no id, or two have the same" in found
    assert "b.ipynb: cell 1: a warning is among the outputs" in found
    assert "b.ipynb: cell 2: a warning is among the outputs" in found
    assert any(line.startswith("b.ipynb: not clean") for line in found)


def test_files_out_of_step_are_named():
    mend = "not in step with the notebooks; run `python -m reject_nb.dev.build tests`"
    stand_ins = dict(all_tests=lambda: {"a": "1", "b": "2", "c": "3"}, too_early=lambda nb: [(4, "x")],
                     generated_tests=lambda: {"a": "1", "b": "0", "d": "4"}, make_readme=lambda: "new")
    with _project({"n.ipynb": ["x = 1"]}, **stand_ins) as folder:
        assert checks.check_tests() == [*(f"{name}: {mend}" for name in "bcd"),
                                        "n.ipynb, cell 4: a test uses x before any cell binds it"]
        (folder/"README.md").write_text("old")
        assert len(checks.check_readme()) == 1
        (folder/"README.md").write_text("new")
        assert checks.check_readme() == []


def test_modules_that_no_notebook_makes_are_named():
    def export(folder):
        for name, text in (("a", "1"), ("b", "2"), ("c", "3")):
            (folder/"reject_nb").mkdir(exist_ok=True)
            (folder/"reject_nb"/f"{name}.py").write_text(text)
    with _project({"nbs/n.ipynb": ["x = 1"]}, export=export) as folder:
        (folder/"reject_nb").mkdir()
        for name in ("settings.ini", "pyproject.toml"): (folder/name).write_text("")
        for name, text in (("a", "1"), ("b", "0"), ("d", "4")):
            (folder/"reject_nb"/f"{name}.py").write_text(text)
        found = checks.check_export()
    assert [line.partition(":")[0] for line in found] == [f"reject_nb/{name}.py" for name in "dbc"]
    assert "no notebook makes it" in found[0] and "not in step" in found[1] and "not in step" in found[2]


def test_kernels_that_sort_or_copy_are_named():
    source = "@njit\ndef f(a):\n    a[1:] = a[:-1]\n    return np.sort(a)\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.py"
        path.write_text(source)
        modules = {"sdr.a": path, "ood.a": path}
        with mock.patch.dict(checks.check_kernels.__globals__, package_modules=lambda: modules):
            found = checks.check_kernels(("sdr",))
    assert len(found) == len(slow_kernels(source))
    assert all(line.startswith("reject_nb.sdr.a, line ") for line in found)
    assert any("core.sorting" in line for line in found)
