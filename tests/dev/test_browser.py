"""Tests of nbs/dev/35_browser.ipynb, extracted from its test cells: edit them there."""
import pytest
from pathlib import Path
from reject_nb.core.files import project_root
from reject_nb.dev.reference import documented_modules

from reject_nb.dev.browser import LOOK, look, main, pages, sentences

FAULT = dict(page="a.html", width=390, scheme="light", what="sideways", where="3 pixels")

def test_a_fault_is_told_once_with_its_views():
    other = FAULT | {"page": "b.html"}
    assert sentences([FAULT, FAULT | {"width": 1400}, FAULT, other]) == [
        "a.html: sideways: 3 pixels (390 light, 1400 light)", "b.html: sideways: 3 pixels (390 light)"]


def test_pages_of_each_kind_exist_as_notebooks():
    for name in pages():
        stem = name.removesuffix(".html")
        made = stem.startswith("reference/") and stem.partition("/")[2] in documented_modules()
        assert made or (project_root()/"nbs"/f"{stem}.ipynb").is_file(), name
    assert len(pages()) == len(set(pages()))


def test_a_missing_browser_is_named():
    with pytest.MonkeyPatch.context() as env:
        env.delenv("CHROMIUM", raising=False)
        env.setenv("PATH", "")
        with pytest.raises(FileNotFoundError, match="needs a Chromium .*, node, npm"): look(Path("x"), [])
        env.setenv("CHROMIUM", "/x/chrome")
        with pytest.raises(FileNotFoundError, match="needs node, npm"): look(Path("x"), [])


def test_a_page_that_was_not_built_is_named():
    with pytest.raises(SystemExit, match="not built: no/such.html"): main(["no/such.html"])


def test_the_script_asks_for_nothing_from_elsewhere():
    assert "http:" not in LOOK and "https:" not in LOOK
