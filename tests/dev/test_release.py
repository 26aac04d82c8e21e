"""Tests of nbs/dev/34_release.ipynb, extracted from its test cells: edit them there."""
import contextlib
import io
import pytest
import re
import sys
import tempfile
from pathlib import Path
from reject_nb.core.files import project_root
from reject_nb.dev.links import broken_in_markdown

from reject_nb.dev.release import (
    NUMBER, READ_BESIDE, _git, _said, for_the_index, main, stage, versions, wrong_tree, wrong_versions,
)

def _checkout(folder, settings="1.2.3", package="1.2.3", citation="1.2.3", changes="## 1.2.3 - 2026-01-31"):
    root = Path(folder)
    (root/"reject_nb").mkdir()
    files = {"settings.ini": f"[DEFAULT]\nversion = {settings}\n",
             "CHANGELOG.md": f"# Changes\n\n{changes}\n",
             "reject_nb/__init__.py": f'__version__ = "{package}"\n',
             "CITATION.cff": f"title: x\nversion: {citation}\n",
             "README.md": "# x\n\n![p](figures/p.png) [g](nbs/g.ipynb)\n"}
    for name, text in files.items(): (root/name).write_text(text)
    return root


@pytest.mark.parametrize("parts, wrong", [
    ({}, ""), ({"package": "1.2.2"}, "__init__.py says 1.2.2"),
    ({"citation": ""}, "CITATION.cff says nothing"),
    ({"changes": "## 1.2.3 - not yet released"}, "CHANGELOG.md has no line"),
    ({"changes": "## 1.2.30 - 2026-01-31"}, "CHANGELOG"),
    (dict.fromkeys(("settings", "package", "citation"), "1.2") | {"changes": "## 1.2 - 2026-01-31"},
     "no version of the form")])
def test_versions_that_differ_are_found(parts, wrong):
    with tempfile.TemporaryDirectory() as folder:
        found = wrong_versions(_checkout(folder, **parts))
        assert len(found) == bool(wrong) and all(wrong in line for line in found)


def test_the_version_of_this_checkout_is_one():
    found = versions(project_root())
    assert len(set(found.values())) == 1 and re.fullmatch(NUMBER, found["settings.ini"])


@pytest.mark.parametrize("number, fine", [("1.0.0", True), ("1.0.0rc1", True), ("10.20.30", True),
                                          ("01.0.0", False), ("1.0", False), ("1.0.0-dev", False)])
def test_semantic_versions(number, fine): assert bool(re.fullmatch(NUMBER, number)) == fine


def test_nothing_but_what_is_committed_is_released():
    with tempfile.TemporaryDirectory() as folder:
        root = _checkout(folder)
        who = "-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false"
        def git(*words): _git(root, *who, *words)
        git("init", "--quiet")
        git("add", ".")
        git("commit", "--quiet", "-m", "all")
        assert wrong_tree(root) == []
        (root/"new").write_text("")
        git("tag", "v1.2.3")
        assert wrong_tree(root) == ["not committed: new", "the tag v1.2.3 is taken"]
        with tempfile.TemporaryDirectory() as copy:
            stage(root, Path(copy))
            assert sorted(p.name for p in Path(copy).rglob("*") if p.is_file()) == [
                "CHANGELOG.md", "CITATION.cff", "README.md", "__init__.py", "settings.ini"]
            text = (Path(copy)/"README.md").read_text()
            assert "(https://raw.githubusercontent.com/reject-nb/reject_nb/v1.2.3/figures/p.png)" in text
            assert "(https://github.com/reject-nb/reject_nb/blob/v1.2.3/nbs/g.ipynb)" in text


@pytest.mark.parametrize("text", ["[a](https://x.org)", "[b](#part)", "[c](mailto:a@b.org)", "[e](//x.org)",
                                  "![d](data:image/png;base64,AA)", "f(x) [y] (z)"])
def test_addresses_stay_as_they_are(text): assert for_the_index(text, "1.0.0") == text


def test_a_picture_that_is_a_link_has_two_addresses():
    text = for_the_index("[![a](b.png)](c.ipynb)", "1.0.0")
    assert text.count("/v1.0.0/b.png)") == 1 and text.endswith("/blob/v1.0.0/c.ipynb)")


def test_the_first_failure_ends_it():
    seen, said = [], io.StringIO()
    def step(name, wrong): return lambda root: seen.append(name) or wrong
    steps = {"one": step("one", []), "two": step("two", ["a fault"]), "three": step("three", [])}
    with contextlib.redirect_stdout(said): assert main(project_root(), steps) == 1
    assert seen == ["one", "two"] and said.getvalue() == "one: ok\ntwo: failed\n  a fault\n"
    with contextlib.redirect_stdout(said): assert main(project_root(), {"one": steps["one"]}) == 0
    assert "nothing was uploaded" in said.getvalue()


def test_a_command_that_fails_is_heard():
    assert _said(sys.executable, "-c", "print('x'); raise SystemExit(3)") == ["x"]
    assert _said(sys.executable, "-c", "print('x')") == []


def test_pages_read_beside_the_code_have_links_that_hold():
    for name in READ_BESIDE: assert broken_in_markdown(project_root()/name) == []
