"""Tests of nbs/cli.ipynb, extracted from its test cells: edit them there."""
import contextlib
import io
import pytest
import tempfile
from pathlib import Path
from reject_nb.cli import main as main_of_package
from reject_nb.core.claims import ITEMS

from reject_nb.cli import item_id, main

def test_unknown_names_get_close_matches():
    for words, expected in ((["reproduce", "mcsmv"], "did you mean mcsvm?"), (["reproduce", "sdr/figre1"], "did you mean sdr/figure1"), (["claims", "odd"], "did you mean ood?"),
                            (["reproduce", "sdr", "--scheduler", "tcp://127.0.0.1:1"], "goes with --full")):
        with contextlib.redirect_stderr(io.StringIO()) as said: assert main(words) == 2
        assert expected in said.getvalue()


def test_bad_grammar_exits_with_2():
    for words in ([], ["cook"], ["reproduce", "--jobs", "0"], ["reproduce", "--quick", "--full"]):
        with contextlib.redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as stop: main(words)
        assert stop.value.code == 2


def test_list_names_every_item():
    with contextlib.redirect_stdout(io.StringIO()) as said: assert main(["list"]) == 0
    assert all(item_id(i) in said.getvalue() for i in ITEMS)


def test_reproduce_publishes_all_or_nothing():
    import nbformat
    cells = ["from reject_nb.core.figures import figure, save\nfrom reject_nb.core.claims import claim",
             "fig, ax = figure(width=2, height=2); save(fig, 'sdr/figure1', {'x': [1]})",
             "claim('sdr/a', 'Figure 1', 'x', 1, 1, tolerance=0, reason='exact');", "#| slow\n1/0"]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as complaint:
        root, out = Path(folder)/"project", Path(folder)/"out"
        (root/"nbs"/"sdr").mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in cells]), root/"nbs"/"sdr"/"90_paper.ipynb")
        patch.setattr("reject_nb.cli.project_root", lambda: root)
        assert main_of_package(["reproduce", "sdr", "--full", "--out", str(out)]) == 1        # the slow cell runs and fails
        assert not list(out.rglob("*.png")) and "90_paper.ipynb failed in cell 4: 1/0" in complaint.getvalue()
        assert main_of_package(["reproduce", "sdr", "--out", str(out)]) == 0
        assert sorted(p.name for p in out.rglob("*") if p.is_file()) == ["claims.json", "figure1.csv", "figure1.png"]
        assert "sdr/figure1" in said.getvalue()
        assert main_of_package(["reproduce", "gpc", "--out", str(out)]) == 2 and "no notebook yet" in complaint.getvalue()
