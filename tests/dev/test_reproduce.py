"""Tests of nbs/dev/30_reproduce.ipynb, extracted from its test cells: edit them there."""
import argparse
import contextlib
import io
import nbformat
import os
import pytest
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from reject_nb.cli import RequestError
from reject_nb.cli import item_id
from reject_nb.cli import item_status
from reject_nb.core.claims import ITEMS
from reject_nb.core.claims import ROOMS
from reject_nb.core.claims import load_claims
from reject_nb.core.claims import save_claims
from reject_nb.core.files import project_root

from reject_nb.dev.reproduce import (
    Progress, SPARE, check_out, clear_damage, clear_parts, named_by, of_figure, what_to_run,
)

@pytest.mark.parametrize("stem, figure, expected", [
    ("figure1", "figure1", True), ("figure1_gamma", "figure1", True), ("figure10", "figure1", False),
    ("figure_b1", "figureb.1", True), ("table2_angles", "table2", True), ("figure1", "figure1_gamma", False),
    ("benchmark_growth", "growth", False)])
def test_files_of_a_figure(stem, figure, expected):
    assert of_figure(stem, figure) is expected


def test_every_name_of_the_list_has_files_or_claims():
    root = project_root()
    claims = load_claims(root/"figures").values()
    for item in ITEMS:
        (room, figures), = what_to_run([item_id(item)], root).items()
        files = [p for p in (root/"figures"/room).iterdir() if of_figure(p.stem, figures[0])]
        assert files or [c for c in claims if named_by(c, room, figures)], item_id(item)


def test_claims_name_an_item_as_the_list_counts_them():
    claims = load_claims(project_root()/"figures")
    for item in ITEMS:
        figure = item_id(item).partition("/")[2]
        of_item = {id: c for id, c in claims.items() if named_by(c, item.room, [figure])}
        assert of_item and item_status(item, of_item) == item_status(item, claims)


@pytest.mark.parametrize("targets, expected", [
    (["mcsmv"], "did you mean mcsvm?"), (["sdr/figre1"], "did you mean sdr/figure1"),
    (["figure1"], "there are bernstein")])
def test_unknown_names_get_close_matches(targets, expected):
    with pytest.raises(RequestError, match=expected): what_to_run(targets, project_root())


def test_a_module_swallows_its_figures():
    root = project_root()
    assert what_to_run(["sdr", "sdr/figure1"], root) == {"sdr": []}
    assert what_to_run(["sdr/figure1", "sdr"], root) == {"sdr": []}
    assert list(what_to_run([], root)) == list(ROOMS)


@pytest.mark.parametrize("place", ["afile", "afile/deeper", "/proc/nowhere"])
def test_an_unusable_folder_is_found_at_once(place):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"afile").write_text("x")
        with pytest.raises(RequestError, match="cannot write to"):
            check_out(Path(folder)/place, ["sdr"], project_root())
        assert (Path(folder)/"afile").read_text() == "x"


def test_a_module_that_is_a_file_is_found():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"gpc").write_text("x")
        check_out(Path(folder), ["sdr"], project_root())
        with pytest.raises(RequestError, match="cannot write to .*gpc: file exists"):
            check_out(Path(folder), ["sdr", "gpc"], project_root())


def test_a_full_disk_is_found():
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: argparse.Namespace(free=SPARE))
        with pytest.raises(RequestError, match="are needed, 2.0 MB are free"):
            check_out(Path(folder), ["sdr"], project_root())


@pytest.mark.parametrize("content", ["", "[1]", '{"id": 1}', '[{"id": "sdr/a"}]'])
def test_damaged_claims_move_aside(content):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("claims.json.damaged", "claims.json.damaged2"):
            (Path(folder)/"claims.json").write_text(content)
            line, = clear_damage(Path(folder), None)
            assert line.endswith(f"claims.json is damaged and was moved to {name}")
            assert (Path(folder)/name).read_text() == content
        assert clear_damage(Path(folder), None) == []


def test_damaged_cells_move_aside_and_sound_files_stay():
    with tempfile.TemporaryDirectory() as folder:
        cells = Path(folder)/"_cells"
        cells.mkdir()
        for name, content in zip("abcd", ('{"R@100": 1.0}', "", "[]", '{"R@')):
            (cells/f"{name}.json").write_text(content)
        save_claims([], Path(folder))
        lines = clear_damage(Path(folder), cells)
        assert len(lines) == 3 and all(f"{n}.json is damaged" in line for n, line in zip("bcd", lines))
        assert sorted(p.name for p in cells.iterdir()) == ["a.json", *(f"{n}.json.damaged" for n in "bcd")]


