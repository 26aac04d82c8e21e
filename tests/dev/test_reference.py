"""Tests of nbs/dev/05_reference.ipynb, extracted from its test cells: edit them there."""
import importlib
import re
from reject_nb.dev.notebooks import root

from reject_nb.dev.reference import _directive, _escaped, _short, documented_modules, reference_page

def test_every_public_name_has_its_entry():
    for module in documented_modules():
        page = reference_page(module)
        for name in importlib.import_module(f"reject_nb.{module}").__all__:
            assert f"\n## {name}\n" in page and f":: reject_nb.{module}.{name}\n" in page, (module, name)


def test_every_entry_leads_to_a_notebook_that_exists():
    for module in documented_modules():
        for path in re.findall(r"\]\(\.\./(\S+\.ipynb)\)", reference_page(module)):
            assert (root()/"nbs"/path).is_file(), path


def test_a_constant_is_shown_by_its_value():
    assert ":value: 3" in "\n".join(_directive("x", "y", 3))
    assert _short("a"*200).endswith("...") and len(_short("a"*200)) == 90


def test_a_class_that_grows_in_steps_shows_them_all():
    from reject_nb.audit import Audit, LargeAudit
    for name, thing in (("Audit", Audit), ("LargeAudit", LargeAudit)):
        told = _directive("audit", name, thing)[1]
        for method in ("certify", "from_table", "groups", "metrics", "to_html"): assert f" {method}" in told


def test_marks_of_people_survive():
    assert _escaped("|x| <= y") == r"\|x\| <= y" and _escaped("a_ b_c") == r"a\_ b_c"
    assert _escaped(">>> a_|b") == ">>> a_|b"
