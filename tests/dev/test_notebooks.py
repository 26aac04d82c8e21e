"""Tests of nbs/dev/02_notebooks.ipynb, extracted from its test cells: edit them there."""
import nbformat
import pytest

from reject_nb.dev.notebooks import clean, directives, module_of, notebook_paths, relative, root, to_text

HEADS = [("#| export\nx", ["export"]), ("x = 1\n#| export", []),
         ("#| test\n#|slow\nx = 1\n#| export", ["test", "slow"]), ("# a comment\n#| export", [])]

@pytest.mark.parametrize("source, words", HEADS)
def test_directives_stand_at_the_head(source, words):
    assert directives(source) == words


def test_module_of_a_notebook():
    cells = [nbformat.v4.new_markdown_cell("#| default_exp no"),
             nbformat.v4.new_code_cell("#| default_exp a.b")]
    assert module_of(nbformat.v4.new_notebook(cells=cells)) == "a.b"
    assert module_of(nbformat.v4.new_notebook(cells=cells[:1])) is None


def test_checkout_is_found_and_index_is_last():
    paths = notebook_paths()
    assert paths[-1].name == "index.ipynb" and (root()/"settings.ini").is_file()
    assert relative(paths[-1]) == "nbs/index.ipynb"


def test_clean_keeps_ids_and_outputs():
    result = nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=7)
    cell = nbformat.v4.new_code_cell("1+1", id="abc", execution_count=7, outputs=[result],
                                     metadata={"tags": ["x"], "time": 3})
    nb = nbformat.v4.new_notebook(cells=[cell])
    cell = clean(nb).cells[0]
    assert cell.id == "abc" and cell.execution_count is None
    assert cell.outputs[0]["data"] == {"text/plain": "2"}
    assert dict(cell.metadata) == {"tags": ["x"]} and cell.outputs[0]["execution_count"] is None
    assert to_text(clean(nb)) == to_text(nb)


def test_clean_joins_the_pieces_of_a_stream():
    came = ("stdout", "a\n"), ("stdout", "b\n"), ("stderr", "c\n"), ("stdout", "d\n")
    pieces = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in came]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("f()", outputs=pieces)])
    joined = [(o.name, o.text) for o in clean(nb).cells[0].outputs]
    assert joined == [("stdout", "a\nb\n"), ("stderr", "c\n"), ("stdout", "d\n")]