def test_temporary_files_of_killed_processes_go():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"sdr").mkdir()
        old, young = Path(folder)/"sdr"/".t.csv.1.part", Path(folder)/"sdr"/".t.csv.2.part"
        claims = Path(folder)/".claims.json.3.part"
        for path in (old, young, claims): path.write_text("half")
        os.utime(old, (0, 0))
        assert sorted(clear_parts(Path(folder))) == [claims.name, old.name] and young.exists()


class _Terminal(io.StringIO):
    def isatty(self): return True


def test_a_log_gets_lines_and_a_terminal_a_bar():
    log, terminal = io.StringIO(), _Terminal()
    with Progress(["sdr", "gpc"], log, interval=.05) as progress:
        progress.cell("sdr", 3, 10)
        time.sleep(.2)
        progress.done("sdr", "done")
    lines = log.getvalue().splitlines()
    assert lines[0] == "sdr: started" and lines[1].startswith("sdr: cell 3 of 10, ")
    assert lines[-1].startswith("sdr: done after ")
    with Progress(["sdr", "gpc"], terminal) as progress:
        progress.cell("sdr", 6, 10)
        progress.done("sdr", "done")
    assert "sdr: cell 6 of 10  25%|" in terminal.getvalue() and "started" not in terminal.getvalue()

CLAIMS_TOML = """
[[claim]]
id = "sdr/a"
where = "Figure 1"
kind = "number"
says = "x"
reported = 1
tolerance = 0
reason = "exact"
cause = "other data"
evidence = "sdr/figure1.csv"
why = "altered"

[[claim]]
id = "sdr/b"
where = "Example 1"
kind = "number"
says = "x"
reported = 1
tolerance = 0
reason = "exact"
"""
CELLS = [
    "from reject_nb.core.figures import figure, save\nfrom reject_nb.core.claims import claim\nimport os",
    "fig, ax = figure(width=2, height=2)\n"
    "save(fig, 'sdr/figure1', {'x': [1]})\nsave(fig, 'sdr/other', {'x': [2]})",
    "value = float(os.environ.get('VALUE_OF_TEST', 1))",
    "claim('sdr/a', measured=value)\nclaim('sdr/b', measured=1)",
    "#| slow\n1/0"]

@contextlib.contextmanager
def _small_checkout():
    "A folder with `project`, a checkout of one module, and `out`; and the main function of the package."
    from reject_nb.dev import reproduce
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root = Path(folder).resolve()/"project"
        (root/"nbs"/"sdr").mkdir(parents=True)
        nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in CELLS])
        nbformat.write(nb, root/"nbs"/"sdr"/"90_paper.ipynb")
        (root/"nbs"/"sdr"/"claims.toml").write_text(CLAIMS_TOML)
        patch.setattr(reproduce, "project_root", lambda: root)
        patch.delenv("REJECT_NB_OUT", raising=False)
        yield patch, root, root.parent/"out", reproduce


def _say(reproduce, *words):
    said, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
        status = reproduce.main([str(w) for w in words])
    return status, said.getvalue(), complaint.getvalue()


def _files(out): return sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())


def test_reproduce_publishes_all_or_nothing():
    with _small_checkout() as (_, root, out, reproduce):
        status, _, complaint = _say(reproduce, "sdr", "--full", "--out", out)   # the slow cell runs and fails
        assert status == 1 and _files(out) == [] and "90_paper.ipynb failed in cell 5: 1/0" in complaint
        status, said, complaint = _say(reproduce, "sdr", "--out", out)
        pictures = [f"sdr/{name}.{kind}" for name in ("figure1", "other") for kind in ("csv", "png")]
        assert status == 0 and _files(out) == ["claims.json", *pictures]
        assert "sdr/figure1" in said and "sdr: started" in complaint and "sdr: done after" in complaint
        assert "gpc" not in said                                                # counts of what was asked for
        status, _, complaint = _say(reproduce, "gpc", "--out", out)
        assert status == 2 and "no notebook yet" in complaint
        status, _, complaint = _say(reproduce, "sdr", "--scheduler", "tcp://127.0.0.1:1")
        assert status == 2 and "goes with --full" in complaint


def test_a_figure_alone_is_its_files_and_its_claims():
    with _small_checkout() as (_, root, out, reproduce):
        status, said, _ = _say(reproduce, "sdr/figure1", "--out", out)
        assert status == 0 and "1 match of 1 claims" in said
        assert _files(out) == ["claims.json", "sdr/figure1.csv", "sdr/figure1.png"]
        assert list(load_claims(out)) == ["sdr/a"]


