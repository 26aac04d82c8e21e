"""Tests of nbs/cli.ipynb, extracted from its test cells: edit them there."""
import contextlib
import io
import pytest
import reject_nb
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from reject_nb.core.claims import ITEMS
from reject_nb.core.claims import save_claims
from reject_nb.core.files import project_root

from reject_nb.cli import RequestError, item_id, main, read_claims, recorded, shipped

def _say(*words):
    "Status, output and complaint of a command."
    said, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
        try: status = main(list(words))
        except SystemExit as stop: status = stop.code
    return status, said.getvalue(), complaint.getvalue()


def _say_of_package(*words):
    from reject_nb.cli import main as run
    said, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
        status = run(list(words))
    return status, said.getvalue(), complaint.getvalue()


def test_claims_ship_as_they_are_recorded():
    "Where this fails, look at what moved and accept it: python -m reject_nb.dev.reproduce --accept"
    ours, theirs = recorded(project_root()/"figures"), shipped()
    assert ours.claims == theirs.claims and len(ours.claims) > 200


@pytest.mark.parametrize("content", [
    "", "[", "[1]", '[{"id": "sdr/a"}]', '[{"id": "sdr/a", "colour": 1}]', '{"a": 1}'])
def test_damaged_claims_are_named(content):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"claims.json").write_text(content)
        with pytest.raises(RequestError, match="claims.json is damaged"): read_claims(Path(folder))
        status, _, complaint = _say("list", "--folder", folder)
        assert status == 2 and "claims.json is damaged" in complaint


def test_list_names_every_item():
    status, said, _ = _say("list")
    assert status == 0 and all(item_id(i) in said for i in ITEMS)
    assert said.splitlines()[-9].split() == ["claims", "match", "differs", "not", "run"]


def test_installed_claims_are_read_outside_a_checkout():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reject_nb.cli.project_root", lambda: None)
        status, said, _ = _say_of_package("list")
        figure1 = next(line for line in said.splitlines() if line.startswith("sdr/figure1"))
        assert status == 0 and "as shipped with reject_nb" in said and "not run" not in figure1
        status, said, _ = _say_of_package("claims", "sdr")
        assert status == 0 and said.count("sdr/") > 20
        status, _, complaint = _say_of_package("reproduce", "sdr")
        assert status == 2 and "git clone" in complaint


def test_none_of_a_status_is_said():
    with tempfile.TemporaryDirectory() as folder:
        ours = replace(next(iter(shipped().claims.values())), id="gpc/a", status="match")
        save_claims([ours], Path(folder))
        status, said, _ = _say("claims", "gpc", "--status", "not run", "--folder", folder)
        assert status == 0 and said == "none of the 1 claims of gpc is 'not run'\n"
        assert "no claims of sdr are on record" in _say("claims", "sdr", "--folder", folder)[1]


def test_check_reports_a_claim_whose_status_changed():
    with tempfile.TemporaryDirectory() as folder:
        claims = dict(shipped().claims)
        save_claims(claims.values(), Path(folder))
        assert _say("claims", "--check", "--folder", folder)[0] == 0
        id = next(i for i, c in claims.items() if c.status == "match" and i.startswith("gpc/"))
        claims[id] = replace(claims[id], status="differs", why="altered here")
        save_claims(claims.values(), Path(folder))
        status, said, _ = _say("claims", "--check", "--folder", folder)
        assert status == 1 and f"{id}: match, now differs (altered here)" in said
        assert _say("claims", "sdr", "--check", "--folder", folder)[0] == 0      # not of the module asked for
        del claims[id]
        save_claims(claims.values(), Path(folder))
        status, said, _ = _say("claims", "gpc", "--check", "--folder", folder)
        assert status == 1 and f"{id}: match, now gone" in said


@pytest.mark.parametrize("words, expected", [
    (["claims", "odd"], "unknown module 'odd': did you mean ood?"),
    (["data", "fetch"], "name the data sets"),
])
def test_requests_that_make_no_sense(words, expected):
    status, _, complaint = _say(*words)
    assert status == 2 and expected in complaint


@pytest.mark.parametrize("words", [[], ["cook"], ["reproduce", "--jobs", "0"], ["reproduce", "--jobs", "²"],
                                   ["reproduce", "--quick", "--full"], ["claims", "--status", "maybe"]])
def test_bad_grammar_exits_with_2(words):
    status, _, complaint = _say(*words)
    assert status == 2 and "usage: reject-nb" in complaint


def test_version_is_said():
    assert _say("--version")[:2] == (0, f"reject-nb {reject_nb.__version__}\n")


def _call(*words, **more):
    command = [sys.executable, "-m", "reject_nb", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def test_the_module_is_the_command():
    assert _call("--version").stdout == f"reject-nb {reject_nb.__version__}\n"
    assert _call("cook").returncode == 2


def test_reproduce_is_handed_to_the_checkout_with_its_exit_status():
    done = _call("reproduce", "sdr/figre1", cwd=project_root())
    assert done.returncode == 2 and "did you mean sdr/figure1" in done.stderr


def test_other_projects_with_notebooks_are_no_checkout():
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        (Path(folder)/"nbs").mkdir()
        (Path(folder)/"settings.ini").write_text("[DEFAULT]\nlib_name = other\n")
        patch.setattr("reject_nb.cli.project_root", lambda: Path(folder))
        status, _, complaint = _say_of_package("reproduce")
        assert status == 2 and "not installed with the package" in complaint
