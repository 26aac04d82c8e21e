"""Tests of the repository as a whole: what no single notebook can see."""
import ast
import json
import re
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from importlib import metadata
from pathlib import Path

import pytest

import reject_nb
from reject_nb.dev.build import check_export, check_notebooks, check_readme, check_tests
from reject_nb.core.claims import ITEMS, ROOMS, STATUSES, load_claims

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT/"reject_nb"
ALLOWED = {"mcsvm": {"sdr"}, "ood": {"strategies"}}   # which rooms a room may import
TOP = {"cli", "dev"}


def settings():
    parser = ConfigParser(delimiters=["="])
    parser.read(ROOT/"settings.ini", encoding="utf-8")
    return parser["DEFAULT"]


def imported(path):
    """Parts of reject_nb that a module imports: first name below the package, or '' for the package itself."""
    here = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            full = (*here[:len(here) - node.level + 1], *(node.module or "").split(".")) if node.level else tuple((node.module or "").split("."))
            names = [full] if len([p for p in full if p]) > 1 else [(*full, a.name) for a in node.names]
        elif isinstance(node, ast.Import): names = [tuple(a.name.split(".")) for a in node.names]
        else: continue
        for name in names:
            name = [p for p in name if p]
            if name[0] == "reject_nb": yield name[1] if len(name) > 1 else ""


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def test_rooms_import_foundations_and_nothing_else():
    for path in modules():
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        owner = parts[0] if len(parts) > 1 else ""
        for name in imported(path):
            if owner == "dev" or owner == name: continue
            if owner in ROOMS: assert name in ALLOWED.get(owner, set()) or name not in set(ROOMS) | TOP, f"{path.name} of {owner} imports {name}"
            else: assert name not in ROOMS, f"the foundation {path.name} imports the room {name}"


def test_no_star_imports_between_modules():
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)), path


@pytest.mark.parametrize("check", [check_notebooks, check_export, check_tests, check_readme])
def test_everything_is_in_step(check):
    assert check() == []


def test_every_module_has_its_notebook():
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if path == PACKAGE/"__init__.py": continue
        source = re.search(r"File to edit: ([^\s]+\.ipynb)", text)
        assert source and (path.parent/source[1]).resolve().is_file(), f"{path} has no notebook"


def test_every_claim_is_whole_and_can_be_computed_again():
    claims = load_claims(ROOT/"figures")
    assert claims
    for c in claims.values():
        room = c.id.partition("/")[0]
        assert c.status in STATUSES and c.says and c.where
        assert c.command.startswith(f"reject-nb reproduce {room}") and (ROOT/"nbs"/room/"90_paper.ipynb").is_file(), c.id
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


def test_notebooks_have_unique_ids():
    for path in (ROOT/"nbs").rglob("*.ipynb"):
        if ".ipynb_checkpoints" in path.parts: continue
        ids = [c["id"] for c in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        assert len(ids) == len(set(ids)), path
