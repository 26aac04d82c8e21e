"""Tests of nbs/dev/35_browser.ipynb, extracted from its test cells: edit them there."""
import io
import json
import pytest
import tempfile
from contextlib import redirect_stdout
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

PROGRAM = '#!/bin/sh\necho "$@" >> {log}\n{then}\n'

def _programs(folder, found, status=0):
    "Programs that write down how they were called; node prints what it found."
    log = Path(folder)/"log"
    node = f"echo '{json.dumps(found)}'\necho broken >&2\nexit {status}"
    then = {"npm": "true", "node": node, "chromium": "true"}
    for name, lines in then.items():
        path = Path(folder)/name
        path.write_text(PROGRAM.format(log=log, then=lines))
        path.chmod(0o755)
    return log


@pytest.mark.parametrize("status", [0, 1])
def test_pages_are_looked_at_by_the_programs(status):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        log = _programs(folder, [FAULT], status)
        env.setenv("PATH", f"{folder}:/bin:/usr/bin")
        env.setenv("CHROMIUM", f"{folder}/chromium")
        if status:
            with pytest.raises(RuntimeError, match="the browser failed: broken"):
                look(Path(folder), ["a.html"])
        else: assert look(Path(folder), ["a.html"]) == sentences([FAULT])
        install, run = log.read_text().splitlines()
        assert install.startswith("install --silent") and "playwright" in install
        site = Path(folder).resolve().as_uri()
        assert run == f'look.mjs {site}/ ["a.html"] {folder}/chromium'


@pytest.mark.parametrize("wrong", [[], ["a.html: sideways"]])
def test_the_command_tells_faults_and_fails_with_them(wrong):
    asked = []
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        site = Path(folder)/"_docs"/"_build"/"html"
        site.mkdir(parents=True)
        (site/"a.html").write_text("")
        env.setitem(main.__globals__, "project_root", lambda: Path(folder))
        env.setitem(main.__globals__, "look", lambda *args: asked.append(args) or wrong)
        with redirect_stdout(io.StringIO()) as said: assert main(["a.html"]) == len(wrong)
        assert asked == [(site, ["a.html"])]
        with pytest.raises(SystemExit, match="not built: b.html"): main(["a.html", "b.html"])
        env.setitem(main.__globals__, "project_root", lambda: None)
        with pytest.raises(SystemExit, match="not inside"): main(["a.html"])
    assert said.getvalue().splitlines() == [*wrong,
                                            f"1 pages at two widths, light and dark: {len(wrong)} faults"]
