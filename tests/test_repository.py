"""Tests of the repository as a whole: what no single notebook can see."""
import os
import re
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from importlib import metadata
from pathlib import Path

import pytest

import reject_nb
from reject_nb.core.claims import ITEMS, STATUSES, load_claims
from reject_nb.dev.checks import (PARTS, check_export, check_imports, check_kernels, check_lines, check_notebooks, check_readme,
                                  check_shape, check_tables, check_tests)
from reject_nb.dev.imports import broken_imports

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT/"reject_nb"


def settings():
    parser = ConfigParser(delimiters=["="])
    parser.read(ROOT/"settings.ini", encoding="utf-8")
    return parser["DEFAULT"]


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def test_imports_run_one_way():
    """Also for parts that are not yet held to all rules: no part imports one above it, none takes everything."""
    wrong = broken_imports(PARTS)
    assert not [line for line in wrong if "must not import" in line and "cli" not in line or "everything" in line]


def test_actions_are_pinned_to_commits():
    """A tag can be moved; a commit cannot. The version stands beside it for the reader."""
    used = [line for path in (ROOT/".github"/"workflows").glob("*.yml")
            for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert used and not [line for line in used if not re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v[\d.]+$", line)]


CHECKS = [check_notebooks, check_export, check_tests, check_readme, check_imports, check_shape, check_tables, check_lines, check_kernels]


@pytest.mark.skipif(bool(os.environ.get("REJECT_NB_CHECKED")), reason="python -m reject_nb.dev.build check has just looked")
@pytest.mark.parametrize("check", CHECKS)
def test_everything_is_in_step(check):
    assert check() == []


def test_every_module_has_its_notebook():
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if path == PACKAGE/"__init__.py" or path.name == "__init__.py" and not text.strip(): continue
        source = re.search(r"File to edit: ([^\s]+\.ipynb)", text)
        assert source and (path.parent/source[1]).resolve().is_file(), f"{path} has no notebook"


def test_every_claim_is_whole_and_can_be_computed_again():
    claims = load_claims(ROOT/"figures")
    assert claims
    for c in claims.values():
        room = c.id.partition("/")[0]
        assert c.status in STATUSES and c.says and c.where
        assert (c.command.startswith(f"reject-nb reproduce {room}") or c.command == "make bench") and (ROOT/"nbs"/room/"90_paper.ipynb").is_file(), c.id
        assert c.status == "match" or c.why, f"{c.id} does not say why it {c.status}"
        assert c.status == "not run" or c.measured is not None, c.id


def test_every_picture_has_its_numbers():
    for picture in (ROOT/"figures").rglob("*.png"):
        assert picture.with_suffix(".csv").is_file(), picture


def test_rooms_show_every_figure_and_table_they_owe():
    """A room that has its paper notebook says of each of its figures and tables what became of it."""
    claims = load_claims(ROOT/"figures").values()
    for item in ITEMS:
        if (ROOT/"nbs"/item.room/"90_paper.ipynb").is_file():
            assert any(c.id.startswith(item.room + "/") and c.where.startswith(item.where) for c in claims), f"{item.room}: no claim names {item.where}"


def test_import_is_light():
    code = "import sys, reject_nb; print([m for m in ('numpy', 'scipy', 'matplotlib', 'cvxpy', 'GPy', 'numba', 'sklearn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def project():
    return tomllib.loads((ROOT/"pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_one():
    assert metadata.version("reject_nb") == settings()["version"] == reject_nb.__version__


def test_lock_holds_plain_pins_for_every_requirement():
    lines = (ROOT/"requirements.lock").read_text().split()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    extras = {name: of for name, of in project()["optional-dependencies"].items() if name not in ("deep", "dlib")}   # torch: hundreds of MB; dlib: compiled for minutes
    for requirement in sum(extras.values(), project()["dependencies"]):
        assert re.sub(r"[-_.]+", "-", re.split(r"[<>=\[]", requirement)[0]).lower() in pinned, requirement


@pytest.mark.slow
def test_cases_have_the_same_names_in_every_process():
    """In order, too: whoever makes cases from a set or from the clock stops parallel runs."""
    def names(seed):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-m", "slow or not slow", "tests"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": seed})
        assert not done.returncode, done.stdout[-2000:]
        return [line for line in done.stdout.splitlines() if "::" in line]
    first, second = names("1"), names("2")
    assert len(first) > 1000 and first == second
    assert not [name for name in first if re.search(r"0x[0-9a-f]{6,}", name)]
