"""Tests of nbs/dev/07_imports.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile
from contextlib import contextmanager
from pathlib import Path
from reject_nb.dev.imports import broken_imports
from reject_nb.dev.imports import import_graph
from reject_nb.dev.imports import shadowed_modules
from unittest import mock

from reject_nb.dev.imports import cycles, imported_by, layer, may_import, package_modules, part_of

GRAPHS = [({}, []), ({"a": {"b"}, "b": set()}, []), ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
          ({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}, [["b", "c"]]),
          ({"a": {"b", "c"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}, [["c", "d"], ["a", "b"]])]

@pytest.mark.parametrize("graph, expected", GRAPHS)
def test_cycles_are_found(graph, expected):
    assert cycles(graph) == expected

IMPORTS = [("from .region import radius", "sdr.rates", False, ["sdr.region"]),
           ("from . import region", "sdr", True, ["sdr.region"]),
           ("from ..core import files", "sdr.rates", False, ["core.files"]),
           ("import numpy", "sdr.rates", False, []),
           ("from reject_nb import __version__", "dev.pages", False, [""]),
           ("from .sdr.region import radius", "cli", False, ["sdr.region"])]

@pytest.mark.parametrize("source, module, is_package, expected", IMPORTS)
def test_imports_are_resolved(source, module, is_package, expected):
    known = {"sdr", "sdr.region", "sdr.rates", "core.files", "core"}
    assert [t for t, _, _ in imported_by(source, module, known, is_package)] == expected


def test_imports_within_functions_are_seen():
    source = "class A:\n    def f(self):\n        from .region import radius\n"
    assert imported_by(source, "sdr.rates", {"sdr.region"}) == [("sdr.region", 3, True)]


def test_a_part_without_a_place_is_refused():
    with pytest.raises(ValueError, match="part must be"): layer("attic")
    assert may_import("dev", "cli") and not may_import("data", "sdr")


def test_every_module_has_a_place():
    assert all(layer(part_of(name)) >= 0 for name in package_modules())


@contextmanager
def _package(files):
    "A package of these modules instead of ours."
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name, source in files.items():
            path = Path(folder)/Path(*name.split("."))
            is_package = any(other.startswith(name + ".") for other in files)
            made[name] = path/"__init__.py" if is_package else path.with_suffix(".py")
            made[name].parent.mkdir(parents=True, exist_ok=True)
            made[name].write_text(source, encoding="utf-8")
        with mock.patch.dict(broken_imports.__globals__, package_modules=lambda: made): yield


def test_names_that_hide_a_module_are_found():
    files = {"sdr": "__all__ = ['rates', 'Region']",
             "sdr.rates": "__all__ = ['sdr', 'rates']", "sdr.region": "",
             "ood": "__all__ = ['cost']", "ood.cost": ""}
    with _package(files):
        said = ["reject_nb.sdr: rates is a public name and a module: rename the module"]
        assert shadowed_modules(("sdr",)) == said
        assert len(shadowed_modules(("sdr", "ood"))) == 2 and shadowed_modules(("core",)) == []


def test_wrong_imports_are_named_with_their_line():
    files = {"core": "", "core.files": "\nfrom ..sdr.rates import a\n", "sdr": "",
             "sdr.rates": "def f():\n    from .region import b\n",
             "sdr.region": "from .rates import a\nfrom ..core.files import *\n"}
    with _package(files):
        assert import_graph()["sdr.region"] == {"sdr.rates", "core.files"}
        assert broken_imports(("core",)) == ["reject_nb.core.files, line 2: must not import sdr.rates",
                                         "modules import each other: core.files, sdr.rates, sdr.region"]
        found = broken_imports(("sdr",))
        assert found[:2] == ["reject_nb.sdr.rates, line 2: imports sdr.region within a function",
                             "reject_nb.sdr.region, line 2: imports everything: name what is used"]
        assert len(found) == 3 and broken_imports(("ood",)) == []
