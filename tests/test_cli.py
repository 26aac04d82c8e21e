"""Tests of nbs/cli.ipynb, extracted from its test cells: edit them there."""
import contextlib
import io
import numpy as np
import os
import pytest
import reject_nb
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from reject_nb.audit import Rule
from reject_nb.audit import Table
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


def _predictions(path, n=600, seed=0, worse=1., **change):
    "A table of labels and probabilities of two classes, as a file."
    rng = np.random.default_rng(seed)
    p = rng.beta(6, 1, n).round(4)
    wrong = rng.random(n) < worse*(1 - p)
    cells = {"y": np.where(wrong, "cat", "dog").astype(object), "p_cat": (1 - p).round(4).astype(object),
             "p_dog": p.astype(object)}
    for (name, row), value in change.get("cells", {}).items(): cells[name][row] = value
    Table({k: v for k, v in cells.items() if k != change.get("without")}).to_csv(path)

AUDIT = "audit old.csv --label y --probabilities p_* --target-risk .1 --no-looked".split()

def test_audit_apply_and_monitor():
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _predictions("old.csv")
        _predictions("good.csv", seed=1)
        _predictions("bad.csv", seed=2, worse=3.)
        status, said, _ = _say(*AUDIT, "--out", "report")
        assert status == 0 and sorted(os.listdir("report")) == ["audit.html", "metrics.csv", "rule.json"]
        assert "With probability at least 0.9" in said
        rule = Rule.load("report/rule.json")
        assert not rule.looked and rule.columns["label"] == "y"
        assert "<html" in Path("report/audit.html").read_text()[:200].lower()
        status, said, _ = _say("apply", "report/rule.json", "good.csv", "--out", "decided.csv")
        lines = Path("decided.csv").read_text().splitlines()
        answered = sum(",True,answered" in line for line in lines)
        assert status == 0 and lines[0] == "y,p_cat,p_dog,accept,reason"
        assert said.startswith(f"{answered} of 600")
        assert _say("monitor", "report/rule.json", "good.csv")[0] == 0
        status, said, _ = _say("monitor", "report/rule.json", "bad.csv")
        assert status == 3 and "alarm after" in said
        status, said, _ = _say("monitor", "report/rule.json", "decided.csv")
        assert status == 0


def test_a_promise_holds_after_looking_unless_said_otherwise():
    "As in Python; and what cannot be written is said before anything is."
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _predictions("old.csv")
        assert _say(*AUDIT[:-1], "--out", "safe")[0] == _say(*AUDIT, "--out", "fixed")[0] == 0
        safe, fixed = Rule.load("safe/rule.json"), Rule.load("fixed/rule.json")
        assert safe.looked and not fixed.looked and safe.coverage <= fixed.coverage
        Path("taken").write_text("")
        for out in ("taken", "old.csv/report"):
            status, _, complaint = _say(*AUDIT, "--out", out)
            assert status == 2 and "nothing was written" in complaint
            assert "--out must be in a folder" in complaint
        status, _, complaint = _say("apply", "safe/rule.json", "old.csv", "--out", "safe")
        assert status == 2 and "--out must be the name of a file" in complaint


def _cell(column, row, value): return dict(cells={(column, row): value})

BAD = {"missing column": (dict(without="y"), "column 'y' (label) is missing"),
       "nan": (_cell("p_dog", 4, "nan"), "column 'p_dog', row 5: must be a finite number, got 'nan'"),
       "empty cell": (_cell("p_cat", 6, ""), "column 'p_cat', row 7: must be a finite number, got ''"),
       "text": (_cell("p_cat", 0, "high"), "column 'p_cat', row 1: must be a finite number, got 'high'"),
       "sum": (dict(cells={("p_cat", 9): .9, ("p_dog", 9): .3}),
               "row 10: probabilities must be one that sums to 1 over its row, got a sum of 1.2"),
       "percent": (_cell("p_dog", 2, 97), "column 'p_dog', row 3: probabilities must be in [0, 1], got 97"),
       "no label": (_cell("y", 1, ""), "column 'y', row 2: must be a label, it is missing"),
       "unknown class": (_cell("y", 3, "cow"),
                         "column 'y', row 4: y_true must be one of the classes cat, dog, got 'cow'"),
       "infinite": (_cell("p_dog", 8, "inf"), "column 'p_dog', row 9: must be a finite number, got 'inf'")}

@pytest.mark.parametrize("what", list(BAD))
def test_bad_predictions_are_named_and_nothing_is_written(what):
    change, expected = BAD[what]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _predictions("old.csv", **change)
        status, said, complaint = _say(*AUDIT, "--out", "report")
        assert status == 2 and expected in complaint and "nothing was written" in complaint
        assert os.listdir() == ["old.csv"]


@pytest.mark.parametrize("content, expected", [("", "it is empty"), ("y,p_cat,p_dog\n", "header only"),
                                               ("y;p_cat;p_dog\na;1;0\n", "semicolons"),
                                               ("y,p_cat,p_dog\ncat,1,0\ncat,1\n",
                                                "row 2 must have 3 cells"), ("y,y,p_cat\na,b,1\n", "twice")])
def test_files_that_are_no_tables_are_named(content, expected):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("old.csv").write_text(content)
        status, _, complaint = _say(*AUDIT)
        assert status == 2 and expected in complaint and os.listdir() == ["old.csv"]


def test_rules_that_were_changed_are_refused():
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _predictions("old.csv")
        _say(*AUDIT)
        path = Path("report/rule.json")
        path.write_text(path.read_text().replace('"delta": 0.1', '"delta": 0.2'))
        for words in (["apply", str(path), "old.csv", "--out", "d.csv"], ["monitor", str(path), "old.csv"]):
            status, _, complaint = _say(*words)
            assert status == 2 and "was changed after it was saved" in complaint
            assert not Path("d.csv").exists()


@pytest.mark.parametrize("words, expected", [(["--target-risk", "2"], "target_risk must"),
                                             (["--delta", "0"], "delta must"), (["--group", "where"],
                                                 "column 'where' (group) is missing"),
                                             (["--score", "none"], "score must be one of"), (["--per-group"],
                                                 "no groups"), (["--losses", "p_cat"], "")])
def test_wishes_that_cannot_be_met(words, expected):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _predictions("old.csv")
        status, _, complaint = _say(*AUDIT, *words)
        assert (status == 2 and expected in complaint
                and os.listdir() == ["old.csv"]) if expected else status == 0


def _call(*words, module="reject_nb", **more):
    command = [sys.executable, "-m", module, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


@pytest.mark.parametrize("module", ["reject_nb", "reject_nb.cli"])
def test_the_module_is_the_command(module):
    done = _call("--version", module=module)
    assert done.stdout == f"reject-nb {reject_nb.__version__}\n" and done.stderr == ""
    done = _call("claims", "odd", module=module)   # an error of ours, not a traceback
    assert done.returncode == 2 and done.stderr.startswith("reject-nb: ") and done.stderr.count("\n") == 1
    assert _call("cook", module=module).returncode == 2


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
