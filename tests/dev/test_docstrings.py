"""Tests of nbs/dev/05_docstrings.ipynb, extracted from its test cells: edit them there."""
import ast
import inspect
import nbformat
import pytest
import reject_nb
import tempfile
from pathlib import Path
from reject_nb.dev.notebooks import ExtractionError

from reject_nb.dev.docstrings import (
    WIDTH, _method, as_literal, as_session, comments_of, document_package, documented, narrowed, placed,
    signature_of, take_apart,
)

HEADERS = [("def f(a, b=1): # sum\n    'S.'", ["sum", "sum"], ""),
           ("def f(\n    a, # one\n    b=.5, # two\n):     # sum\n    'S.'", ["one", "two"], "sum"),
           ("def f(\n    a:int, b:int=0, # both\n) -> int:\n    'S.'", ["both", "both"], ""),
           ("def f(a) -> int: # sum\n    'S.'", [], "sum"),
           ("def f(\n    *a, # many\n    k=(1,\n       2), # few\n    **o): # rest\n    'S.'",
            ["many", "few", "rest"], ""),
           ("def f(a): return a # nothing", [], ""),
           ("def f(\n    a, # one\n       # and more\n    # not this\n): 'S.'", ["one and more"], "")]

@pytest.mark.parametrize("source, expected, returned", HEADERS)
def test_comments_of_a_header_go_where_they_belong(source, expected, returned):
    parameters, result = signature_of(ast.parse(source).body[0], source, comments_of(source))
    assert [p.meaning for p in parameters if p.meaning] == expected
    assert (result.meaning if result else "") == returned

CLASS = '''class Line(Base): r"A line: $\\alpha$."

class Cut(Line):
    """A cut "here". Raises ValueError for a negative width.

    More about it."""
    def __init__(self, at, # where
                 width:float=1., # in metres, positive
    ):
        self.at, self.width = at, width

    @property
    def ends(self) -> tuple: return self.at, self.at + self.width

    def move(self,
        by, # metres
    ) -> "Cut": # a new one
        "Shift. Source: eq. (1)."
        return Cut(self.at + by)

    def _hidden(self, # nothing
    ): "Stays."
'''

def test_classes_and_their_methods_are_documented():
    text = documented(CLASS, {"Cut": [">>> Cut(1).at", "1"], "Cut.move": [">>> Cut(1).move(2).at", "3"]})
    compile(text, "text", "exec")
    tree = ast.parse(text)
    cut = tree.body[1]
    said = ast.get_docstring(cut)
    assert said.startswith('A cut "here".\n\nMore about it.\n\nParameters\n----------\nat\n    where\n')
    assert "where\nwidth : float, default 1.\n    in metres" in said
    assert "Raises\n------\nValueError\n    for a negative width." in said
    assert said.endswith("Examples\n--------\n>>> Cut(1).at\n1")
    move = ast.get_docstring(_method(cut, "move"))
    assert "Returns\n-------\nCut\n    a new one" in move and "References\n----------\neq. (1)." in move
    assert ast.get_docstring(_method(cut, "_hidden")) == "Stays."
    assert ast.get_docstring(tree.body[0]) == "A line: $\\alpha$."


def _without_docstrings(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)): continue
        if ast.get_docstring(node) is not None: node.body[0].value.value = ""
    return ast.dump(tree)

MODULES = sorted(Path(reject_nb.__file__).parent.rglob("*.py"))

@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_only_docstrings_change_and_twice_is_once(path):
    source = path.read_text(encoding="utf-8")
    once = documented(source)
    assert _without_docstrings(once) == _without_docstrings(source)
    assert documented(once) == once


def test_only_docstrings_of_a_class_change():
    once = documented(CLASS)
    assert once != CLASS and _without_docstrings(once) == _without_docstrings(CLASS)
    assert documented(once) == once


@pytest.mark.parametrize("text", ["Plain.", 'Says "no".', 'Ends with "no"', "A \\b.", "Two\nlines."])
def test_a_docstring_is_read_as_it_was_written(text):
    assert inspect.cleandoc(ast.literal_eval(as_literal(text, 4))).strip() == text


def test_triple_quotes_become_simple_ones():
    said = as_literal('f("""a""")\nis called', 4)
    assert ast.literal_eval(said) == "f('''a''')\n    is called\n    "


def test_output_follows_the_statement_that_wrote_it():
    cell = nbformat.v4.new_code_cell("#| example f\nfor i in range(2):\n    print(i)\n\nx = 3\nx")
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="0\n1\n"),
                    nbformat.v4.new_output("execute_result", {"text/plain": "3"})]
    typed = [">>> for i in range(2):", "...     print(i)", "...", "0", "1", ">>> x = 3", ">>> x", "3"]
    assert as_session(cell, "w") == typed
    two = nbformat.v4.new_code_cell("#| example f\nprint(1)\nprint(2)")
    two.outputs = [nbformat.v4.new_output("stream", name="stdout", text="1\n2\n")]
    assert as_session(two, "w") == [">>> print(1)", "1", ">>> print(2)", "2"]
    two.outputs[0].text = "1\n2\n3\n"
    with pytest.raises(ExtractionError, match="one line"): as_session(two, "w")


def test_examples_go_where_the_name_is_defined():
    package = {n: take_apart(n, s) for n, s in (("a.one", "def f(): pass"), ("a.two", "def g(): pass"))}
    found = placed({"a.one": {"g": ["x"], "f": ["y"]}}, package)
    assert found == {"a.two": {"g": ["x"]}, "a.one": {"f": ["y"]}}
    with pytest.raises(ExtractionError, match="h"): placed({"a.one": {"h": []}}, package)


def test_inherited_parameters_are_shown():
    package = {"a.base": take_apart("a.base", CLASS)}
    source = "from .base import Cut\n\nclass Short(Cut):\n    'A short cut.'\n"
    text = documented(source, None, "a.short", package)
    assert "width : float, default 1." in text


def test_a_package_is_documented_once():
    "What changed is told; a second run changes nothing, and modules written by hand are left alone."
    code = 'def f(\n    x:int, # a number\n):\n    "Said."\n    return x\n'
    with tempfile.TemporaryDirectory() as folder:
        for name in ("nbs", "reject_nb/a"): (Path(folder)/name).mkdir(parents=True)
        made, own = Path(folder)/"reject_nb"/"a"/"b.py", Path(folder)/"reject_nb"/"own.py"
        made.write_text("# AUTOGENERATED!\n" + code)
        own.write_text(code)
        assert document_package(Path(folder)) == ["a.b"] and document_package(Path(folder)) == []
        assert "x : int\n        a number" in made.read_text() and own.read_text() == code


def test_lists_of_names_are_wrapped_and_stay_the_same():
    short = '"""Short."""\n__all__ = ["a"]\nx = 1\n'
    names = ", ".join(f"'name_{i}'" for i in range(40))
    long = f'"""Lo{"ng wor"*20}ds."""\n\n__all__ = [{names}]\nx = 1\n'
    assert narrowed(short) == short and max(map(len, narrowed(long).splitlines())) <= WIDTH
    assert " ".join(narrowed(long).split()) == " ".join(long.split())
