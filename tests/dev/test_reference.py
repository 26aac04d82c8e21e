"""Tests of nbs/dev/05_reference.ipynb, extracted from its test cells: edit them there."""
import importlib
import inspect
import re
from reject_nb.dev.notebooks import root
from types import SimpleNamespace

from reject_nb.dev.reference import (
    PARTS, _directive, _each_once, _escaped, _short, documented_modules, lacking, notebook_of_constant,
    reference_page,
)

def _shown(name, *parts): return f'<h2>one</h2><dt id="{name}">' + " ".join(parts)


def test_every_public_name_has_its_entry():
    for module in documented_modules():
        page = reference_page(module)
        for name in importlib.import_module(f"reject_nb.{module}").__all__:
            assert f"\n## {name}\n" in page and f":: reject_nb.{module}.{name}\n" in page, (module, name)


def test_every_entry_leads_to_a_notebook_that_exists():
    for module in documented_modules():
        for path in re.findall(r"\]\(\.\./(\S+\.ipynb)\)", reference_page(module)):
            assert (root()/"nbs"/path).is_file(), path


def test_an_entry_is_missed_where_a_part_is_gone():
    name, text = "reject_nb.mcsvm.solve_blocks", _shown("reject_nb.mcsvm.solve_blocks", *PARTS.values())
    assert lacking(name, text) == []
    for part, mark in PARTS.items(): assert lacking(name, text.replace(mark, "")) == [part]
    assert lacking(name, text.replace("solve_blocks", "solve_block")) == ["entry"]
    fields = _shown(name, f'<dt id="{name}.lower">', PARTS["example"], PARTS["notebook"])
    assert lacking(name, fields) == []
    later = _shown(name) + "<h2>next</h2>" + "".join(PARTS.values())
    assert lacking(name, later) == list(PARTS)
    assert lacking("reject_nb.mcsvm.RULES", _shown("reject_nb.mcsvm.RULES", PARTS["notebook"])) == []
    error = "reject_nb.audit.RuleError"
    assert lacking(error, _shown(error)) == ["example", "notebook"]


def test_every_error_shows_how_it_is_met():
    for module in documented_modules():
        there = importlib.import_module(f"reject_nb.{module}")
        things = {name: getattr(there, name) for name in there.__all__}
        errors = [n for n, t in things.items() if inspect.isclass(t) and issubclass(t, Exception)]
        assert not [f"{module}.{name}" for name in errors if ">>>" not in inspect.getdoc(things[name])]


def test_constants_have_a_notebook_too():
    assert notebook_of_constant("bernstein", "FORMULATIONS") == "bernstein/04_formulations"
    assert notebook_of_constant("mcsvm", "no_such_name") is None


def test_a_constant_is_shown_by_its_value():
    assert ":value: 3" in "\n".join(_directive("x", "y", 3))
    assert _short("a"*200).endswith("...") and len(_short("a"*200)) == 90


def test_a_class_that_grows_in_steps_shows_them_all():
    from reject_nb.audit import Audit, LargeAudit
    for name, thing in (("Audit", Audit), ("LargeAudit", LargeAudit)):
        told = _directive("audit", name, thing)[1]
        for method in ("certify", "from_table", "groups", "metrics", "to_html"): assert f" {method}" in told


def test_a_script_is_on_a_page_once():
    once, again = (SimpleNamespace(filename=name, attributes={"body": "const A = 1"}) for name in ("", None))
    context = {"script_files": ["a.js", once, "b.js", again, "a.js"]}
    _each_once(None, "p", "page.html", context, None)
    assert context["script_files"] == ["a.js", once, "b.js"]


def test_marks_of_people_survive():
    assert _escaped("|x| <= y") == r"\|x\| <= y" and _escaped("a_ b_c") == r"a\_ b_c"
    assert _escaped(">>> a_|b") == ">>> a_|b"