def test_a_claim_whose_status_changed_is_said():
    with _small_checkout() as (patch, root, out, reproduce):
        assert _say(reproduce, "sdr", "--out", out)[0] == 0
        patch.setenv("VALUE_OF_TEST", "2")
        status, _, complaint = _say(reproduce, "sdr", "--out", out)
        assert status == 1 and "claim sdr/a: match, now differs (altered)" in complaint
        assert load_claims(out)["sdr/a"].status == "differs"                    # and recorded,
        assert _say(reproduce, "sdr", "--out", out)[0] == 0                     # so it is no change next time


def test_a_first_run_elsewhere_is_compared_with_the_checkout():
    with _small_checkout() as (patch, root, out, reproduce):
        assert _say(reproduce, "sdr")[0] == 0 and (root/"figures"/"claims.json").is_file()
        patch.setenv("VALUE_OF_TEST", "2")
        status, _, complaint = _say(reproduce, "sdr/figure1", "--out", out)
        assert status == 1 and complaint.count("reject-nb: claim") == 1          # sdr/b was not asked for


def test_verify_says_what_moved_and_writes_nothing():
    with _small_checkout() as (patch, root, out, reproduce):
        assert _say(reproduce, "sdr")[0] == 0
        before = {p: p.read_bytes() for p in (root/"figures").rglob("*") if p.is_file()}
        status, said, _ = _say(reproduce, "sdr", "--verify")
        assert status == 0 and "nothing moved in 2 tables and 2 claims" in said
        patch.setenv("VALUE_OF_TEST", "1.5")
        status, said, complaint = _say(reproduce, "sdr", "--verify")
        assert status == 1 and "claim sdr/a: match, now differs" in said and "match, now differs" in complaint
        assert {p: p.read_bytes() for p in (root/"figures").rglob("*") if p.is_file()} == before
        assert _say(reproduce, "sdr", "--verify", "--out", out)[0] == 2


def test_leftovers_and_damage_are_cleared_first():
    with _small_checkout() as (_, root, out, reproduce):
        (out/".stage-dead").mkdir(parents=True)
        (out/".stage-dead"/"half.png").write_text("x")
        (out/"claims.json").write_text("[{")
        status, _, complaint = _say(reproduce, "sdr", "--out", out)
        assert status == 0 and "claims.json is damaged and was moved to claims.json.damaged" in complaint
        assert not (out/".stage-dead").exists() and len(load_claims(out)) == 2


def test_accept_renews_the_copy_that_ships():
    with _small_checkout() as (_, root, out, reproduce):
        (root/"reject_nb").mkdir()
        save_claims([], root/"figures")
        assert "renewed" in _say(reproduce, "--accept")[1] and "up to date" in _say(reproduce, "--accept")[1]
        assert (root/"reject_nb"/"claims.json").read_bytes() == (root/"figures"/"claims.json").read_bytes()

WAITING = """#| slow
import time
from pathlib import Path
(Path(os.environ['REJECT_NB_STORE']).parent/'pid').write_text(str(os.getpid()))
time.sleep(600)"""
COMMAND = """
import sys
from pathlib import Path
from reject_nb.dev import reproduce
reproduce.project_root = lambda: Path(sys.argv[1])
sys.exit(reproduce.main(["sdr", "--full", "--out", sys.argv[2]]))
"""

def _killed_in_its_slow_cell(root, out):
    "A full run in a process of its own, ended without a chance to tidy up; the process id of its kernel."
    path, pid = root/"nbs"/"sdr"/"90_paper.ipynb", root.parent/"pid"
    nb = nbformat.read(path, 4)
    nb.cells[-1].source = WAITING
    nbformat.write(nb, path)
    run = subprocess.Popen([sys.executable, "-c", COMMAND, str(root), str(out)], stderr=subprocess.DEVNULL)
    for _ in range(1200):
        if pid.exists() and pid.read_text(): break
        time.sleep(.1)
    run.kill()
    run.wait()
    return int(pid.read_text())


@pytest.mark.skipif(os.name == "nt", reason="no lock on Windows: age decides")
def test_what_a_killed_full_run_left_goes_at_the_next_start():
    with _small_checkout() as (_, root, out, reproduce):
        kernel = _killed_in_its_slow_cell(root, out)
        left, = [p.name for p in out.iterdir()]
        assert left.startswith(".stage-") and not (out/"sdr").exists()
        with pytest.raises(ProcessLookupError):   # nobody computes on
            for _ in range(200):
                os.kill(kernel, 0)
                time.sleep(.1)
        assert _say(reproduce, "sdr", "--out", out)[0] == 0
        assert sorted(p.name for p in out.iterdir()) == ["claims.json", "sdr"]
