"""Tests of nbs/dev/06_pages.ipynb, extracted from its test cells: edit them there."""
import nbformat
import pytest
import re
import tempfile
from pathlib import Path
from reject_nb.dev.notebooks import notebook_paths
from reject_nb.dev.notebooks import read
from reject_nb.dev.notebooks import relative
from reject_nb.dev.notebooks import root
from reject_nb.dev.pages import _carried
from reject_nb.dev.pages import _copy_scripts
from reject_nb.dev.reference import documented_modules
from unittest import mock

from reject_nb.dev.pages import (
    ACCESS, FILTER, FIRST, LONG, SCRIPT, STYLESHEET, WORDS, _from_use, _links_from_here, _title,
    _with_own_title, presentable, shared_titles, site_toc,
)

def test_readers_see_no_directives_and_no_hidden_cells():
    test = "def test_x(): assert 1"
    sources = "#| default_exp x", "#| export\nx = 1", "#| hide\nsecret = 1", f"#| test\n{test}", "x", \
              "#| digits\nprint(x/3)", "#| varies\ntime()"
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    assert [c.source for c in presentable(nb, fold=False).cells] == ["x = 1", "x", "print(x/3)", "time()"]
    site = presentable(nb, fold=True).cells
    assert [c.source for c in site] == ["x = 1", test, "x", "print(x/3)", "time()"]
    assert [c.metadata.get("tags") for c in site] == [None, ["hide-cell"], None, ["hide-cell"], None]
    assert len(nb.cells) == 7


def test_imports_and_long_exports_are_folded():
    imports, long = "#| export\nimport ast\nfrom os import path", "#| export\n" + "x = 1\n"*(LONG + 1)
    short = "#| export\nimport ast\nx = 1"
    names = "#| export\n__getattr__, __dir__, __all__ = lazy_loader.attach(__name__)"
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (imports, long, short, names)])
    tags = [c.metadata.get("tags") for c in presentable(nb, fold=True).cells]
    assert tags == [["hide-input"], ["hide-input"], None, ["hide-input"]]
    plain = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in ("import ast", "x = 1")])
    assert [c.metadata.get("tags") for c in presentable(plain, fold=True).cells] == [["hide-input"], None]
    assert not any(c.metadata.get("tags") for c in presentable(nb, fold=False).cells)


def test_an_overview_begins_with_its_question():
    sources = "import ast", "import ast\nx = 1", "lazy_loader.attach()", "if TYPE_CHECKING:\n    import ast"
    cells = [nbformat.v4.new_code_cell(s) for s in sources]
    assert [c.source for c in _from_use(nbformat.v4.new_notebook(cells=cells)).cells] == [sources[1]]


def test_titles_tell_pages_apart():
    shared = shared_titles()
    titles = [_title(_with_own_title(read(p), p.parent.name, shared)).lower() for p in notebook_paths()]
    assert sorted(titles) == sorted(set(titles))
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Two of us\n\n> One line.")])
    assert _title(_with_own_title(nb, "sdr", {"another"})) == "Two of us"
    assert _title(_with_own_title(nb, "sdr", {"two of us"})) == "sdr: two of us"
    assert nb.cells[0].source.endswith("> One line.")

HEADINGS = ["What it answers", "The idea", "First use", "What is promised, and what is not",
            "Names and notebooks"]

def test_overviews_have_the_same_headings():
    for path in (root()/"nbs").glob("*/00_overview.ipynb"):   # each links to its reference
        text = "\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")
        found = [h for h in re.findall(r"(?m)^## (.*)$", text) if h != "Your turn"]
        assert found == HEADINGS, path.parent.name
        assert text.count(WORDS) == (path.parent.name in documented_modules()), path.parent.name


def test_scripts_load_nothing_from_elsewhere():
    assert not re.search(r"https?:|//[a-z]+\.", FILTER + ACCESS + SCRIPT + STYLESHEET)


def test_long_exports_are_folded_on_the_site_alone():
    body = "\n".join(f"x{i} = {i}" for i in range(LONG + 1))
    sources = f"#| export\n{body}", body, "#| export\nx = 1"
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    assert [c.metadata.get("tags") for c in presentable(nb, fold=True).cells] == [["hide-input"], None, None]
    assert not any("tags" in c.metadata for c in presentable(nb, fold=False).cells)


def test_every_notebook_is_on_the_site_once():
    files = [c["file"] for part in site_toc()["parts"] for c in part["chapters"]]
    pages = [f for f in files if not f.startswith("reference/")]
    assert len(files) == len(set(files))
    assert sorted(pages + ["index"]) == sorted(relative(p)[4:-6] for p in notebook_paths())


def test_the_guide_begins_with_the_pages_of_a_first_visit():
    guide = [c["file"] for c in site_toc()["parts"][0]["chapters"]]
    assert guide[:len(FIRST)] == [f"guide/{name}" for name in FIRST]
    assert guide[len(FIRST):] == sorted(guide[len(FIRST):]) and len(guide) > len(FIRST)


def test_links_hold_from_the_readme():
    text = _links_from_here("[a](guide/choose.ipynb#x) [b](#c) [d](../LICENSE) [e](mailto:x.ipynb)")
    assert text == "[a](nbs/guide/choose.ipynb#x) [b](#c) [d](LICENSE) [e](mailto:x.ipynb)"


def test_scripts_are_copied_with_their_parts():
    files = ("tex-chtml.js", "output/chtml/fonts/a.woff", "input/tex/extensions/b.js", "other/c.js")
    with tempfile.TemporaryDirectory() as name:
        carried, static = Path(name)/"package", Path(name)/"static"
        for file in files:
            (carried/file).parent.mkdir(parents=True, exist_ok=True)
            (carried/file).write_text(file)
        plotly = Path(name)/"plotly.min.js"
        plotly.write_text("plotly")
        def found(package, path): return {"sphinx-mathjax-offline": carried, "plotly": plotly}[package]
        with mock.patch.dict(_copy_scripts.__globals__, _carried=found): _copy_scripts(static)
        assert {p.relative_to(static).as_posix() for p in static.rglob("*") if p.is_file()} == {
            *(f"mathjax/{file}" for file in files[:3]), "plotly.min.js"}


def test_what_a_package_carries():
    assert _carried("numpy", "numpy/__init__.py").is_file()
    with pytest.raises(FileNotFoundError, match="^numpy has no numpy/nothing: pip install numpy$"):
        _carried("numpy", "numpy/nothing")
